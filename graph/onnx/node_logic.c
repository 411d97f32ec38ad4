/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node_logic.c - comparisons, bits, conversions of element types. */
#include "graph/onnx/compose.h"

int node_greater(struct node *n)
{
	return node_give(n, 0, compose_greater(n->b, node_arg(n, 0), node_arg(n, 1)));
}

int node_greater_or_equal(struct node *n)
{
	return node_give(n, 0, build(n->b, &core_less_equal, node_arg(n, 1), node_arg(n, 0)));
}

int node_bit_shift(struct node *n)
{
	const char *direction = node_string(n, "direction", "");
	bool left = strcmp(direction, "LEFT") == 0;

	if (!left && strcmp(direction, "RIGHT") != 0)
		return node_error(n, "direction '%.50s': LEFT and RIGHT there are", direction);
	return node_give(n, 0, build(n->b, left ? &core_shift_left : &core_shift_right,
				     node_arg(n, 0), node_arg(n, 1)));
}

int node_is_inf(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "negative", node_int(n, "detect_negative", 1));
	attrs_int(n->b->arena, &attrs, "positive", node_int(n, "detect_positive", 1));
	return node_give(n, 0, build_with(n->b, &core_is_inf, &attrs, node_arg(n, 0)));
}

static int cast(struct node *n, enum element to)
{
	struct attr_vec attrs = { 0 };

	if (to == ELEMENT_COUNT)
		return node_error(n, "the element type to convert to is not known");
	attrs_element(n->b->arena, &attrs, "to", to);
	attrs_int(n->b->arena, &attrs, "saturate", node_int(n, "saturate", 1));
	return node_give(n, 0, build_with(n->b, &core_cast, &attrs, node_arg(n, 0)));
}

int node_cast(struct node *n)
{
	return cast(n, node_element_attr(n, "to", ELEMENT_COUNT));
}

int node_cast_like(struct node *n)
{
	return cast(n, node_element(n, 1));
}

int node_bit_cast(struct node *n)
{
	enum element to = node_element_attr(n, "to", ELEMENT_COUNT);

	return node_give(n, 0, build_with(n->b, &core_bitcast, with_element(n->b, "to", to),
					  node_arg(n, 0)));
}
