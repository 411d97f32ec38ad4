/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_logic.c - comparisons, bits, conversions of element types. */
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

/* X as the power of two next to it, as the node wants it rounded: what f8e8m0 holds. Its exponent
 * is above the 23 other bits of an f32. */
static int power_of_two(struct node *n, int x)
{
	struct builder *b = n->b;
	const char *mode = node_string(n, "round_mode", "up");
	int given = compose_cast(b, x, ELEMENT_F32);
	int bits = build_with(b, &core_bitcast, with_element(b, "to", ELEMENT_I32), given);

	if (strcmp(mode, "up") == 0)
		bits = compose_with_number(b, &core_add, bits, 0x7fffff);
	else if (strcmp(mode, "down") != 0)
		return given;
	bits = compose_with_number(b, &core_bit_and, bits, 0x7f800000);
	int power = build_with(b, &core_bitcast, with_element(b, "to", ELEMENT_F32), bits);

	return build(b, &core_where, build(b, &core_is_nan, given), given, power);
}

static int cast(struct node *n, enum element to)
{
	struct attr_vec attrs = { 0 };
	int x = node_arg(n, 0);

	if (to == ELEMENT_COUNT)
		return node_error(n, "the element type to convert to is not known");
	if (to == ELEMENT_F8E8M0 && element_is_float(compose_element(n->b, x)))
		x = power_of_two(n, x);
	attrs_element(n->b->arena, &attrs, "to", to);
	attrs_int(n->b->arena, &attrs, "saturate", node_int(n, "saturate", 1));
	return node_give(n, 0, build_with(n->b, &core_cast, &attrs, x));
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
