/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/share.c - loops from the outermost one inwards, until threads have turns enough. */
#include "search/space/sampling/share.h"

/* Turns for each thread that are drawn, at most; chosen, not measured. Fewer than two are nothing to share. */
enum { MAX_TURNS = 8, MIN_TURNS = 2 };

/* The outer loops of STAGE, up to where they have TURNS and are LOOPS, as a step that fuses them. One with a stage
 * attached ends them, and is fused with none: it is shared alone where those around it have one turn. Its turns
 * count in any case, so that the steps of older records come out as they are. */
static struct step outer_loops(const struct state *s, int stage, int64_t turns, int loops)
{
	const struct stage *g = s->stages.at[stage];
	struct step fuse = step_fuse(stage, NULL, 0);
	int64_t got = 1;
	bool attached = false;

	if (g->place != PLACE_ROOT)
		return fuse;
	for (int i = 0; i < g->leaves.n && !attached && (got < turns || fuse.n < loops); i++) {
		const struct iter *it = &g->iters.at[g->leaves.at[i]];

		if (it->reduce || it->annotation != ANNOTATION_NONE || fuse.n == STEP_MAX_ITERS)
			break;
		attached = state_has_attached(s, stage, g->leaves.at[i]);
		if (attached && got == 1)
			fuse.n = 0;
		got *= it->extent;
		if (!attached || fuse.n == 0)
			step_push(&fuse, g->leaves.at[i]);
	}
	if (got < MIN_TURNS)
		fuse.n = 0;
	return fuse;
}

int share_draw(const struct state *s, int stage, int threads, struct rng *rng)
{
	int fewest = outer_loops(s, stage, threads, 0).n;
	int most = outer_loops(s, stage, threads * MAX_TURNS, 0).n;

	if (fewest == most)
		return fewest;
	return outer_loops(s, stage, threads * (1 + rng_below(rng, MAX_TURNS)), 0).n;
}

int share_fit(const struct state *s, int stage, int threads, int loops)
{
	return outer_loops(s, stage, threads, loops).n;
}

bool share_out(struct state *s, int stage, int loops)
{
	struct step fuse = outer_loops(s, stage, MIN_TURNS, loops);
	int shared = fuse.list[0];

	if (fuse.n > 1) {
		if (!state_apply(s, fuse, NULL))
			return false;
		shared = s->stages.at[stage]->iters.n - 1;
	}
	return state_apply(s, step_annotate(stage, shared, ANNOTATION_PARALLEL), NULL);
}
