/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/view.c - the same elements with axes of extent 1 taken out or put in. */
#include "graph/op/gradient.h"
#include "graph/op/move/axes.h"

/* Both change nothing but the shape. */
static int view_gradient(struct gradient *x)
{
	x->of_arg[0] = gradient_like(x->builder, x->of_result[0], x->call->args[0]);
	return 0;
}

/* --- squeeze(x, axes?) */

static int squeeze_all(struct infer *x, const struct type *from)
{
	struct dim out[GRAPH_MAX_RANK];
	int rank = 0;

	for (int i = 0; i < from->rank; i++) {
		if (from->dim[i].n < 0)	/* it may turn out to be 1 */
			return infer_unranked(x, from->element);
		if (from->dim[i].n != 1)
			out[rank++] = from->dim[i];
	}
	return infer_tensor(x, from->element, rank, out);
}

static int squeeze_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int where[GRAPH_MAX_RANK];
	int n, rank = 0;

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (!type_is_ranked(from))
		return infer_unranked(x, from->element);
	if (!infer_has(x, 1))
		return squeeze_all(x, from);
	const int64_t *axes = infer_ints(x, 1, &n);

	if (!axes) {
		n = infer_length(x, 1);
		return n < 0 || n > from->rank ? infer_unranked(x, from->element)
					       : infer_ranked(x, from->element, from->rank - n);
	}
	if (!axes_find(n, axes, from->rank, where))
		return infer_error(x, "axes that rank %d has not, or twice", from->rank);
	for (int i = 0; i < from->rank; i++) {
		if (where[i] < 0)
			out[rank++] = from->dim[i];
		else if (from->dim[i].n >= 0 && from->dim[i].n != 1)
			return infer_error(x, "axis %d has extent %lld", i,
					   (long long)from->dim[i].n);
	}
	return infer_tensor(x, from->element, rank, out);
}

static int squeeze_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK];
	int where[GRAPH_MAX_RANK];
	int n, rank = 0;
	const int64_t *axes = eval_ints(x, 1, &n);

	if (!axes_find(n, axes, from->rank, where))
		return eval_error(x, "axes that rank %d has not, or twice", from->rank);
	for (int i = 0; i < from->rank; i++)
		if (axes ? where[i] < 0 : from->dim[i] != 1)
			dim[rank++] = from->dim[i];
	return eval_view(x, 0, 0, rank, dim);
}

const struct core_op core_squeeze = {
	.name = "squeeze",
	.summary = "x without the given axes, each of extent 1; without all of these where none is given",
	.min_args = 1,
	.max_args = 2,
	.fusion = FUSION_INJECTIVE,
	.type = squeeze_type,
	.elements = infer_same_elements,
	.eval = squeeze_eval,
	.express = express_reshape,
	.gradient = view_gradient,
};

/* --- unsqueeze(x, axes) */

static int unsqueeze_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int where[GRAPH_MAX_RANK];
	int n = infer_length(x, 1);

	if (infer_class(x, 0, CLASS_ANY) < 0 || infer_list(x, 1) < 0)
		return -1;
	if (!type_is_ranked(from) || n < 0)
		return infer_unranked(x, from->element);
	int rank = from->rank + n;

	if (n > GRAPH_MAX_RANK || rank > GRAPH_MAX_RANK)
		return infer_error(x, "a result of rank %lld (at most %d)",
				   (long long)n + from->rank, GRAPH_MAX_RANK);
	const int64_t *axes = infer_ints(x, 1, &n);

	if (axes && !axes_find(n, axes, rank, where))
		return infer_error(x, "axes that rank %d has not, or twice", rank);
	for (int i = 0, next = 0; i < rank; i++)
		out[i] = !axes ? dim_unknown() : where[i] < 0 ? from->dim[next++] : dim_number(1);
	return infer_tensor(x, from->element, rank, out);
}

static int unsqueeze_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK];
	int where[GRAPH_MAX_RANK];
	int n;
	const int64_t *axes = eval_ints(x, 1, &n);
	int rank = from->rank + n;

	if (n > GRAPH_MAX_RANK - from->rank || !axes_find(n, axes, rank, where))
		return eval_error(x, "axes that rank %d has not, or twice", rank);
	for (int i = 0, next = 0; i < rank; i++)
		dim[i] = where[i] < 0 ? from->dim[next++] : 1;
	return eval_view(x, 0, 0, rank, dim);
}

const struct core_op core_unsqueeze = {
	.name = "unsqueeze",
	.summary = "x with axes of extent 1 more, which are the given ones of the result",
	.min_args = 2,
	.max_args = 2,
	.fusion = FUSION_INJECTIVE,
	.type = unsqueeze_type,
	.elements = infer_same_elements,
	.eval = unsqueeze_eval,
	.express = express_reshape,
	.gradient = view_gradient,
};
