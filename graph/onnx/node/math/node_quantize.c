/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_quantize.c - numbers in few bits: x = (q - zero point) * scale. */
#include "graph/onnx/node/math/quantize.h"

/* The parameter S beside X: a single one; one for each slice along the axis; or one for each block
 * of BLOCK elements along it, the last of which may be shorter. */
static int spread(struct node *n, int s, int x, int64_t axis, int64_t block)
{
	struct builder *b = n->b;
	int rank = compose_rank(b, x), parts = compose_rank(b, s);

	if (rank < 0 || parts < 0)
		return VALUE_FAILED;
	if (compose_is_single(b, s))
		return compose_reshape(b, s, 0, NULL);
	int at = compose_axis(b, x, rank == 1 ? 0 : axis);

	if (at < 0)
		return VALUE_FAILED;
	if (!block)
		return parts == 1 ? compose_along(b, s, rank, at) : s;
	return build(b, &core_slice, compose_repeat(b, s, at, block), build_ints(b, INTS(0)),
		     compose_extent(b, x, at), build_ints(b, INTS(at)));
}

int node_quantize_linear(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), scale = node_arg(n, 1), zero = node_arg(n, 2);
	int64_t axis = node_int(n, "axis", 1), block = node_int(n, "block_size", 0);
	enum element to = node_element_attr(n, "output_dtype", ELEMENT_COUNT);
	enum element in = node_element_attr(n, "precision", compose_element(b, scale));

	if (to == ELEMENT_COUNT)
		to = zero == VALUE_NONE ? ELEMENT_U8 : compose_element(b, zero);
	if (in == ELEMENT_COUNT || to == ELEMENT_COUNT)
		return -1;
	/* integers are divided as f32 are, and a scale that is a power of two as its product */
	if (!element_is_float(in) || in == ELEMENT_F8E8M0)
		in = ELEMENT_F32;
	int ratio = build(b, &core_div, compose_cast(b, x, in),
			  spread(n, compose_cast(b, scale, in), x, axis, block));

	if (zero != VALUE_NONE)
		zero = spread(n, zero, x, axis, block);
	return node_give(n, 0, quantize_round(b, ratio, zero, to, node_int(n, "saturate", 1)));
}

int node_dequantize_linear(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), scale = node_arg(n, 1), zero = node_arg(n, 2);
	int64_t axis = node_int(n, "axis", 1), block = node_int(n, "block_size", 0);
	enum element to = node_element_attr(n, "output_dtype", compose_element(b, scale));

	scale = spread(n, compose_cast(b, scale, ELEMENT_F32), x, axis, block);
	if (zero != VALUE_NONE)
		zero = spread(n, zero, x, axis, block);
	int wide = compose_cast(b, quantize_widen(b, x, zero), ELEMENT_F32);

	return node_give(n, 0, compose_cast(b, build(b, &core_mul, wide, scale), to));
}

/* The least range that has 0 and all of x, in 255 steps. */
int node_dynamic_quantize_linear(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), none = build_scalar(b, ELEMENT_F32, 0);
	int most = build_scalar(b, ELEMENT_F32, 255);
	const struct attr_vec *flat = with_int(b, "keepdims", 0);
	int low = build(b, &core_min, build_with(b, &core_reduce_min, flat, x, VALUE_NONE), none);
	int high = build(b, &core_max, build_with(b, &core_reduce_max, flat, x, VALUE_NONE), none);
	int scale = build(b, &core_div, build(b, &core_sub, high, low), most);
	int start = build(b, &core_sub, none, build(b, &core_div, low, scale));
	int zero = compose_cast(b, build(b, &core_round, build(b, &core_clip, start, none, most)),
				ELEMENT_U8);

	int ratio = build(b, &core_div, x, scale);

	if (node_give(n, 0, quantize_round(b, ratio, zero, ELEMENT_U8, true)) < 0 ||
	    node_give(n, 1, scale) < 0)
		return -1;
	return node_give(n, 2, zero);
}
