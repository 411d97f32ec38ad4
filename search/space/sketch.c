/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sketch.c - the walk of the rules over the stages. */
#include "search/space/sketch.h"

#include "base/rng.h"
#include "search/space/sampling/prefetch.h"
#include "search/space/stream.h"

static const struct rule *const rules[] = {
#define X(name) &rule_##name,
#include "search/space/rules.def"
#undef X
};

enum { RULES = sizeof(rules) / sizeof(*rules) };

/* From so many on, a stage's choices are drawn, not all tried: their product grows with each stage, and
 * thins out the trials of each sketch. Operators of the library were seen with up to 9; norms and
 * attention as one kernel, with four and more reductions, reach it. Chosen, not measured. */
enum { MAX_SKETCHES = 48, DRAW_SEED = 1 };

struct sketch *sketch_copy(struct arena *a, const struct sketch *s)
{
	struct sketch *c = arena_one(a, struct sketch);

	c->state = state_copy(a, s->state);
	c->begun = s->begun;
	c->n_begun = s->n_begun;
	c->at = s->at;
	for (int i = 0; i < s->steps.n; i++)
		vec_push(a, &c->steps, s->steps.at[i]);
	return c;
}

static int64_t split_extent(const struct state *s, const struct step *step)
{
	const struct stage *g = s->stages.at[step->stage];

	return step->kind == STEP_SPLIT && step->iter < g->iters.n ? g->iters.at[step->iter].extent : 0;
}

/* A size for the open split STEP: one turn, but where partial sums take the inner loop out of a reduction (rfactor) and
 * bodies have both in their indices. Of one turn these would be shorter than those of any sample, and what is inlined
 * be too long there. */
static int64_t shown_size(const struct state *s, const struct step *step, enum role role)
{
	return role == ROLE_TILE_VECTOR && s->stages.at[step->stage]->iters.at[step->iter].reduce ? 2 : 1;
}

bool sketch_add(struct sketch *s, struct step step, enum role role)
{
	int64_t extent = split_extent(s->state, &step);
	struct step shown = step;

	if (step.kind == STEP_SPLIT && step.size == 0)
		shown.size = shown_size(s->state, &step, role);
	if (role == ROLE_PLACE) {
		const struct stage *target = s->state->stages.at[step.target];

		if (step.size >= target->leaves.n)
			return false;
		shown.iter = target->leaves.at[step.size];
	}
	bool later = is_location(role) || role == ROLE_PARALLEL || role == ROLE_PIPELINE || role == ROLE_PREFETCH || step.kind == STEP_BORDER;

	if (!s->begun && (role != ROLE_FIXED || later)) {
		s->begun = state_copy(s->state->arena, s->state);
		s->n_begun = s->steps.n;
	}
	if (!later && !state_apply(s->state, shown, NULL))
		return false;
	vec_push(s->state->arena, &s->steps, (struct open_step){ step, role, extent });
	return true;
}

void sketch_emit(struct sketcher *k, struct sketch *s, int at)
{
	s->at = at;
	if (at > 0)
		vec_push(k->arena, &k->open, s);
	else
		vec_push(k->arena, &k->done, s);
}

bool sketch_may_derive(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g) && stage_is_untouched(g) && !g->is_cache && !g->is_partial;
}

bool sketch_may_derive_reduction(const struct sketch *s, int stage)
{
	return sketch_may_derive(s, stage) && op_is_reduction(&s->state->stages.at[stage]->op);
}

int sketch_place(const struct sketch *s, int stage)
{
	for (int i = 0; i < s->state->order.n; i++)
		if (s->state->order.at[i] == stage)
			return i;
	return -1;
}

void sketch_emit_derived(struct sketcher *k, struct sketch *s, int stage)
{
	int reader = op_is_reduction(&s->state->stages.at[stage]->op) ? -1 : fusible_consumer(s->state, stage, NULL);
	bool folds = reader >= 0 && stage_is_untouched(s->state->stages.at[reader]) && sketch_add(s, step_inline(stage), ROLE_FIXED);

	sketch_emit(k, s, sketch_place(s, folds ? reader : stage) + 1);
}

struct reader_search {
	const struct tensor *tensor;
	const struct op *reader;
	int axis[TENSOR_MAX_DIMS];	/* of the reader, by dim; of all loads */
	int loads;
	bool plain;
};

static bool check_load(const struct expr *e, void *user)
{
	struct reader_search *r = user;

	if (e->kind != EXPR_LOAD || e->tensor != r->tensor)
		return true;
	bool first = r->loads++ == 0;

	for (int d = 0; d < e->tensor->ndim; d++) {
		int axis = -1;

		for (int i = 0; i < r->reader->tensor.ndim; i++)
			if (e->index[d]->kind == EXPR_AXIS &&
			    e->index[d]->axis == r->reader->space[i])
				axis = i;
		if (e->index[d]->kind == EXPR_INT && e->tensor->shape[d] == 1)
			axis = TENSOR_MAX_DIMS;	/* indexed by none */
		if (axis < 0 || (axis < TENSOR_MAX_DIMS &&
				 r->reader->tensor.shape[axis] != e->tensor->shape[d]))
			r->plain = false;
		r->plain &= first || r->axis[d] == axis;
		r->axis[d] = axis;
	}
	return true;
}

int fusible_consumer(const struct state *s, int stage, int *axis)
{
	const struct stage *g = s->stages.at[stage];
	int consumer;

	if (g->op.output || state_consumers(s, stage, &consumer, 1) != 1)
		return -1;
	const struct op *reader = &s->stages.at[consumer]->op;
	struct reader_search r = { .tensor = g->tensor, .reader = reader, .plain = true };

	if (op_is_reduction(reader) || reader->tensor.ndim < g->op.tensor.ndim)
		return -1;
	expr_visit(reader->body, check_load, &r);
	/* Each element of the reader has an element of its own: none is computed twice. */
	bool one_to_one = tensor_count(&reader->tensor) == tensor_count(&g->op.tensor);

	if (axis)
		memcpy(axis, r.axis, sizeof(*axis) * (size_t)g->op.tensor.ndim);
	return r.plain && one_to_one ? consumer : -1;
}

bool is_read_by_reduction(const struct state *s, int stage)
{
	int consumers[16];
	int n = state_consumers(s, stage, consumers, 16);

	for (int i = 0; i < n && i < 16; i++)
		if (op_is_reduction(&s->stages.at[consumers[i]]->op))
			return true;
	return false;
}

bool has_fusible_producer(const struct state *s, int stage)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (stage_computes(g) && op_is_reduction(&g->op) && stage_is_untouched(g) &&
		    fusible_consumer(s, i, NULL) == stage)
			return true;
	}
	return false;
}

int fusible_end(const struct state *s, int stage)
{
	for (int next = stage; next >= 0; next = fusible_consumer(s, next, NULL))
		stage = next;
	return stage;
}

static bool ends_reduction(const struct state *s, int stage)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (stage_computes(g) && op_is_reduction(&g->op) && stage_is_untouched(g) && i != stage &&
		    fusible_end(s, i) == stage)
			return true;
	}
	return false;
}

/* Is what reads STAGE of as many dims, and read by a reduction? */
static bool is_read_in_windows(const struct state *s, int stage)
{
	int reader;

	return state_consumers(s, stage, &reader, 1) == 1 && is_read_by_reduction(s, reader) &&
	       s->stages.at[reader]->op.tensor.ndim == s->stages.at[stage]->op.tensor.ndim;
}

bool is_taken_along(const struct state *s, int stage)
{
	return ends_reduction(s, stage) && (is_read_by_reduction(s, stage) || is_read_in_windows(s, stage));
}

bool sketch_locate(struct sketch *s, int stage, enum role role)
{
	int consumers[16];
	int n = state_consumers(s->state, stage, consumers, 16);

	if (s->state->stages.at[stage]->op.output || n == 0 || n > 16)
		return true;
	return sketch_add(s, (struct step){ .kind = STEP_COMPUTE_AT, .stage = stage,
					    .target = consumers[n - 1] },
			  role);
}

static void advance(struct sketcher *k, const struct sketch *s)
{
	int stage = s->state->order.at[s->at - 1];

	for (int i = 0; i < RULES; i++) {
		int before = k->open.n + k->done.n;

		if ((k->aim.exact && rules[i]->derives) || !rules[i]->applies(s, stage))
			continue;
		rules[i]->apply(k, s, stage);
		/* A rule whose steps are refused (too many loops to reorder) ends nothing. */
		if (rules[i]->ends && k->open.n + k->done.n > before)
			return;
	}
}

/* One of the ways on from S, drawn. */
static void advance_drawn(struct sketcher *k, const struct sketch *s, struct rng *rng)
{
	struct sketcher ways = { .arena = k->arena, .aim = k->aim };

	advance(&ways, s);
	int pick = (int)rng_below(rng, ways.open.n + ways.done.n);
	struct sketch *next = pick < ways.open.n ? ways.open.at[pick]
						 : ways.done.at[pick - ways.open.n];

	sketch_emit(k, next, next->at);
}

/* Folds what has one sensible treatment before the walk begins: a chain of pointwise ops (bias,
 * activation) becomes one consumer, which its producer then finds. */
static void fold_pointwise(struct sketch *s)
{
	for (int i = s->state->order.n - 1; i >= 0; i--) {
		int stage = s->state->order.at[i];

		if (rule_inline.applies(s, stage) && !is_read_by_reduction(s->state, stage))
			sketch_add(s, step_inline(stage), ROLE_FIXED);
	}
}

static void add_streaming(struct sketch *s, const struct aim *aim)
{
	for (int i = 0; i < s->state->stages.n; i++)
		if (stream_may_pay(s->state, i, aim))
			sketch_add(s, step_stream(i), ROLE_OPTIONAL);
}

/* Late steps, for no stage is attached to a loop that is fused, or inside of one that is shared. Which
 * stages are at the root is known then. */
static void add_sharing(struct sketch *s)
{
	for (int i = 0; i < s->state->stages.n; i++)
		if (stage_computes(s->state->stages.at[i]) &&
		    s->state->stages.at[i]->place == PLACE_ROOT)
			sketch_add(s, step_annotate(i, 0, ANNOTATION_PARALLEL), ROLE_PARALLEL);
}

/* The last steps, for loops that threads share are new ones: how what is read comes near. */
static void add_loading(struct sketch *s, const struct aim *aim)
{
	for (int i = 0; i < s->state->stages.n; i++)
		if (stage_computes(s->state->stages.at[i]) && op_is_reduction(&s->state->stages.at[i]->op) &&
		    s->state->stages.at[i]->place != PLACE_OFFLINE && aim->target->vector_registers > 0)
			sketch_add(s, step_pipeline(i, 0), ROLE_PIPELINE);
	for (int i = 0; i < s->state->stages.n; i++)
		if (prefetch_may_pay(s->state, i, aim))
			sketch_add(s, (struct step){ .kind = STEP_PREFETCH, .target = i }, ROLE_PREFETCH);
}

struct state *sketch_dims(struct arena *a, const struct dag *dag, const struct target *t, int i)
{
	bool collapsed = i & 1, widened = i & 2;
	int lanes = t->operands ? 0 : target_lanes(t, dtype_bytes(DTYPE_F32));
	struct state *s = state_new(a, dag);

	if ((collapsed && !state_apply(s, step_collapse(), NULL)) || (widened && !state_apply(s, step_widen(lanes), NULL)))
		return NULL;
	return s;
}

/* A sketch to begin with, with dims I: parts of a greater kernel have all of them, and teach it (search/campaign/seeds.h). */
static void begin(struct sketcher *k, const struct dag *dag, int i)
{
	const struct state *dims = sketch_dims(k->arena, dag, k->aim.target, i);
	struct sketch *s = arena_one(k->arena, struct sketch);

	if (!dims)
		return;
	s->state = state_new(k->arena, dag);
	for (int j = 0; j < dims->steps.n; j++)
		sketch_add(s, dims->steps.at[j], ROLE_FIXED);
	fold_pointwise(s);
	sketch_emit(k, s, s->state->order.n);
}

struct sketch_vec sketches_of(struct arena *a, const struct dag *dag, const struct aim *aim)
{
	struct sketcher k = { .arena = a, .aim = *aim };
	struct rng rng = rng_seed(DRAW_SEED);	/* the same sketches each time */

	if (!target_binds(aim->target, ANNOTATION_PARALLEL))
		k.aim.threads = 1;
	for (int i = 0; i < SKETCH_DIMS; i++)
		begin(&k, dag, i);
	/* The oldest first: else some choices of the first stages were tried with all of the last, others with one. */
	for (int i = 0; i < k.open.n; i++) {
		const struct sketch *s = k.open.at[i];

		if (k.done.n + k.open.n - i <= MAX_SKETCHES)
			advance(&k, s);
		else
			advance_drawn(&k, s, &rng);
	}
	for (int i = 0; i < k.done.n; i++)
		add_streaming(k.done.at[i], aim);
	for (int i = 0; i < k.done.n && k.aim.threads > 1; i++)
		add_sharing(k.done.at[i]);
	for (int i = 0; i < k.done.n; i++)
		add_loading(k.done.at[i], aim);
	for (int i = 0; i < k.done.n; i++)
		k.done.at[i]->writing = writing_of(a, k.done.at[i]->state, aim->target);
	return k.done;
}
