/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/prefetch.c - loops that fetch what they read some turns later. What a prefetch saves depends on
 * what the machine's own prefetchers follow, which nobody tells: it is tried now and then, and measured. */
#include "search/space/sampling/prefetch.h"

#include "search/space/expression/walked.h"

/* So often a prefetch is left out: of a task's operands, mostly two, one in 16 samples fetches some, for most that do gain
 * nothing (docs/performance.md). */
#define LEFT_OUT 0.97
/* The same of what comes from beyond the second-level cache in each run (chosen). A constant: 3x3 of 256 channels of 14x14, 9 MB of transformed weights,
 * 707 us without, 606 with these (docs/performance.md). Data gain nothing where the last cache is quick, a 1x1 over three dims 2799 and 2898 us before,
 * 2798 and 2789 by half; on a Xeon of 2023 plain 1x1 convolutions of 1.6 and 3.2 MB are 1.03 to 1.12 times as fast. */
#define LEFT_OUT_FAR 0.5
#define LEFT_OUT_FAR_DATA 0.8
/* Turns ahead, as powers of two from FIRST on: of a loop around others, whose turns are long, the next or the one behind it; of an innermost
 * one up to 16, which at some 10 cycles a turn are the way to memory (chosen); 16 to 256 where memory is to be read as fast as it can: a Xeon of
 * 2023 read 14 GB/s with 1 KiB on the way and 17 with 4 KiB. */
struct ahead {
	int first, n;
};
static const struct ahead long_turns = { 0, 2 }, short_turns = { 0, 5 }, memory_turns = { 4, 5 };
/* So often what comes from afar is shared out where loops can, the others by any loop: 512 of 7x7 by 3x3 was at 1500 to 1690 us behind 96 trials
 * without, at 1260 behind 500 (chosen). */
#define SHARED_OUT 0.5
/* Of an operand; of more only the first ones prefetch. */
enum { MAX_READERS = 16 };

/* Does operand READ come from memory in each run, or from the last cache at best? */
static bool comes_from_afar(const struct state *s, int read, const struct aim *aim)
{
	const struct stage *g = s->stages.at[read];

	return (stage_is_constant(g) && aim->cold_weights) || (double)tensor_bytes(&g->op.tensor) > aim->l2_bytes;
}

static const struct iter *iter_of(const struct state *s, const struct walked_loop *l)
{
	return &s->stages.at[l->stage]->iters.at[l->iter];
}

static bool may_fetch(const struct state *s, int read, const struct walked_loop *l, const struct target *target)
{
	const struct iter *it = iter_of(s, l);
	int64_t bytes = (int64_t)dtype_bytes(s->stages.at[read]->op.tensor.dtype);

	return it->extent > 1 && (it->annotation == ANNOTATION_NONE || it->annotation == ANNOTATION_PARALLEL) &&
	       l->by * bytes >= target->line_bytes && l->inside * bytes <= PREFETCH_MOST_LINES * target->line_bytes;
}

bool prefetch_is_given(const struct state *s, int read)
{
	return s->stages.at[read]->op.kind != OP_COMPUTE || s->stages.at[read]->place == PLACE_OFFLINE;
}

bool prefetch_may_pay(const struct state *s, int read, const struct aim *aim)
{
	int reader;

	return aim->target->line_bytes > 0 && prefetch_is_given(s, read) && state_consumers(s, read, &reader, 1) > 0 &&
	       s->stages.at[reader]->place != PLACE_OFFLINE &&
	       (double)tensor_bytes(&s->stages.at[read]->op.tensor) > aim->l1_bytes;
}

bool prefetch_fits(struct arena *a, const struct state *s, const struct step *step, const struct target *target)
{
	int reader[MAX_READERS];
	int n = state_consumers(s, step->target, reader, MAX_READERS);

	for (int i = 0; i < n && i < MAX_READERS; i++) {
		const struct walked w = walk_loops(a, s, reader[i], step->target);

		for (int j = 0; j < w.n; j++)
			if (w.at[j].stage == step->stage && w.at[j].iter == step->iter)
				return may_fetch(s, step->target, &w.at[j], target);
	}
	return false;
}

/* Do the loops inside of loop I read the same again and again, which leaves memory at rest unless they share out what the next turn reads? */
static bool is_shared_out(const struct state *s, const struct walked *w, int i)
{
	const struct iter *inside = i > 0 ? iter_of(s, &w->at[i - 1]) : NULL;

	return inside && w->at[i - 1].by == 0 && inside->annotation == ANNOTATION_NONE && inside->extent > 1;
}

/* In which loop around the statement of READER, of those that are shared out where SHARED; false where none can. */
static bool draw_loop_of(const struct state *s, const struct walked *w, bool far, bool shared, struct step *step, const struct aim *aim, struct rng *rng)
{
	bool innermost = true;	/* of those that are not written out */
	int n = 0;

	for (int i = 0; i < w->n; i++) {
		struct ahead turns = !innermost ? long_turns : far ? memory_turns : short_turns;

		if (may_fetch(s, step->target, &w->at[i], aim->target) && (!shared || is_shared_out(s, w, i)) && rng_below(rng, ++n) == 0)
			*step = step_prefetch(w->at[i].stage, step->target, w->at[i].iter, INT64_C(1) << (turns.first + (int)rng_below(rng, (uint64_t)turns.n)));
		innermost &= iter_of(s, &w->at[i])->annotation != ANNOTATION_NONE;
	}
	return n > 0;
}

static bool draw_loop(struct arena *a, const struct state *s, int reader, struct step *step, const struct aim *aim, struct rng *rng)
{
	const struct walked w = walk_loops(a, s, reader, step->target);
	bool far = comes_from_afar(s, step->target, aim);
	bool shared = far && rng_chance(rng, SHARED_OUT);

	return (shared && draw_loop_of(s, &w, far, true, step, aim, rng)) || draw_loop_of(s, &w, far, false, step, aim, rng);
}

void prefetch_draw(struct arena *a, const struct state *s, struct gene *g, const struct aim *aim, struct rng *rng)
{
	bool constant = stage_is_constant(s->stages.at[g->step.target]);
	double left_out = !comes_from_afar(s, g->step.target, aim) ? LEFT_OUT : constant ? LEFT_OUT_FAR : LEFT_OUT_FAR_DATA;
	int reader[MAX_READERS];

	g->left_out = true;
	if (rng_chance(rng, left_out))
		return;
	int n = state_consumers(s, g->step.target, reader, MAX_READERS);

	if (n > 0)
		g->left_out = !draw_loop(a, s, reader[rng_below(rng, n < MAX_READERS ? n : MAX_READERS)], &g->step, aim, rng);
}
