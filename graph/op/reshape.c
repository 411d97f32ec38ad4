/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/reshape.c - the same elements in another shape, or as they are. */
#include "graph/eval/eval.h"
#include "graph/ir/infer.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"

/* --- identity(x) */

static int identity_type(struct infer *x)
{
	x->result = infer_type(x, 0);
	return 0;
}

static int identity_eval(struct eval *x)
{
	return eval_pass(x, 0, 0);
}

static int identity_gradient(struct gradient *x)
{
	x->of_arg[0] = x->of_result[0];
	return 0;
}

const struct core_op core_identity = {
	.name = "identity",
	.summary = "x",
	.min_args = 1,
	.max_args = 1,
	.any = 1,
	.fusion = FUSION_INJECTIVE,
	.type = identity_type,
	.elements = infer_same_elements,
	.eval = identity_eval,
	.express = express_reshape,
	.gradient = identity_gradient,
};

/* --- reshape(x, shape) */

/* The dim that OUT[OPEN] must be for as many elements as RANK dims FROM have. Dims that both have cancel
 * each other, so that those which are expressions, or 0, need no division. */
static struct dim left_over(struct arena *a, int rank, const struct dim *from, int n,
			    const struct dim *out, int open)
{
	bool cancelled[GRAPH_MAX_RANK] = { false };
	struct dim rest = dim_number(1), known = dim_number(1);

	for (int i = 0; i < n; i++) {
		int same = 0;

		if (i == open)
			continue;
		while (same < rank && (cancelled[same] || !dim_equal(out[i], from[same])))
			same++;
		if (same < rank)
			cancelled[same] = true;
		else
			known = dim_mul(a, known, out[i]);
	}
	for (int i = 0; i < rank; i++)
		if (!cancelled[i])
			rest = dim_mul(a, rest, from[i]);
	if (dim_equal(known, dim_number(0)))
		return dim_number(0);
	return dim_equal(known, dim_number(1)) ? rest : dim_div(a, rest, known);
}

/* -1 in SHAPE as what is left of the elements, 0 as the dim of X; the dims in OUT. -1 and a message. */
static int resolve(const struct infer *x, const struct type *from, const struct dim *shape, int n,
		   bool zero_is_zero, struct dim *out)
{
	struct dim rest = type_is_ranked(from) ? infer_product(x, from, 0, from->rank)
					       : dim_unknown();
	struct dim known = dim_number(1);
	int open = -1;
	int64_t v;

	for (int i = 0; i < n; i++) {
		bool number = dim_value(shape[i], &v);

		out[i] = shape[i];
		if (number && v == 0 && !zero_is_zero) {
			if (type_is_ranked(from) && i >= from->rank)
				return infer_error(x, "dim %d is to be kept, but x has none", i);
			out[i] = type_is_ranked(from) ? from->dim[i] : dim_unknown();
		}
		if (number && v == -1) {
			if (open >= 0)
				return infer_error(x, "more than one -1 in the shape");
			open = i;
		} else {
			known = dim_mul(x->arena, known, out[i]);
		}
	}
	if (open >= 0) {
		int64_t all, part;

		out[open] = type_is_ranked(from)
				    ? left_over(x->arena, from->rank, from->dim, n, out, open)
				    : dim_unknown();
		if (dim_value(rest, &all) && dim_value(known, &part) && part && all % part)
			return infer_error(x, "%lld elements are no multiple of %lld",
					   (long long)all, (long long)part);
	} else if (rest.n >= 0 && known.n >= 0 && rest.n != known.n) {
		return infer_error(x, "%lld elements in a shape of %lld", (long long)rest.n,
				   (long long)known.n);
	}
	return 0;
}

static int reshape_type(struct infer *x)
{
	int n;
	const struct type *from = infer_type(x, 0);
	const struct dim *shape = infer_elements(x, 1, &n);
	struct dim out[GRAPH_MAX_RANK];

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0)
		return -1;
	if (!shape) {
		int64_t rank = type_count(infer_type(x, 1));

		return rank < 0 || rank > GRAPH_MAX_RANK
			       ? infer_unranked(x, from->element)
			       : infer_ranked(x, from->element, (int)rank);
	}
	if (n > GRAPH_MAX_RANK)
		return infer_error(x, "a shape of %d dims (at most %d)", n, GRAPH_MAX_RANK);
	if (resolve(x, from, shape, n, call_flag(x->call, "allowzero"), out) < 0)
		return -1;
	return infer_tensor(x, from->element, n, out);
}

static int reshape_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int n;
	const int64_t *shape = eval_ints(x, 1, &n);
	int64_t dim[GRAPH_MAX_RANK];
	struct dim have[GRAPH_MAX_RANK], out[GRAPH_MAX_RANK];
	int open = -1;

	if (n > GRAPH_MAX_RANK)
		return eval_error(x, "a shape of %d dims (at most %d)", n, GRAPH_MAX_RANK);
	for (int i = 0; i < n; i++) {
		bool kept = shape[i] == 0 && !call_flag(x->call, "allowzero");

		if (kept && i >= from->rank)
			return eval_error(x, "dim %d is to be kept, but x has none", i);
		dim[i] = kept ? from->dim[i] : shape[i];
		out[i] = dim_of(eval_arena(x), dim[i]);
		if (dim[i] == -1)
			open = i;
	}
	for (int i = 0; i < from->rank; i++)
		have[i] = dim_number(from->dim[i]);
	if (open >= 0)
		dim[open] = left_over(eval_arena(x), from->rank, have, n, out, open).n;
	return eval_view(x, 0, 0, n, dim);
}

static int reshape_gradient(struct gradient *x)
{
	x->of_arg[0] = gradient_like(x->builder, x->of_result[0], x->call->args[0]);
	return 0;
}

const struct core_op core_reshape = {
	.name = "reshape",
	.summary = "the elements of x in the given shape; -1 is what is left of them, 0 the dim of x",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "allowzero", ATTR_INT, 0, NULL, "1: a 0 in the shape is an extent of 0" },
		{ 0 } },
	.fusion = FUSION_INJECTIVE,
	.type = reshape_type,
	.elements = infer_same_elements,
	.eval = reshape_eval,
	.express = express_reshape,
	.gradient = reshape_gradient,
};

/* --- shape_of(x) */

static int shape_type(struct infer *x)
{
	int rank = infer_rank(x, 0);
	struct dim n = rank < 0 ? dim_unknown() : dim_number(rank);

	if (infer_class(x, 0, CLASS_ANY) < 0)
		return -1;
	return infer_tensor(x, ELEMENT_I64, 1, &n);
}

static bool shape_elements(struct infer *x, struct dim *out)
{
	const struct type *t = infer_type(x, 0);

	if (t->rank > 0)
		memcpy(out, t->dim, (size_t)t->rank * sizeof(*out));
	return true;
}

static int shape_eval(struct eval *x)
{
	const struct array *of = eval_array(x, 0);
	struct array *y = eval_result(x, 0, ELEMENT_I64, 1, &(int64_t){ of->rank });

	if (y)
		memcpy(y->data, of->dim, array_bytes(y));
	return y ? 0 : -1;
}

const struct core_op core_shape_of = {
	.name = "shape_of",
	.summary = "the extents of x as i64[rank]",
	.min_args = 1,
	.max_args = 1,
	.fusion = FUSION_OPAQUE,
	.type = shape_type,
	.elements = shape_elements,
	.eval = shape_eval,
};
