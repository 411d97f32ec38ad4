/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_move.c - elements in another order: slices, parts, pads, blocks. */
#include "graph/onnx/compose.h"

int node_transpose(struct node *n)
{
	int count;
	const int64_t *perm = node_ints(n, "perm", &count);

	return node_give(n, 0, compose_transpose(n->b, node_arg(n, 0), count, perm));
}

int node_concat(struct node *n)
{
	return node_give(n, 0, compose_concat(n->b, node_int(n, "axis", 1), n->nargs, n->args));
}

/* COUNT sizes of parts of AXIS, all but the last of which are equal. */
static int even_sizes(struct builder *b, int x, int64_t axis, int count)
{
	int extent = compose_extent(b, x, axis);
	int most = build(b, &core_add, extent, build_int(b, count - 1));
	int size = build(b, &core_div, most, build_int(b, count));
	int begins = build(b, &core_mul, size, compose_iota(b, build_int(b, count)));
	int left = build(b, &core_max, build(b, &core_sub, extent, begins), build_int(b, 0));

	return build(b, &core_min, left, size);
}

/* More than any model has; they are made one by one. */
enum { MOST_PARTS = 4096 };

int node_split(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), sizes = compose_list(n, 1, "split");
	int64_t axis = node_int(n, "axis", 0), count = node_int(n, "num_outputs", n->nouts);

	if (count < n->nouts || count > MOST_PARTS)
		return node_error(n, "num_outputs %lld for %d outputs", (long long)count, n->nouts);
	if (sizes == VALUE_NONE)
		sizes = even_sizes(b, x, axis, (int)count);
	return node_give_fields(n, build_with(b, &core_split, with_int(b, "axis", axis), x, sizes));
}

int node_slice(struct node *n)
{
	return node_give(n, 0, build(n->b, &core_slice, node_arg(n, 0),
				     compose_list(n, 1, "starts"), compose_list(n, 2, "ends"),
				     compose_list(n, 3, "axes"), node_arg(n, 4)));
}

int node_pad(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	const struct attr_vec *mode = with_string(b, "mode", node_string(n, "mode", "constant"));

	return node_give(n, 0, build_with(b, &core_pad, mode, x, compose_list(n, 1, "pads"),
					  compose_scalar(n, 2, "value", x), node_arg(n, 3)));
}

/* Cuts out or surrounds by zeros, so that each axis is as long as wanted, its middle where it
 * was. */
int node_center_crop_pad(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), wanted = compose_cast(b, node_arg(n, 1), ELEMENT_I64);
	int rank = compose_rank(b, x);

	if (rank < 0)
		return -1;
	int axes = node_has_attr(n, "axes") ? compose_list(n, 2, "axes")
					    : compose_iota(b, build_int(b, rank));
	int given = compose_gather(b, build(b, &core_shape_of, x), 0, axes);
	int zero = build_int(b, 0), two = build_int(b, 2);
	int excess = build(b, &core_max, build(b, &core_sub, given, wanted), zero);
	int lack = build(b, &core_max, build(b, &core_sub, wanted, given), zero);
	int begin = build(b, &core_div, excess, two);
	int end = build(b, &core_add, begin, build(b, &core_min, given, wanted));
	int before = build(b, &core_div, lack, two);
	int pads[] = { before, build(b, &core_sub, lack, before) };

	return node_give(n, 0, build(b, &core_pad, build(b, &core_slice, x, begin, end, axes),
				     compose_concat(b, 0, 2, pads), VALUE_NONE, axes));
}

/* --- blocks of space and depth */

/* X in the shape of extents that are i64[1] or more. */
static int reshape_to(struct builder *b, int x, int n, const int *extents)
{
	return build_with(b, &core_reshape, with_int(b, "allowzero", 1), x,
			  compose_concat(b, 0, n, extents));
}

/* Is the block size a size, and x of four dims? */
static int check_blocks(struct node *n, int64_t size)
{
	if (size < 1 || size > INT32_MAX)
		return node_error(n, "blocksize %lld", (long long)size);
	if (compose_rank(n->b, node_arg(n, 0)) != 4)
		return node_error(n, "its operand must have 4 dims");
	return 0;
}

int node_depth_to_space(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int64_t size = node_int(n, "blocksize", 0);

	if (check_blocks(n, size) < 0)
		return -1;
	bool depth_last = strcmp(node_string(n, "mode", "DCR"), "CRD") == 0;
	int block = build_ints(b, INTS(size)), batch = compose_extent(b, x, 0);
	int height = compose_extent(b, x, 2), width = compose_extent(b, x, 3);
	int depth = build(b, &core_div, compose_extent(b, x, 1), build_ints(b, INTS(size * size)));
	int apart = depth_last
		? reshape_to(b, x, VALUES(batch, depth, block, block, height, width))
		: reshape_to(b, x, VALUES(batch, block, block, depth, height, width));
	int moved = depth_last ? compose_transpose(b, apart, INTS(0, 1, 4, 2, 5, 3))
			       : compose_transpose(b, apart, INTS(0, 3, 4, 1, 5, 2));

	return node_give(n, 0, reshape_to(b, moved,
					  VALUES(batch, depth, build(b, &core_mul, height, block),
						 build(b, &core_mul, width, block))));
}

int node_space_to_depth(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int64_t size = node_int(n, "blocksize", 0);

	if (check_blocks(n, size) < 0)
		return -1;
	bool depth_first = strcmp(node_string(n, "mode", "DCR"), "CRD") == 0;
	int block = build_ints(b, INTS(size)), batch = compose_extent(b, x, 0);
	int depth = compose_extent(b, x, 1);
	int height = build(b, &core_div, compose_extent(b, x, 2), block);
	int width = build(b, &core_div, compose_extent(b, x, 3), block);
	int apart = reshape_to(b, x, VALUES(batch, depth, height, block, width, block));
	int moved = depth_first ? compose_transpose(b, apart, INTS(0, 1, 3, 5, 2, 4))
				: compose_transpose(b, apart, INTS(0, 3, 5, 1, 2, 4));
	int deep = build(b, &core_mul, depth, build_ints(b, INTS(size * size)));

	return node_give(n, 0, reshape_to(b, moved, VALUES(batch, deep, height, width)));
}
