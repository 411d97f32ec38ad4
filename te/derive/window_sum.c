/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/window_sum.c - finds the windows of an op: pairs of axes that the data knows as a sum alone. */
#include "te/derive/window_sum.h"

#include "base/integer.h"
#include "te/derive/cook_toom.h"
#include "te/index/index.h"

static bool is_axis(const struct expr *e, const struct axis *axis)
{
	return e->kind == EXPR_AXIS && e->axis == axis;
}

/* The stride of which E is stride Y + K, of two axes; 0: none. */
static int64_t stride_of(struct arena *a, const struct expr *e, const struct axis *y, const struct axis *k)
{
	struct linear l;

	if (!linear_from(a, e, &l) || l.n != 2 || l.constant != 0 || linear_coef(&l, k) != 1)
		return 0;
	return most(linear_coef(&l, y), 0);
}

int window_uses(const struct expr *load, const struct axis *axis)
{
	int n = 0;

	for (int i = 0; i < load->tensor->ndim; i++)
		n += expr_uses_axis(load->index[i], axis);
	return n;
}

/* Space axis W->space and reduce axis W->reduce as a window of W's loads. */
static bool is_window(struct arena *a, const struct op *op, const struct window_sum *sum,
		      struct window_dim *w)
{
	const struct axis *y = op->space[w->space], *k = op->reduce[w->reduce];

	if (window_uses(sum->data, y) != 1 || window_uses(sum->data, k) != 1 || window_uses(sum->weight, y) != 0 ||
	    window_uses(sum->weight, k) != 1)
		return false;
	w->taps = k->hi;
	w->data = w->weight = -1;
	for (int i = 0; i < sum->data->tensor->ndim; i++) {
		int64_t stride = stride_of(a, sum->data->index[i], y, k);

		if (stride == 0)
			continue;
		w->data = i;
		w->stride = stride;
	}
	for (int i = 0; i < sum->weight->tensor->ndim; i++)
		if (is_axis(sum->weight->index[i], k))
			w->weight = i;
	return w->data >= 0 && w->weight >= 0;
}

/* The windows of SUM's loads, the last ones first; how many there are of any extent. */
static int find_windows(struct arena *a, const struct op *op, int64_t m, struct window_sum *sum)
{
	struct window_dim w;
	int any = 0;

	sum->n = 0;
	for (w.space = op->tensor.ndim - 1; w.space >= 0; w.space--)
		for (w.reduce = 0; w.reduce < op->nreduce; w.reduce++) {
			if (!is_window(a, op, sum, &w))
				continue;
			any++;
			if (cook_toom_has(m, w.taps, w.stride) && op->space[w.space]->hi >= m &&
			    sum->n < WINDOW_DIMS)
				sum->dim[sum->n++] = w;
		}
	return any;
}

static const char *why_none(const struct op *op)
{
	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM)
		return "it is no sum";
	if (!dtype_is_float(op->tensor.dtype))
		return "its elements are no floats: the numbers of the transforms have fractions";
	if (op->body->kind != EXPR_MUL || op->body->arg[0]->kind != EXPR_LOAD ||
	    op->body->arg[1]->kind != EXPR_LOAD)
		return "it sums no products of two elements, read as they are";
	return NULL;
}

bool window_sum_of(struct arena *a, const struct op *op, int64_t m, struct window_sum *out,
		   const char **why)
{
	const char *reason = why_none(op);
	int any = 0;

	for (int data = 0; data < 2 && !reason; data++) {
		out->data = op->body->arg[data];
		out->weight = op->body->arg[1 - data];
		any += find_windows(a, op, m, out);
		if (out->n == 0)
			continue;
		if (out->n == 2) {
			struct window_dim last = out->dim[0];

			out->dim[0] = out->dim[1];
			out->dim[1] = last;
		}
		return true;
	}
	if (!reason)
		reason = any ? "its windows overlap too little, are too long or too few for tiles of as many outputs"
			     : "no axis moves a window of neighbours";
	if (why)
		*why = reason;
	return false;
}
