/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/separable.c - finds the windows of what is reduced as it is read, and takes one of them apart. */
#include "te/derive/separable.h"

#include <string.h>

#include "te/derive/window_sum.h"
#include "te/index/index.h"

/* Taps that are written out, at most: the windows of pyramids have up to 13. */
enum { TAPS_MOST = 16 };

/* A dim of the data that is read at STRIDE Y + DILATION K + OFFSET, and no other by these axes. */
struct reduced_window {
	int space, reduce;	/* Y and K among the op's axes */
	int dim;
	int64_t stride, dilation, offset;
};

/* The window of dim D of what OP reads, LOAD; false where it is none. */
static bool window_of(struct arena *a, const struct op *op, const struct expr *load, int d, struct reduced_window *w)
{
	struct linear l;

	w->dim = d;
	if (!linear_from(a, load->index[d], &l) || l.n != 2)
		return false;
	for (w->space = 0; w->space < op->tensor.ndim; w->space++)
		for (w->reduce = 0; w->reduce < op->nreduce; w->reduce++) {
			const struct axis *y = op->space[w->space], *k = op->reduce[w->reduce];

			w->stride = linear_coef(&l, y);
			w->dilation = linear_coef(&l, k);
			w->offset = l.constant;
			if (w->stride > 0 && w->dilation > 0 && window_uses(load, y) == 1 && window_uses(load, k) == 1)
				return true;
		}
	return false;
}

/* The innermost window of OP; false where there are no two. */
static bool find_innermost(struct arena *a, const struct op *op, struct reduced_window *out)
{
	const struct expr *load = op->body;
	struct reduced_window w;
	int n = 0;

	if (op->kind != OP_COMPUTE || op->reducer == REDUCE_NONE || load->kind != EXPR_LOAD)
		return false;
	for (int d = load->tensor->ndim - 1; d >= 0; d--)
		if (window_of(a, op, load, d, &w) && n++ == 0)
			*out = w;
	return n > 1;
}

/* R; the next op of OUT. */
static const struct tensor *reduce_others(struct arena *a, const struct op *op, const struct reduced_window *w, struct derived *out)
{
	const struct expr *at[TENSOR_MAX_DIMS], *place = NULL;
	struct axis_swap swap = { 0 };
	struct new_axes axes = { 0 };

	for (int i = 0; i < op->tensor.ndim; i++) {
		const struct axis *y = op->space[i];
		int64_t places = w->stride * (y->hi - 1) + w->dilation * (op->reduce[w->reduce]->hi - 1) + 1;
		const struct expr *x = new_axes_for(a, &axes, &swap, y, i == w->space ? places : y->hi);

		place = i == w->space ? x : place;
	}
	for (int i = 0; i < op->nreduce; i++)
		if (i != w->reduce)
			new_axes_for(a, &axes, &swap, op->reduce[i], op->reduce[i]->hi);
	for (int d = 0; d < op->body->tensor->ndim; d++)
		at[d] = d == w->dim ? expr_add(a, place, expr_int(a, w->offset)) : axis_swap_in(a, &swap, op->body->index[d]);
	out->product = out->n;
	struct op *reduced = derived_add(a, out, arena_printf(a, "%s_R", op->tensor.name), &axes, op->tensor.ndim,
					 expr_load(a, op->body->tensor, at));

	reduced->reducer = op->reducer;
	return &reduced->tensor;
}

/* OP of REDUCED, which is left to be along one dim. */
static void reduce_last(struct arena *a, const struct op *op, const struct reduced_window *w, const struct tensor *reduced, struct derived *out)
{
	const struct expr *at[TENSOR_MAX_DIMS], *value = NULL;
	struct op end = *op;

	for (int i = 0; i < op->tensor.ndim; i++)
		at[i] = expr_axis(a, op->space[i]);
	const struct expr *first = expr_mul(a, at[w->space], w->stride);

	for (int64_t k = 0; k < op->reduce[w->reduce]->hi; k++) {
		at[w->space] = expr_add(a, first, expr_int(a, w->dilation * k));
		const struct expr *x = expr_load(a, reduced, at);

		value = value ? expr_binary(a, reducer_combine(op->reducer), value, x) : x;
	}
	end.nreduce = 0;
	end.reducer = REDUCE_NONE;
	derived_end(a, out, &end, NULL, expr_cast(a, op->tensor.dtype, value));
}

bool separable_derive(struct arena *a, const struct op *op, int64_t taps, struct derived *out, const char **why)
{
	const char *reason = NULL;
	struct reduced_window w;

	memset(out, 0, sizeof(*out));
	if (taps < SEPARABLE_LEAST || !find_innermost(a, op, &w) || op->reduce[w.reduce]->hi < taps)
		reason = "it reduces no data as they are over windows of several dims, the innermost of so many taps";
	else if (op->reduce[w.reduce]->hi > TAPS_MOST)
		reason = "its windows have too many taps to be written out";
	if (reason) {
		if (why)
			*why = reason;
		return false;
	}
	reduce_last(a, op, &w, reduce_others(a, op, &w, out), out);
	return true;
}
