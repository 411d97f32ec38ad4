/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_gather.c - elements by their positions: gathering, scattering, selecting. */
#include "graph/onnx/compose.h"

int node_gather(struct node *n)
{
	return node_give(n, 0, compose_gather(n->b, node_arg(n, 0), node_int(n, "axis", 0),
					      node_arg(n, 1)));
}

int node_gather_elements(struct node *n)
{
	const struct attr_vec *axis = with_int(n->b, "axis", node_int(n, "axis", 0));

	return node_give(n, 0, build_with(n->b, &core_gather_elements, axis, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_gather_nd(struct node *n)
{
	const struct attr_vec *batch = with_int(n->b, "batch_dims", node_int(n, "batch_dims", 0));

	return node_give(n, 0, build_with(n->b, &core_gather_nd, batch, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_scatter_elements(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "axis", node_int(n, "axis", 0));
	attrs_string(n->b->arena, &attrs, "reduction", node_string(n, "reduction", "none"));
	return node_give(n, 0, build_with(n->b, &core_scatter_elements, &attrs, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2)));
}

int node_scatter_nd(struct node *n)
{
	const struct attr_vec *reduction =
		with_string(n->b, "reduction", node_string(n, "reduction", "none"));

	return node_give(n, 0, build_with(n->b, &core_scatter_nd, reduction, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2)));
}

/* UPDATE written into the cache along an axis, each batch from its own index on. */
int node_tensor_scatter(struct node *n)
{
	struct builder *b = n->b;
	int cache = node_arg(n, 0), update = node_arg(n, 1);
	int rank = compose_rank(b, cache), axis = compose_axis(b, cache, node_int(n, "axis", -2));

	if (axis < 0)
		return -1;
	if (axis == 0)
		return node_error(n, "axis 0 is that of the batch");
	int at = compose_along(b, compose_iota(b, compose_extent(b, update, axis)), rank, axis);

	if (node_has(n, 2))
		at = build(b, &core_add, at, compose_along(b, node_arg(n, 2), rank, 0));
	if (strcmp(node_string(n, "mode", "linear"), "circular") == 0)
		at = build(b, &core_mod, at, compose_extent(b, cache, axis));
	int indices = build(b, &core_expand, at, build(b, &core_shape_of, update));

	return node_give(n, 0, build_with(b, &core_scatter_elements, with_int(b, "axis", axis),
					  cache, indices, update));
}

int node_top_k(struct node *n)
{
	struct builder *b = n->b;
	int k = node_has(n, 1) ? node_arg(n, 1) : build_int(b, node_int(n, "k", 1));
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "axis", node_int(n, "axis", -1));
	attrs_int(b->arena, &attrs, "largest", node_int(n, "largest", 1));
	attrs_int(b->arena, &attrs, "sorted", node_int(n, "sorted", 1));
	return node_give_fields(n, build_with(b, &core_top_k, &attrs, node_arg(n, 0), k));
}

/* The axis that a node names, or that all elements are in one row. */
static void axis_or_flat(struct node *n, struct attr_vec *attrs)
{
	if (node_has_attr(n, "axis"))
		attrs_int(n->b->arena, attrs, "axis", node_int(n, "axis", 0));
	else
		attrs_int(n->b->arena, attrs, "flat", 1);
}

int node_unique(struct node *n)
{
	struct attr_vec attrs = { 0 };

	axis_or_flat(n, &attrs);
	attrs_int(n->b->arena, &attrs, "sorted", node_int(n, "sorted", 1));
	return node_give_fields(n, build_with(n->b, &core_unique, &attrs, node_arg(n, 0)));
}

int node_compress(struct node *n)
{
	struct attr_vec attrs = { 0 };

	axis_or_flat(n, &attrs);
	return node_give(n, 0, build_with(n->b, &core_compress, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_reverse_sequence(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "batch_axis", node_int(n, "batch_axis", 1));
	attrs_int(n->b->arena, &attrs, "time_axis", node_int(n, "time_axis", 0));
	return node_give(n, 0, build_with(n->b, &core_reverse_sequence, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_non_max_suppression(struct node *n)
{
	struct builder *b = n->b;
	const struct attr_vec *form =
		with_int(b, "center_point_box", node_int(n, "center_point_box", 0));

	return node_give(n, 0, build_with(b, &core_non_max_suppression, form, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2), node_arg(n, 3),
					  node_arg(n, 4)));
}
