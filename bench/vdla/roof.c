/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/roof.c - products of blocks and bytes that a task has. */
#include "bench/vdla/roof.h"

#include "base/integer.h"
#include "bench/vdla/touched.h"

/* The load of bytes that a factor is; NULL: it is none. */
static const struct expr *bytes_of(const struct expr *e)
{
	const struct expr *load = expr_cast_load(e);

	return load && load->dtype == DTYPE_I8 ? load : NULL;
}

/* AXIS is of lanes of sums where one factor alone goes along it: that one is the weights. */
static bool is_lanes(const struct axis *axis, const struct expr *a, const struct expr *b)
{
	return expr_uses_axis(a, axis) != expr_uses_axis(b, axis);
}

static int64_t turns(const struct axis *axis, const struct axis *lanes, const struct axis *reduced)
{
	return axis == lanes || axis == reduced ? ceil_div(axis->hi, VDLA_LANES) : axis->hi;
}

/* Products of OP where these axes are the lanes of blocks. */
static int64_t products_by(const struct op *op, const struct axis *lanes, const struct axis *reduced)
{
	int64_t n = 1;

	for (int i = 0; i < op->tensor.ndim; i++)
		n *= turns(op->space[i], lanes, reduced);
	for (int i = 0; i < op->nreduce; i++)
		n *= turns(op->reduce[i], lanes, reduced);
	return n;
}

/* The fewest, over which axes are lanes; 0 where OP is no sum of products of bytes. */
static int64_t products_of(const struct op *op)
{
	int64_t least = 0;

	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || op->body->kind != EXPR_MUL)
		return 0;
	const struct expr *a = bytes_of(op->body->arg[0]), *b = bytes_of(op->body->arg[1]);

	for (int i = 0; a && b && i < op->tensor.ndim; i++)
		for (int k = 0; is_lanes(op->space[i], a, b) && k < op->nreduce; k++) {
			int64_t n = products_by(op, op->space[i], op->reduce[k]);

			least = least && least < n ? least : n;
		}
	return least;
}

struct vdla_roof vdla_roof_of(const struct dag *d, const struct vdla_machine *m)
{
	struct vdla_roof r = { .bytes = dag_touched_bytes(d) };

	for (int i = 0; i < d->ops.n; i++)
		r.products += products_of(d->ops.at[i]);
	r.memory = ceil_div(r.bytes, m->dma_bytes);
	return r;
}

int64_t vdla_roof_cycles(const struct vdla_roof *r)
{
	return r->products > r->memory ? r->products : r->memory;
}

const char *vdla_roof_bound(const struct vdla_roof *r)
{
	return r->products > r->memory ? "compute" : "memory";
}
