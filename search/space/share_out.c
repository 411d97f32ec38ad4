/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/share_out.c - the steps behind those of a sketch: parallel loops. */
#include "search/space/share_out.h"

static bool is_attached(const struct state *s, int stage, int iter)
{
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == stage &&
		    s->stages.at[i]->at_iter == iter)
			return true;
	return false;
}

/* The outer loops of a root stage become one parallel loop. */
static bool parallelize(struct state *s, int stage, int64_t want)
{
	const struct stage *g = s->stages.at[stage];
	struct step fuse = step_fuse(stage, NULL, 0);
	int64_t turns = 1;

	for (int i = 0; i < g->leaves.n && fuse.n < STEP_MAX_ITERS && turns < want; i++) {
		const struct iter *it = &g->iters.at[g->leaves.at[i]];

		if (it->reduce || it->annotation != ANNOTATION_NONE)
			break;
		fuse.list[fuse.n++] = g->leaves.at[i];
		turns *= it->extent;
		if (is_attached(s, stage, g->leaves.at[i]))
			break;
	}
	if (turns < 2)
		return true;
	int last = fuse.list[fuse.n - 1];

	if (fuse.n > 1 && is_attached(s, stage, last))
		fuse.n--;	/* a loop with a stage attached stays as it is */
	if (fuse.n > 1) {
		if (!state_apply(s, fuse, NULL))
			return false;
		last = s->stages.at[stage]->iters.n - 1;
	} else {
		last = fuse.list[0];
	}
	return state_apply(s, step_annotate(stage, last, ANNOTATION_PARALLEL), NULL);
}

bool share_out(struct state *s, int threads, int64_t turns)
{
	for (int i = 0; threads > 1 && i < s->stages.n; i++)
		if (stage_computes(s->stages.at[i]) && s->stages.at[i]->place == PLACE_ROOT &&
		    !parallelize(s, i, threads * turns))
			return false;
	return true;
}
