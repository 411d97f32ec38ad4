/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_generators.c - what code generators that were built compute, against the interpreter. */
#include "tests/generator_check.h"

#include <unistd.h>

#include "tests/skip.h"

/* --- small graphs: each gives the result of main */

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

static int conv_bias_relu(struct graph_maker *m)
{
	return build(&m->b, &core_relu, bias(m, conv(m, input(m, 1, 3, 12, 12), 3, 20, 3, 1), 20));
}

static int conv_alone(struct graph_maker *m)
{
	return conv(m, input(m, 2, 16, 9, 9), 16, 32, 1, 0);
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

static const struct generator_case {
	const char *name, *generators;	/* those that take it */
	int (*make)(struct graph_maker *m);
} cases[] = {
	{ "conv", "onednn", conv_alone },
	{ "conv, bias, relu", "onednn", conv_bias_relu },
	{ "conv with strides and dilations", "onednn", conv_strided },
	{ "conv with auto_pad", "onednn", conv_same },
	{ "conv with groups", "onednn", conv_groups },
	{ "conv1d", "onednn", conv_1d },
	{ "conv3d", "onednn", conv_3d },
	{ "a residual block", "onednn", residual },
	{ "a block with a downsample", "onednn", downsample },
};

/* --- generators */

static const char *const generators[] = { "onednn" };

/* The generator NAME as it was built, in A; false where it was not. */
static bool load(struct arena *a, const char *name, struct backend *out)
{
	const char *path = arena_printf(a, "./hone-%s.so", name);

	if (access(path, R_OK) != 0) {
		skip_part(name, "its library was not found by configure");
		return false;
	}
	if (backend_load(a, path, out) < 0)
		fail_msg("%s", err_get());
	return true;
}

static void test_results(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (size_t g = 0; g < sizeof(generators) / sizeof(generators[0]); g++) {
		struct backend b;

		if (!load(a, generators[g], &b))
			continue;
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct graph_maker m = graph_maker_new();

			if (strstr(cases[i].generators, generators[g])) {
				finish(&m, cases[i].make(&m));
				check_generator(&m, &b, cases[i].name);
			}
			arena_free(m.a);
		}
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
