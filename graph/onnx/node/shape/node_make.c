/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_make.c - tensors from shapes: fills, diagonals, triangles, one-hot codes. */
#include "graph/onnx/compose.h"

int node_constant_of_shape(struct node *n)
{
	struct builder *b = n->b;
	const struct array *value = node_tensor(n, "value");
	int fill = value ? compose_reshape(b, build_const(b, value), 0, NULL)
			 : build_scalar(b, ELEMENT_F32, 0);

	return node_give(n, 0, build(b, &core_fill, node_arg(n, 0), fill));
}

/* Row numbers [r, 1] and column numbers [c] of the matrices that X is. */
static void positions(struct builder *b, int x, int *rows, int *columns)
{
	*rows = compose_unsqueeze(b, compose_iota(b, compose_extent(b, x, -2)), 1);
	*columns = compose_iota(b, compose_extent(b, x, -1));
}

int node_eye_like(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), rows, columns;
	enum element e = node_element_attr(n, "dtype", node_element(n, 0));

	positions(b, x, &rows, &columns);
	int diagonal = build(b, &core_add, rows, build_int(b, node_int(n, "k", 0)));

	return node_give(n, 0, compose_cast(b, build(b, &core_equal, diagonal, columns), e));
}

int node_trilu(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), rows, columns;
	int k = node_has(n, 1) ? compose_reshape(b, node_arg(n, 1), 0, NULL) : build_int(b, 0);

	positions(b, x, &rows, &columns);
	int diagonal = build(b, &core_add, rows, k);
	int kept = node_int(n, "upper", 1) ? build(b, &core_less_equal, diagonal, columns)
					   : build(b, &core_less_equal, columns, diagonal);

	return node_give(n, 0, build(b, &core_where, kept, x, compose_number(b, x, 0)));
}

/* values[1] where the new axis has the number of the index, which may count from the back, else
 * values[0] */
int node_one_hot(struct node *n)
{
	struct builder *b = n->b;
	int given = compose_cast(b, node_arg(n, 0), ELEMENT_I64);
	int depth = compose_reshape(b, compose_cast(b, node_arg(n, 1), ELEMENT_I64), 0, NULL);
	int rank = compose_rank(b, given);
	int64_t axis = node_int(n, "axis", -1);

	if (rank < 0)
		return -1;
	if (axis < -rank - 1 || axis > rank || rank == GRAPH_MAX_RANK)
		return node_error(n, "axis %lld of %d dims", (long long)axis, rank + 1);
	int at = (int)(axis < 0 ? axis + rank + 1 : axis);
	int back = build(b, &core_less, given, build_int(b, 0));
	int index = build(b, &core_where, back, build(b, &core_add, given, depth), given);
	int hot = build(b, &core_equal, compose_unsqueeze(b, index, at),
			compose_along(b, compose_iota(b, depth), rank + 1, at));
	int off = compose_gather(b, node_arg(n, 2), 0, build_int(b, 0));
	int on = compose_gather(b, node_arg(n, 2), 0, build_int(b, 1));

	return node_give(n, 0, build(b, &core_where, hot, on, off));
}

/* Coordinates of N pixels in [-1, 1]: of their middles, or from the first to the last. */
static int steps(struct builder *b, int count, enum element e, bool corners)
{
	int i = compose_cast(b, compose_iota(b, count), e);
	int n = compose_cast(b, count, e);
	int twice = compose_with_number(b, &core_mul, i, 2);

	if (corners)
		n = compose_with_number(b, &core_sub, n, 1);
	else
		twice = compose_with_number(b, &core_add, twice, 1);
	return compose_with_number(b, &core_sub, build(b, &core_div, twice, n), 1);
}

/* The points [n, d, h, w, 3] or [n, h, w, 2] where theta moves those of a grid. */
int node_affine_grid(struct node *n)
{
	struct builder *b = n->b;
	int theta = node_arg(n, 0), size = node_arg(n, 1);
	int64_t dims = type_count(build_type(b, size)) - 2;
	enum element e = compose_element(b, theta);
	int parts[4];

	if (e == ELEMENT_COUNT)
		return -1;
	if (dims < 1 || dims > 3)
		return node_error(n, "a size of 4 or 5 extents is wanted");
	int space = compose_slice(b, size, 0, 2, INT64_MAX);

	for (int i = 0; i < dims; i++) {
		/* x is first among coordinates and last among axes */
		int axis = (int)dims - 1 - i;
		int count = compose_gather(b, size, 0, build_ints(b, INTS(axis + 2)));
		int line = steps(b, count, e, node_int(n, "align_corners", 0));
		int spread = build(b, &core_expand, compose_along(b, line, (int)dims, axis), space);

		parts[i] = compose_reshape(b, spread, INTS(-1, 1));
	}
	parts[dims] = build(b, &core_fill, build(b, &core_shape_of, parts[0]),
			    build_scalar(b, e, 1));
	int points = compose_concat(b, 1, (int)dims + 1, parts);
	int moved = build_with(b, &core_matmul, with_int(b, "trans_b", 1), points, theta);
	int shape[] = { compose_slice(b, size, 0, 0, 1), space, build_ints(b, INTS(dims)) };

	return node_give(n, 0, build(b, &core_reshape, moved, compose_concat(b, 0, 3, shape)));
}
