/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_vdla.c - the generator for a simulated accelerator, operator by operator: what it computes, to
 * the bit, what it refuses and why, artifacts that are none of the region's, and the time that it tells. */
#include "tests/vdla_regions.h"

#include <unistd.h>

#include "base/file.h"
#include "target/vdla/simulator.h"

static struct arena *arena;
static struct backend vdla;

/* --- convolutions */

static void test_convolutions(void **state)
{
	static const struct {
		int64_t n, ic, oc, h, w;
		struct windows windows;
	} cases[] = {
		{ 1, 16, 16, 6, 6, { .kernel = { 1, 1 } } },
		{ 1, 3, 16, 15, 14, { .kernel = { 7, 7 }, .pads = { 3, 3, 3, 3 }, .strides = { 2, 2 } } },
		{ 2, 16, 32, 7, 7, { .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 } } },
		{ 1, 16, 24, 8, 9, { .kernel = { 3, 2 }, .pads = { 0, 1, 2, 0 }, .strides = { 2, 1 } } },
		{ 1, 20, 5, 9, 9, { .kernel = { 3, 3 }, .pads = { 2, 2, 2, 2 }, .dilations = { 2, 2 } } },
		{ 2, 20, 17, 9, 7, { .kernel = { 2, 3 }, .strides = { 3, 2 }, .dilations = { 3, 1 } } },
		{ 1, 1, 1, 5, 5, { .kernel = { 5, 5 } } },
		{ 1, 64, 64, 1, 1, { .kernel = { 1, 1 } } },
		{ 1, 16, 16, 1, 19, { .kernel = { 1, 5 }, .pads = { 0, 2, 0, 2 } } },
		{ 1, 16, 16, 7, 7, { .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 }, .groups = 16 } },
		{ 2, 24, 24, 6, 6, { .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 }, .strides = { 2, 2 }, .groups = 24 } },
		{ 1, 7, 14, 5, 5, { .kernel = { 3, 3 }, .groups = 7 } },
		{ 1, 48, 24, 5, 5, { .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 }, .groups = 3 } },
		{ 1, 32, 64, 4, 4, { .kernel = { 1, 1 }, .groups = 2 } },
		{ 1, 15, 21, 4, 4, { .kernel = { 2, 2 }, .groups = 3 } },
		{ 1, 24, 40, 4, 4, { .kernel = { 1, 1 }, .groups = 8 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();
		int x = image(&m, cases[i].n, cases[i].ic, cases[i].h, cases[i].w);

		finish(&m, conv_bytes(&m, x, cases[i].oc, cases[i].windows));
		check_vdla_region(&m, &vdla, arena_printf(arena, "convolution %zu", i));
		arena_free(m.a);
	}
}

/* --- other operators: regions with some results */

static int conv3(struct graph_maker *m, int x, int64_t oc)
{
	return conv_bytes(m, x, oc, (struct windows){ .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 } });
}

static int plain_sums(struct graph_maker *m, int *results)
{
	results[0] = conv_sums(m, image(m, 1, 5, 4, 4), 18, (struct windows){ .kernel = { 3, 3 } });
	return 1;
}

/* Sums that come from elsewhere. */
static int of_sums(struct graph_maker *m, int *results)
{
	results[0] = to_bytes(m, add_of(m, scaled(m, sums(m, 2, 10, 3, 3)), sums(m, 2, 10, 3, 3)), 16, -7, 100);
	return 1;
}

/* Numbers of more than 16 bits, and of one channel. */
static int large_numbers(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 4, 4), z = conv_sums(m, x, 1, (struct windows){ .kernel = { 1, 1 } });

	results[0] = to_bytes(m, add_of(m, z, integers(m, ELEMENT_I32, 123456, 123456, DIMS(1, 1, 1))), 11, -128, 127);
	results[1] = add_of(m, widened(m, x, 70000), number(m, -2000000));
	results[2] = build(&m->b, &core_mul, widened(m, x, 300), number(m, 400));
	results[3] = add_of(m, add_of(m, widened(m, x, -300), number(m, 30000)), number(m, 30000));
	results[4] = build(&m->b, &core_mul, add_of(m, cast_to(m, x, ELEMENT_I32), number(m, 30000)), number(m, 500));
	return 5;
}

/* Sums beyond 32 bits wrap. */
static int wrapping(struct graph_maker *m, int *results)
{
	int x = sums(m, 1, 16, 3, 3), z = build(&m->b, &core_mul, x, channels(m, x, 20000, 32000));

	results[0] = to_bytes(m, add_of(m, z, number(m, 1 << 14)), 15, -128, 127);
	return 1;
}

static int shifts(struct graph_maker *m, int *results)
{
	int x = sums(m, 1, 16, 3, 3);

	results[0] = to_bytes(m, x, 30, -128, 127);
	results[1] = to_bytes(m, add_of(m, x, number(m, 1)), 1, -128, 0);
	results[2] = to_bytes(m, x, 13, 0, 127);
	return 3;
}

static int residual_of(struct graph_maker *m, int *results)
{
	int x = image(m, 2, 24, 5, 5), y = conv3(m, x, 24);
	int z = scaled(m, conv_sums(m, y, 24, (struct windows){ .kernel = { 3, 3 }, .pads = { 1, 1, 1, 1 } }));

	results[0] = to_bytes(m, add_of(m, z, widened(m, x, 17)), 12, 0, 127);
	return 1;
}

/* A value added to itself, and to what was made of it. */
static int with_itself(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 4, 4), wide = cast_to(m, x, ELEMENT_I32);
	int y = to_bytes(m, add_of(m, widened(m, x, 3), widened(m, x, 4)), 3, -128, 127);

	results[0] = to_bytes(m, add_of(m, widened(m, x, 5), widened(m, y, 6)), 4, -128, 127);
	results[1] = to_bytes(m, add_of(m, wide, wide), 1, -128, 127);
	results[2] = add_of(m, scaled(m, wide), wide);
	return 3;
}

/* Of bytes, of what was made of bytes for others, too, and of sums. */
static int means(struct graph_maker *m, int *results)
{
	int x = image(m, 2, 21, 5, 3), z = sums(m, 1, 18, 7, 7), y = conv3(m, x, 8), wide = cast_to(m, y, ELEMENT_I32);

	results[0] = to_bytes(m, scaled(m, pixel_sums(m, x)), 6, -128, 127);
	results[1] = build(&m->b, &core_reduce_sum, wide, build_ints(&m->b, 2, (int64_t[]){ -1, 2 }));
	results[2] = add_of(m, wide, number(m, 3));
	results[3] = build(&m->b, &core_reduce_sum, z, build_ints(&m->b, 2, (int64_t[]){ 2, 3 }));
	return 4;
}

static int pools(struct graph_maker *m, int *results)
{
	int x = image(m, 2, 20, 7, 8), y = image(m, 1, 16, 6, 6), zero = build_scalar(&m->b, ELEMENT_I8, 0);

	results[0] = max_pool_of(m, x, (struct windows){ .kernel = { 2, 3 }, .strides = { 2, 2 } });
	results[1] = max_pool_of(m, padded(m, x, 1, VALUE_NONE), (struct windows){ .kernel = { 3, 3 }, .strides = { 2, 2 } });
	results[2] = max_pool_of(m, padded(m, conv3(m, y, 16), 2, zero), (struct windows){ .kernel = { 5, 5 }, .strides = { 1, 1 } });
	results[3] = max_pool_of(m, y, (struct windows){ .kernel = { 6, 6 } });
	results[4] = to_bytes(m, add_of(m, widened(m, max_pool_of(m, y, (struct windows){ .kernel = { 3, 3 } }), 9), number(m, 4)), 3,
			      -128, 127);
	return 5;
}

/* Zeros around an image that two pools read, that a convolution reads, that are a result. */
static int zeros_around(struct graph_maker *m, int *results)
{
	int x = image(m, 2, 20, 5, 4), a = padded(m, x, 1, VALUE_NONE), b = padded(m, conv3(m, x, 16), 2, VALUE_NONE);

	results[0] = max_pool_of(m, a, (struct windows){ .kernel = { 2, 2 } });
	results[1] = max_pool_of(m, a, (struct windows){ .kernel = { 3, 3 }, .strides = { 2, 2 } });
	results[2] = conv_bytes(m, padded(m, x, 3, VALUE_NONE), 16, (struct windows){ .kernel = { 3, 3 } });
	results[3] = b;
	results[4] = to_bytes(m, add_of(m, widened(m, b, 3), number(m, 4)), 3, -128, 127);
	return 5;
}

/* Concatenations: one beside the other, of an input, of a value twice, nested, of values that are read otherwise. */
static int concatenations(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 32, 3, 5), a = conv3(m, x, 16), b = conv3(m, x, 32), both = joined(m, a, b);
	int nested = joined(m, both, x, a), twice = joined(m, a, a, b);

	results[0] = conv3(m, nested, 16);
	results[1] = conv3(m, twice, 8);
	results[2] = to_bytes(m, add_of(m, widened(m, both, 3), widened(m, joined(m, b, a), 2)), 2, -100, 100);
	results[3] = conv3(m, both, 16);
	return 4;
}

/* What is joined, and what it is made of, are results, too. */
static int joined_results(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 4, 4), a = conv3(m, x, 16), b = conv3(m, a, 16), c = joined(m, x, b);

	results[0] = a;
	results[1] = joined(m, a, b, x);
	results[2] = c;
	results[3] = joined(m, c, results[1]);
	results[4] = max_pool_of(m, c, (struct windows){ .kernel = { 2, 2 } });
	return 5;
}

/* Parts that are read when what they are parts of is not needed any more. */
static int outliving_parts(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 6, 6), a = conv3(m, x, 16), b = conv3(m, a, 16), c = conv3(m, joined(m, a, b), 48);
	int d = conv3(m, c, 64), e = conv3(m, d, 16);

	results[0] = joined(m, e, b, conv3(m, joined(m, e, a), 16));
	results[1] = conv3(m, a, 16);
	return 2;
}

static int classifier(struct graph_maker *m, int *results)
{
	int x = conv3(m, image(m, 2, 3, 4, 4), 20), y = dense_sums(m, flattened(m, x), 9);
	int pixel = to_bytes(m, scaled(m, pixel_sums(m, x)), 8, 0, 127);

	results[0] = y;
	results[1] = dense_sums(m, flattened(m, pixel), 1000);
	results[2] = dense_sums(m, to_bytes(m, y, 9, -128, 127), 33);
	return 3;
}

static int rows_alone(struct graph_maker *m, int *results)
{
	struct attr_vec turned = { 0 };
	int x = build_param(&m->b, "", type_shaped(m->a, ELEMENT_I8, DIMS(3, 37)));

	attrs_int(m->a, &turned, "trans_b", 1);
	results[0] = build_with(&m->b, &core_matmul, &turned, x, integers(m, ELEMENT_I8, -127, 127, DIMS(18, 37)));
	results[1] = to_bytes(m, scaled(m, cast_to(m, x, ELEMENT_I32)), 2, -128, 127);
	return 2;
}

/* Nothing is left to compute: an input in another shape; two results that are one. */
static int in_another_shape(struct graph_maker *m, int *results)
{
	int x = image(m, 2, 20, 1, 1);

	results[0] = flattened(m, x);
	return 1;
}

static int results_alike(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 20, 3, 3), y = conv_bytes(m, x, 16, (struct windows){ .kernel = { 3, 3 } });

	results[0] = y;
	results[1] = flattened(m, y);
	results[2] = to_bytes(m, cast_to(m, x, ELEMENT_I32), 1, -128, 127);
	results[3] = widened(m, x, 1);
	results[4] = cast_to(m, x, ELEMENT_I32);
	return 5;
}

/* Equal kernels, other weights. */
static int other_weights(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 4, 4);

	for (int i = 0; i < 3; i++)
		results[i] = conv3(m, x, 16);
	return 3;
}

static int several_inputs(struct graph_maker *m, int *results)
{
	int x = image(m, 1, 16, 4, 4), y = image(m, 1, 8, 4, 4), z = sums(m, 1, 16, 4, 4), w = sums(m, 1, 16, 4, 4);

	results[0] = to_bytes(m, add_of(m, z, widened(m, x, 3)), 13, -128, 127);
	results[1] = conv3(m, joined(m, conv3(m, y, 16), x), 16);
	results[2] = add_of(m, w, z);
	return 3;
}

static void test_operators(void **state)
{
	static const struct {
		const char *name;
		int (*make)(struct graph_maker *m, int *results);
	} cases[] = {
		{ "sums", plain_sums },
		{ "sums from elsewhere", of_sums },
		{ "large numbers", large_numbers },
		{ "sums that wrap", wrapping },
		{ "shifts", shifts },
		{ "a residual block", residual_of },
		{ "a value and itself", with_itself },
		{ "means", means },
		{ "pools", pools },
		{ "zeros around", zeros_around },
		{ "concatenations", concatenations },
		{ "concatenations that are results", joined_results },
		{ "parts that outlive", outliving_parts },
		{ "classifiers", classifier },
		{ "rows", rows_alone },
		{ "an input in another shape", in_another_shape },
		{ "results that are one", results_alike },
		{ "other weights", other_weights },
		{ "several inputs", several_inputs },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();
		int results[8], n = cases[i].make(&m, results);

		finish_with(&m, n, results);
		check_vdla_region(&m, &vdla, cases[i].name);
		arena_free(m.a);
	}
}

/* --- what is refused */

static int of_floats(struct graph_maker *m)
{
	return cast_to(m, input(m, 1, 4, 4, 4), ELEMENT_I32);
}

static int of_rank_3(struct graph_maker *m)
{
	return cast_to(m, image(m, 4, 4, 4), ELEMENT_I32);
}

static int of_nothing(struct graph_maker *m)
{
	return cast_to(m, image(m, 0, 4, 4, 4), ELEMENT_I32);
}

static int dilated_pool(struct graph_maker *m)
{
	return max_pool_of(m, image(m, 1, 16, 8, 8), (struct windows){ .kernel = { 2, 2 }, .dilations = { 2, 1 } });
}

static int pool_with_pads(struct graph_maker *m)
{
	return max_pool_of(m, image(m, 1, 16, 8, 8), (struct windows){ .kernel = { 3, 3 }, .pads = { 0, 1, 0, 1 } });
}

static int same_pool(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ 3, 3 });
	attrs_string(m->a, &attrs, "auto_pad", "same_upper");
	return build_with(&m->b, &core_max_pool, &attrs, image(m, 1, 16, 8, 8));
}

static int pool_to_the_end(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ 2, 2 });
	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ 2, 2 });
	attrs_int(m->a, &attrs, "ceil", 1);
	return build_with(&m->b, &core_max_pool, &attrs, image(m, 1, 16, 7, 7));
}

static int pool_behind(struct graph_maker *m, int padded)
{
	return max_pool_of(m, padded, (struct windows){ .kernel = { 2, 2 } });
}

static int padded_with_one(struct graph_maker *m)
{
	int x = image(m, 1, 16, 4, 4);

	return pool_behind(m, padded(m, x, 1, build_scalar(&m->b, ELEMENT_I8, 1)));
}

static int cropped(struct graph_maker *m)
{
	return pool_behind(m, padded(m, image(m, 1, 16, 4, 4), -1, VALUE_NONE));
}

static int padded_channels(struct graph_maker *m)
{
	return pool_behind(m, build(&m->b, &core_pad, image(m, 1, 16, 4, 4), build_ints(&m->b, 2, (int64_t[]){ 0, 16 }), VALUE_NONE,
				    build_ints(&m->b, 1, (int64_t[]){ -3 })));
}

static int reflected(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };

	attrs_string(m->a, &attrs, "mode", "reflect");
	return pool_behind(m, build_with(&m->b, &core_pad, &attrs, image(m, 1, 16, 4, 4),
					 build_ints(&m->b, 8, (int64_t[]){ 0, 0, 1, 1, 0, 0, 1, 1 })));
}

static int cropping_conv(struct graph_maker *m)
{
	return conv_sums(m, image(m, 1, 16, 8, 8), 16, (struct windows){ .kernel = { 3, 3 }, .pads = { -1, 0, 0, 0 } });
}

static int parts_of_blocks(struct graph_maker *m)
{
	return joined(m, image(m, 1, 16, 4, 4), image(m, 1, 8, 4, 4));
}

static int images_behind_images(struct graph_maker *m)
{
	int x[] = { image(m, 1, 16, 4, 4), image(m, 1, 16, 4, 4) };

	return joined_along(m, 0, 2, x);
}

static int joined_batches(struct graph_maker *m)
{
	return joined(m, image(m, 2, 16, 4, 4), image(m, 2, 16, 4, 4));
}

static int joined_with_constant(struct graph_maker *m)
{
	return joined(m, image(m, 1, 16, 4, 4), integers(m, ELEMENT_I8, -9, 9, DIMS(1, 16, 4, 4)));
}

static int computed_weights(struct graph_maker *m)
{
	return build(&m->b, &core_conv, image(m, 1, 16, 4, 4), image(m, 16, 16, 1, 1));
}

static int product_of_two(struct graph_maker *m)
{
	return build(&m->b, &core_mul, sums(m, 1, 16, 4, 4), sums(m, 1, 16, 4, 4));
}

static int product_of_rank_3(struct graph_maker *m)
{
	return build(&m->b, &core_matmul, image(m, 2, 4, 8), integers(m, ELEMENT_I8, -9, 9, DIMS(8, 8)));
}

static int turned_product(struct graph_maker *m)
{
	struct attr_vec turned = { 0 };

	attrs_int(m->a, &turned, "trans_a", 1);
	return build_with(&m->b, &core_matmul, &turned, image(m, 8, 8), integers(m, ELEMENT_I8, -9, 9, DIMS(8, 8)));
}

static int factor_of_pixels(struct graph_maker *m)
{
	return build(&m->b, &core_mul, sums(m, 1, 16, 4, 4), integers(m, ELEMENT_I32, 1, 9, DIMS(4)));
}

static int outer_sum(struct graph_maker *m)
{
	return add_of(m, sums(m, 1, 16, 4, 4), sums(m, 1, 16, 1, 1));
}

static int beyond_bytes(struct graph_maker *m)
{
	return to_bytes(m, sums(m, 1, 16, 4, 4), 4, -128, 128);
}

static int unlimited(struct graph_maker *m)
{
	int z = build(&m->b, &core_shift_right, sums(m, 1, 16, 4, 4), number(m, 3));

	return cast_to(m, build(&m->b, &core_clip, z, number(m, -128)), ELEMENT_I8);
}

static int far_shift(struct graph_maker *m)
{
	return to_bytes(m, sums(m, 1, 16, 4, 4), 31, -128, 127);
}

static int no_shift(struct graph_maker *m)
{
	return to_bytes(m, sums(m, 1, 16, 4, 4), 0, -128, 127);
}

static int negative_shift(struct graph_maker *m)
{
	return to_bytes(m, sums(m, 1, 16, 4, 4), -1, -128, 127);
}

static int computed_shift(struct graph_maker *m)
{
	int z = build(&m->b, &core_shift_right, sums(m, 1, 16, 4, 4), build_param(&m->b, "", type_shaped(m->a, ELEMENT_I32, DIMS(1))));

	return cast_to(m, build(&m->b, &core_clip, z, number(m, -128), number(m, 127)), ELEMENT_I8);
}

static int sum_over(struct graph_maker *m, int x, int64_t from, int64_t to)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "keepdims", 0);
	return build_with(&m->b, &core_reduce_sum, &attrs, cast_to(m, x, ELEMENT_I32), build_ints(&m->b, 2, (int64_t[]){ from, to }));
}

/* All dims are alike, so that the shape does not tell. */
static int sum_over_channels(struct graph_maker *m)
{
	return sum_over(m, image(m, 1, 7, 7, 7), 1, -1);
}

static int sum_over_images(struct graph_maker *m)
{
	return sum_over(m, image(m, 7, 7, 7, 7), 0, 2);
}

static int image_as_rows(struct graph_maker *m)
{
	return flattened(m, image(m, 1, 16, 2, 2));
}

static int moved_elements(struct graph_maker *m)
{
	return build(&m->b, &core_reshape, image(m, 1, 16, 4, 4), build_ints(&m->b, 4, (int64_t[]){ 1, 16, 2, 8 }));
}

static void test_refuses(void **state)
{
	static const struct {
		int (*make)(struct graph_maker *m);
		const char *says;	/* NULL: no pattern matches */
	} cases[] = {
		{ of_floats, "neither an image nor rows" },
		{ of_rank_3, "neither an image nor rows" },
		{ of_nothing, "neither an image nor rows" },
		{ dilated_pool, "windows have gaps" },
		{ pool_with_pads, "beyond the image" },
		{ same_pool, "beyond the image" },
		{ pool_to_the_end, "beyond the image" },
		{ padded_with_one, "anything but 0" },
		{ reflected, "anything but 0" },
		{ cropped, "negative padding" },
		{ cropping_conv, "negative padding" },
		{ padded_channels, "other than spatial dims" },
		{ parts_of_blocks, "whole blocks" },
		{ images_behind_images, "along their channels" },
		{ joined_batches, "one behind the other" },
		{ joined_with_constant, "images of whole blocks" },
		{ computed_weights, NULL },
		{ product_of_two, NULL },
		{ product_of_rank_3, NULL },
		{ turned_product, "product of rows" },
		{ factor_of_pixels, "one for each channel" },
		{ outer_sum, "another shape" },
		{ beyond_bytes, "may be beyond" },
		{ unlimited, "may be beyond" },
		{ far_shift, "constant of 1 to 30" },
		{ no_shift, "constant of 1 to 30" },
		{ negative_shift, "constant of 1 to 30" },
		{ computed_shift, NULL },
		{ sum_over_channels, "other than all spatial dims" },
		{ sum_over_images, "other than all spatial dims" },
		{ image_as_rows, "another shape" },
		{ moved_elements, "another shape" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, cases[i].make(&m));
		check_refusal(&m, &vdla, arena_printf(arena, "refusal %zu", i), cases[i].says);
		arena_free(m.a);
	}
}

/* --- artifacts */

static const struct region_view *view_of(struct graph_maker *m, int (*make)(struct graph_maker *m, int *results))
{
	int results[8], n = make(m, results);

	finish_with(m, n, results);
	return whole_view(m);
}

/* B refuses N bytes at DATA for VIEW, and says so. */
static void check_refused(const struct backend *b, const struct region_view *view, const char *data, size_t n, const char *says)
{
	char why[HONE_WHY_BYTES] = "";
	void *handle = NULL;

	assert_int_not_equal(b->generator->init(&view->region, data, n, 1, &handle, why), 0);
	if (!strstr(why, says))
		fail_msg("'%s' says nothing of '%s'", why, says);
}

static void test_artifacts(void **state)
{
	struct graph_maker m = graph_maker_new(), other = graph_maker_new();
	const struct region_view *view = view_of(&m, plain_sums);
	struct text artifact = generator_artifact(&vdla, view), more = generator_artifact(&vdla, view_of(&other, large_numbers));

	(void)state;
	check_refused(&vdla, view, NULL, 0, "artifact");
	for (size_t n = 0; n < artifact.n; n += 1 + artifact.n / 50)
		check_refused(&vdla, view, artifact.s, n, "artifact");
	check_refused(&vdla, view, artifact.s, artifact.n - 1, "damaged or cut off");
	for (size_t i = 8; i < artifact.n; i += 1 + artifact.n / 50) {
		artifact.s[i] ^= 4;
		check_refused(&vdla, view, artifact.s, artifact.n, "artifact");
		artifact.s[i] ^= 4;
	}
	check_refused(&vdla, view, more.s, more.n, "its tensors are not those of the region");
	text_free(&artifact);
	text_free(&more);
	arena_free(m.a);
	arena_free(other.a);
}

/* What has a result more is another region's. */
static void test_more_results(void **state)
{
	struct graph_maker m = graph_maker_new(), one = graph_maker_new();
	int x = image(&m, 1, 16, 3, 3), results[] = { conv3(&m, x, 16), conv3(&m, x, 16) };

	(void)state;
	finish_with(&m, 2, results);
	finish(&one, conv3(&one, image(&one, 1, 16, 3, 3), 16));
	struct text artifact = generator_artifact(&vdla, whole_view(&m));

	check_refused(&vdla, whole_view(&one), artifact.s, artifact.n, "its tensors are not those of the region");
	text_free(&artifact);
	arena_free(m.a);
	arena_free(one.a);
}

/* --- other machines */

static const char *machine_file(const char *folder, const char *text)
{
	const char *path = arena_printf(arena, "%s/some.machine", folder);

	assert_int_equal(file_write(path, text, strlen(text)), 0);
	return path;
}

static void test_machines(void **state)
{
	const char *folder = dir_temp(arena);
	struct graph_maker m = graph_maker_new();
	struct backend small;

	(void)state;
	assert_non_null(folder);
	const char *bad = machine_file(folder, "clock_mhz 100\nqueue 3\n");

	assert_int_equal(backend_load(arena, arena_printf(arena, "./hone-vdla.so=%s", bad), &small), -1);
	if (!strstr(err_get(), arena_printf(arena, "%s:2", bad)))
		fail_msg("'%s' names no line of the file", err_get());
	assert_int_equal(backend_load(arena, arena_printf(arena, "./hone-vdla.so=%s/none", folder), &small), -1);
	assert_non_null(strstr(err_get(), "/none"));

	const char *good = machine_file(folder, "input_bytes 4096\nweight_bytes 16384\naccumulator_bytes 16384\n");

	if (backend_load(arena, arena_printf(arena, "./hone-vdla.so=%s", good), &small) < 0)
		fail_msg("%s", err_get());
	assert_string_not_equal(small.version, vdla.version);
	const struct region_view *view = view_of(&m, residual_of);
	struct text artifact = generator_artifact(&vdla, view);

	check_vdla_region(&m, &small, "a small machine");
	check_refused(&small, view, artifact.s, artifact.n, "another machine");
	text_free(&artifact);
	arena_free(m.a);
	dir_remove(folder);
}

/* --- time */

static void test_cost(void **state)
{
	struct graph_maker m = graph_maker_new();
	const struct region_view *view = view_of(&m, several_inputs);
	const struct hone_region *r = &view->region;
	struct text artifact = generator_artifact(&vdla, view);
	struct vdla_binary *b = vdla_binary_read(arena, "artifact", artifact.s, artifact.n);
	struct hone_cost told = vdla.generator->cost(r, 1);
	struct vdla_cycles cycles;
	double transfers = 0;

	(void)state;
	assert_non_null(b);
	assert_int_equal(vdla_simulate(b, NULL, &cycles, NULL), 0);
	for (int i = 0; i < r->ninputs + r->noutputs; i++)
		transfers += (double)(b->machine.link_start + ceil_div(b->tensors.at[i].bytes, b->machine.link_bytes));
	double launches = (double)cycles.launches * (double)b->machine.launch_cycles, mhz = (double)b->machine.clock_mhz;

	assert_true(cycles.launches > 4);
	assert_true(told.launches_us == launches / mhz);
	assert_true(told.kernels_us == ((double)cycles.total - launches) / mhz);
	assert_true(told.transfers_us == transfers / mhz);
	text_free(&artifact);
	arena_free(m.a);
}

static int setup(void **state)
{
	(void)state;
	arena = arena_new();
	if (backend_load(arena, "./hone-vdla.so", &vdla) < 0)
		fail_msg("%s", err_get());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_convolutions),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_artifacts),
		cmocka_unit_test(test_more_results),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
