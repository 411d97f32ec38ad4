/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_loss.c - losses of classes. */
#include "graph/onnx/compose.h"

/* Losses as a whole: each, their sum, or their mean by WEIGHTS (VALUE_NONE: all weigh the same). */
static int reduced(struct node *n, int losses, int weights)
{
	struct builder *b = n->b;
	const char *reduction = node_string(n, "reduction", "mean");
	const struct attr_vec *whole = with_int(b, "keepdims", 0);

	if (strcmp(reduction, "none") == 0)
		return losses;
	if (strcmp(reduction, "mean") == 0 && weights == VALUE_NONE)
		return build_with(b, &core_reduce_mean, whole, losses, VALUE_NONE);
	int sum = build_with(b, &core_reduce_sum, whole, losses, VALUE_NONE);

	if (strcmp(reduction, "sum") == 0)
		return sum;
	return build(b, &core_div, sum,
		     build_with(b, &core_reduce_sum, whole, weights, VALUE_NONE));
}

/* -weight * LOGS[n, its class, ...], without weight where the class is the one to ignore. */
static int likelihood_loss(struct node *n, int logs)
{
	struct builder *b = n->b;
	int target = compose_cast(b, node_arg(n, 1), ELEMENT_I64), weights = VALUE_NONE;
	int ignored = VALUE_NONE;

	if (node_has_attr(n, "ignore_index")) {
		ignored = build(b, &core_equal, target,
				build_int(b, node_int(n, "ignore_index", 0)));
		target = build(b, &core_where, ignored, build_int(b, 0), target);
	}
	int found = build_with(b, &core_gather_elements, with_int(b, "axis", 1), logs,
			       compose_unsqueeze(b, target, 1));
	int losses = build(b, &core_neg, compose_squeeze(b, found, 1));

	if (node_has(n, 2))
		weights = compose_gather(b, node_arg(n, 2), 0, target);
	else if (ignored != VALUE_NONE)
		weights = compose_number(b, logs, 1);
	if (ignored != VALUE_NONE)
		weights = build(b, &core_where, ignored, compose_number(b, logs, 0), weights);
	if (weights != VALUE_NONE)
		losses = build(b, &core_mul, losses, weights);
	return reduced(n, losses, weights);
}

int node_negative_log_likelihood_loss(struct node *n)
{
	return node_give(n, 0, likelihood_loss(n, node_arg(n, 0)));
}

int node_softmax_cross_entropy_loss(struct node *n)
{
	int logs = build_with(n->b, &core_log_softmax, with_int(n->b, "axis", 1), node_arg(n, 0));

	if (node_give(n, 1, logs) < 0)
		return -1;
	return node_give(n, 0, likelihood_loss(n, logs));
}
