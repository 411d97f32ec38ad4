/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/node_linear.c - linear models and support vectors of ai.onnx.ml. */
#include "graph/onnx/node/ml/scores.h"

static const char *transform(struct node *n)
{
	return node_string(n, "post_transform", "NONE");
}

/* x * coefficients' + intercepts: [n, ROWS] */
static int linear(struct node *n, int64_t rows)
{
	struct builder *b = n->b;
	int x = compose_cast(b, node_arg(n, 0), ELEMENT_F32);
	int by = scores_floats(n, "coefficients", INTS(rows, -1));
	int shift = scores_floats(n, "intercepts", INTS(-1));

	if (by == VALUE_NONE) {
		node_error(n, "it has no coefficients");
		return VALUE_FAILED;
	}
	int y = build_with(b, &core_matmul, with_int(b, "trans_b", 1), x, by);

	return shift == VALUE_NONE ? y : build(b, &core_add, y, shift);
}

int node_linear_regressor(struct node *n)
{
	int y = linear(n, node_int(n, "targets", 1));

	return node_give(n, 0, scores_transformed(n->b, y, transform(n)));
}

int node_linear_classifier(struct node *n)
{
	struct builder *b = n->b;
	int classes = scores_classes(n, "classlabels_ints", "classlabels_strings"), count;

	node_floats(n, "intercepts", &count);
	int rows = count ? count : classes;

	if (rows < 1)
		return node_error(n, "it has neither classes nor intercepts");
	int scores = linear(n, rows);

	if (rows == 1 && classes == 2)
		scores = scores_of_both(b, scores, false);
	scores = scores_transformed(b, scores, transform(n));
	if (node_give(n, 1, scores) < 0)
		return -1;
	return node_give(n, 0, scores_labels(n, scores, "classlabels_ints",
					     "classlabels_strings"));
}

/* --- support vectors */

/* K(x, v) of rows of X and VECTORS: [n, vectors] */
static int kernel(struct node *n, int x, int vectors)
{
	struct builder *b = n->b;
	const char *type = node_string(n, "kernel_type", "LINEAR");
	int count;
	const double *params = node_floats(n, "kernel_params", &count);
	double gamma = count > 0 ? params[0] : 0, shift = count > 1 ? params[1] : 0;
	double degree = count > 2 ? params[2] : 0;
	int product = build_with(b, &core_matmul, with_int(b, "trans_b", 1), x, vectors);

	if (strcmp(type, "LINEAR") == 0)
		return product;
	if (strcmp(type, "RBF") == 0) {
		int apart = build(b, &core_sub, compose_unsqueeze(b, x, 1), vectors);
		int distance = compose_reduce(b, &core_reduce_sum, compose_power(b, apart, 2),
					      INTS(-1), false);

		return build(b, &core_exp, compose_with_number(b, &core_mul, distance, -gamma));
	}
	int inner = compose_with_number(b, &core_add,
					compose_with_number(b, &core_mul, product, gamma), shift);

	return strcmp(type, "POLY") == 0 ? compose_power(b, inner, degree)
					 : build(b, &core_tanh, inner);
}

int node_svm_regressor(struct node *n)
{
	struct builder *b = n->b;
	int x = compose_cast(b, node_arg(n, 0), ELEMENT_F32);
	int64_t supports = node_int(n, "n_supports", 0);
	int weights = scores_floats(n, "coefficients", INTS(-1, 1));
	int shift = scores_floats(n, "rho", INTS(-1));
	int vectors = supports > 0 ? scores_floats(n, "support_vectors", INTS(supports, -1))
				   : VALUE_NONE;

	if (weights == VALUE_NONE || shift == VALUE_NONE || (supports > 0 && vectors == VALUE_NONE))
		return node_error(n, "it has no coefficients, rho or support vectors");
	int y = supports > 0 ? kernel(n, x, vectors) : x;

	y = build(b, &core_add, build(b, &core_matmul, y, weights), shift);
	if (node_int(n, "one_class", 0))
		y = build(b, &core_where, compose_greater(b, y, compose_number(b, y, 0)),
			  compose_number(b, y, 1), compose_number(b, y, -1));
	return node_give(n, 0, scores_transformed(b, y, transform(n)));
}
