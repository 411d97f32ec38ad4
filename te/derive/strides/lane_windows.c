/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/lane_windows.c - finds the windows along lanes, and writes what they read by phases. */
#include "te/derive/strides/lane_windows.h"

#include "base/integer.h"
#include "te/index/index.h"

static bool are_lane_windows(struct arena *a, struct lane_windows *w, int64_t least)
{
	const struct op *op = w->op;
	int lanes = tensor_innermost(&op->tensor);

	if (lanes < 0)
		return false;
	const struct axis *x = op->space[lanes], *k = op->reduce[w->reduce];

	if (!window_find(a, w->data, w->weight, x, k, &w->reads) || w->reads.stride < least || w->reads.dilation != 1 ||
	    w->reads.data != tensor_innermost(w->data->tensor))
		return false;
	w->taps = ceil_div(k->hi, w->reads.stride);
	return true;
}

static bool find(struct arena *a, const struct op *op, int64_t least, struct lane_windows *w)
{
	const struct expr *e = op->body;

	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || e->kind != EXPR_MUL || e->arg[0]->kind != EXPR_LOAD ||
	    e->arg[1]->kind != EXPR_LOAD)
		return false;
	for (int data = 0; data < 2; data++) {
		*w = (struct lane_windows){ .op = op, .data = e->arg[data], .weight = e->arg[1 - data] };
		for (; w->reduce < op->nreduce; w->reduce++)
			if (are_lane_windows(a, w, least))
				return true;
	}
	return false;
}

bool lane_windows_of(struct arena *a, const struct op *op, int64_t least, struct lane_windows *out, const char **why)
{
	const char *reason = NULL;

	if (least < LANE_WINDOWS_LEAST || !find(a, op, least, out))
		reason = "it sums up no products over windows that move by such a stride along its lanes";
	else if (op->tensor.ndim == TENSOR_MAX_DIMS || out->weight->tensor->ndim == TENSOR_MAX_DIMS)
		reason = "its tensors have too many dims: phases and taps add to them";
	if (reason && why)
		*why = reason;
	return !reason;
}

/* E where CONDITION holds, which may be NULL: that is certain; else 0. */
static const struct expr *or_zero(struct arena *a, const struct expr *condition, const struct expr *e)
{
	return condition ? expr_select(a, condition, e, expr_const(a, e->dtype, 0)) : e;
}

const struct tensor *lane_windows_weight(struct arena *a, const struct lane_windows *w, struct derived *out)
{
	const struct tensor *from = w->weight->tensor;
	const struct expr *index[TENSOR_MAX_DIMS], *inside = NULL;
	struct new_axes axes = { 0 };

	for (int d = 0; d < from->ndim; d++)
		index[d] = new_axes_add(a, &axes, "", derived_dim_name(a, w->weight, d), d == w->reads.weight ? w->taps : from->shape[d]);
	const struct expr *phase = new_axes_add(a, &axes, "r", "", w->reads.stride);
	const struct expr *tap = expr_add(a, expr_mul(a, index[w->reads.weight], w->reads.stride), phase);

	if (w->taps * w->reads.stride > from->shape[w->reads.weight])
		inside = expr_binary(a, EXPR_LT, tap, expr_int(a, from->shape[w->reads.weight]));
	index[w->reads.weight] = tap;
	out->weights = 1;
	return &derived_add(a, out, arena_printf(a, "%s_K", w->op->tensor.name), &axes, axes.n,
			    or_zero(a, inside, expr_load(a, from, index)))->tensor;
}

const struct expr *lane_windows_term(struct arena *a, const struct lane_windows *w, const struct axis_swap *swap, const struct tensor *weight,
				     const struct expr *place, const struct expr *tap, const struct expr *behind)
{
	const struct expr *data[TENSOR_MAX_DIMS], *by[TENSOR_MAX_DIMS], *inside = NULL;
	const struct expr *at = expr_add(a, place, expr_add(a, behind, expr_int(a, w->reads.offset)));
	int64_t elements = w->data->tensor->shape[w->reads.data];

	for (int d = 0; d < w->data->tensor->ndim; d++)
		data[d] = axis_swap_in(a, swap, w->data->index[d]);
	for (int d = 0; d < w->weight->tensor->ndim; d++)
		by[d] = axis_swap_in(a, swap, w->weight->index[d]);
	data[w->reads.data] = at;
	by[w->reads.weight] = tap;
	by[weight->ndim - 1] = expr_binary(a, EXPR_MOD, place, expr_int(a, w->reads.stride));
	if (expr_range(at).hi >= elements)
		inside = expr_binary(a, EXPR_LT, at, expr_int(a, elements));
	return expr_binary(a, EXPR_MUL, or_zero(a, inside, expr_load(a, w->data->tensor, data)), expr_load(a, weight, by));
}
