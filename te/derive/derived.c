/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/derived.c - axes and ops of a derivation. */
#include "te/derive/derived.h"

#include <string.h>

static bool is_taken(const struct new_axes *axes, const char *name)
{
	for (int i = 0; i < axes->n; i++)
		if (strcmp(axes->at[i]->name, name) == 0)
			return true;
	return false;
}

const struct expr *new_axes_add(struct arena *a, struct new_axes *axes, const char *prefix, const char *name,
				int64_t extent)
{
	struct axis *axis = arena_one(a, struct axis);

	name = arena_printf(a, "%s%s", prefix, name);
	while (is_taken(axes, name))
		name = arena_printf(a, "%s_", name);
	axis->name = name;
	axis->hi = extent;
	axes->at[axes->n++] = axis;
	return expr_axis(a, axis);
}

const struct expr *new_axes_for(struct arena *a, struct new_axes *axes, struct axis_swap *swap, const struct axis *from,
				int64_t extent)
{
	swap->from[swap->n] = from;
	return swap->to[swap->n++] = new_axes_add(a, axes, "", from->name, extent);
}

const struct expr *axis_swap_in(struct arena *a, const struct axis_swap *swap, const struct expr *e)
{
	return expr_substitute(a, e, swap->from, swap->to, swap->n);
}

const char *derived_dim_name(struct arena *a, const struct expr *load, int d)
{
	const struct expr *at = load->index[d];

	return at->kind == EXPR_AXIS ? at->axis->name : arena_printf(a, "d%d", d);
}

int derived_dim_of(const struct expr *load, const struct axis *axis)
{
	int found = -1;

	for (int d = 0; d < load->tensor->ndim; d++) {
		if (!expr_uses_axis(load->index[d], axis))
			continue;
		if (found >= 0 || load->index[d]->kind != EXPR_AXIS || axis->lo != 0 || load->tensor->shape[d] != axis->hi)
			return -1;
		found = d;
	}
	return found;
}

struct op *derived_add(struct arena *a, struct derived *d, const char *name, const struct new_axes *axes, int ndim,
		       const struct expr *body)
{
	struct op *op = arena_one(a, struct op);

	op->tensor.name = name;
	op->tensor.dtype = body->dtype;
	op->tensor.ndim = ndim;
	op->kind = OP_COMPUTE;
	op->space = arena_memdup(a, axes->at, (size_t)ndim * sizeof(*axes->at));
	op->nreduce = axes->n - ndim;
	op->reduce = arena_memdup(a, axes->at + ndim, (size_t)op->nreduce * sizeof(*axes->at));
	op->reducer = op->nreduce ? REDUCE_SUM : REDUCE_NONE;
	op->body = body;
	for (int i = 0; i < ndim; i++)
		op->tensor.shape[i] = axes->at[i]->hi;
	for (int i = 0; i < op->nreduce; i++)
		op->reduce[i]->reduce = true;
	d->op[d->n++] = op;
	return op;
}

void derived_end(struct arena *a, struct derived *d, const struct op *op, const int64_t *turns, const struct expr *body)
{
	struct axis_swap swap = { 0 };
	struct new_axes axes = { 0 };

	for (int i = 0; i < op->tensor.ndim; i++)
		new_axes_for(a, &axes, &swap, op->space[i], op->space[i]->hi);
	for (int i = 0; i < op->nreduce; i++)
		new_axes_for(a, &axes, &swap, op->reduce[i], turns ? turns[i] : op->reduce[i]->hi);
	struct op *end = derived_add(a, d, op->tensor.name, &axes, op->tensor.ndim, axis_swap_in(a, &swap, body));

	end->tensor.dtype = op->tensor.dtype;
	end->reducer = op->reducer;
	end->output = op->output;
}
