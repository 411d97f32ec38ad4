/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/decimated.c - sums what windows read before it is picked. */
#include "te/derive/strides/decimated.h"

#include <string.h>

#include "te/derive/strides/lane_windows.h"

/* S of data times WEIGHT, K; the next op of OUT. */
static const struct tensor *sum_places(struct arena *a, const struct lane_windows *w, const struct tensor *weight, struct derived *out)
{
	const struct op *op = w->op;
	const struct expr *tap = NULL, *place = NULL;
	struct axis_swap swap = { 0 };
	struct new_axes axes = { 0 };

	for (int i = 0; i < op->tensor.ndim; i++) {
		if (i == tensor_innermost(&op->tensor)) {
			tap = new_axes_add(a, &axes, "t", "", w->taps);
			place = new_axes_add(a, &axes, "z", "", w->reads.stride * (op->space[i]->hi - 1 + w->taps));
		} else {
			new_axes_for(a, &axes, &swap, op->space[i], op->space[i]->hi);
		}
	}
	int ndim = axes.n;

	for (int i = 0; i < op->nreduce; i++)
		if (i != w->reduce)
			new_axes_for(a, &axes, &swap, op->reduce[i], op->reduce[i]->hi);
	out->product = out->n;
	return &derived_add(a, out, arena_printf(a, "%s_S", op->tensor.name), &axes, ndim,
			    lane_windows_term(a, w, &swap, weight, place, tap, expr_int(a, 0)))->tensor;
}

/* OP of the SUMS that its windows have. */
static void pick(struct arena *a, const struct lane_windows *w, const struct tensor *sums, struct derived *out)
{
	const struct op *op = w->op;
	const struct expr *at[TENSOR_MAX_DIMS], *sum = NULL;
	struct op end = *op;
	int lanes = tensor_innermost(&op->tensor), n = 0;

	for (int i = 0; i < op->tensor.ndim; i++) {
		n += i == lanes;	/* the tap's dim */
		at[n++] = expr_axis(a, op->space[i]);
	}
	const struct expr *first = expr_mul(a, at[lanes + 1], w->reads.stride);

	for (int64_t k = 0; k < op->reduce[w->reduce]->hi; k++) {
		at[lanes] = expr_int(a, k / w->reads.stride);
		at[lanes + 1] = expr_add(a, first, expr_int(a, k));
		const struct expr *x = expr_load(a, sums, at);

		sum = sum ? expr_binary(a, EXPR_ADD, sum, x) : x;
	}
	end.nreduce = 0;
	end.reducer = REDUCE_NONE;
	derived_end(a, out, &end, NULL, expr_cast(a, op->tensor.dtype, sum));
}

bool decimated_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why)
{
	struct lane_windows w;

	memset(out, 0, sizeof(*out));
	if (!lane_windows_of(a, op, least, &w, why))
		return false;
	pick(a, &w, sum_places(a, &w, lane_windows_weight(a, &w, out), out), out);
	return true;
}
