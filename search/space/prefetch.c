/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/prefetch.c - loops that fetch what they read some turns later. What a prefetch saves depends on what the
 * machine's own prefetchers follow, which nobody tells: it is tried now and then, and measured. */
#include "search/space/prefetch.h"

#include <stdlib.h>

#include "schedule/pass/place.h"
#include "te/index/index.h"

/* So often a prefetch is left out: of a task's operands, mostly two, one in 16 samples fetches some, for most that do gain
 * nothing (docs/performance.md). */
#define LEFT_OUT 0.97
/* Turns ahead, as powers of two: of a loop around others, whose turns are long, the next or the one behind it; of an
 * innermost one up to 16, which at some 10 cycles a turn are the way to memory (chosen). */
enum { LONG_TURNS = 2, SHORT_TURNS = 5 };

/* Loops around a statement, and how many elements of what it reads a turn of each goes on by; 0: none, or not evenly. */
struct walked {
	struct walked_loop {
		int stage, iter;
		int64_t by;
	} at[2 * STEP_MAX_ITERS];	/* innermost first */
	int n;
};

/* --- how loops go over an operand */

/* The same for loop AXIS: the greatest coefficient of it in the indices of R, by way of ROOTS. */
static int64_t moved_by(struct arena *a, const struct stage_read *r, const struct root_map *roots, const struct axis *axis)
{
	int64_t sum = 0, row = 1;

	for (int d = r->tensor->ndim - 1; d >= 0; d--) {
		int64_t most = 0;

		for (int i = 0; i < r->index[d].n; i++) {
			const struct expr *at = expr_simplify_with(a, r->index[d].at[i], roots->from, roots->to, roots->n);
			struct linear l;
			int64_t coef = linear_from(a, at, &l) ? llabs(linear_coef(&l, axis)) : 0;

			most = coef > most ? coef : most;
		}
		sum += row * most;
		row *= r->tensor->shape[d];
	}
	return sum;
}

/* Of a tensor that is stored as it is read, a turn goes on by all that the loops inside go over. */
static void count_as_read(struct walked *w, const struct state *s)
{
	int64_t inside = 1;

	for (int i = 0; i < w->n; i++) {
		bool moves = w->at[i].by > 0;

		w->at[i].by = moves ? inside : 0;
		inside *= moves ? s->stages.at[w->at[i].stage]->iters.at[w->at[i].iter].extent : 1;
	}
}

/* The loops around the statement of stage READER, and how they go over READ. */
static struct walked walk_loops(struct arena *a, const struct state *s, int reader, int read)
{
	const struct stage *g = s->stages.at[reader], *from = s->stages.at[read];
	const struct stage_read *r = stage_read_of(g, from->tensor);
	const struct root_map roots = root_map_of(a, g);
	struct walked w = { .n = 0 };
	int stage = reader, leaf = g->leaves.n - 1;

	for (;;) {
		for (g = s->stages.at[stage]; leaf >= 0 && w.n < 2 * STEP_MAX_ITERS; leaf--) {
			int iter = g->leaves.at[leaf];

			w.at[w.n++] = (struct walked_loop){ stage, iter, moved_by(a, r, &roots, g->iters.at[iter].axis) };
		}
		if (g->place != PLACE_AT)
			break;
		leaf = stage_leaf(s->stages.at[g->at_stage], g->at_iter);
		stage = g->at_stage;
	}
	if (from->packed)
		count_as_read(&w, s);
	return w;
}

static bool may_fetch(const struct state *s, int read, const struct walked_loop *l, const struct target *target)
{
	const struct iter *it = &s->stages.at[l->stage]->iters.at[l->iter];

	return it->extent > 1 && (it->annotation == ANNOTATION_NONE || it->annotation == ANNOTATION_PARALLEL) &&
	       l->by * (int64_t)dtype_bytes(s->stages.at[read]->op.tensor.dtype) >= target->line_bytes;
}

/* --- decisions */

bool prefetch_is_given(const struct state *s, int read)
{
	return s->stages.at[read]->op.kind != OP_COMPUTE || s->stages.at[read]->place == PLACE_OFFLINE;
}

bool prefetch_may_pay(const struct state *s, int stage, int read, const struct aim *aim)
{
	const struct stage *g = s->stages.at[stage], *from = s->stages.at[read];

	return aim->target->line_bytes > 0 && stage_computes(g) && g->place != PLACE_OFFLINE && prefetch_is_given(s, read) &&
	       stage_reads(g, from->tensor) && (double)tensor_bytes(&from->op.tensor) > aim->l1_bytes;
}

bool prefetch_fits(struct arena *a, const struct state *s, int reader, const struct step *step, const struct target *target)
{
	const struct walked w = walk_loops(a, s, reader, step->target);

	for (int i = 0; i < w.n; i++)
		if (w.at[i].stage == step->stage && w.at[i].iter == step->iter)
			return may_fetch(s, step->target, &w.at[i], target);
	return false;
}

void prefetch_draw(struct arena *a, const struct state *s, int reader, struct gene *g, const struct target *target,
		   struct rng *rng)
{
	bool innermost = true;	/* of those that are not written out */
	int n = 0;

	g->left_out = true;
	if (rng_chance(rng, LEFT_OUT))
		return;
	const struct walked w = walk_loops(a, s, reader, g->step.target);

	for (int i = 0; i < w.n; i++) {
		bool plain = s->stages.at[w.at[i].stage]->iters.at[w.at[i].iter].annotation == ANNOTATION_NONE;

		if (may_fetch(s, g->step.target, &w.at[i], target) && rng_below(rng, ++n) == 0)
			g->step = step_prefetch(w.at[i].stage, g->step.target, w.at[i].iter,
						INT64_C(1) << rng_below(rng, innermost ? SHORT_TURNS : LONG_TURNS));
		innermost &= !plain;
	}
	g->left_out = n == 0;
}
