/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_norm.c - normalisations: of batches, layers, instances, groups, vectors. */
#include "graph/onnx/compose.h"

/* ONNX's default epsilon, as the f32 that models have. */
#define EPSILON 1e-5f

/* x over its deviation along axes [from, to), its mean taken away where CENTER. */
static int normalize(struct builder *b, int x, int from, int to, double epsilon, bool center)
{
	struct attr_vec attrs = { 0 };
	int64_t axes[GRAPH_MAX_RANK];

	for (int i = from; i < to; i++)
		axes[i - from] = i;
	attrs_ints(b->arena, &attrs, "axes", to > from ? to - from : 0, axes);
	attrs_float(b->arena, &attrs, "epsilon", epsilon);
	attrs_int(b->arena, &attrs, "center", center);
	return build_with(b, &core_normalize, &attrs, x);
}

/* x * scale + shift; SHIFT may be VALUE_NONE */
static int affine(struct builder *b, int x, int scale, int shift)
{
	int y = build(b, &core_mul, x, scale);

	return shift == VALUE_NONE ? y : build(b, &core_add, y, shift);
}

/* --- batches */

/* All axes but the channel's. */
static int over_batch(struct builder *b, int x)
{
	int rank = compose_rank(b, x);
	int64_t axes[GRAPH_MAX_RANK] = { 0 };

	for (int i = 2; i < rank; i++)
		axes[i - 1] = i;
	return compose_reduce(b, &core_reduce_mean, x, rank < 2 ? 1 : rank - 1, axes, false);
}

/* old * momentum + new * (1 - momentum) */
static int moved(struct builder *b, int old, int new, double momentum)
{
	return build(b, &core_add, compose_with_number(b, &core_mul, old, momentum),
		     compose_with_number(b, &core_mul, compose_cast_like(b, new, old),
					 1 - momentum));
}

/* The batch's own mean and variance in place of the given ones, which move towards them: outputs 1
 * and 2, and those of the batch 3 and 4 in early versions. */
static int train(struct node *n, int x, int *mean, int *variance)
{
	struct builder *b = n->b;
	double momentum = node_float(n, "momentum", 0.9f);
	int own_mean = over_batch(b, x);
	int centred = build(b, &core_sub, x, compose_along(b, own_mean, compose_rank(b, x), 1));
	int own_variance = over_batch(b, compose_power(b, centred, 2));
	int outputs[] = { moved(b, *mean, own_mean, momentum),
			  moved(b, *variance, own_variance, momentum), own_mean, own_variance };

	*mean = own_mean;
	*variance = own_variance;
	for (int i = 0; i < ARRAY_LEN(outputs); i++)
		if (node_wants(n, i + 1) && node_give(n, i + 1, outputs[i]) < 0)
			return -1;
	return 0;
}

/* x * s + t with s = scale / sqrt(variance + epsilon), t = shift - mean * s */
int node_batch_normalization(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), scale = node_arg(n, 1), shift = node_arg(n, 2);
	int mean = node_arg(n, 3), variance = node_arg(n, 4), rank = compose_rank(b, x);
	bool training = n->opset >= 14 ? node_int(n, "training_mode", 0) : n->nouts > 1;

	if (rank < 0)
		return -1;
	if (training && train(n, x, &mean, &variance) < 0)
		return -1;
	mean = compose_cast_like(b, mean, scale);
	variance = compose_cast_like(b, variance, scale);
	int wide = compose_with_number(b, &core_add, variance, node_float(n, "epsilon", EPSILON));
	int s = build(b, &core_div, scale, build(b, &core_sqrt, wide));
	int t = build(b, &core_sub, shift, build(b, &core_mul, mean, s));

	s = compose_cast_like(b, s, x);
	t = compose_cast_like(b, t, x);
	/* version 7 may have statistics of each element: [c, h, w] */
	if (node_int(n, "spatial", 1)) {
		s = compose_along(b, s, rank, 1);
		t = compose_along(b, t, rank, 1);
	}
	return node_give(n, 0, affine(b, x, s, t));
}

/* --- layers */

/* The element type that a node wants its sums in. */
static enum element stash(struct node *n, int x)
{
	enum element e = compose_element(n->b, x);

	return node_int(n, "stash_type", 1) == 1 && e != ELEMENT_COUNT ? ELEMENT_F32 : e;
}

static int layer(struct node *n, bool center)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), rank = compose_rank(b, x);
	int axis = compose_axis(b, x, node_int(n, "axis", -1));
	double epsilon = node_float(n, "epsilon", EPSILON);

	if (axis < 0)
		return -1;
	int wide = compose_cast(b, x, stash(n, x));
	int even = normalize(b, wide, axis, rank, epsilon, center);
	int y = affine(b, compose_cast_like(b, even, x), node_arg(n, 1), node_arg(n, 2));

	if (node_wants(n, 1) || node_wants(n, 2)) {
		int mean = compose_reduce_from(b, &core_reduce_mean, wide, axis);
		int square = compose_power(b, build(b, &core_sub, wide, mean), 2);
		int variance = compose_reduce_from(b, &core_reduce_mean, square, axis);
		int deviation = build(b, &core_sqrt,
				      compose_with_number(b, &core_add, variance, epsilon));

		if (node_give(n, 1, mean) < 0 ||
		    node_give(n, 2, build(b, &core_div, compose_number(b, wide, 1),
					  deviation)) < 0)
			return -1;
	}
	return node_give(n, 0, y);
}

int node_layer_normalization(struct node *n)
{
	return layer(n, true);
}

int node_rms_normalization(struct node *n)
{
	return layer(n, false);
}

/* --- instances and groups */

int node_instance_normalization(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), rank = compose_rank(b, x);
	int even = normalize(b, x, 2, rank, node_float(n, "epsilon", EPSILON), true);

	return node_give(n, 0, affine(b, even, compose_along(b, node_arg(n, 1), rank, 1),
				      compose_along(b, node_arg(n, 2), rank, 1)));
}

/* Scale and shift belong to groups before version 21, to channels from it on. */
int node_group_normalization(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), rank = compose_rank(b, x), shape = build(b, &core_shape_of, x);
	int scale = node_arg(n, 1), shift = node_arg(n, 2);
	bool of_groups = n->opset < 21;
	int64_t groups = node_int(n, "num_groups", 1);

	if (rank < 0)
		return -1;
	int wide = compose_cast(b, x, n->opset < 21 ? compose_element(b, x) : stash(n, x));
	int apart = compose_reshape(b, wide, INTS(0, groups, -1));
	int y = normalize(b, apart, 2, 3, node_float(n, "epsilon", EPSILON), true);

	y = compose_cast_like(b, y, x);
	if (of_groups)
		y = affine(b, y, compose_along(b, scale, 3, 1), compose_along(b, shift, 3, 1));
	y = build(b, &core_reshape, y, shape);
	if (!of_groups)
		y = affine(b, y, compose_along(b, scale, rank, 1),
			   compose_along(b, shift, rank, 1));
	return node_give(n, 0, y);
}

/* --- others */

/* ONNX divides by the deviation + 1e-9, whose square is what a variance of 0 needs. */
#define MVN_EPSILON 1e-18

int node_mean_variance_normalization(struct node *n)
{
	struct builder *b = n->b;
	int count;
	const int64_t *axes = node_ints(n, "axes", &count), spatial[] = { 0, 2, 3 };
	struct attr_vec attrs = { 0 };
	bool given = node_has_attr(n, "axes");

	attrs_ints(b->arena, &attrs, "axes", given ? count : ARRAY_LEN(spatial),
		   given ? axes : spatial);
	attrs_float(b->arena, &attrs, "epsilon", MVN_EPSILON);
	return node_give(n, 0, build_with(b, &core_normalize, &attrs, node_arg(n, 0)));
}

/* x over its norm along an axis; 0 where that is 0 */
int node_lp_normalization(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), size = build(b, &core_abs, x);
	double p = (double)node_int(n, "p", 2);
	int sum = compose_reduce(b, &core_reduce_sum, compose_power(b, size, p),
				 INTS(node_int(n, "axis", -1)), true);
	int norm = compose_power(b, sum, 1 / p), zero = compose_number(b, x, 0);

	return node_give(n, 0, build(b, &core_where, build(b, &core_equal, norm, zero), zero,
				     build(b, &core_div, x, norm)));
}

int node_lrn(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_float(n->b->arena, &attrs, "alpha", node_float(n, "alpha", 1e-4f));
	attrs_float(n->b->arena, &attrs, "beta", node_float(n, "beta", 0.75));
	attrs_float(n->b->arena, &attrs, "bias", node_float(n, "bias", 1));
	attrs_int(n->b->arena, &attrs, "size", node_int(n, "size", 1));
	return node_give(n, 0, build_with(n->b, &core_lrn, &attrs, node_arg(n, 0)));
}
