/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/spacing.c - states are made kernel by kernel. */
#include "graph/layout/spacing.h"

#include "codegen/callable.h"
#include "graph/task/piece.h"

const struct binding *spacing_application(const struct spacing *s, int node)
{
	return function_at(s->main, s->space->nodes.at[node].value);
}

const struct function *spacing_function(const struct spacing *s, int node)
{
	return s->space->graph->functions.at[spacing_application(s, node)->function];
}

static const struct layout_kernel *kernel_of(const struct spacing *s, int value)
{
	return value < s->main->bindings.n ? NULL
					   : &s->space->kernels.at[value - s->main->bindings.n];
}

static bool is_constant(const struct spacing *s, int value)
{
	const struct layout_kernel *k = kernel_of(s, value);

	return k ? k->function == FUNCTION_NONE : function_const(s->main, value) != NULL;
}

/* --- types */

/* The type of K, which is constants: one behind the other. */
static const struct type *joined_type(const struct spacing *s, const struct layout_kernel *k)
{
	int64_t dim[GRAPH_MAX_RANK], part[GRAPH_MAX_RANK];
	const struct type *t = spacing_type(s, k->args[0]);

	type_shape(t, dim);
	for (int i = 1; i < k->nargs; i++) {
		type_shape(spacing_type(s, k->args[i]), part);
		dim[k->axis] += part[k->axis];
	}
	return type_shaped(s->space->graph->arena, t->element, t->rank, dim);
}

const struct type *spacing_type(const struct spacing *s, int value)
{
	const struct layout_kernel *k = value < 0 ? NULL : kernel_of(s, value);

	if (value < 0)
		return &type_unknown;
	if (!k)
		return function_at(s->main, value)->type;
	return k->function == FUNCTION_NONE ? joined_type(s, k)
					    : s->space->graph->functions.at[k->function]->result;
}

int spacing_constant(struct spacing *s, int n, const int *values, int axis)
{
	struct layout_kernel k = { .function = FUNCTION_NONE, .axis = axis, .nargs = n, .task = -1 };

	k.args = arena_memdup(s->space->arena, values, (size_t)n * sizeof(*values));
	k.stored = arena_many(s->space->arena, int64_t, n + 1);
	vec_push(s->space->arena, &s->space->kernels, k);
	return s->main->bindings.n + s->space->kernels.n - 1;
}

int spacing_pact(struct spacing *s)
{
	vec_push(s->space->arena, &s->space->pacts, (struct value_vec){ 0 });
	return s->space->pacts.n - 1;
}

/* --- how a kernel stores its images */

/* How MANNER stores an image of plain type T: blocks of a vector, or of half of one where that alone
 * divides the channels. */
static int store_in(const struct type *t, enum layout_manner manner, int lanes)
{
	if (manner == MANNER_NHWC)
		return storage_fits(t, STORE_NHWC) ? STORE_NHWC : STORE_NCHW;
	for (int block = lanes; manner == MANNER_BLOCKED && block >= lanes / 2 && block > 1;
	     block /= 2)
		if (storage_fits(t, block))
			return block;
	return STORE_NCHW;
}

/* Is VALUE an image that a kernel may take in another storage? */
static bool is_image(const struct spacing *s, int value)
{
	const struct type *t = spacing_type(s, value);

	return t->kind == TYPE_TENSOR && storage_fits(t, STORE_NHWC) && !is_constant(s, value);
}

/* The rank of the images of a kernel: the largest among operands and result; 0 where it has none. */
static int image_rank(const struct spacing *s, const struct layout_kernel *k,
		      const struct type *result)
{
	int rank = storage_fits(result, STORE_NHWC) ? result->rank : 0;

	for (int i = 0; i < k->nargs; i++)
		if (k->args[i] >= 0 && is_image(s, k->args[i]) &&
		    spacing_type(s, k->args[i])->rank > rank)
			rank = spacing_type(s, k->args[i])->rank;
	return rank;
}

/* How kernel K stores its arguments and result in MANNER; NULL where all are plain. */
static int64_t *stored_in(const struct spacing *s, const struct layout_kernel *k,
			  enum layout_manner manner)
{
	const struct type *result = s->space->graph->functions.at[k->function]->result;
	int64_t *stored = arena_many(s->space->arena, int64_t, k->nargs + 1);
	int64_t most = STORE_NCHW;
	int rank = image_rank(s, k, result), lanes = s->space->lanes;

	for (int i = 0; i < k->nargs; i++) {
		const struct layout_kernel *made = k->args[i] < 0 ? NULL : kernel_of(s, k->args[i]);
		const struct type *t = spacing_type(s, k->args[i]);

		if (made)
			stored[i] = made->stored[made->nargs];
		else if (t->rank == rank && k->args[i] >= 0 && is_image(s, k->args[i]))
			stored[i] = store_in(t, manner, lanes);
	}
	if (result->rank == rank)
		stored[k->nargs] = store_in(result, manner, lanes);
	for (int i = 0; i <= k->nargs; i++)
		most = stored[i] > most ? stored[i] : most;
	return most == STORE_NCHW && manner != MANNER_NCHW ? NULL : stored;
}

/* --- tasks */

int spacing_task(struct spacing *s, const struct cut_dag *c)
{
	struct model_task t = { .op = c->op, .shape = c->shape, .dag = c->dag,
				.from = c->from };
	struct arena *a = s->space->arena;

	t.key = dag_key(c->dag);
	t.flop = dag_flop(c->dag);
	const char *name = task_name(a, s->space->graph, &t);

	if (names_add(a, &s->seen, name, s->space->tasks.n)) {
		vec_push(a, &s->space->tasks, t);
		vec_push(a, &s->space->like, (struct layout_likeness){ 0 });
	}
	return names_get(&s->seen, name, -1);
}

/* An array like VALUE, which is constant, for operators that ask for its dims. */
static const struct array *given(const struct spacing *s, int value)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (value < 0 || !is_constant(s, value))
		return NULL;
	if (value < s->main->bindings.n)
		return function_const(s->main, value);
	type_shape(spacing_type(s, value), dim);
	return array_around(s->space->arena, spacing_type(s, value)->element,
			    spacing_type(s, value)->rank, dim, NULL);
}

/* The DAG of kernel K with everything plain. */
static const struct cut_dag *plain_cut(struct spacing *s, const struct layout_kernel *k)
{
	struct arena *a = s->space->arena;
	const struct function *f = s->space->graph->functions.at[k->function];
	struct hasher *h = hasher_new();

	hasher_int(h, k->function);
	int *known = known_at(a, &s->cut, hasher_end(h), s->plain.n);

	if (*known == s->plain.n) {
		const struct array **consts = arena_many(a, const struct array *, k->nargs);

		for (int i = 0; i < k->nargs; i++)
			consts[i] = given(s, k->args[i]);
		vec_push(a, &s->plain, cut_fused(a, f, consts));
	}
	return &s->plain.at[*known];
}

/* Do the operands of K, a concatenation or a slice, lie where its result is, as far as can be said
 * before memory is planned? */
static bool is_piece(const struct spacing *s, const struct layout_kernel *k)
{
	const struct function *f = s->space->graph->functions.at[k->function];
	int64_t bytes = (int64_t)element_bytes(f->result->element);
	int param, *params, n = concat_pieces(s->space->arena, f, k->stored, &params);
	int64_t begin = n ? -1 : slice_piece(f, k->stored, &param);

	if (begin >= 0)
		return begin * bytes % CALLABLE_ALIGN == 0 && !is_constant(s, k->args[param]);
	for (int i = 0; i < n; i++) {
		int v = k->args[params[i]];

		if (type_bytes(spacing_type(s, v)) % CALLABLE_ALIGN != 0 ||
		    (v < s->main->bindings.n && s->space->node_of[v] < 0))
			return false;
	}
	return n > 0;
}

/* --- states */

struct state_maker state_begin(struct spacing *s, enum layout_manner manner, int pact)
{
	return (struct state_maker){
		.spacing = s,
		.state = { .manner = manner, .pact = pact, .kernel = s->space->kernels.n },
		.tasks_before = s->space->tasks.n,
	};
}

int state_kernel(struct state_maker *m, int function, int nargs, const int *args)
{
	struct spacing *s = m->spacing;
	struct arena *a = s->space->arena;
	struct layout_kernel k = { .function = function, .nargs = nargs, .task = -1 };

	if (m->failed)
		return VALUE_NONE;
	k.args = arena_memdup(a, args, (size_t)nargs * sizeof(*args));
	k.stored = stored_in(s, &k, m->state.manner);
	struct cut_dag c = { 0 };

	if (k.stored)
		c = *plain_cut(s, &k);
	if (c.dag && m->state.manner != MANNER_NCHW)
		c = variant_cut(a, &c, s->space->graph->functions.at[function], k.stored);
	m->failed = !c.dag;
	if (m->failed)
		return VALUE_NONE;
	if (!is_piece(s, &k))
		k.task = spacing_task(s, &c);
	vec_push(a, &s->space->kernels, k);
	m->state.nkernels++;
	return s->main->bindings.n + s->space->kernels.n - 1;
}

/* The task of S that computes most; -1. */
static int largest_task(const struct layout_space *x, const struct layout_state *s)
{
	int largest = -1;

	for (int i = 0; i < s->nkernels; i++) {
		int task = layout_kernels(x, s)[i].task;

		if (task >= 0 && (largest < 0 || x->tasks.at[task].flop > x->tasks.at[largest].flop))
			largest = task;
	}
	return largest;
}

bool state_end(struct state_maker *m, int node, const struct layout_likeness *like)
{
	struct layout_space *x = m->spacing->space;
	int task = largest_task(x, &m->state);

	if (m->failed) {
		x->kernels.n = m->state.kernel;
		return false;
	}
	if (task >= m->tasks_before)
		x->like.at[task] = *like;
	vec_push(x->arena, &x->nodes.at[node].states, m->state);
	if (m->state.pact >= 0) {
		struct value_vec *nodes = &x->pacts.at[m->state.pact];

		if (value_vec_find(nodes, node) < 0)
			vec_push(x->arena, nodes, node);
	}
	return true;
}

int spacing_usual(const struct spacing *s, int node, enum layout_manner manner)
{
	const struct layout_state_vec *states = &s->space->nodes.at[node].states;

	for (int i = 0; i < states->n; i++)
		if (states->at[i].usual && states->at[i].manner == manner)
			return layout_kernels(s->space, &states->at[i])->task;
	return -1;
}
