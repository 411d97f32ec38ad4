/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/apply.c - a state without steps, and what each step does to one: to loops here, to stages in
 * stages.c, to storage in packs.c, to the DAG that is scheduled in dags.c.
 *
 * Each step is a function that checks, then changes in place; it names the reason where it refuses. What shows only after
 * the change is undone by replaying the steps before. */
#include <assert.h>

#include "base/err.h"
#include "schedule/apply/stages.h"
#include "schedule/refresh.h"

/* Six of the widest vectors of f32, the most that sums in lanes have (search/space/sampling/size.c). */
enum { VECTOR_MAX_LANES = 96 };

/* Adds an iter to G; returns its number. */
static int new_iter(struct arena *a, struct stage *g, const char *name, bool reduce)
{
	struct iter it = { .name = name, .reduce = reduce };

	vec_push(a, &g->iters, it);
	return g->iters.n - 1;
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
	if (it.annotation != ANNOTATION_NONE || it.pipelined)
		REFUSE("the loop is annotated already");
	if (state_has_attached(s, step->stage, step->iter))
		REFUSE("another stage is attached to the loop");
	struct relation r = { .kind = RELATION_SPLIT, .parent = step->iter, .size = step->size };

	r.outer = new_iter(s->arena, g, joined(s->arena, it.name, ".0"), it.reduce);
	r.inner = new_iter(s->arena, g, joined(s->arena, it.name, ".1"), it.reduce);
	vec_push(s->arena, &g->relations, r);
	g->leaves.at[leaf] = r.outer;
	vec_insert(s->arena, &g->leaves, leaf + 1, r.inner);
	stage_touch(g, STALE_VALUES);
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
	stage_touch(g, STALE_ORDER);
	return true;
}

/* Makes the leaves at I and I+1 one. */
static int fuse_two(struct state *s, struct stage *g, int i)
{
	struct relation r = { .kind = RELATION_FUSE };

	r.outer = g->leaves.at[i];
	r.inner = g->leaves.at[i + 1];
	const char *name = joined(s->arena, joined(s->arena, g->iters.at[r.outer].name, "_"),
				  g->iters.at[r.inner].name);

	r.parent = new_iter(s->arena, g, name, g->iters.at[r.outer].reduce);
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
		if (it.annotation != ANNOTATION_NONE || it.pipelined)
			REFUSE("a loop is annotated already");
		if (state_has_attached(s, step->stage, step->list[i]))
			REFUSE("another stage is attached to one of the loops");
	}
	for (int i = 1; i < step->n; i++)
		fuse_two(s, g, first);
	stage_touch(g, STALE_VALUES);
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
	if (target->place == PLACE_OFFLINE)
		REFUSE("the target is computed offline");
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
	stage_touch(g, STALE_REGION);
	return true;
}

/* --- annotations */

static bool annotate(struct state *s, const struct step *step, enum annotation annotation, const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (stage_leaf(g, step->iter) < 0)
		REFUSE("the iter is not a loop");
	if (g->iters.at[step->iter].annotation != ANNOTATION_NONE || g->iters.at[step->iter].pipelined)
		REFUSE("the loop is annotated already");
	if (g->iters.at[step->iter].reduce && (annotation == ANNOTATION_PARALLEL || annotation == ANNOTATION_VTHREAD))
		REFUSE("turns of a reduce loop write the same element; rfactor first");
	g->iters.at[step->iter].annotation = annotation;
	return true;
}

static bool apply_parallel(struct state *s, const struct step *step, const char **why)
{
	return annotate(s, step, ANNOTATION_PARALLEL, why);
}

static bool apply_vthread(struct state *s, const struct step *step, const char **why)
{
	return annotate(s, step, ANNOTATION_VTHREAD, why);
}

static bool apply_vectorize(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int leaf = stage_leaf(g, step->iter);

	if (leaf < 0 || leaf != g->leaves.n - 1)
		REFUSE("only the innermost loop is vectorized");
	if (g->iters.at[step->iter].extent > VECTOR_MAX_LANES)
		REFUSE("more lanes than a vector may have");
	if (state_has_attached(s, step->stage, step->iter))
		REFUSE("another stage is attached to the loop");
	return annotate(s, step, ANNOTATION_VECTOR, why);
}

static bool apply_unroll(struct state *s, const struct step *step, const char **why)
{
	return annotate(s, step, ANNOTATION_UNROLL, why);
}

static bool apply_tensorize(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	const struct intrinsic *x = intrinsic_at(step->intrinsic);

	if (stage_leaf(g, step->iter) < 0 || !g->iters.at[step->iter].reduce)
		REFUSE("the iter is not a reduce loop");
	if (g->iters.at[step->iter].extent != x->group)
		REFUSE("the loop has not as many turns as the intrinsic sums up");
	if (!annotate(s, step, ANNOTATION_UNROLL, why))
		return false;
	g->iters.at[step->iter].intrinsic = x;
	return true;
}

static bool settle_tiles(struct stage *g, int iter, enum border border, const char **why)
{
	struct relation *r = stage_split_of(g, iter);

	if (!r)
		REFUSE("only the inner loop of a split is a tile");
	if (border == BORDER_SHIFT && g->iters.at[iter].reduce)
		REFUSE("a shifted tile would add reduced elements twice");
	r->tiles = border;
	stage_touch(g, STALE_VALUES);
	return true;
}

static bool apply_border(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (step->iter < 0 || step->iter >= g->iters.n)
		REFUSE("there is no such iter");
	const struct iter *it = &g->iters.at[step->iter];

	if (it->border != BORDER_OPEN)
		REFUSE("the border is settled already");
	switch (step->border) {
	case BORDER_SHIFT:
	case BORDER_EVEN:
		if (!settle_tiles(g, step->iter, step->border, why))
			return false;
		break;
	case BORDER_PAD:
		if (step->iter >= g->op.tensor.ndim || g->op.output)
			REFUSE("only a dim of a stage that is no output can have room for whole tiles");
		break;
	case BORDER_MASK:
		if (it->annotation != ANNOTATION_VECTOR)
			REFUSE("only lanes of a vector loop can be masked");
		break;
	case BORDER_PARTITION:
	case BORDER_GUARD:
		if (stage_leaf(g, step->iter) < 0)
			REFUSE("the iter is not a loop");
		break;
	case BORDER_OPEN:
	case BORDER_COUNT:
		REFUSE("the border is open");
	}
	g->iters.at[step->iter].border = step->border;
	return true;
}

static apply_fn *const apply_step[] = {
	[STEP_COLLAPSE] = apply_collapse,
	[STEP_WIDEN] = apply_widen,
	[STEP_SPLIT] = apply_split,
	[STEP_REORDER] = apply_reorder,
	[STEP_FUSE] = apply_fuse,
	[STEP_INLINE] = apply_inline,
	[STEP_COMPUTE_AT] = apply_compute_at,
	[STEP_CACHE_WRITE] = apply_cache_write,
	[STEP_CACHE_READ] = apply_cache_read,
	[STEP_RFACTOR] = apply_rfactor,
	[STEP_PARALLEL] = apply_parallel,
	[STEP_VTHREAD] = apply_vthread,
	[STEP_VECTORIZE] = apply_vectorize,
	[STEP_UNROLL] = apply_unroll,
	[STEP_TENSORIZE] = apply_tensorize,
	[STEP_BORDER] = apply_border,
	[STEP_PLACE] = apply_place,
	[STEP_LAYOUT] = apply_layout,
	[STEP_STREAM] = apply_stream,
	[STEP_PREFETCH] = apply_prefetch,
	[STEP_PIPELINE] = apply_pipeline,
	[STEP_DERIVE] = apply_derive,
};

/* What no step may break, whichever it is: a vector loop is the innermost, and each attached stage
 * is inside a loop that still is one, around all its readers, and outside vector loops. */
static bool is_consistent(const struct state *s, const char **why)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];
		int consumers[64];
		int n = g->place == PLACE_AT ? state_consumers(s, i, consumers, 64) : 0;

		for (int j = 0; j < g->leaves.n - 1 && g->stale > STALE_NOTHING; j++)
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

struct state *state_new(struct arena *a, const struct dag *dag)
{
	struct state *s = arena_one(a, struct state);

	assert(dag->frozen);
	s->arena = a;
	s->given = s->dag = dag;
	for (int i = 0; i < dag->ops.n; i++) {
		const struct op *op = dag->ops.at[i];

		vec_push(a, &s->order, i);
		vec_push(a, &s->stages, stage_new(a, op, &op->tensor));
	}
	if (!state_refresh(s))
		die("%s: a state without steps has no regions", dag->name);
	return s;
}

/* The state before a step that was refused only after it had changed something. */
static void undo(struct state *s)
{
	struct state *before = state_new(s->arena, s->given);

	for (int i = 0; i < s->steps.n; i++)
		if (!state_apply(before, s->steps.at[i], NULL))
			die("a step of a state does not replay");
	*s = *before;
}

/* Does a step of kind K leave the loops of its stage alone? Those of an offline one are as written. */
static bool takes_offline(enum step_kind k)
{
	return k == STEP_CACHE_READ || k == STEP_PLACE || k == STEP_LAYOUT;
}

bool state_apply(struct state *s, struct step step, const char **why)
{
	const char *reason;
	const char **say = why ? why : &reason;
	bool on_any = step.kind == STEP_LAYOUT || step.kind == STEP_CACHE_READ || step_is_of_dag(step.kind);

	if (step.stage < 0 || step.stage >= s->stages.n || step.target < 0 || step.target >= s->stages.n) {
		*say = "there is no such stage";
		return false;
	}
	if (!on_any && !stage_computes(s->stages.at[step.stage])) {
		*say = "the stage has no loops";
		return false;
	}
	if (s->stages.at[step.stage]->place == PLACE_OFFLINE && !takes_offline(step.kind)) {
		*say = "the stage is computed offline";
		return false;
	}
	if (!apply_step[step.kind](s, &step, say))
		return false;
	unsigned stale = state_stale(s);
	bool moved = stale & (1U << STALE_ORDER | 1U << STALE_REGION);

	/* What splits, fuses or annotates loops has looked at all that it could break. */
	if (moved && !is_consistent(s, say)) {
		undo(s);
		return false;
	}
	if (stale != 1U << STALE_NOTHING && !state_refresh(s)) {
		*say = "no region of an attached stage can be derived";
		undo(s);
		return false;
	}
	vec_push(s->arena, &s->steps, step);
	return true;
}
