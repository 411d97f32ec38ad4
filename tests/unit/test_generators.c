/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_generators.c - what code generators that were built compute, against the interpreter. */
#include "tests/generator_check.h"

#include <unistd.h>

#include "tests/generator_cases.h"
#include "tests/skip.h"

/* LeakSanitizer dies of the thread-local storage of OpenMP's threads, which a library that was opened at run
 * time has started; it looks everywhere else. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "use_tls=0";
}

/* --- generators */

static const char *const generators[] = { "onednn" };	/* of regions */

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
		for (size_t i = 0; i < sizeof(generator_cases) / sizeof(generator_cases[0]); i++) {
			struct graph_maker m = graph_maker_new();

			if (strstr(generator_cases[i].generators, generators[g])) {
				finish(&m, generator_cases[i].make(&m));
				check_generator(&m, &b, generator_cases[i].name);
			}
			arena_free(m.a);
		}
	}
	arena_free(a);
}

/* --- what oneDNN's refuses */

static int of_doubles(struct graph_maker *m)
{
	return build(&m->b, &core_relu,
		     build_param(&m->b, "", type_shaped(m->a, ELEMENT_F64, DIMS(4, 4))));
}

static int of_nothing(struct graph_maker *m)
{
	return build(&m->b, &core_relu, input(m, 4, 0));
}

static int computed_weights(struct graph_maker *m)
{
	int x = input(m, 1, 4, 6, 6), w = input(m, 8, 4, 3, 3);

	return build(&m->b, &core_conv, x, w);
}

static int four_spatial_dims(struct graph_maker *m)
{
	int x = input(m, 1, 2, 3, 3, 3, 3);

	return build(&m->b, &core_conv, x, weight(m, 2, 2, 1, 1, 1, 1));
}

static int cropping(struct graph_maker *m)
{
	struct slide_attrs s = { 2, .pads = { -1, 0, 0, 0 } };
	int x = input(m, 1, 4, 6, 6);

	return slide(m, &core_conv, s, x, weight(m, 8, 4, 3, 3));
}

static int vector(struct graph_maker *m)
{
	int x = input(m, 6);

	return build(&m->b, &core_matmul, x, weight(m, 6, 4));
}

static int computed_limit(struct graph_maker *m)
{
	int x = input(m, 4, 4), y = input(m, 1);

	return build(&m->b, &core_clip, x, y);
}

static int mean_of_channels(struct graph_maker *m)
{
	int x = input(m, 1, 4, 6, 6);

	return build(&m->b, &core_reduce_mean, x, build_ints(&m->b, 1, (int64_t[]){ 1 }));
}

static int padding_alone(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 1, 1 }, .pads = { 1, 1, 1, 1 } };
	int x = input(m, 1, 4, 6, 6);

	return slide(m, &core_max_pool, s, x, VALUE_NONE);
}

static int outer_sum(struct graph_maker *m)
{
	int x = input(m, 4, 1), y = input(m, 1, 5);

	return build(&m->b, &core_add, x, y);
}

static int unknown(struct graph_maker *m)
{
	return build(&m->b, &core_sin, input(m, 4, 4));
}

struct generator_refusal {
	int (*make)(struct graph_maker *m);
	const char *says;
};

/* GENERATOR refuses all N with what they say. */
static void check_refusals(const char *generator, const struct generator_refusal *refused, size_t n)
{
	struct arena *a = arena_new();
	struct backend b;

	if (!load(a, generator, &b))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, refused[i].make(&m));
		check_refusal(&m, &b, refused[i].says, refused[i].says);
		arena_free(m.a);
	}
	arena_free(a);
}

static void test_onednn_refuses(void **state)
{
	static const struct generator_refusal refused[] = {
		{ of_doubles, "other than f32" },
		{ of_nothing, "without elements" },
		{ computed_weights, "weights are computed" },
		{ four_spatial_dims, "one to three spatial dims" },
		{ cropping, "negative padding" },
		{ vector, "product with a vector" },
		{ computed_limit, "limits are computed" },
		{ mean_of_channels, "other than all spatial dims" },
		{ padding_alone, "padding alone" },
		{ outer_sum, "broadcast" },
		{ unknown, "no such operator" },
	};

	(void)state;
	check_refusals("onednn", refused, sizeof(refused) / sizeof(refused[0]));
}

/* --- what OpenBLAS's refuses */

static int product_of_doubles(struct graph_maker *m)
{
	int x = build_param(&m->b, "", type_shaped(m->a, ELEMENT_F64, DIMS(4, 4)));

	return product(m, x, x, false, false);
}

static int product_of_nothing(struct graph_maker *m)
{
	int x = input(m, 5, 0);

	return product(m, x, weight(m, 0, 4), false, false);
}

static int product_and_column(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return affine(m, x, weight(m, 7, 4), false, weight(m, 5, 1));
}

static void test_blas_refuses(void **state)
{
	static const struct generator_refusal refused[] = {
		{ product_of_nothing, "without elements" },
		{ vector, "product with a vector" },
		{ product_and_column, "no constant row" },
	};

	(void)state;
	check_refusals("blas", refused, sizeof(refused) / sizeof(refused[0]));
}

static void test_blas_does_not_match(void **state)
{
	int (*const make[])(struct graph_maker *m) = { product_of_doubles, outer_sum, unknown };
	struct arena *a = arena_new();
	struct backend b;
	size_t n = sizeof(make) / sizeof(make[0]);

	(void)state;
	if (!load(a, "blas", &b))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct graph_maker m = graph_maker_new();
		const char *why;

		finish(&m, make[i](&m));
		why = unclaimed(&m, &b);
		assert_non_null(why);
		assert_string_equal(why, "no pattern matches");
		arena_free(m.a);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_onednn_refuses),
		cmocka_unit_test(test_blas_refuses),
		cmocka_unit_test(test_blas_does_not_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
