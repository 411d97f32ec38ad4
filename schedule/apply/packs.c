/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/packs.c - the steps that say how tensors are stored and brought near, and what is computed of constants
 * once. */
#include "schedule/apply/stages.h"

/* --- offline */

/* A stage and all that it is computed from, down to the constant. */
struct offline {
	struct state *s;
	bool *member;		/* by stage */
	int constant;		/* -1: none was met yet */
};

/* Has a step said anything of G's loops? */
static bool is_scheduled(const struct stage *g)
{
	for (int i = 0; i < g->iters.n; i++)
		if (g->iters.at[i].annotation != ANNOTATION_NONE ||
		    g->iters.at[i].border != BORDER_OPEN || g->iters.at[i].pipelined)
			return true;
	return g->prefetches.n > 0 || !stage_is_untouched(g);
}

static bool gather(struct offline *o, int stage, const char **why)
{
	const struct stage *g = o->s->stages.at[stage];

	if (o->member[stage])
		return true;
	if (g->op.kind == OP_INPUT)
		REFUSE("it depends on an input");
	if (g->op.kind == OP_CONST && o->constant >= 0 && o->constant != stage)
		REFUSE("it depends on more than one constant");
	if (g->op.output)
		REFUSE("an output is computed in each run");
	if (g->packed)
		REFUSE("it depends on what is packed for another reader");
	if (g->op.kind == OP_COMPUTE && g->place != PLACE_OFFLINE && is_scheduled(g))
		REFUSE("it has been scheduled already");
	o->member[stage] = true;
	if (g->op.kind == OP_CONST)
		o->constant = stage;
	for (int i = 0; i < g->reads.n; i++)
		if (!gather(o, state_stage_of(o->s, g->reads.at[i].tensor), why))
			return false;
	return true;
}

/* Is stage I, of the members, read by none but members? */
static bool is_closed(const struct offline *o, int stage)
{
	for (int i = 0; i < o->s->stages.n; i++) {
		const struct stage *reader = o->s->stages.at[i];

		if (!o->member[i] && stage_computes(reader) &&
		    stage_reads(reader, o->s->stages.at[stage]->tensor))
			return false;
	}
	return true;
}

bool apply_place(struct state *s, const struct step *step, const char **why)
{
	struct offline o = { s, arena_many(s->arena, bool, s->stages.n), -1 };

	if (stage_at(s, step->stage)->place == PLACE_OFFLINE)
		REFUSE("it is computed offline already");
	if (!gather(&o, step->stage, why))
		return false;
	if (o.constant < 0)
		REFUSE("it is computed from no constant");
	for (int i = 0; i < s->stages.n; i++)
		if (o.member[i] && i != step->stage && !is_closed(&o, i))
			REFUSE("what it is computed from is read in each run, too");
	for (int i = 0; i < s->stages.n; i++)
		if (o.member[i] && i != o.constant) {
			stage_at(s, i)->place = PLACE_OFFLINE;
			stage_at(s, i)->at_stage = o.constant;
		}
	return true;
}

/* --- layouts */

/* In the order in which the loops of its only reader come. */
static bool pack_for_reader(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int consumers[2];

	if (!stage_is_constant(g))
		REFUSE("only a constant can be packed offline");
	if (state_consumers(s, step->stage, consumers, 2) != 1)
		REFUSE("it has more than one reader");
	if (stage_at(s, consumers[0])->place == PLACE_OFFLINE)
		REFUSE("its reader is computed offline");
	g->packed = true;
	return true;
}

bool apply_layout(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct arrangement how = step_arrangement(step);

	if (g->packed)
		REFUSE("it is packed already");
	if (g->stored.n > 0)
		REFUSE("its layout has been chosen already");
	if (how.n == 0)
		return pack_for_reader(s, step, why);
	if (!stage_computes(g) || g->op.output)
		REFUSE("only what is computed on the way is stored in another order");
	if (!arrangement_covers(&how, g->op.tensor.ndim))
		REFUSE("not every dim is stored once, whole or in two parts");
	for (int i = 0; i < how.n; i++)
		if (how.at[i].block > g->op.tensor.shape[how.at[i].dim])
			REFUSE("a block is longer than its dim");
	g->stored = how;
	return true;
}

bool apply_stream(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	int reader;

	if (!g->op.output)
		REFUSE("what is computed on the way is read from the caches");
	if (op_is_reduction(&g->op))
		REFUSE("a reduction reads what it has stored; cache_write first");
	if (state_consumers(s, step->stage, &reader, 1) > 0)
		REFUSE("another stage reads it");
	if (g->streams)
		REFUSE("it is streamed already");
	g->streams = true;
	return true;
}

/* Is READ read inside of a loop? */
static bool is_read_in(const struct state *s, int read, int stage, int iter)
{
	int consumers[64];
	int n = state_consumers(s, read, consumers, 64);

	for (int i = 0; i < n && i < 64; i++)
		if (state_encloses(s, stage, iter, consumers[i]))
			return true;
	return false;
}

bool apply_prefetch(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct stage_prefetch x = { step->target, step->iter, step->size };

	if (stage_leaf(g, x.iter) < 0)
		REFUSE("the iter is not a loop");
	if (!is_read_in(s, x.read, step->stage, x.iter))
		REFUSE("it is not read in the loop");
	if (x.turns < 1 || x.turns > PREFETCH_MAX_TURNS)
		REFUSE("so many turns ahead nothing is prefetched");
	for (int i = 0; i < g->prefetches.n; i++)
		if (g->prefetches.at[i].read == x.read && g->prefetches.at[i].iter == x.iter)
			REFUSE("it is prefetched in the loop already");
	vec_push(s->arena, &g->prefetches, x);
	return true;
}

bool apply_pipeline(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);

	if (stage_leaf(g, step->iter) < 0 || !g->iters.at[step->iter].reduce)
		REFUSE("the iter is not a reduce loop");
	if (g->iters.at[step->iter].annotation != ANNOTATION_NONE || g->iters.at[step->iter].pipelined)
		REFUSE("the loop is annotated already");
	g->iters.at[step->iter].pipelined = true;
	return true;
}
