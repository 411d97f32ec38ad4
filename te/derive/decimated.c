/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/decimated.c - finds the windows along lanes, and sums what they read before it is picked. */
#include "te/derive/decimated.h"

#include <string.h>

#include "base/integer.h"
#include "te/derive/window_sum.h"

/* A sum whose windows along lanes move by a stride. */
struct lane_windows {
	const struct op *op;
	const struct expr *data, *weight;	/* the loads */
	int reduce;	/* k among the op's reduce axes */
	struct window_reads reads;
	int64_t taps;	/* of all, those that a place is read as: t */
	int64_t places;	/* z */
};

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
	w->places = w->reads.stride * (x->hi - 1 + w->taps);
	return true;
}

/* Places of the last strides are those of the first, where all of these are ZEROS. */
static void go_round(struct lane_windows *w, const struct known_zeros *zeros)
{
	struct range data = zeros->at(w->data->tensor, w->reads.data, zeros->user);
	int64_t stride = w->reads.stride, places = w->places;

	for (int64_t n = stride; n < places && data.lo - w->reads.offset >= n && data.hi - w->reads.offset < places - n; n += stride)
		w->places = places - n;
}

static bool lane_windows_of(struct arena *a, const struct op *op, int64_t least, struct lane_windows *w)
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

/* E where CONDITION holds, which may be NULL: that is certain; else 0. */
static const struct expr *or_zero(struct arena *a, const struct expr *condition, const struct expr *e)
{
	return condition ? expr_select(a, condition, e, expr_const(a, e->dtype, 0)) : e;
}

/* K; the next op of OUT. */
static const struct tensor *repeat_weight(struct arena *a, const struct lane_windows *w, struct derived *out)
{
	const struct tensor *from = w->weight->tensor;
	const struct expr *index[TENSOR_MAX_DIMS], *inside = NULL;
	struct new_axes axes = { 0 };

	for (int d = 0; d < from->ndim; d++)
		index[d] = new_axes_add(a, &axes, "", derived_dim_name(a, w->weight, d), d == w->reads.weight ? w->taps : from->shape[d]);
	const struct expr *z = new_axes_add(a, &axes, "z", "", w->places);

	const struct expr *tap = expr_add(a, expr_mul(a, index[w->reads.weight], w->reads.stride),
					  expr_binary(a, EXPR_MOD, z, expr_int(a, w->reads.stride)));

	if (w->taps * w->reads.stride > from->shape[w->reads.weight])
		inside = expr_binary(a, EXPR_LT, tap, expr_int(a, from->shape[w->reads.weight]));
	index[w->reads.weight] = tap;
	out->weights = 1;
	return &derived_add(a, out, arena_printf(a, "%s_K", w->op->tensor.name), &axes, axes.n,
			    or_zero(a, inside, expr_load(a, from, index)))->tensor;
}

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
			place = new_axes_add(a, &axes, "z", "", w->places);
		} else {
			new_axes_for(a, &axes, &swap, op->space[i], op->space[i]->hi);
		}
	}
	int ndim = axes.n;

	for (int i = 0; i < op->nreduce; i++)
		if (i != w->reduce)
			new_axes_for(a, &axes, &swap, op->reduce[i], op->reduce[i]->hi);
	const struct expr *data[TENSOR_MAX_DIMS], *by[TENSOR_MAX_DIMS], *inside = NULL;

	for (int d = 0; d < w->data->tensor->ndim; d++)
		data[d] = axis_swap_in(a, &swap, w->data->index[d]);
	for (int d = 0; d < w->weight->tensor->ndim; d++)
		by[d] = axis_swap_in(a, &swap, w->weight->index[d]);
	data[w->reads.data] = expr_add(a, place, expr_int(a, w->reads.offset));
	by[w->reads.weight] = tap;
	by[weight->ndim - 1] = place;
	if (w->places + w->reads.offset > w->data->tensor->shape[w->reads.data])
		inside = expr_binary(a, EXPR_LT, data[w->reads.data], expr_int(a, w->data->tensor->shape[w->reads.data]));
	const struct expr *value = or_zero(a, inside, expr_load(a, w->data->tensor, data));

	out->product = out->n;
	return &derived_add(a, out, arena_printf(a, "%s_S", op->tensor.name), &axes, ndim,
			    expr_binary(a, EXPR_MUL, value, expr_load(a, weight, by)))->tensor;
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
		if (expr_range(at[lanes + 1]).hi >= w->places)
			at[lanes + 1] = expr_binary(a, EXPR_MOD, at[lanes + 1], expr_int(a, w->places));
		const struct expr *x = expr_load(a, sums, at);

		sum = sum ? expr_binary(a, EXPR_ADD, sum, x) : x;
	}
	end.nreduce = 0;
	end.reducer = REDUCE_NONE;
	derived_end(a, out, &end, NULL, expr_cast(a, op->tensor.dtype, sum));
}

bool decimated_derive(struct arena *a, const struct op *op, int64_t least, const struct known_zeros *zeros, struct derived *out,
		      const char **why)
{
	struct lane_windows w;
	const char *reason = NULL;

	memset(out, 0, sizeof(*out));
	if (least < DECIMATED_LEAST || !lane_windows_of(a, op, least, &w))
		reason = "it sums up no products over windows that move by such a stride along its lanes";
	else if (op->tensor.ndim == TENSOR_MAX_DIMS || w.weight->tensor->ndim == TENSOR_MAX_DIMS)
		reason = "its tensors have too many dims: places and taps add to them";
	if (reason) {
		if (why)
			*why = reason;
		return false;
	}
	if (zeros)
		go_round(&w, zeros);
	pick(a, &w, sum_places(a, &w, repeat_weight(a, &w, out), out), out);
	return true;
}
