/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/scores.c - scores of models of ai.onnx.ml, and the classes that they speak for. */
#include "graph/onnx/node/ml/scores.h"

#include <math.h>

#include "base/err.h"

/* exp(s - max) of what is not 0, over their sum */
static int softmax_zero(struct builder *b, int s)
{
	int max = compose_reduce(b, &core_reduce_max, s, INTS(-1), true);
	int none = build(b, &core_equal, s, compose_number(b, s, 0));
	int parts = build(b, &core_where, none, compose_number(b, s, 0),
			  build(b, &core_exp, build(b, &core_sub, s, max)));
	int sum = compose_reduce(b, &core_reduce_sum, parts, INTS(-1), true);

	return build(b, &core_div, parts, sum);
}

/* sqrt(2) * erfinv(2 s - 1), by the approximation that ONNX's reference has [Winitzki 2008] */
static int probit(struct builder *b, int s)
{
	const double a = 0.147;
	int x = compose_with_number(b, &core_sub, compose_with_number(b, &core_mul, s, 2), 1);
	int one = compose_number(b, x, 1);
	int log = build(b, &core_log, build(b, &core_sub, one, build(b, &core_mul, x, x)));
	int half = compose_with_number(b, &core_add, compose_with_number(b, &core_mul, log, 0.5),
				       2 / (M_PI * a));
	int square = build(b, &core_sub, build(b, &core_mul, half, half),
			   compose_with_number(b, &core_div, log, a));
	int size = build(b, &core_sqrt, build(b, &core_sub, build(b, &core_sqrt, square), half));

	return compose_with_number(b, &core_mul,
				   build(b, &core_mul, build(b, &core_sign, x), size), M_SQRT2);
}

int scores_transformed(struct builder *b, int scores, const char *name)
{
	if (strcmp(name, "NONE") == 0)
		return scores;
	if (strcmp(name, "SOFTMAX") == 0)
		return build_with(b, &core_softmax, with_int(b, "axis", -1), scores);
	if (strcmp(name, "LOGISTIC") == 0)
		return build(b, &core_sigmoid, scores);
	if (strcmp(name, "SOFTMAX_ZERO") == 0)
		return softmax_zero(b, scores);
	if (strcmp(name, "PROBIT") == 0)
		return probit(b, scores);
	err_set("post_transform '%.50s' is none of the standard's", name);
	return VALUE_FAILED;
}

int scores_of_both(struct builder *b, int scores, bool even)
{
	int other = even ? build(b, &core_sub, compose_number(b, scores, 1), scores)
			 : build(b, &core_neg, scores);

	return compose_concat(b, 1, VALUES(other, scores));
}

int scores_classes(struct node *n, const char *ints, const char *strings)
{
	int nints, nstrings;

	node_ints(n, ints, &nints);
	node_strings(n, strings, &nstrings);
	return nints ? nints : nstrings;
}

int scores_labels(struct node *n, int scores, const char *ints, const char *strings)
{
	struct builder *b = n->b;
	struct attr_vec attrs = { 0 };
	int nints, nstrings;
	const int64_t *numbers = node_ints(n, ints, &nints);
	const char *const *names = node_strings(n, strings, &nstrings);
	int labels = build_ints(b, nints, numbers);

	attrs_int(b->arena, &attrs, "axis", 1);
	attrs_int(b->arena, &attrs, "keepdims", 0);
	int best = build_with(b, &core_arg_max, &attrs, scores);

	/* one label, or none: the number of the class is what there is */
	if (nints + nstrings <= 1)
		return best;
	if (!nints) {
		struct array *x = array_in(b->arena, ELEMENT_STRING, 1, &(int64_t){ nstrings });

		memcpy(x->data, names, (size_t)nstrings * sizeof(*names));
		labels = build_const(b, x);
	}
	return compose_gather(b, labels, 0, best);
}

int scores_floats(struct node *n, const char *name, int rank, const int64_t *shape)
{
	int count;
	const double *list = node_floats(n, name, &count);
	struct array *x = array_in(n->b->arena, ELEMENT_F32, 1, &(int64_t){ count });

	element_put_f64(ELEMENT_F32, x->data, 0, count, list);
	return count ? compose_reshape(n->b, build_const(n->b, x), rank, shape) : VALUE_NONE;
}
