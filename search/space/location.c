/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/location.c - from a stage outwards, and what of it is needed there. */
#include "search/space/location.h"

int locations_around(const struct state *s, int at, struct location *out)
{
	int n = 0;

	for (int limit = INT32_MAX; at >= 0;) {
		const struct stage *g = s->stages.at[at];

		for (int i = 0; i < g->leaves.n && i <= limit && n < MAX_LOCATIONS; i++) {
			if (g->iters.at[g->leaves.at[i]].annotation != ANNOTATION_NONE)
				break;
			out[n++] = (struct location){ at, g->leaves.at[i] };
		}
		if (g->place != PLACE_AT)
			break;
		limit = stage_leaf(s->stages.at[g->at_stage], g->at_iter);
		at = g->at_stage;
	}
	return n;
}

/* Of what is computed at a time of all stages inside loops, as if they were alive at once. */
static size_t local_bytes(const struct state *s)
{
	size_t sum = 0;

	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];
		size_t bytes = dtype_bytes(dtype_arithmetic(g->op.tensor.dtype));

		for (int d = 0; d < g->op.tensor.ndim; d++)
			bytes *= (size_t)g->part[d];
		sum += g->place == PLACE_AT ? bytes : 0;
	}
	return sum;
}

bool location_take(struct arena *a, struct state **s, struct step *step, struct location at,
		   size_t most)
{
	struct state *before = state_copy(a, *s);

	step->target = at.stage;
	step->iter = at.iter;
	if (state_apply(*s, *step, NULL) && local_bytes(*s) <= most)
		return true;
	*s = before;
	return false;
}
