/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply.c - what each step does to a state.
 *
 * state_apply works on a copy and keeps it where the step was legal: an illegal one leaves no
 * trace. Each step is a function that checks, then changes; it names the reason where it refuses. */
#include "schedule/stage.h"
#include "te/index.h"

enum { VECTOR_MAX_LANES = 64 };

/* Refuses with a reason. */
#define REFUSE(reason)                                                                             \
	do {                                                                                       \
		*why = (reason);                                                                   \
		return false;                                                                      \
	} while (0)

typedef bool apply_fn(struct state *s, const struct step *step, const char **why);

static struct stage *stage_at(struct state *s, int i)
{
	return s->stages.at[i];
}

/* Adds an iter to G; returns its number. */
static int new_iter(struct arena *a, struct stage *g, const char *name, bool reduce)
{
	struct iter it = { .name = name, .reduce = reduce };

	vec_push(a, &g->iters, it);
	return g->iters.n - 1;
}

static bool has_attached(const struct state *s, int stage, int iter)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (g->place == PLACE_AT && g->at_stage == stage && g->at_iter == iter)
			return true;
	}
	return false;
}

static bool apply_split(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int leaf = stage_leaf(g, step->iter);

	if (leaf < 0)
		REFUSE("the iter is not a loop");
	struct iter it = g->iters.at[step->iter];

	if (step->size < 1)
		REFUSE("the size is open or not positive");
	if (it.annotation != ANNOTATION_NONE)
		REFUSE("the loop is annotated already");
	if (has_attached(s, step->stage, step->iter))
		REFUSE("another stage is attached to the loop");
	if (step->tail == TAIL_SHIFT && it.reduce)
		REFUSE("a shifted tile would add reduced elements twice");
	struct relation r = { RELATION_SPLIT, step->iter, 0, 0, step->size, step->tail };

	r.outer = new_iter(s->arena, g, arena_printf(s->arena, "%s.0", it.name), it.reduce);
	r.inner = new_iter(s->arena, g, arena_printf(s->arena, "%s.1", it.name), it.reduce);
	vec_push(s->arena, &g->relations, r);
	g->leaves.at[leaf] = r.outer;
	vec_insert(s->arena, &g->leaves, leaf + 1, r.inner);
	return true;
}

static bool apply_reorder(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int place[STEP_MAX_ITERS];
	int n = 0;

	for (int i = 0; i < step->n; i++) {
		if (stage_leaf(g, step->list[i]) < 0)
			REFUSE("an iter is not a loop");
		for (int j = 0; j < i; j++)
			if (step->list[i] == step->list[j])
				REFUSE("an iter is named twice");
	}
	for (int i = 0; i < g->leaves.n; i++)
		for (int j = 0; j < step->n; j++)
			if (g->leaves.at[i] == step->list[j])
				place[n++] = i;
	for (int i = 0; i < n; i++)
		g->leaves.at[place[i]] = step->list[i];
	return true;
}

/* Makes the leaves at I and I+1 one. */
static int fuse_two(struct state *s, struct stage *g, int i)
{
	struct relation r = { .kind = RELATION_FUSE };

	r.outer = g->leaves.at[i];
	r.inner = g->leaves.at[i + 1];
	r.parent = new_iter(s->arena, g,
			    arena_printf(s->arena, "%s_%s", g->iters.at[r.outer].name,
					 g->iters.at[r.inner].name),
			    g->iters.at[r.outer].reduce);
	vec_push(s->arena, &g->relations, r);
	g->leaves.at[i] = r.parent;
	vec_remove(&g->leaves, i + 1);
	return r.parent;
}

static bool apply_fuse(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int first = step->n > 0 ? stage_leaf(g, step->list[0]) : -1;

	if (step->n < 2)
		REFUSE("fewer than two loops");
	for (int i = 0; i < step->n; i++) {
		if (first < 0 || stage_leaf(g, step->list[i]) != first + i)
			REFUSE("the loops are not neighbours in this order");
		struct iter it = g->iters.at[step->list[i]];

		if (it.reduce != g->iters.at[step->list[0]].reduce)
			REFUSE("space and reduce loops do not fuse");
		if (it.annotation != ANNOTATION_NONE)
			REFUSE("a loop is annotated already");
		if (has_attached(s, step->stage, step->list[i]))
			REFUSE("another stage is attached to one of the loops");
	}
	for (int i = 1; i < step->n; i++)
		fuse_two(s, g, first);
	return true;
}

/* --- rewriting bodies */

struct replace_load {
	const struct tensor *tensor;
	const struct op *op;		/* inline: its body stands for the load */
	const struct tensor *other;	/* else this tensor does, dims permuted by dims */
	const int *dims;
};

static const struct expr *replace_load(struct arena *a, const struct expr *e, void *user);

/* The indices of load E, themselves rewritten. */
static void rewrite_index(struct arena *a, const struct expr *e, void *user,
			  const struct expr **index)
{
	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = expr_rewrite(a, e->index[i], replace_load, user);
}

static const struct expr *replace_load(struct arena *a, const struct expr *e, void *user)
{
	const struct replace_load *r = user;
	const struct expr *index[TENSOR_MAX_DIMS], *to[TENSOR_MAX_DIMS];

	if (e->kind != EXPR_LOAD || e->tensor != r->tensor)
		return NULL;
	rewrite_index(a, e, user, index);
	if (r->op)
		return expr_simplify(a, expr_substitute(a, r->op->body,
							(const struct axis *const *)r->op->space,
							index, e->tensor->ndim));
	for (int i = 0; i < e->tensor->ndim; i++)
		to[i] = index[r->dims ? r->dims[i] : i];
	return expr_load(a, r->other, to);
}

static bool apply_inline(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int consumers[64];
	int n = state_consumers(s, step->stage, consumers, 64);
	struct replace_load r = { .tensor = g->tensor, .op = &g->op };

	if (op_is_reduction(&g->op))
		REFUSE("a reduction has no expression to inline");
	if (g->op.output)
		REFUSE("an output has to be stored");
	if (n == 0 || n > 64)
		REFUSE("no stage reads it");
	if (g->place != PLACE_ROOT || g->relations.n > 0)
		REFUSE("it has been scheduled already");
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == step->stage)
			REFUSE("another stage is attached to it");
	for (int i = 0; i < n; i++) {
		struct op *op = &stage_at(s, consumers[i])->op;

		op->body = expr_rewrite(s->arena, op->body, replace_load, &r);
	}
	g->place = PLACE_INLINE;
	return true;
}

static bool apply_compute_at(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct stage *target = stage_at(s, step->target);
	int consumers[64];
	int n = state_consumers(s, step->stage, consumers, 64);
	int leaf = stage_leaf(target, step->iter);

	if (g->op.output)
		REFUSE("an output is computed at the root");
	if (step->stage == step->target || !stage_computes(target) || leaf < 0)
		REFUSE("the target is not a loop of another stage");
	if (g->leaves.n > 0 && state_encloses(s, step->stage, g->leaves.at[0], step->target))
		REFUSE("the target is inside the stage itself");
	for (int i = 0; i <= leaf; i++)
		if (target->iters.at[target->leaves.at[i]].annotation == ANNOTATION_VECTOR)
			REFUSE("the target is inside a vector loop");
	for (int i = 0; i < n && i < 64; i++)
		if (!state_encloses(s, step->target, step->iter, consumers[i]))
			REFUSE("a reader of the stage is outside the loop");
	g->place = PLACE_AT;
	g->at_stage = step->target;
	g->at_iter = step->iter;
	return true;
}

/* --- stages that steps make */

static const char *unique_name(struct state *s, const char *base, const char *suffix)
{
	char *name = arena_printf(s->arena, "%s.%s", base, suffix);

	for (int i = 2; state_find_stage(s, name) >= 0; i++)
		name = arena_printf(s->arena, "%s.%s%d", base, suffix, i);
	return name;
}

/* Puts a stage that computes OP into the order, before (or after) stage NEIGHBOUR. */
static int insert_stage(struct state *s, struct op *op, int neighbour, bool after)
{
	struct tensor *identity = arena_memdup(s->arena, &op->tensor, sizeof(op->tensor));

	vec_push(s->arena, &s->stages, stage_new(s->arena, op, identity));
	for (int i = 0; i < s->order.n; i++)
		if (s->order.at[i] == neighbour) {
			vec_insert(s->arena, &s->order, i + after, s->stages.n - 1);
			break;
		}
	return s->stages.n - 1;
}

static struct axis *copy_axis(struct arena *a, const struct axis *axis)
{
	return arena_memdup(a, axis, sizeof(*axis));
}

/* A load of T at the values of AXES, dim i at axis dims[i] (or i). */
static const struct expr *load_at(struct arena *a, const struct tensor *t,
				  struct axis *const *axes, const int *dims)
{
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; i < t->ndim; i++)
		index[dims ? dims[i] : i] = expr_axis(a, axes[i]);
	return expr_load(a, t, index);
}

static bool is_unscheduled(const struct stage *g)
{
	return g->relations.n == 0 && g->place == PLACE_ROOT;
}

/* Turns stage G into a copy of tensor FROM, with new axes. */
static void become_copy(struct state *s, struct stage *g, const struct tensor *from)
{
	struct arena *a = s->arena;
	struct axis **space = arena_many(a, struct axis *, g->op.tensor.ndim);
	struct op op = g->op;

	for (int i = 0; i < op.tensor.ndim; i++)
		space[i] = copy_axis(a, g->op.space[i]);
	op.space = space;
	op.nreduce = 0;
	op.reducer = REDUCE_NONE;
	op.body = load_at(a, from, space, NULL);
	struct stage *copy = stage_new(a, &op, g->tensor);

	*g = *copy;
}

static bool apply_cache_write(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (!stage_computes(g))
		REFUSE("only a computed stage has a cache");
	if (!is_unscheduled(g))
		REFUSE("it has been scheduled already");
	struct op op = g->op;

	op.tensor.name = unique_name(s, g->op.tensor.name, "local");
	op.output = false;
	int cache = insert_stage(s, &op, step->stage, false);

	stage_at(s, cache)->is_cache = true;
	become_copy(s, g, stage_at(s, cache)->tensor);
	return true;
}

static bool is_permutation(const int *dims, int n)
{
	int seen = 0;

	for (int i = 0; i < n; i++)
		if (dims[i] < n)
			seen |= 1 << dims[i];
	return seen == (1 << n) - 1;
}

static bool apply_cache_read(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct stage *reader = stage_at(s, step->target);
	struct arena *a = s->arena;
	struct op op = { .kind = OP_COMPUTE, .tensor = g->op.tensor };
	int ndim = g->op.tensor.ndim;
	int consumers[64];
	int n = state_consumers(s, step->stage, consumers, 64);
	bool reads = false;

	for (int i = 0; i < n && i < 64; i++)
		reads |= consumers[i] == step->target;
	if (!reads || !stage_computes(reader))
		REFUSE("the reader does not read it");
	if (g->packed)
		REFUSE("its layout has been chosen already");
	if (step->n != 0 && (step->n != ndim || !is_permutation(step->list, ndim)))
		REFUSE("the dims are no permutation");
	const int *dims = step->n ? step->list : NULL;

	op.tensor.name = unique_name(s, g->op.tensor.name, "cache");
	op.space = arena_many(a, struct axis *, ndim);
	for (int i = 0; i < ndim; i++) {
		int dim = dims ? dims[i] : i;

		op.space[i] = arena_one(a, struct axis);
		op.space[i]->name = arena_printf(a, "d%d", dim);
		op.space[i]->hi = op.tensor.shape[i] = g->op.tensor.shape[dim];
	}
	op.body = load_at(a, g->tensor, op.space, dims);
	int cache = insert_stage(s, &op, step->stage, true);
	struct replace_load r = { .tensor = g->tensor,
				  .other = stage_at(s, cache)->tensor,
				  .dims = dims };

	stage_at(s, cache)->is_cache = true;
	reader->op.body = expr_rewrite(a, reader->op.body, replace_load, &r);
	return true;
}

/* The condition that the iters of G, by their values, are within all splits that do not divide. */
static const struct expr *tail_condition(struct arena *a, const struct stage *g)
{
	const struct expr *all = NULL;

	for (int i = 0; i < g->relations.n; i++) {
		const struct iter *parent = &g->iters.at[g->relations.at[i].parent];

		if (g->relations.at[i].kind != RELATION_SPLIT ||
		    expr_range(parent->value).hi < parent->extent)
			continue;
		const struct expr *c = expr_binary(a, EXPR_LT, parent->value,
						   expr_int(a, parent->extent));

		all = all ? expr_binary(a, EXPR_AND, all, c) : c;
	}
	return all;
}

/* The partial stage: G's space axes and the kept iter's, reduced over all other leaves. */
static struct op partial_op(struct state *s, const struct stage *g, int kept)
{
	struct arena *a = s->arena;
	struct op op = g->op;
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	const struct expr *body = g->op.body;
	const struct expr *inside = tail_condition(a, g);
	int n = 0;

	op.tensor.name = unique_name(s, g->op.tensor.name, "rf");
	op.output = false;
	op.space = arena_many(a, struct axis *, op.tensor.ndim + 1);
	op.reduce = arena_many(a, struct axis *, g->leaves.n);
	op.nreduce = 0;
	if (inside)	/* also where a reduction has no value of its own: the identity */
		body = expr_select(a, inside, body,
				   expr_const(a, body->dtype,
					      reducer_identity(op.reducer, body->dtype)));
	for (int i = 0; i < g->op.nreduce; i++) {
		from[n] = g->op.reduce[i];
		to[n++] = g->iters.at[op.tensor.ndim + i].value;
	}
	body = expr_substitute(a, body, from, to, n);
	n = 0;
	for (int i = 0; i < g->leaves.n; i++) {
		const struct iter *it = &g->iters.at[g->leaves.at[i]];
		struct axis *axis = copy_axis(a, it->axis);

		from[n] = it->axis;
		to[n++] = expr_axis(a, axis);
		if (g->leaves.at[i] == kept) {
			axis->reduce = false;
			op.space[op.tensor.ndim] = axis;
		} else if (it->reduce) {
			op.reduce[op.nreduce++] = axis;
		} else {
			op.space[g->leaves.at[i]] = axis;
			from[n] = g->op.space[g->leaves.at[i]];
			to[n] = to[n - 1];
			n++;
		}
	}
	op.tensor.shape[op.tensor.ndim++] = g->iters.at[kept].extent;
	op.body = expr_substitute(a, body, from, to, n);
	if (op.nreduce == 0)
		op.reducer = REDUCE_NONE;
	return op;
}

static bool apply_rfactor(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct arena *a = s->arena;
	int ndim = g->op.tensor.ndim;

	if (stage_leaf(g, step->iter) < 0 || !g->iters.at[step->iter].reduce)
		REFUSE("the iter is not a reduce loop");
	if (g->place != PLACE_ROOT || ndim == TENSOR_MAX_DIMS)
		REFUSE("it has been placed already");
	if (g->lets.n > 0)
		REFUSE("a reduction with fused loops is not factored");
	for (int i = 0; i < g->leaves.n; i++)
		if (!g->iters.at[g->leaves.at[i]].reduce && g->leaves.at[i] >= ndim)
			REFUSE("a space axis has been split already");
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == step->stage)
			REFUSE("another stage is attached to it");
	struct op op = partial_op(s, g, step->iter);
	int partial = insert_stage(s, &op, step->stage, false);
	struct op final = g->op;
	struct axis **axes = arena_many(a, struct axis *, ndim + 1);

	for (int i = 0; i < ndim; i++)
		axes[i] = g->op.space[i];
	axes[ndim] = copy_axis(a, g->iters.at[step->iter].axis);
	final.reduce = axes + ndim;
	final.nreduce = 1;
	final.body = load_at(a, stage_at(s, partial)->tensor, axes, NULL);
	*g = *stage_new(a, &final, g->tensor);
	return true;
}

/* --- annotations and layout */

static bool annotate(struct state *s, const struct step *step, enum annotation annotation,
		     const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (stage_leaf(g, step->iter) < 0)
		REFUSE("the iter is not a loop");
	if (g->iters.at[step->iter].annotation != ANNOTATION_NONE)
		REFUSE("the loop is annotated already");
	g->iters.at[step->iter].annotation = annotation;
	return true;
}

static bool apply_parallel(struct state *s, const struct step *step, const char **why)
{
	if (stage_at(s, step->stage)->op.kind == OP_COMPUTE &&
	    stage_leaf(stage_at(s, step->stage), step->iter) >= 0 &&
	    stage_at(s, step->stage)->iters.at[step->iter].reduce)
		REFUSE("turns of a reduce loop write the same element; rfactor first");
	return annotate(s, step, ANNOTATION_PARALLEL, why);
}

static bool apply_vectorize(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int leaf = stage_leaf(g, step->iter);

	if (leaf < 0 || leaf != g->leaves.n - 1)
		REFUSE("only the innermost loop is vectorized");
	struct iter it = g->iters.at[step->iter];

	if (it.reduce)
		REFUSE("lanes of a reduce loop write the same element; rfactor first");
	if (it.extent > VECTOR_MAX_LANES)
		REFUSE("more lanes than a vector may have");
	if (has_attached(s, step->stage, step->iter))
		REFUSE("another stage is attached to the loop");
	return annotate(s, step, ANNOTATION_VECTOR, why);
}

static bool apply_unroll(struct state *s, const struct step *step, const char **why)
{
	return annotate(s, step, ANNOTATION_UNROLL, why);
}

static bool apply_layout(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int consumers[2];

	if (g->op.kind != OP_CONST)
		REFUSE("only a constant can be packed offline");
	if (g->packed)
		REFUSE("it is packed already");
	if (state_consumers(s, step->stage, consumers, 2) != 1)
		REFUSE("it has more than one reader");
	g->packed = true;
	return true;
}

static apply_fn *const apply_step[] = {
	[STEP_SPLIT] = apply_split,
	[STEP_REORDER] = apply_reorder,
	[STEP_FUSE] = apply_fuse,
	[STEP_INLINE] = apply_inline,
	[STEP_COMPUTE_AT] = apply_compute_at,
	[STEP_CACHE_WRITE] = apply_cache_write,
	[STEP_CACHE_READ] = apply_cache_read,
	[STEP_RFACTOR] = apply_rfactor,
	[STEP_PARALLEL] = apply_parallel,
	[STEP_VECTORIZE] = apply_vectorize,
	[STEP_UNROLL] = apply_unroll,
	[STEP_LAYOUT] = apply_layout,
};

static bool moves_loops(enum step_kind k)
{
	return k != STEP_PARALLEL && k != STEP_VECTORIZE && k != STEP_UNROLL && k != STEP_LAYOUT;
}

/* What no step may break, whichever it is: a vector loop is the innermost, and each attached stage
 * is inside a loop that still is one, around all its readers, and outside vector loops. */
static bool is_consistent(const struct state *s, const char **why)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];
		int consumers[64];
		int n = g->place == PLACE_AT ? state_consumers(s, i, consumers, 64) : 0;

		for (int j = 0; j < g->leaves.n - 1; j++)
			if (g->iters.at[g->leaves.at[j]].annotation == ANNOTATION_VECTOR)
				REFUSE("a vector loop would not be the innermost");
		if (g->place != PLACE_AT)
			continue;
		const struct stage *target = s->stages.at[g->at_stage];
		int leaf = stage_leaf(target, g->at_iter);

		if (leaf < 0 || n > 64)
			REFUSE("the loop of an attached stage would be gone");
		if (target->iters.at[g->at_iter].annotation == ANNOTATION_VECTOR)
			REFUSE("an attached stage would be inside a vector loop");
		for (int j = 0; j < n; j++)
			if (!state_encloses(s, g->at_stage, g->at_iter, consumers[j]))
				REFUSE("a reader of an attached stage would be outside its loop");
	}
	return true;
}

bool state_apply(struct state *s, struct step step, const char **why)
{
	const char *reason;
	struct state *next = state_copy(s->arena, s);
	const char **say = why ? why : &reason;
	bool on_input = step.kind == STEP_LAYOUT || step.kind == STEP_CACHE_READ;

	if (step.stage < 0 || step.stage >= s->stages.n || step.target < 0 ||
	    step.target >= s->stages.n) {
		*say = "there is no such stage";
		return false;
	}
	if (!on_input && !stage_computes(s->stages.at[step.stage])) {
		*say = "the stage has no loops";
		return false;
	}
	if (!apply_step[step.kind](next, &step, say) || !is_consistent(next, say))
		return false;
	if (moves_loops(step.kind) && !state_refresh(next)) {
		*say = "no region of an attached stage can be derived";
		return false;
	}
	vec_push(next->arena, &next->steps, step);
	*s = *next;
	return true;
}
