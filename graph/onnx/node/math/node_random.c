/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_random.c - random tensors, samples, dropout. */
#include "graph/onnx/compose.h"

/* A float, but of Dropout an integer. */
static void carry_seed(struct node *n, struct attr_vec *attrs)
{
	bool whole = strcmp(n->op, "Dropout") == 0;

	if (node_has_attr(n, "seed"))
		attrs_float(n->b->arena, attrs, "seed",
			    whole ? (double)node_int(n, "seed", 0) : node_float(n, "seed", 0));
}

/* Numbers of E in [low, high). */
static int uniform(struct node *n, int shape, enum element e, double low, double high)
{
	struct arena *a = n->b->arena;
	struct attr_vec attrs = { 0 };

	attrs_element(a, &attrs, "to", e);
	attrs_float(a, &attrs, "low", low);
	attrs_float(a, &attrs, "high", high);
	carry_seed(n, &attrs);
	return build_with(n->b, &core_random_uniform, &attrs, shape);
}

static int give_uniform(struct node *n, int shape, enum element e)
{
	return node_give(n, 0, uniform(n, shape, node_element_attr(n, "dtype", e),
				       node_float(n, "low", 0), node_float(n, "high", 1)));
}

static int give_normal(struct node *n, int shape, enum element e)
{
	struct arena *a = n->b->arena;
	struct attr_vec attrs = { 0 };

	attrs_element(a, &attrs, "to", node_element_attr(n, "dtype", e));
	attrs_float(a, &attrs, "mean", node_float(n, "mean", 0));
	attrs_float(a, &attrs, "scale", node_float(n, "scale", 1));
	carry_seed(n, &attrs);
	return node_give(n, 0, build_with(n->b, &core_random_normal, &attrs, shape));
}

int node_random_uniform(struct node *n)
{
	return give_uniform(n, compose_list(n, 0, "shape"), ELEMENT_F32);
}

int node_random_normal(struct node *n)
{
	return give_normal(n, compose_list(n, 0, "shape"), ELEMENT_F32);
}

int node_random_uniform_like(struct node *n)
{
	return give_uniform(n, build(n->b, &core_shape_of, node_arg(n, 0)), node_element(n, 0));
}

int node_random_normal_like(struct node *n)
{
	return give_normal(n, build(n->b, &core_shape_of, node_arg(n, 0)), node_element(n, 0));
}

/* 1 with the probability that x says */
int node_bernoulli(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	enum element e = node_element_attr(n, "dtype", compose_element(b, x));
	int chance = compose_cast(b, uniform(n, build(b, &core_shape_of, x), ELEMENT_F64, 0, 1),
				  compose_element(b, x));

	return node_give(n, 0, compose_cast(b, build(b, &core_less, chance, x), e));
}

/* Classes by the logarithms of their odds [n, c]: the greatest of them after Gumbel's noise, so
 * often as there are to be samples. */
int node_multinomial(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0);
	int dims[] = { compose_extent(b, x, 0),
		       build_ints(b, INTS(node_int(n, "sample_size", 1))),
		       compose_extent(b, x, 1) };
	/* as close to 0 as f32 come, for 0 has no logarithm */
	int u = uniform(n, compose_concat(b, 0, 3, dims), ELEMENT_F32, 0x1p-126, 1);
	int noise = build(b, &core_neg,
			  build(b, &core_log, build(b, &core_neg, build(b, &core_log, u))));
	int odds = compose_cast(b, compose_unsqueeze(b, x, 1), ELEMENT_F32);
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "axis", 2);
	attrs_int(b->arena, &attrs, "keepdims", 0);
	return node_give(n, 0, compose_cast(b, build_with(b, &core_arg_max, &attrs,
							  build(b, &core_add, odds, noise)),
					    node_element_attr(n, "dtype", ELEMENT_I32)));
}

/* x as it is, and a mask of ones; while training, elements of it by chance, the others in their
 * place larger. */
int node_dropout(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), shape = build(b, &core_shape_of, x);
	int mode = node_has(n, 2) ? node_arg(n, 2) : build_scalar(b, ELEMENT_BOOL, 0);
	const struct array *training = build_array(b, mode);
	bool never = training && training->count == 1 && !array_int(training, 0);
	bool masked = !never || node_wants(n, 1);
	int all = masked ? build(b, &core_fill, shape, build_scalar(b, ELEMENT_BOOL, 1))
			 : VALUE_NONE;

	if (never)
		return node_give(n, 0, x) < 0 ? -1 : node_give(n, 1, all);
	int ratio = node_has(n, 1) ? compose_cast_like(b, node_arg(n, 1), x)
				   : compose_number(b, x, 0.5);
	int chance = compose_cast_like(b, uniform(n, shape, ELEMENT_F32, 0, 1), x);
	int mask = build(b, &core_where, mode, build(b, &core_less_equal, ratio, chance), all);
	int kept = build(b, &core_sub, compose_number(b, x, 1), ratio);
	int y = build(b, &core_where, mask, build(b, &core_div, x, kept), compose_number(b, x, 0));

	if (node_give(n, 0, build(b, &core_where, mode, y, x)) < 0)
		return -1;
	return node_give(n, 1, mask);
}
