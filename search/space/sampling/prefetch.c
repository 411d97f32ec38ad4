/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/prefetch.c - loops that fetch what they read some turns later. What a prefetch saves depends on
 * what the machine's own prefetchers follow, which nobody tells: it is tried now and then, and measured. */
#include "search/space/sampling/prefetch.h"

#include "search/space/expression/walked.h"

/* So often a prefetch is left out: of a task's operands, mostly two, one in 16 samples fetches some, for most that do gain
 * nothing (docs/performance.md). */
#define LEFT_OUT 0.97
/* The same of a constant that no cache holds (chosen). */
#define LEFT_OUT_OF_MEMORY 0.5
/* Turns ahead, as powers of two: of a loop around others, whose turns are long, the next or the one behind it; of an
 * innermost one up to 16, which at some 10 cycles a turn are the way to memory (chosen). */
enum { LONG_TURNS = 2, SHORT_TURNS = 5 };
/* Of an operand; of more only the first ones prefetch. */
enum { MAX_READERS = 16 };

static bool may_fetch(const struct state *s, int read, const struct walked_loop *l, const struct target *target)
{
	const struct iter *it = &s->stages.at[l->stage]->iters.at[l->iter];
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

/* In which loop around the statement of READER; false where none can. */
static bool draw_loop(struct arena *a, const struct state *s, int reader, struct step *step, const struct target *target,
		      struct rng *rng)
{
	const struct walked w = walk_loops(a, s, reader, step->target);
	bool innermost = true;	/* of those that are not written out */
	int n = 0;

	for (int i = 0; i < w.n; i++) {
		bool plain = s->stages.at[w.at[i].stage]->iters.at[w.at[i].iter].annotation == ANNOTATION_NONE;

		if (may_fetch(s, step->target, &w.at[i], target) && rng_below(rng, ++n) == 0)
			*step = step_prefetch(w.at[i].stage, step->target, w.at[i].iter,
					      INT64_C(1) << rng_below(rng, innermost ? SHORT_TURNS : LONG_TURNS));
		innermost &= !plain;
	}
	return n > 0;
}

/* Does operand READ come from memory in each run? */
static bool comes_from_memory(const struct state *s, int read, const struct aim *aim)
{
	const struct stage *g = s->stages.at[read];

	return aim->cold_weights && (g->op.kind == OP_CONST || g->place == PLACE_OFFLINE);
}

void prefetch_draw(struct arena *a, const struct state *s, struct gene *g, const struct aim *aim, struct rng *rng)
{
	int reader[MAX_READERS];

	g->left_out = true;
	if (rng_chance(rng, comes_from_memory(s, g->step.target, aim) ? LEFT_OUT_OF_MEMORY : LEFT_OUT))
		return;
	int n = state_consumers(s, g->step.target, reader, MAX_READERS);

	if (n > 0)
		g->left_out = !draw_loop(a, s, reader[rng_below(rng, n < MAX_READERS ? n : MAX_READERS)], &g->step, aim->target, rng);
}
