/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/compose.c - pieces that normalisers are made of. */
#include "graph/onnx/compose.h"

#include "base/err.h"

const struct attr_vec *with_int(struct builder *b, const char *name, int64_t value)
{
	struct attr_vec *v = arena_one(b->arena, struct attr_vec);

	attrs_int(b->arena, v, name, value);
	return v;
}

const struct attr_vec *with_float(struct builder *b, const char *name, double value)
{
	struct attr_vec *v = arena_one(b->arena, struct attr_vec);

	attrs_float(b->arena, v, name, value);
	return v;
}

const struct attr_vec *with_string(struct builder *b, const char *name, const char *value)
{
	struct attr_vec *v = arena_one(b->arena, struct attr_vec);

	attrs_string(b->arena, v, name, value);
	return v;
}

const struct attr_vec *with_element(struct builder *b, const char *name, enum element value)
{
	struct attr_vec *v = arena_one(b->arena, struct attr_vec);

	attrs_element(b->arena, v, name, value);
	return v;
}

const struct attr_vec *with_ints(struct builder *b, const char *name, int n, const int64_t *value)
{
	struct attr_vec *v = arena_one(b->arena, struct attr_vec);

	attrs_ints(b->arena, v, name, n, value);
	return v;
}

int compose_list(struct node *n, int i, const char *name)
{
	int count;
	const int64_t *list = node_ints(n, name, &count);

	if (node_has(n, i) || !node_has_attr(n, name))
		return node_arg(n, i);
	return build_ints(n->b, count, list);
}

int compose_scalar(struct node *n, int i, const char *name, int like)
{
	if (node_has(n, i) || !node_has_attr(n, name))
		return node_arg(n, i);
	return compose_number(n->b, like, node_float(n, name, 0));
}

enum element compose_element(const struct builder *b, int x)
{
	enum element e = build_type(b, x)->element;

	if (x == VALUE_FAILED)
		return ELEMENT_COUNT;
	if (!type_is_tensor(build_type(b, x)) || e == ELEMENT_COUNT) {
		err_set("the element type of an operand is not known here");
		return ELEMENT_COUNT;
	}
	return e;
}

int compose_rank(const struct builder *b, int x)
{
	const struct type *t = build_type(b, x);

	if (x == VALUE_FAILED)
		return -1;
	if (!type_is_ranked(t))
		return err_set("the rank of an operand is not known here");
	return t->rank;
}

int compose_axis(const struct builder *b, int x, int64_t axis)
{
	int rank = compose_rank(b, x);

	if (rank < 0)
		return -1;
	if (axis < -rank || axis >= rank)
		return err_set("axis %lld of %d dims", (long long)axis, rank);
	return (int)(axis < 0 ? axis + rank : axis);
}

bool compose_is_single(const struct builder *b, int x)
{
	return type_count(build_type(b, x)) == 1;
}

int compose_cast(struct builder *b, int x, enum element e)
{
	if (e == ELEMENT_COUNT)
		return VALUE_FAILED;
	return build_type(b, x)->element == e ? x
					      : build_with(b, &core_cast,
							   with_element(b, "to", e), x);
}

int compose_cast_like(struct builder *b, int x, int like)
{
	return compose_cast(b, x, compose_element(b, like));
}

int compose_number(struct builder *b, int like, double v)
{
	enum element e = compose_element(b, like);

	return e == ELEMENT_COUNT ? VALUE_FAILED : build_scalar(b, e, v);
}

int compose_with_number(struct builder *b, const struct core_op *op, int x, double v)
{
	return build(b, op, x, compose_number(b, x, v));
}

int compose_power(struct builder *b, int x, double p)
{
	if (p == 1)
		return x;
	if (p == 0.5)
		return build(b, &core_sqrt, x);
	return p == 2 ? build(b, &core_mul, x, x) : compose_with_number(b, &core_pow, x, p);
}

int compose_greater(struct builder *b, int x, int y)
{
	return build(b, &core_less, y, x);
}

int compose_extent(struct builder *b, int x, int64_t axis)
{
	return compose_gather(b, build(b, &core_shape_of, x), 0, build_ints(b, 1, &axis));
}

int compose_count(struct builder *b, int x)
{
	return compose_reduce(b, &core_reduce_prod, build(b, &core_shape_of, x), INTS(0), false);
}

int compose_iota(struct builder *b, int n)
{
	return build(b, &core_range, build_int(b, 0), compose_reshape(b, n, 0, NULL),
		     build_int(b, 1));
}

int compose_reshape(struct builder *b, int x, int n, const int64_t *shape)
{
	return build(b, &core_reshape, x, build_ints(b, n, shape));
}

int compose_transpose(struct builder *b, int x, int n, const int64_t *perm)
{
	return build_with(b, &core_transpose, with_ints(b, "perm", n, perm), x);
}

int compose_squeeze(struct builder *b, int x, int64_t axis)
{
	return build(b, &core_squeeze, x, build_ints(b, 1, &axis));
}

int compose_unsqueeze(struct builder *b, int x, int64_t axis)
{
	return build(b, &core_unsqueeze, x, build_ints(b, 1, &axis));
}

int compose_slice(struct builder *b, int x, int64_t axis, int64_t from, int64_t to)
{
	return build(b, &core_slice, x, build_ints(b, 1, &from), build_ints(b, 1, &to),
		     build_ints(b, 1, &axis));
}

int compose_gather(struct builder *b, int x, int64_t axis, int indices)
{
	return build_with(b, &core_gather, with_int(b, "axis", axis), x, indices);
}

int compose_concat(struct builder *b, int64_t axis, int n, const int *parts)
{
	return build_call(b, &core_concat, n, parts, with_int(b, "axis", axis));
}

int compose_reduce(struct builder *b, const struct core_op *op, int x, int n, const int64_t *axes,
		   bool keepdims)
{
	return build_with(b, op, with_int(b, "keepdims", keepdims), x, build_ints(b, n, axes));
}

int compose_reduce_from(struct builder *b, const struct core_op *op, int x, int first)
{
	int rank = compose_rank(b, x);
	int64_t axes[GRAPH_MAX_RANK];
	int n = 0;

	if (rank < 0)
		return VALUE_FAILED;
	for (int i = first; i < rank; i++)
		axes[n++] = i;
	return n ? compose_reduce(b, op, x, n, axes, true) : x;
}

int compose_along(struct builder *b, int v, int rank, int axis)
{
	int64_t shape[GRAPH_MAX_RANK];

	if (rank < 0 || compose_rank(b, v) < 0)
		return VALUE_FAILED;
	if (compose_rank(b, v) == 0 || rank == 1)
		return v;
	for (int i = 0; i < rank; i++)
		shape[i] = i == axis ? -1 : 1;
	return compose_reshape(b, v, rank, shape);
}

int compose_flatten(struct builder *b, int x, int axis)
{
	int shape = build(b, &core_shape_of, x);
	int rows = compose_slice(b, shape, 0, 0, axis);
	int columns = compose_slice(b, shape, 0, axis, INT64_MAX);
	int sides[] = { compose_reduce(b, &core_reduce_prod, rows, INTS(0), true),
			compose_reduce(b, &core_reduce_prod, columns, INTS(0), true) };

	return build_with(b, &core_reshape, with_int(b, "allowzero", 1), x,
			  compose_concat(b, 0, 2, sides));
}

int compose_repeat(struct builder *b, int x, int axis, int64_t times)
{
	int rank = compose_rank(b, x);
	int64_t repeats[GRAPH_MAX_RANK + 1];

	if (rank < 0)
		return VALUE_FAILED;
	for (int i = 0; i <= rank; i++)
		repeats[i] = i == axis + 1 ? times : 1;
	int apart = build(b, &core_tile, compose_unsqueeze(b, x, axis + 1),
			  build_ints(b, rank + 1, repeats));
	int shape = build(b, &core_shape_of, x);
	int dims[] = { compose_slice(b, shape, 0, 0, axis),
		       build(b, &core_mul, compose_extent(b, x, axis), build_int(b, times)),
		       compose_slice(b, shape, 0, axis + 1, INT64_MAX) };

	return build_with(b, &core_reshape, with_int(b, "allowzero", 1), apart,
			  compose_concat(b, 0, 3, dims));
}
