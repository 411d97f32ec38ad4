/* SPDX-License-Identifier: Apache-2.0 */
/* tests/generator/generator_cases.h - small graphs for code generators, and which of these take them. */
#ifndef HONE_TESTS_GENERATOR_GENERATOR_CASES_H
#define HONE_TESTS_GENERATOR_GENERATOR_CASES_H

#include "tests/generator/generator_check.h"
#include "tests/generator/generator_products.h"

static int bias(struct graph_maker *m, int x, int64_t c)
{
	return build(&m->b, &core_add, x, weight(m, 1, c, 1, 1));
}

/* A constant with elements in [-0.5, 0.5). */
static int signed_weight(struct graph_maker *m, int rank, const int64_t *dim)
{
	struct array *x = array_in(m->a, ELEMENT_F32, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, rng_unit(&m->rng) - 0.5);
	return build_const(&m->b, x);
}

/* A convolution or a pool (W: VALUE_NONE) with these attributes for N spatial dims. */
struct slide_attrs {
	int n;
	int64_t kernel[3], strides[3], dilations[3], pads[6], groups;
	const char *auto_pad;
	bool ceil, include;
};

static int slide(struct graph_maker *m, const struct core_op *op, struct slide_attrs s, int x, int w)
{
	struct attr_vec attrs = { 0 };

	if (s.kernel[0] && w == VALUE_NONE)
		attrs_ints(m->a, &attrs, "kernel", s.n, s.kernel);
	if (s.strides[0])
		attrs_ints(m->a, &attrs, "strides", s.n, s.strides);
	if (s.dilations[0])
		attrs_ints(m->a, &attrs, "dilations", s.n, s.dilations);
	attrs_ints(m->a, &attrs, "pads", 2 * s.n, s.pads);
	if (s.auto_pad)
		attrs_string(m->a, &attrs, "auto_pad", s.auto_pad);
	if (s.groups)
		attrs_int(m->a, &attrs, "groups", s.groups);
	if (s.ceil)
		attrs_int(m->a, &attrs, "ceil", 1);
	if (s.include)
		attrs_int(m->a, &attrs, "count_include_pad", 1);
	return w == VALUE_NONE ? build_with(&m->b, op, &attrs, x) : build_with(&m->b, op, &attrs, x, w);
}

/* --- convolutions */

static int conv_bias_relu(struct graph_maker *m)
{
	return build(&m->b, &core_relu, bias(m, conv(m, input(m, 1, 3, 12, 12), 3, 20, 3, 1), 20));
}

static int conv_alone(struct graph_maker *m)
{
	return conv(m, input(m, 2, 16, 9, 9), 16, 32, 1, 0);
}

/* Three channels become blocks. */
static int first_layer(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .strides = { 2, 2 }, .pads = { 1, 1, 1, 1 } };
	int x = input(m, 1, 3, 12, 12);

	x = slide(m, &core_conv, s, x, signed_weight(m, DIMS(32, 3, 3, 3)));
	return build(&m->b, &core_relu, bias(m, x, 32));
}

/* What is added comes from elsewhere. */
static int conv_residual(struct graph_maker *m)
{
	int x = input(m, 2, 32, 7, 7), y = input(m, 2, 32, 7, 7);

	return build(&m->b, &core_relu, build(&m->b, &core_add, y, bias(m, conv(m, x, 32, 32, 3, 1), 32)));
}

static int conv_strided(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .strides = { 2, 1 }, .dilations = { 1, 2 }, .pads = { 1, 2, 0, 3 } };
	int x = input(m, 1, 8, 11, 13);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 8, 3, 3)));
}

static int conv_same(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .strides = { 2, 2 }, .auto_pad = "same_upper" };
	int x = input(m, 1, 8, 11, 12);

	x = slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 8, 3, 3)));
	s.auto_pad = "same_lower";
	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(8, 24, 2, 2)));
}

static int conv_groups(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .pads = { 1, 1, 1, 1 }, .groups = 4 };
	int x = input(m, 1, 16, 7, 7);

	x = slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 4, 3, 3)));
	s.groups = 24;
	return bias(m, slide(m, &core_conv, s, x, signed_weight(m, DIMS(24, 1, 3, 3))), 24);
}

static int conv_1d(struct graph_maker *m)
{
	struct slide_attrs s = { 1, .strides = { 2 }, .pads = { 1, 2 } };
	int x = input(m, 2, 8, 31);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(16, 8, 5)));
}

static int conv_3d(struct graph_maker *m)
{
	struct slide_attrs s = { 3, .strides = { 1, 2, 1 }, .pads = { 1, 1, 1, 1, 1, 1 } };
	int x = input(m, 1, 4, 5, 6, 7);

	return slide(m, &core_conv, s, x, signed_weight(m, DIMS(8, 4, 3, 3, 3)));
}

/* Two convolutions whose sum is a post-op of the second. */
static int residual(struct graph_maker *m)
{
	int x = conv_bias_relu(m);
	int y = build(&m->b, &core_relu, bias(m, conv(m, x, 20, 20, 3, 1), 20));
	int z = bias(m, conv(m, y, 20, 20, 1, 0), 20);

	return build(&m->b, &core_relu, build(&m->b, &core_add, z, x));
}

static int downsample(struct graph_maker *m)
{
	int x = input(m, 1, 16, 10, 10);
	int y = bias(m, conv(m, x, 16, 32, 3, 1), 32), z = bias(m, conv(m, x, 16, 32, 1, 0), 32);

	return build(&m->b, &core_relu, build(&m->b, &core_add, y, z));
}

/* --- pools */

static int max_pools(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 3, 3 }, { 2, 2 }, .pads = { 1, 1, 1, 1 } };
	int x = input(m, 1, 16, 14, 15);

	x = slide(m, &core_max_pool, s, x, VALUE_NONE);
	s = (struct slide_attrs){ 2, { 2, 3 }, { 2, 2 }, .ceil = true };
	return slide(m, &core_max_pool, s, x, VALUE_NONE);
}

static int avg_pools(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 3, 3 }, { 1, 1 }, .pads = { 1, 1, 1, 1 } };
	int x = input(m, 1, 16, 14, 15);

	x = slide(m, &core_avg_pool, s, x, VALUE_NONE);
	s.include = true;
	x = slide(m, &core_avg_pool, s, x, VALUE_NONE);
	s = (struct slide_attrs){ 2, { 3, 2 }, { 2, 2 }, .ceil = true };
	return slide(m, &core_avg_pool, s, x, VALUE_NONE);
}

static int pool_1d(struct graph_maker *m)
{
	struct slide_attrs s = { 1, { 4 }, { 3 }, .auto_pad = "same_lower" };
	int x = input(m, 2, 5, 23);

	return slide(m, &core_max_pool, s, x, VALUE_NONE);
}

static int pool_3d(struct graph_maker *m)
{
	struct slide_attrs s = { 3, { 2, 2, 3 }, { 1, 2, 2 }, .pads = { 0, 1, 1, 0, 1, 1 } };
	int x = input(m, 1, 8, 5, 6, 7);

	return slide(m, &core_avg_pool, s, x, VALUE_NONE);
}

/* The mean over all spatial dims of a convolution. */
static int global_pool(struct graph_maker *m)
{
	int x = conv_bias_relu(m);

	return build(&m->b, &core_reduce_mean, x, build_ints(&m->b, 2, (int64_t[]){ 2, -1 }));
}

/* --- products */

static int dense(struct graph_maker *m)
{
	int x = input(m, 3, 40);

	x = product(m, x, signed_weight(m, DIMS(40, 24)), false, false);
	x = build(&m->b, &core_relu, build(&m->b, &core_add, x, weight(m, 24)));
	x = product(m, x, signed_weight(m, DIMS(7, 24)), false, true);
	return build(&m->b, &core_add, weight(m, 1, 7), x);
}

static int dense_transposed(struct graph_maker *m)
{
	int x = input(m, 12, 12);

	return product(m, x, signed_weight(m, DIMS(12, 12)), true, true);
}

/* Rows of a sequence, by a matrix of fewer dims, and a sum with what is as large. */
static int dense_3d(struct graph_maker *m)
{
	int x = input(m, 2, 9, 16);
	int y = product(m, x, signed_weight(m, DIMS(16, 16)), false, false);

	y = build(&m->b, &core_gelu, build(&m->b, &core_add, y, weight(m, 16)));
	y = product(m, y, signed_weight(m, DIMS(16, 16)), false, false);
	return build(&m->b, &core_add, build(&m->b, &core_add, y, weight(m, 16)), x);
}

static int batched(struct graph_maker *m)
{
	int a = input(m, 2, 3, 5, 8), b = input(m, 2, 3, 7, 8), c = input(m, 3, 7, 8);
	int scores = product(m, a, b, false, true);

	return product(m, scores, c, false, false);
}

/* An image of a convolution, in whatever layout, as a matrix on the left and on the right. */
static int product_of_images(struct graph_maker *m)
{
	int x = conv_bias_relu(m);

	return product(m, product(m, x, x, true, false), x, false, true);
}

/* --- element by element, behind convolutions and products */

static int with_alpha(struct graph_maker *m, const struct core_op *op, int x, double alpha)
{
	struct attr_vec attrs = { 0 };

	attrs_float(m->a, &attrs, "alpha", alpha);
	return build_with(&m->b, op, &attrs, x);
}

static int functions(struct graph_maker *m)
{
	int x = input(m, 1, 8, 5, 5);

	x = with_alpha(m, &core_leaky_relu, conv(m, x, 8, 8, 1, 0), 0.25);
	x = with_alpha(m, &core_silu, conv(m, x, 8, 8, 1, 0), 2);
	x = build(&m->b, &core_gelu, conv(m, build(&m->b, &core_hard_swish, conv(m, x, 8, 8, 1, 0)), 8, 8, 1, 0));
	x = build(&m->b, &core_tanh, build(&m->b, &core_conv, x, signed_weight(m, DIMS(8, 8, 1, 1))));
	return build(&m->b, &core_sigmoid, build(&m->b, &core_conv, x, signed_weight(m, DIMS(8, 8, 1, 1))));
}

static int clips(struct graph_maker *m)
{
	int x = input(m, 1, 8, 5, 5), zero = build_scalar(&m->b, ELEMENT_F32, 0);

	x = build(&m->b, &core_clip, conv(m, x, 8, 8, 1, 0), build_scalar(&m->b, ELEMENT_F32, -0.25), zero);
	x = build(&m->b, &core_clip, conv(m, x, 8, 8, 3, 1), build_scalar(&m->b, ELEMENT_F32, -30));
	return build(&m->b, &core_clip, bias(m, conv(m, x, 8, 8, 3, 1), 8), VALUE_NONE,
		     build_scalar(&m->b, ELEMENT_F32, -1000));
}

/* A function, the sum with another image, and a function; a number that all are multiplied by. */
static int function_sum(struct graph_maker *m)
{
	int x = input(m, 1, 16, 6, 6), y = build(&m->b, &core_sigmoid, bias(m, conv(m, x, 16, 16, 3, 1), 16));

	y = build(&m->b, &core_relu, build(&m->b, &core_add, x, y));
	return build(&m->b, &core_mul, conv(m, y, 16, 32, 1, 0), weight(m, 1));
}

/* Scores of attention, scaled. */
static int scores(struct graph_maker *m)
{
	int a = input(m, 2, 3, 5, 8), b = input(m, 2, 3, 7, 8);

	return build(&m->b, &core_mul, product(m, a, b, false, true), weight(m, 1, 1));
}

/* --- the table */

static const struct generator_case {
	const char *name, *generators;	/* those that take it */
	int (*make)(struct graph_maker *m);
} generator_cases[] = {
	{ "conv", "onednn", conv_alone },
	{ "conv, bias, relu", "onednn", conv_bias_relu },
	{ "a first layer", "onednn", first_layer },
	{ "conv and the sum with an image", "onednn", conv_residual },
	{ "conv with strides and dilations", "onednn", conv_strided },
	{ "conv with auto_pad", "onednn", conv_same },
	{ "conv with groups", "onednn", conv_groups },
	{ "conv1d", "onednn", conv_1d },
	{ "conv3d", "onednn", conv_3d },
	{ "max_pool", "onednn", max_pools },
	{ "avg_pool", "onednn", avg_pools },
	{ "a pool of one dim", "onednn", pool_1d },
	{ "a pool of three dims", "onednn", pool_3d },
	{ "a global pool", "onednn", global_pool },
	{ "dense layers", "onednn blas", dense },
	{ "a dense layer, transposed", "onednn blas", dense_transposed },
	{ "dense layers of sequences", "onednn", dense_3d },
	{ "products of inputs", "onednn blas", batched },
	{ "layers", "onednn blas", layers },
	{ "layers of a row", "onednn blas", layers_of_row },
	{ "a stack by a matrix", "onednn blas", stack_by_matrix },
	{ "products of stacks", "onednn blas", stacks },
	{ "products of images", "onednn", product_of_images },
	{ "functions", "onednn", functions },
	{ "clip", "onednn", clips },
	{ "a function and a sum", "onednn", function_sum },
	{ "scores", "onednn", scores },
	{ "a residual block", "onednn", residual },
	{ "a block with a downsample", "onednn", downsample },
};

/* All of them, by B, which takes regions. */
static inline void check_generator_cases(const struct backend *b)
{
	for (size_t i = 0; i < sizeof(generator_cases) / sizeof(generator_cases[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, generator_cases[i].make(&m));
		check_generator(&m, b, generator_cases[i].name);
		arena_free(m.a);
	}
}

#endif
