/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/permute.c - axes in another order, and elements repeated along them. */
#include "graph/op/gradient.h"
#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

/* --- transpose(x) */

/* Axis PERM[i] of a tensor of RANK becomes axis i; false where the attribute is no permutation. */
static bool permutation(const struct binding *call, int rank, int *perm)
{
	int n;
	const int64_t *given = call_ints(call, "perm", &n);
	int where[GRAPH_MAX_RANK];

	if (n ? n != rank || !axes_find(n, given, rank, where) : rank > GRAPH_MAX_RANK)
		return false;
	for (int i = 0; i < rank; i++)
		perm[i] = n ? (int)index_among(given[i], rank) : rank - 1 - i;
	return true;
}

static int transpose_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int perm[GRAPH_MAX_RANK];
	int n;

	if (infer_class(x, 0, CLASS_ANY) < 0)
		return -1;
	call_ints(x->call, "perm", &n);
	int rank = type_is_ranked(from) ? from->rank : n;

	if ((n || type_is_ranked(from)) && !permutation(x->call, rank, perm))
		return infer_error(x, "perm is no permutation of the axes of rank %d", rank);
	if (!type_is_ranked(from) && !n)
		return infer_unranked(x, from->element);
	for (int i = 0; i < rank; i++)
		out[i] = type_is_ranked(from) ? from->dim[perm[i]] : dim_unknown();
	return infer_tensor(x, from->element, rank, out);
}

static int transpose_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int perm[GRAPH_MAX_RANK];
	int64_t stride[GRAPH_MAX_RANK];
	struct strided s = { .rank = from->rank };

	if (!permutation(x->call, from->rank, perm))
		return eval_error(x, "perm is no permutation of the axes of rank %d", from->rank);
	dense_strides(from->rank, from->dim, stride);
	for (int i = 0; i < from->rank; i++) {
		s.extent[i] = from->dim[perm[i]];
		s.from[i] = stride[perm[i]];
	}
	dense_strides(s.rank, s.extent, s.to);
	struct array *y = eval_result(x, 0, from->element, s.rank, s.extent);

	if (y)
		strided_copy(&s, y->data, from->data, element_bytes(y->element));
	return y ? 0 : -1;
}

static const struct expr *read_transposed(const struct express *x, const struct expr *const *axes)
{
	const struct expr *index[GRAPH_MAX_RANK];
	int perm[GRAPH_MAX_RANK];

	permutation(x->call, x->types[0]->rank, perm);
	for (int i = 0; i < x->types[0]->rank; i++)
		index[perm[i]] = axes[i];
	return express_load(x, 0, index);
}

static struct op *transpose_express(struct express *x)
{
	return express_map(x, "transpose", read_transposed);
}

static int transpose_gradient(struct gradient *x)
{
	int n, perm[GRAPH_MAX_RANK];
	int64_t back[GRAPH_MAX_RANK];
	struct attr_vec attrs = { 0 };

	call_ints(x->call, "perm", &n);
	permutation(x->call, n, perm);
	for (int i = 0; i < n; i++)
		back[perm[i]] = i;
	if (n)
		attrs_ints(x->builder->arena, &attrs, "perm", n, back);
	x->of_arg[0] = build_with(x->builder, &core_transpose, &attrs, x->of_result[0]);
	return 0;
}

const struct core_op core_transpose = {
	.name = "transpose",
	.summary = "x with its axes in another order",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "perm", ATTR_INTS, 0, NULL, "for each axis of the result that of x; none: reversed" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = transpose_type,
	.elements = infer_same_elements,	/* of rank 1 at most */
	.eval = transpose_eval,
	.express = transpose_express,
	.gradient = transpose_gradient,
};

/* --- expand(x, shape) */

static int expand_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int64_t v;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	int n = infer_length(x, 1);

	if (n > GRAPH_MAX_RANK)
		return infer_error(x, "a shape of %d dims (at most %d)", n, GRAPH_MAX_RANK);
	if (!type_is_ranked(from) || n < 0)
		return infer_unranked(x, from->element);
	const struct dim *shape = infer_elements(x, 1, &n);
	int rank = from->rank > n ? from->rank : n;

	for (int i = 0; i < rank; i++) {
		int of_x = i - (rank - from->rank), of_shape = i - (rank - n);
		struct dim have = of_x < 0 ? dim_number(1) : from->dim[of_x];
		struct dim want = of_shape < 0 ? dim_number(1)
				: shape ? shape[of_shape] : dim_unknown();

		if (dim_value(want, &v) && v < 0)
			return infer_error(x, "extent %lld is wanted", (long long)v);
		if (infer_agree(x, have, want, true, &out[i]) < 0)
			return -1;
	}
	return infer_tensor(x, from->element, rank, out);
}

/* One element as many times, or all as they are. */
static bool expand_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *from = infer_elements(x, 0, &n);
	int64_t count = type_count(x->result);

	for (int64_t i = 0; from && i < count; i++)
		out[i] = from[n == 1 ? 0 : i];
	return from != NULL;
}

static int expand_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t stride[GRAPH_MAX_RANK];
	int n;
	const int64_t *shape = eval_ints(x, 1, &n);
	struct strided s = { .rank = from->rank > n ? from->rank : n };

	if (s.rank > GRAPH_MAX_RANK)
		return eval_error(x, "a shape of %d dims (at most %d)", n, GRAPH_MAX_RANK);
	dense_strides(from->rank, from->dim, stride);
	for (int i = 0; i < s.rank; i++) {
		int of_x = i - (s.rank - from->rank), of_shape = i - (s.rank - n);
		int64_t have = of_x < 0 ? 1 : from->dim[of_x];
		int64_t want = of_shape < 0 ? 1 : shape[of_shape];

		if (want < 0 || (have != want && have != 1 && want != 1))
			return eval_error(x, "extent %lld becomes no %lld", (long long)have,
					  (long long)want);
		s.extent[i] = have == 1 ? want : have;
		s.from[i] = have == 1 ? 0 : stride[of_x];
	}
	struct array *y = eval_result(x, 0, from->element, s.rank, s.extent);

	if (!y)
		return -1;
	dense_strides(s.rank, s.extent, s.to);
	strided_copy(&s, y->data, from->data, element_bytes(y->element));
	return 0;
}

static const struct expr *read_expanded(const struct express *x, const struct expr *const *axes)
{
	const struct expr *index[GRAPH_MAX_RANK];
	int64_t dim[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, dim);

	axes += x->call->type->rank - rank;
	for (int i = 0; i < rank; i++)
		index[i] = dim[i] == 1 ? expr_int(x->dag->arena, 0) : axes[i];
	return express_load(x, 0, index);
}

static struct op *expand_express(struct express *x)
{
	return express_map(x, "expand", read_expanded);
}

static int expand_gradient(struct gradient *x)
{
	x->of_arg[0] = gradient_unbroadcast(x->builder, x->of_result[0], x->call->args[0]);
	return 0;
}


const struct core_op core_expand = {
	.name = "expand",
	.summary = "x broadcast with a tensor of the given shape",
	.min_args = 2,
	.max_args = 2,
	.fusion = FUSION_INJECTIVE,
	.type = expand_type,
	.elements = expand_elements,
	.eval = expand_eval,
	.express = expand_express,
	.gradient = expand_gradient,
};
