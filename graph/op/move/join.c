/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/join.c - tensors put together along an axis, and taken apart. */
#include "graph/op/move/along.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* Copies the elements of PART to or from those of WHOLE that begin at FIRST along AXIS, of which it
 * has as many as PART. */
static void copy_part(struct array *to, const struct array *from, const struct array *whole,
		      const struct array *part, int axis, int64_t first)
{
	struct strided s = { .rank = part->rank };
	int64_t stride[GRAPH_MAX_RANK];

	memcpy(s.extent, part->dim, sizeof(s.extent));
	dense_strides(whole->rank, whole->dim, stride);
	dense_strides(part->rank, part->dim, to == part ? s.to : s.from);
	memcpy(to == part ? s.from : s.to, stride, sizeof(stride));
	if (part->count)
		strided_copy(&s, array_at(to, to == part ? 0 : first * stride[axis]),
			     array_at(from, to == part ? first * stride[axis] : 0),
			     element_bytes(part->element));
}

/* --- concat(x...) */

static int concat_type(struct infer *x)
{
	struct dim out[GRAPH_MAX_RANK], sum = dim_number(0);
	int rank = RANK_UNKNOWN, axis;
	enum element e;

	if (infer_same_element(x, &e) < 0)
		return -1;
	for (int i = 0; i < x->call->nargs; i++) {
		int r = infer_rank(x, i);

		if (infer_class(x, i, CLASS_ANY) < 0)
			return -1;
		if (r >= 0 && rank >= 0 && r != rank)
			return infer_error(x, "operands of rank %d and %d", rank, r);
		rank = r >= 0 ? r : rank;
	}
	if (rank < 0)
		return infer_unranked(x, e);
	if (infer_axis(x, call_int(x->call, "axis"), rank, &axis) < 0)
		return -1;
	for (int d = 0; d < rank; d++)
		out[d] = dim_unknown();
	for (int i = 0; i < x->call->nargs; i++) {
		const struct type *t = infer_type(x, i);

		for (int d = 0; d < rank && type_is_ranked(t); d++)
			if (d != axis && infer_agree(x, out[d], t->dim[d], false, &out[d]) < 0)
				return -1;
		sum = dim_add(x->arena, sum, type_is_ranked(t) ? t->dim[axis] : dim_unknown());
	}
	out[axis] = sum;
	return infer_tensor(x, e, rank, out);
}

static bool concat_elements(struct infer *x, struct dim *out)
{
	for (int i = 0; i < x->call->nargs; i++) {
		int n;
		const struct dim *part = infer_elements(x, i, &n);

		if (!part)
			return false;
		memcpy(out, part, (size_t)n * sizeof(*part));
		out += n;
	}
	return true;
}

static int concat_eval(struct eval *x)
{
	const struct array *head = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK], first = 0;
	int axis;

	if (eval_axis(x, call_int(x->call, "axis"), head->rank, &axis) < 0)
		return -1;
	memcpy(dim, head->dim, sizeof(dim));
	for (int i = 1; i < x->call->nargs; i++) {
		const struct array *part = eval_array(x, i);

		for (int d = 0; d < head->rank; d++)
			if (part->rank != head->rank || (d != axis && part->dim[d] != dim[d]))
				return eval_error(x, "operand %d has another shape", i);
		dim[axis] += part->dim[axis];
	}
	struct array *y = eval_result(x, 0, head->element, head->rank, dim);

	for (int i = 0; y && i < x->call->nargs; i++) {
		const struct array *part = eval_array(x, i);

		copy_part(y, part, y, part, axis, first);
		first += part->dim[axis];
	}
	return y ? 0 : -1;
}

/* A chain of selects, the last operand in its end. */
static const struct expr *read_joined(const struct express *x, const struct expr *const *axes)
{
	struct arena *a = x->dag->arena;
	const struct expr *index[GRAPH_MAX_RANK], *body = NULL;
	int64_t dim[GRAPH_MAX_RANK], end;
	int rank = express_result(x, dim);
	int axis = (int)index_among(call_int(x->call, "axis"), rank);

	memcpy(index, axes, (size_t)rank * sizeof(*axes));
	end = dim[axis];
	for (int i = x->call->nargs - 1; i >= 0; i--) {
		int64_t part[GRAPH_MAX_RANK];

		express_shape(x, i, part);
		if (part[axis] == 0)
			continue;
		index[axis] = expr_add(a, axes[axis], expr_int(a, part[axis] - end));
		const struct expr *load = express_load(x, i, index);

		if (!load)
			return NULL;
		body = body ? expr_select(a, expr_binary(a, EXPR_LT, axes[axis], expr_int(a, end)),
					  load, body)
			    : load;
		end -= part[axis];
	}
	return body;
}

/* More operands than this are no chain that a kernel should walk; the dense blocks of DenseNet, which
 * join the most tensors of all usual networks, have 50. */
enum { MAX_JOINED = 64 };

static struct op *concat_express(struct express *x)
{
	if (x->call->nargs > MAX_JOINED)
		return express_error(x, "%d operands (kernels take %d)", x->call->nargs, MAX_JOINED);
	return express_map(x, "concat", read_joined);
}

static int concat_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int n = x->call->nargs;
	int *extents = arena_many(b->arena, int, n);
	int64_t rank = build_type(b, x->result)->rank;
	int64_t axis = index_among(call_int(x->call, "axis"), rank);
	struct attr_vec attrs = { 0 };

	for (int i = 0; i < n; i++)
		extents[i] = along_extent(b, x->call->args[i], (int)axis);
	attrs_int(b->arena, &attrs, "axis", axis);
	int sizes = build_call(b, &core_concat, n, extents, NULL);
	int parts = build_with(b, &core_split, &attrs, x->of_result[0], sizes);

	for (int i = 0; i < n; i++)
		x->of_arg[i] = build_field(b, parts, i);
	return 0;
}

const struct core_op core_concat = {
	.name = "concat",
	.summary = "tensors one behind the other along an axis",
	.min_args = 1,
	.max_args = ARGS_MANY,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which, from the end where negative" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = concat_type,
	.elements = concat_elements,
	.eval = concat_eval,
	.express = concat_express,
	.gradient = concat_gradient,
};

/* --- split(x, sizes) */

/* Parts are fields of a tuple, and no model has more. */
enum { MAX_PARTS = 4096 };

static int split_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim sum = dim_number(0), dim[GRAPH_MAX_RANK];
	int axis = 0, n = infer_length(x, 1), count;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (n < 0 || n > MAX_PARTS)
		return infer_error(x, "how many parts there are must be known (at most %d)", MAX_PARTS);
	const struct type **fields = arena_many(x->arena, const struct type *, n);
	const struct dim *sizes = infer_elements(x, 1, &count);

	if (type_is_ranked(from) &&
	    infer_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		fields[i] = type_unranked(x->arena, from->element);
		if (!type_is_ranked(from))
			continue;
		memcpy(dim, from->dim, (size_t)from->rank * sizeof(*dim));
		dim[axis] = sizes ? sizes[i] : dim_unknown();
		sum = dim_add(x->arena, sum, dim[axis]);
		if (infer_tensor(x, from->element, from->rank, dim) < 0)
			return -1;
		fields[i] = x->result;
	}
	if (type_is_ranked(from) && infer_agree(x, from->dim[axis], sum, false, &sum) < 0)
		return -1;
	return infer_tuple(x, n, fields);
}

static int split_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK], first = 0;
	int axis, n;
	const int64_t *sizes = eval_ints(x, 1, &n);

	if (eval_axis(x, call_int(x->call, "axis"), from->rank, &axis) < 0)
		return -1;
	memcpy(dim, from->dim, sizeof(dim));
	for (int i = 0; i < n; i++) {
		if (sizes[i] < 0 || sizes[i] > from->dim[axis] - first)
			return eval_error(x, "part %d of %lld, of extent %lld", i,
					  (long long)sizes[i], (long long)from->dim[axis]);
		dim[axis] = sizes[i];
		struct array *y = eval_result(x, i, from->element, from->rank, dim);

		if (!y)
			return -1;
		copy_part(y, from, from, y, axis, first);
		first += sizes[i];
	}
	return first == from->dim[axis] ? 0
					: eval_error(x, "parts of %lld together, of extent %lld",
						     (long long)first, (long long)from->dim[axis]);
}

static int split_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int n = build_type(b, x->result)->nfields;
	int *parts = arena_many(b->arena, int, n);
	struct attr_vec attrs = { 0 };

	for (int i = 0; i < n; i++)
		parts[i] = x->of_result[i] != VALUE_NONE
				   ? x->of_result[i]
				   : along_zeros(b, build_field(b, x->result, i));
	attrs_int(b->arena, &attrs, "axis", call_int(x->call, "axis"));
	x->of_arg[0] = build_call(b, &core_concat, n, parts, &attrs);
	return 0;
}

const struct core_op core_split = {
	.name = "split",
	.summary = "the parts of x along an axis, of the given sizes, as a tuple",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "axis", ATTR_INT, 0, NULL, "along which, from the end where negative" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = split_type,
	.eval = split_eval,
	.gradient = split_gradient,
};
