/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/pipeline.c - reductions whose next vectors are loaded early. Machines that reorder instructions
 * do so anyway: it pays where a compiler puts loads where they are late (docs/performance.md). */
#include "search/space/sampling/pipeline.h"

#include "base/integer.h"
#include "search/space/expression/walked.h"

/* So often a reduction that could be is not pipelined: chosen. */
#define LEFT_OUT 0.9

static bool is_written_out(const struct iter *it)
{
	return it->annotation == ANNOTATION_VECTOR || it->annotation == ANNOTATION_UNROLL;
}

/* Place among the leaves of the loop around what is written out of G; -1: there is none. */
static int loop_around(const struct stage *g)
{
	int leaf = g->leaves.n - 1;

	while (leaf >= 0 && is_written_out(&g->iters.at[g->leaves.at[leaf]]))
		leaf--;
	return leaf;
}

/* Vectors that a turn of the loop at LEAF of STAGE loads of READ; 0: it is not loaded by whole vectors. */
static int64_t loaded(struct arena *a, const struct state *s, int stage, int leaf, int read, int64_t lanes)
{
	const struct walked w = walk_loops(a, s, stage, read);
	const struct stage *g = s->stages.at[stage];
	int inside = g->leaves.n - 1 - leaf;
	int64_t row = g->iters.at[w.at[0].iter].extent, all = ceil_div(row, lanes);

	if (w.at[0].by != 1 || w.at[inside].by == 0 || (row % lanes != 0 && lanes % row != 0))
		return 0;
	for (int i = 1; i < inside; i++)
		all *= w.at[i].by > 0 ? g->iters.at[w.at[i].iter].extent : 1;
	return all;
}

bool pipeline_fits(struct arena *a, const struct state *s, const struct step *step, const struct target *target)
{
	const struct stage *g = s->stages.at[step->stage];
	int leaf = loop_around(g), n = g->leaves.n;
	const struct iter *it = leaf >= 0 ? &g->iters.at[g->leaves.at[leaf]] : NULL;
	int64_t lanes = target_lanes(target, sizeof(float)), sums = 1, loads = 0;

	if (!it || g->leaves.at[leaf] != step->iter || !it->reduce || it->annotation != ANNOTATION_NONE || it->pipelined ||
	    it->extent < PIPELINE_LEAST_TURNS || state_has_attached(s, step->stage, step->iter) || leaf == n - 1 ||
	    g->iters.at[g->leaves.at[n - 1]].annotation != ANNOTATION_VECTOR)
		return false;
	for (int i = leaf + 1; i < n; i++) {
		const struct iter *inside = &g->iters.at[g->leaves.at[i]];

		if (!inside->reduce)
			sums *= i == n - 1 ? ceil_div(inside->extent, lanes) : inside->extent;
	}
	for (int i = 0; i < g->reads.n; i++)
		if (g->reads.at[i].tensor->dtype == DTYPE_F32)
			loads += loaded(a, s, step->stage, leaf, state_stage_of(s, g->reads.at[i].tensor), lanes);
	return loads > 0 && sums + 2 * loads + PIPELINE_SPARE_REGISTERS <= target->vector_registers;
}

void pipeline_draw(struct arena *a, const struct state *s, struct gene *g, const struct target *target, struct rng *rng)
{
	const struct stage *stage = s->stages.at[g->step.stage];
	int leaf = loop_around(stage);
	struct step step = step_pipeline(g->step.stage, leaf < 0 ? 0 : stage->leaves.at[leaf]);

	g->left_out = rng_chance(rng, LEFT_OUT) || !pipeline_fits(a, s, &step, target);
	if (!g->left_out)
		g->step = step;
}
