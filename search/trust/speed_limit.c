/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/speed_limit.c - the work that no kernel can leave out, at rates no machine exceeds. */
#include "search/trust/speed_limit.h"

#include <math.h>

#include "target/intrinsic.h"
#include "te/derive/fewer_products.h"
#include "te/index/domain.h"

/* Ops of a DAG by position: whether all of its elements must be computed, or read. */
struct need {
	const struct dag *dag;
	bool *needed;
	bool selects;
};

static bool note_select(const struct expr *e, void *user)
{
	((struct need *)user)->selects |= e->kind == EXPR_SELECT;
	return true;
}

/* Each index is an axis that runs over the whole dimension. */
static bool reads_all(const struct expr *load)
{
	for (int i = 0; i < load->tensor->ndim; i++)
		if (load->index[i]->kind != EXPR_AXIS ||
		    load->index[i]->axis->hi != load->tensor->shape[i])
			return false;
	return true;
}

static const struct op *op_of(const struct dag *d, const struct tensor *t)
{
	for (int i = 0; i < d->ops.n; i++)
		if (&d->ops.at[i]->tensor == t)
			return d->ops.at[i];
	return NULL;
}

/* Terms of padding are not computed: of what reads a choice, no share is sure. */
static bool note_padding(const struct expr *e, void *user)
{
	struct need *n = user;
	const struct op *op = e->kind == EXPR_LOAD ? op_of(n->dag, e->tensor) : NULL;

	if (op && op->kind == OP_COMPUTE)
		expr_visit(op->body, note_select, n);
	return true;
}

static bool note_load(const struct expr *e, void *user)
{
	struct need *n = user;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i < n->dag->ops.n && reads_all(e); i++)
		n->needed[i] |= &n->dag->ops.at[i]->tensor == e->tensor;
	return false;
}

static bool is_arithmetic(const struct expr *e)
{
	return expr_kind_arity(e->kind) > 0 && e->kind != EXPR_SELECT && e->kind != EXPR_CAST;
}

/* One operation for each combination, one for the body's last node: what stands below may not
 * depend on all axes, and be computed once for many elements. */
static double least_flop(const struct op *op)
{
	double each = op_is_reduction(op) + is_arithmetic(op->body);
	double points = (double)tensor_count(&op->tensor) * op_terms(op);

	return points * each;
}

static bool note_width(const struct expr *e, void *user)
{
	double *bytes = user;

	if (e->kind != EXPR_LOAD)
		return true;
	*bytes = fmin(*bytes, (double)dtype_bytes(e->dtype));
	return false;
}

/* How much faster the best intrinsic for products of BYTES each is than one of vectors: of matrices, each row adds DEPTH of
 * these. */
static double intrinsic_speed(double bytes, const struct target *target)
{
	double speed = 1;

	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if ((double)dtype_bytes(x->a) == bytes && intrinsic_is_there(x, target))
			speed = fmax(speed, x->depth / x->instructions);
	}
	return speed;
}

/* Elements in the room of one f32 of the narrowest type that OP computes with: so many products of bytes are added at
 * a time, or more. */
static double lanes(const struct op *op, const struct target *target)
{
	double bytes = (double)dtype_bytes(op->tensor.dtype);

	expr_visit(op->body, note_width, &bytes);
	return fmax(1, 4.0 / bytes) * intrinsic_speed(bytes, target);
}

double speed_limit_us(const struct dag *d, const struct device *device, int threads)
{
	struct arena *a = arena_new();
	struct need n = { .dag = d, .needed = arena_many(a, bool, d->ops.n) };
	double lane_flop = 0, bytes = 0;

	for (int i = d->ops.n - 1; i >= 0; i--) {
		const struct op *op = d->ops.at[i];
		bool output = op->kind == OP_COMPUTE && op->output;

		if (!n.needed[i] && !output)
			continue;
		if (op->kind != OP_COMPUTE || output)
			bytes += (double)tensor_bytes(&op->tensor);
		if (op->kind != OP_COMPUTE)
			continue;
		n.selects = false;
		expr_visit(op->body, note_select, &n);
		if (n.selects)	/* what it chooses from need not be computed */
			continue;
		expr_visit(op->body, note_padding, &n);
		if (!n.selects && !has_fewer_products(op))	/* which takes fewer operations */
			lane_flop += least_flop(op) / lanes(op, device->target);
		expr_visit(op->body, note_load, &n);
	}
	arena_free(a);
	if (device->synthetic || !device->measured.valid)
		return 0;
	double flop_us = lane_flop / device_peak(device, threads) * 1e-3;
	double byte_us = bytes / (device->measured.l1.one * threads) * 1e-3;

	return fmax(flop_us, byte_us) / SPEED_LIMIT_MARGIN;
}
