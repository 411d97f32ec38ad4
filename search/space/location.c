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

static bool fits_locally(const struct stage *g, size_t most)
{
	size_t bytes = dtype_bytes(dtype_arithmetic(g->op.tensor.dtype));

	for (int d = 0; d < g->op.tensor.ndim; d++)
		bytes *= (size_t)g->part[d];
	return bytes <= most;
}

bool location_take(struct arena *a, struct state **s, struct step *step, struct location at,
		   size_t most)
{
	struct state *before = state_copy(a, *s);

	step->target = at.stage;
	step->iter = at.iter;
	if (state_apply(*s, *step, NULL) && fits_locally((*s)->stages.at[step->stage], most))
		return true;
	*s = before;
	return false;
}
