/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/combine.c - convolutions and products of one image as a single kernel, whose weights are
 * theirs one behind the other: it reads the image once, and makes more channels in parallel. Each of
 * them is a slice of its result then, which takes nothing where the channels lie together. */
#include "graph/layout/spacing.h"

#include "graph/ir/op.h"
#include "graph/task/fused.h"

/* Siblings that one kernel computes; wider ones fill the machine without. */
enum { MOST_SIBLINGS = 8 };

struct siblings {
	struct spacing *spacing;
	int node[MOST_SIBLINGS], n;
	int axis;		/* of the result: what each has channels of its own along */
	int *along;		/* by parameter: dim along which it goes with the channels; -1: all share it */
};

static const struct function *function_of(const struct siblings *x, int i)
{
	return spacing_function(x->spacing, x->node[i]);
}

static int64_t channels_of(const struct siblings *x, int i)
{
	return function_of(x, i)->result->dim[x->axis].n;
}

/* --- which */

/* The dim of the weights of HEAD, a convolution or a product by a matrix, that makes channels, and *AXIS
 * where these are in its result. -1: it is neither. */
static int channels_made(const struct function *f, const struct binding *head, int *axis)
{
	bool product = head && head->op == &core_matmul;

	if (!product && (!head || head->op != &core_conv || call_int(head, "groups") != 1))
		return -1;
	if (head->args[1] >= f->nparams)
		return -1;
	*axis = product ? head->type->rank - 1 : 1;
	if (!product)
		return 0;
	return function_at(f, head->args[1])->type->rank == 2 ? !call_flag(head, "trans_b") : -1;
}

/* The dim of parameter V along which its elements go with those of Y's dim AXIS, where V is an operand of
 * pointwise call B; -1: with none. */
static int along_result(const struct function *f, const struct binding *b, int v, int axis)
{
	const struct type *t = function_at(f, v)->type;
	int dim = t->rank - b->type->rank + axis;

	return dim >= 0 && t->dim[dim].n == b->type->dim[axis].n ? dim : -1;
}

/* Fills in x->along by the first of them. False where its parameters are no such. */
static bool find_along(struct siblings *x)
{
	const struct function *f = function_of(x, 0);
	const struct binding *head = function_first_call(f), *b = spacing_application(x->spacing, x->node[0]);

	x->along = arena_many(x->spacing->space->arena, int, f->nparams);
	for (int i = 0; i < f->nparams; i++)
		x->along[i] = -1;
	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *call = function_at(f, v);

		for (int i = 0; call->kind == BIND_CALL && i < call->nargs; i++) {
			int p = call->args[i], axis;

			if (p < 0 || p >= f->nparams || p == head->args[0])
				continue;
			if (!function_const(x->spacing->main, b->args[p]))
				return false;
			if (call != head && !call->op->pointwise)
				return false;
			x->along[p] = call == head ? channels_made(f, head, &axis)
						   : along_result(f, call, p, x->axis);
		}
	}
	return true;
}

static bool same_dims(const struct type *s, const struct type *t, int but)
{
	if (s->element != t->element || s->rank != t->rank)
		return false;
	for (int i = 0; i < s->rank; i++)
		if (i != but && s->dim[i].n != t->dim[i].n)
			return false;
	return true;
}

static struct hash128 hash_of(const struct binding *b)
{
	struct hasher *h = hasher_new();

	hash_attrs(h, b);
	return hasher_end(h);
}

static bool same_call(const struct binding *s, const struct binding *t)
{
	if (s->kind != t->kind || s->op != t->op || s->nargs != t->nargs)
		return false;
	if (s->kind == BIND_CONST)
		return array_equal(s->array, t->array);
	for (int i = 0; i < s->nargs; i++)
		if (s->args[i] != t->args[i])
			return false;
	return hash_equal(hash_of(s), hash_of(t));
}

/* Does NODE compute the same as the first of X, but for weights and the number of channels? */
static bool is_sibling(const struct siblings *x, int node)
{
	const struct function *f = function_of(x, 0), *g = spacing_function(x->spacing, node);
	const struct binding *b = spacing_application(x->spacing, x->node[0]);
	const struct binding *c = spacing_application(x->spacing, node);

	if (f->nparams != g->nparams || f->bindings.n != g->bindings.n)
		return false;
	for (int p = 0; p < f->nparams; p++)
		if (!same_dims(function_at(f, p)->type, function_at(g, p)->type, x->along[p]) ||
		    (x->along[p] < 0 && b->args[p] != c->args[p]) ||
		    (x->along[p] >= 0 && !function_const(x->spacing->main, c->args[p])))
			return false;
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (!same_call(function_at(f, v), function_at(g, v)))
			return false;
	return true;
}

/* Is what NODE gives put together with others? That costs nothing if it is computed where it is to be. */
static bool is_concatenated(const struct spacing *s, int node)
{
	int value = s->space->nodes.at[node].value;

	for (int i = node + 1; i < s->space->nodes.n; i++) {
		const struct binding *b = spacing_application(s, i);
		const struct binding *head = function_first_call(spacing_function(s, i));

		for (int j = 0; head && head->op == &core_concat && j < b->nargs; j++)
			if (b->args[j] == value)
				return true;
	}
	return false;
}

static bool find_siblings(struct siblings *x, const bool *taken)
{
	const struct function *f = function_of(x, 0);
	const struct binding *head = function_first_call(f);
	const struct spacing *s = x->spacing;

	if (channels_made(f, head, &x->axis) < 0 || head->args[0] >= f->nparams || !find_along(x))
		return false;
	for (int i = x->node[0] + 1; i < s->space->nodes.n && x->n < MOST_SIBLINGS; i++)
		if (!taken[i] && is_sibling(x, i) && !is_concatenated(s, i))
			x->node[x->n++] = i;
	return x->n > 1;
}

/* --- how */

static struct builder begin(const struct siblings *x, const char *name)
{
	struct builder b = builder_begin(x->spacing->space->graph, name);

	b.plain = true;
	return b;
}

static int end(struct builder *b, int result)
{
	int index = builder_end(b, 1, &result);

	if (index != FUNCTION_NONE)
		fused_mark(b->graph, index);
	return index;
}

/* The function of the first with the parameters ARGS. */
static int combined(const struct siblings *x, const int *args)
{
	const struct function *f = function_of(x, 0);
	struct builder b = begin(x, f->name);
	int y = VALUE_NONE;

	for (int p = 0; p < f->nparams; p++)
		build_param(&b, function_at(f, p)->name, spacing_type(x->spacing, args[p]));
	for (int v = f->nparams; v < f->bindings.n && y != VALUE_FAILED; v++)
		y = build_copy(&b, function_at(f, v), function_at(f, v)->args, NULL);
	return end(&b, y == VALUE_FAILED ? y : f->results[0]);
}

/* A function that takes N channels from FIRST on. */
static int slice(const struct siblings *x, const struct type *whole, int64_t first, int64_t n)
{
	struct builder b = begin(x, "slice");

	build_param(&b, "", whole);
	int starts = build_ints(&b, 1, &first), ends = build_ints(&b, 1, (int64_t[]){ first + n });
	int axes = build_ints(&b, 1, (int64_t[]){ x->axis });

	return end(&b, build(&b, &core_slice, 0, starts, ends, axes));
}

/* What the combined kernel takes: weights of all in the place of the first's. */
static int *arguments(const struct siblings *x)
{
	const struct function *f = function_of(x, 0);
	int *args = arena_many(x->spacing->space->arena, int, f->nparams);

	for (int p = 0; p < f->nparams; p++) {
		int parts[MOST_SIBLINGS];

		for (int i = 0; i < x->n; i++)
			parts[i] = spacing_application(x->spacing, x->node[i])->args[p];
		args[p] = x->along[p] < 0 ? parts[0]
					  : spacing_constant(x->spacing, x->n, parts, x->along[p]);
	}
	return args;
}

struct combined {
	int whole;			/* function of all */
	const int *args;
	int slice[MOST_SIBLINGS];	/* function of each */
};

/* What the usual kernels of all are in MANNER; false where one has none. */
static bool usual_tasks(const struct siblings *x, enum layout_manner manner, struct value_vec *out)
{
	for (int i = 0; i < x->n; i++) {
		vec_push(x->spacing->space->arena, out, spacing_usual(x->spacing, x->node[i], manner));
		if (out->at[i] < 0)
			return false;
	}
	return true;
}

/* States in which the first has the kernel of all. */
static void add_states(const struct siblings *x, const struct combined *c, enum layout_manner manner)
{
	struct spacing *s = x->spacing;
	struct layout_likeness like = { 0 };
	struct state_maker state[MOST_SIBLINGS];
	bool failed = false;
	int whole = VALUE_NONE;

	if (!usual_tasks(x, manner, &like.tasks))
		return;
	int pact = spacing_pact(s);

	for (int i = 0; i < x->n; i++) {
		state[i] = state_begin(s, manner, pact);
		if (i == 0)
			whole = state_kernel(&state[i], c->whole, function_of(x, 0)->nparams, c->args);
		if (whole >= 0)
			state_kernel(&state[i], c->slice[i], 1, &whole);
		failed |= state[i].failed || whole < 0;
	}
	for (int i = 0; i < x->n && !failed; i++)
		state_end(&state[i], x->node[i], i == 0 ? &like : &(struct layout_likeness){ 0 });
}

static void combine(struct siblings *x)
{
	struct combined c = { .args = arguments(x) };
	struct graph *g = x->spacing->space->graph;
	int64_t first = 0;
	bool made = true;

	c.whole = combined(x, c.args);
	for (int i = 0; i < x->n && c.whole != FUNCTION_NONE; i++) {
		c.slice[i] = slice(x, g->functions.at[c.whole]->result, first, channels_of(x, i));
		first += channels_of(x, i);
		made &= c.slice[i] != FUNCTION_NONE;
	}
	for (int m = 0; m < MANNER_COUNT && made && c.whole != FUNCTION_NONE; m++)
		add_states(x, &c, (enum layout_manner)m);
}

void layout_combine(struct spacing *s)
{
	int n = s->space->nodes.n;
	bool *taken = arena_many(s->space->arena, bool, n);

	for (int i = 0; i < n; i++) {
		struct siblings x = { .spacing = s, .node = { i }, .n = 1 };

		if (taken[i] || is_concatenated(s, i) || !find_siblings(&x, taken))
			continue;
		for (int k = 0; k < x.n; k++)
			taken[x.node[k]] = true;
		combine(&x);
	}
}
