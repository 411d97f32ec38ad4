/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/along.c - gradients of what picks elements along one axis after the other. */
#include "graph/op/move/along.h"

#include "base/err.h"

static int one(struct builder *b, int64_t v)
{
	return build_ints(b, 1, &v);
}

int along_extent(struct builder *b, int x, int axis)
{
	return build(b, &core_slice, build(b, &core_shape_of, x), one(b, axis), one(b, axis + 1));
}

int along_fill(struct builder *b, enum element e, int shape)
{
	return build(b, &core_fill, shape, build_scalar(b, e, 0));
}

int along_zeros(struct builder *b, int x)
{
	return along_fill(b, build_type(b, x)->element, build(b, &core_shape_of, x));
}

int along_add(struct builder *b, int g, int axis, int extent, int index)
{
	int rank = build_type(b, g)->rank;
	int shape = build(b, &core_shape_of, g);
	int before = build(b, &core_slice, shape, one(b, 0), one(b, axis));
	int behind = build(b, &core_slice, shape, one(b, axis + 1), one(b, rank));
	int zeros = along_fill(b, build_type(b, g)->element,
			       build(b, &core_concat, before, extent, behind));
	int64_t column[GRAPH_MAX_RANK] = { -1, 1, 1, 1, 1, 1, 1, 1 };
	struct attr_vec attrs = { 0 };

	index = build(b, &core_reshape, index, build_ints(b, rank - axis, column));
	index = build(b, &core_expand, index, shape);
	attrs_int(b->arena, &attrs, "axis", axis);
	attrs_string(b->arena, &attrs, "reduction", "add");
	return build_with(b, &core_scatter_elements, &attrs, zeros, index, g);
}

int gradient_along(struct gradient *x, int (*pick)(struct gradient *x, int axis, int place))
{
	struct builder *b = x->builder;
	int from = x->call->args[0];
	int g = x->of_result[0];

	if (!type_is_ranked(build_type(b, from)))
		return err_set("%s: its gradient needs a known rank", x->call->op->name);
	for (int axis = build_type(b, from)->rank - 1; axis >= 0; axis--) {
		int extent = along_extent(b, from, axis);
		int scalar = build(b, &core_squeeze, extent);
		int all = build(b, &core_range, build_int(b, 0), scalar, build_int(b, 1));
		int index = pick(x, axis, all);

		if (index != VALUE_NONE)
			g = along_add(b, g, axis, extent, index);
	}
	x->of_arg[0] = g;
	return 0;
}
