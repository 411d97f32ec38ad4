/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/walked.c - coefficients of loops in flat indices, from a statement's loops outwards. */
#include "search/space/expression/walked.h"

#include <stdlib.h>

#include "schedule/pass/placing/place.h"
#include "te/index/index.h"

/* What a turn of loop AXIS goes on by: the greatest coefficient of it in the indices of R, by way of ROOTS. */
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

static void count_inside(struct walked *w, const struct state *s)
{
	int64_t inside = 1;

	for (int i = 0; i < w->n; i++) {
		w->at[i].inside = inside;
		inside *= w->at[i].by > 0 ? s->stages.at[w->at[i].stage]->iters.at[w->at[i].iter].extent : 1;
	}
}

/* Of a tensor that is stored as it is read, a turn goes on by all that the loops inside go over. */
static void count_as_read(struct walked *w)
{
	for (int i = 0; i < w->n; i++)
		w->at[i].by = w->at[i].by > 0 ? w->at[i].inside : 0;
}

struct walked walk_loops(struct arena *a, const struct state *s, int reader, int read)
{
	state_settle(s);

	const struct stage *g = s->stages.at[reader], *from = s->stages.at[read];
	const struct stage_read *r = stage_read_of(g, from->tensor);
	const struct root_map roots = root_map_of(a, g);
	struct walked w = { .n = 0 };
	int stage = reader, leaf = g->leaves.n - 1;

	for (;;) {
		for (g = s->stages.at[stage]; leaf >= 0 && w.n < 2 * STEP_MAX_ITERS; leaf--) {
			int iter = g->leaves.at[leaf];

			w.at[w.n++] = (struct walked_loop){ stage, iter, moved_by(a, r, &roots, g->iters.at[iter].axis), 1 };
		}
		if (g->place != PLACE_AT)
			break;
		leaf = stage_leaf(s->stages.at[g->at_stage], g->at_iter);
		stage = g->at_stage;
	}
	count_inside(&w, s);
	if (from->packed)
		count_as_read(&w);
	return w;
}
