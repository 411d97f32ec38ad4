/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/stream.c - what a store past the caches can save: that what is overwritten is read. It costs that who
 * reads the result finds it in memory, so nothing is gained where caches would keep it. */
#include "search/space/stream.h"

/* Of a task's bytes, a result of fewer saves less than 6% of the traffic: chosen, not measured. */
#define LEAST_SHARE (1.0 / 16)

/* Do its rows begin where a vector may? */
static bool has_whole_rows(const struct tensor *t, const struct target *target)
{
	int64_t row = t->ndim > 0 ? t->shape[t->ndim - 1] : 1;

	return row == tensor_count(t) || row % target_lanes(target, dtype_bytes(dtype_arithmetic(t->dtype))) == 0;
}

bool stream_may_pay(const struct state *s, int stage, const struct aim *aim)
{
	const struct stage *g = s->stages.at[stage];
	double all = dag_bytes(s->dag);

	return aim->target->stream_bytes > 0 && stage_computes(g) && g->op.output &&
	       all > aim_last_cache(aim) &&
	       (double)tensor_bytes(&g->op.tensor) >= LEAST_SHARE * all && has_whole_rows(&g->op.tensor, aim->target);
}
