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

int window_uses(const struct expr *load, const struct axis *axis)
{
	int n = 0;

	for (int i = 0; i < load->tensor->ndim; i++)
		n += expr_uses_axis(load->index[i], axis);
	return n;
}

bool window_find(struct arena *a, const struct expr *data, const struct expr *weight, const struct axis *y, const struct axis *k,
	       struct window_reads *out)
{
	struct linear l;

	*out = (struct window_reads){ .data = -1, .weight = -1 };
	if (window_uses(data, y) != 1 || window_uses(data, k) != 1 || window_uses(weight, y) != 0 || window_uses(weight, k) != 1)
		return false;
	for (int i = 0; i < data->tensor->ndim; i++) {
		if (!linear_from(a, data->index[i], &l) || l.n != 2 || linear_coef(&l, y) < 1 || linear_coef(&l, k) < 1)
			continue;
		out->data = i;
		out->stride = linear_coef(&l, y);
		out->dilation = linear_coef(&l, k);
		out->offset = l.constant;
	}
	for (int i = 0; i < weight->tensor->ndim; i++)
		if (is_axis(weight->index[i], k))
			out->weight = i;
	return out->data >= 0 && out->weight >= 0;
}

/* Space axis W->space and reduce axis W->reduce as a window of W's loads. */
static bool is_window(struct arena *a, const struct op *op, const struct window_sum *sum, struct window_dim *w)
{
	const struct axis *y = op->space[w->space], *k = op->reduce[w->reduce];
	struct window_reads of;

	if (!window_find(a, sum->data, sum->weight, y, k, &of) || of.dilation != 1 || of.offset != 0)
		return false;
	w->taps = k->hi;
	w->data = of.data;
	w->weight = of.weight;
	w->stride = of.stride;
	return true;
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
