/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/polyphase.c - phases side by side in lanes, and their sum. */
#include "te/derive/strides/polyphase.h"

#include <string.h>

#include "base/integer.h"
#include "te/derive/strides/lane_windows.h"

/* S of data times WEIGHT, K; the next op of OUT. */
static const struct tensor *sum_phases(struct arena *a, const struct lane_windows *w, const struct tensor *weight, struct derived *out)
{
	const struct op *op = w->op;
	const struct expr *place = NULL, *tap = NULL;
	struct axis_swap swap = { 0 };
	struct new_axes axes = { 0 };

	for (int i = 0; i < op->tensor.ndim; i++) {
		if (i == tensor_innermost(&op->tensor))
			place = new_axes_add(a, &axes, "z", "", w->reads.stride * op->space[i]->hi);
		else
			new_axes_for(a, &axes, &swap, op->space[i], op->space[i]->hi);
	}
	for (int i = 0; i < op->nreduce; i++) {
		if (i == w->reduce)
			tap = new_axes_add(a, &axes, "t", "", w->taps);
		else
			new_axes_for(a, &axes, &swap, op->reduce[i], op->reduce[i]->hi);
	}
	out->product = out->n;
	return &derived_add(a, out, arena_printf(a, "%s_S", op->tensor.name), &axes, op->tensor.ndim,
			    lane_windows_term(a, w, &swap, weight, place, tap, expr_mul(a, tap, w->reads.stride)))->tensor;
}

/* OP of the SUMS of its phases, of those that have a tap. */
static void add_phases(struct arena *a, const struct lane_windows *w, const struct tensor *sums, struct derived *out)
{
	const struct op *op = w->op;
	const struct expr *at[TENSOR_MAX_DIMS], *sum = NULL;
	struct op end = *op;
	int lanes = tensor_innermost(&op->tensor);

	for (int i = 0; i < op->tensor.ndim; i++)
		at[i] = expr_axis(a, op->space[i]);
	const struct expr *first = expr_mul(a, at[lanes], w->reads.stride);

	for (int64_t r = 0; r < least(w->reads.stride, op->reduce[w->reduce]->hi); r++) {
		at[lanes] = expr_add(a, first, expr_int(a, r));
		const struct expr *x = expr_load(a, sums, at);

		sum = sum ? expr_binary(a, EXPR_ADD, sum, x) : x;
	}
	end.nreduce = 0;
	end.reducer = REDUCE_NONE;
	derived_end(a, out, &end, NULL, expr_cast(a, op->tensor.dtype, sum));
}

bool polyphase_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why)
{
	struct lane_windows w;

	memset(out, 0, sizeof(*out));
	if (!lane_windows_of(a, op, least, &w, why))
		return false;
	add_phases(a, &w, sum_phases(a, &w, lane_windows_weight(a, &w, out), out), out);
	return true;
}
