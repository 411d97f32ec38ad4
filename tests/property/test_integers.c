/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_integers.c - graphs at random, of what integers are closed under and some of what they are not:
 * what `quantize --integers-only` writes is a graph, near that of floats, and all passes leave its bits alone. */
#include "tests/fixture/quantize_fixture.h"

#include <math.h>

#include "graph/build/check.h"
#include "graph/quantize/accuracy.h"

enum { GRAPHS = 150, OPERATORS = 12, CHANNELS = 4, SIDE = 8 };

static int numbers(struct graph_maker *m, int rank, const int64_t *dim, double size)
{
	struct array *x = array_in(m->a, ELEMENT_F32, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = (float)((2 * rng_unit(&m->rng) - 1) * size);
	return build_const(&m->b, x);
}

static int any_conv(struct graph_maker *m, int x)
{
	struct attr_vec attrs = { 0 };
	int64_t groups = rng_chance(&m->rng, 0.3) ? CHANNELS : 1, k = 1 + 2 * rng_below(&m->rng, 2);
	double size = rng_chance(&m->rng, 0.1) ? 1e-3 : 1;

	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
	attrs_int(m->a, &attrs, "groups", groups);
	int y = build_with(&m->b, &core_conv, &attrs, x, numbers(m, DIMS(CHANNELS, CHANNELS / groups, k, k), size));

	return rng_chance(&m->rng, 0.7) ? build(&m->b, &core_add, y, numbers(m, DIMS(CHANNELS, 1, 1), size)) : y;
}

static int any_pool(struct graph_maker *m, int x)
{
	struct attr_vec attrs = { 0 };
	bool average = rng_chance(&m->rng, 0.5);

	attrs_ints(m->a, &attrs, "kernel", 2, (int64_t[]){ 3, 3 });
	if (rng_chance(&m->rng, 0.3)) {
		attrs_string(m->a, &attrs, "auto_pad", "same_upper");
	} else {
		attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
		if (average)
			attrs_int(m->a, &attrs, "count_include_pad", 1);
	}
	return build_with(&m->b, average ? &core_avg_pool : &core_max_pool, &attrs, x);
}

static int halves(struct graph_maker *m, int x, int y)
{
	struct attr_vec axis = { 0 };
	int from = build_ints(&m->b, 1, (int64_t[]){ 0 }), to = build_ints(&m->b, 1, (int64_t[]){ CHANNELS / 2 });
	int along = build_ints(&m->b, 1, (int64_t[]){ 1 });

	attrs_int(m->a, &axis, "axis", 1);
	return build_with(&m->b, &core_concat, &axis, build(&m->b, &core_slice, x, from, to, along),
			  build(&m->b, &core_slice, y, from, to, along));
}

static int clipped(struct graph_maker *m, int x)
{
	return build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, rng_chance(&m->rng, 0.5) ? 0 : -1),
		     build_scalar(&m->b, ELEMENT_F32, 1.5));
}

static int turned(struct graph_maker *m, int x)
{
	struct attr_vec perm = { 0 };

	attrs_ints(m->a, &perm, "perm", 4, (int64_t[]){ 0, 1, 3, 2 });
	return build_with(&m->b, &core_transpose, &perm, x);
}

/* One more operator on values of one shape. */
static int any_operator(struct graph_maker *m, const int *values, int n)
{
	int x = values[rng_chance(&m->rng, 0.7) ? n - 1 : (int)rng_below(&m->rng, n)];
	int y = values[rng_below(&m->rng, n)];

	switch (rng_below(&m->rng, 12)) {
	case 0:
		return build(&m->b, &core_relu, x);
	case 1:
		return clipped(m, x);
	case 2:
	case 3:
		return build(&m->b, &core_add, x, y);
	case 4:
		return any_pool(m, x);
	case 5:
		return halves(m, x, y);
	case 6:
		return turned(m, x);
	case 7:
		return rng_chance(&m->rng, 0.3) ? build(&m->b, &core_sigmoid, x) : x;
	default:
		return any_conv(m, x);
	}
}

static struct value image(struct graph_maker *m)
{
	struct array *x = array_in(m->a, ELEMENT_F32, 4, (int64_t[]){ 1, CHANNELS, SIDE, SIDE });

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = (float)(2 * rng_unit(&m->rng) - 1);
	return value_of_array(x);
}

/* Main of values that were made last. */
static void make(struct graph_maker *m)
{
	int values[1 + OPERATORS], n = 1, results[2];

	values[0] = input(m, 1, CHANNELS, SIDE, SIDE);
	while (n <= OPERATORS) {
		values[n] = any_operator(m, values, n);
		n++;
	}
	results[0] = values[n - 1];
	results[1] = build(&m->b, &core_reduce_mean, any_conv(m, values[n - 2]), build_ints(&m->b, 2, (int64_t[]){ 2, 3 }));
	if (builder_end(&m->b, 2, results) == FUNCTION_NONE)
		fail_msg("%s", err_get());
}

static void check_results(struct arena *a, int i, const struct graph *floats, struct graph *integers,
			  const struct value *in)
{
	const struct graph *passed = graph_passes(a, integers, NULL);
	struct value want[2], got[2], again[2];

	if (!passed)
		fail_msg("graph %d: %s", i, err_get());
	run_main(a, floats, in, want);
	run_main(a, integers, in, got);
	run_main(a, passed, in, again);
	for (int k = 0; k < 2; k++) {
		struct quant_error e = { .rows = 0 };

		quant_error_add(&e, got[k].array, want[k].array);
		if (e.signal > 0 && !(quant_error_sqnr(&e) > 15))
			fail_msg("graph %d, result %d: %.1f dB", i, k, quant_error_sqnr(&e));
		if (!array_equal(got[k].array, again[k].array))
			fail_msg("graph %d, result %d: passes change it", i, k);
	}
	values_release(want, 2);
	values_release(got, 2);
	values_release(again, 2);
}

static void test_any(void **state)
{
	const struct quant_options o = { .method = QUANT_MINMAX, .scheme = &quant_integers };

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		struct graph_maker m = graph_maker_new();
		struct value in[3];
		struct quantized z;
		struct quant q;

		m.rng = rng_seed((uint64_t)i);
		make(&m);
		for (int k = 0; k < 3; k++)
			in[k] = image(&m);
		struct graph *g = passed(&m, "scales");

		if (quant_new(m.a, g, &o, &q) < 0)
			fail_msg("%s", err_get());
		calibrate_by(&q, 3, in, i % 2);
		if (quant_apply(&q, &z) < 0 || graph_check(z.graph) < 0)
			fail_msg("graph %d: %s", i, err_get());
		check_results(m.a, i, g, z.graph, in);
		arena_free(m.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_any) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
