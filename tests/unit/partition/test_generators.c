/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generators.c - what code generators that were built compute, against the interpreter. */
#include "tests/generator/generator_kernels.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/generator/generator_cases.h"
#include "tests/skip.h"

/* LeakSanitizer dies of the thread-local storage of OpenMP's threads, which a library that was opened at run
 * time has started; it looks everywhere else. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "use_tls=0";
}

/* --- generators */

static const char *const generators[] = { "onednn", "blas" };

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

/* One case, for a generator of whole regions or of kernels. */
static void check_case(const struct generator_case *c, const struct backend *b)
{
	if (b->generator->grain == HONE_KERNELS) {
		check_kernels(c->make, b, c->name);
		return;
	}
	struct graph_maker m = graph_maker_new();

	finish(&m, c->make(&m));
	check_generator(&m, b, c->name);
	arena_free(m.a);
}

static void test_results(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (size_t g = 0; g < sizeof(generators) / sizeof(generators[0]); g++) {
		struct backend b;

		if (!load(a, generators[g], &b))
			continue;
		for (size_t i = 0; i < sizeof(generator_cases) / sizeof(generator_cases[0]); i++)
			if (strstr(generator_cases[i].generators, generators[g]))
				check_case(&generator_cases[i], &b);
	}
	arena_free(a);
}

/* --- storages that oneDNN's has to claim */

enum { BLOCKED = -1 };	/* in blocks of one vector of this CPU */

static void test_onednn_storages(void **state)
{
	static const struct {
		int (*make)(struct graph_maker *m);
		struct generator_storage storage;
		int matches;
	} claimed[] = {
		{ conv_alone, { 1, 1 }, 1 },	 { conv_alone, { BLOCKED, BLOCKED }, 1 },
		{ first_layer, { 1, 1 }, 1 },	 { first_layer, { 0, BLOCKED }, 1 },
		{ conv_residual, { 1, 1 }, 1 },	 { conv_residual, { BLOCKED, BLOCKED }, 1 },
		{ downsample, { 1, 1 }, 2 },	 { downsample, { BLOCKED, BLOCKED }, 2 },
		{ max_pools, { 1, 1 }, 2 },	 { max_pools, { BLOCKED, BLOCKED }, 2 },
		{ avg_pools, { 1, 1 }, 3 },	 { avg_pools, { BLOCKED, BLOCKED }, 3 },
		{ function_sum, { 1, 1 }, 2 },	 { function_sum, { BLOCKED, BLOCKED }, 2 },
	};
	int vector = __builtin_cpu_supports("avx512f") ? 16 : 8;
	struct arena *a = arena_new();
	struct backend b;
	size_t n = sizeof(claimed) / sizeof(claimed[0]);

	(void)state;
	if (!load(a, "onednn", &b))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct generator_kernels k = check_kernels(claimed[i].make, &b, "storages");
		int in = claimed[i].storage.in, out = claimed[i].storage.out, s = 0;

		while (generator_storages[s].in != (in == BLOCKED ? vector : in) ||
		       generator_storages[s].out != (out == BLOCKED ? vector : out))
			s++;
		if (k.claimed[s] != claimed[i].matches)
			fail_msg("case %zu: %d matches claimed, not %d", i, k.claimed[s], claimed[i].matches);
	}
	arena_free(a);
}

/* --- what oneDNN's refuses */

static int of_doubles(struct graph_maker *m)
{
	int x = build_param(&m->b, "", type_shaped(m->a, ELEMENT_F64, DIMS(4, 4)));

	return product(m, x, x, false, false);
}

static int of_nothing(struct graph_maker *m)
{
	int x = input(m, 0, 4);

	return product(m, x, weight(m, 4, 5), false, false);
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

/* Windows with gaps. */
static int dilated_pool(struct graph_maker *m)
{
	struct slide_attrs s = { 2, { 2, 3 }, { 2, 2 }, .dilations = { 2, 1 }, .ceil = true };
	int x = input(m, 1, 16, 8, 8);

	return slide(m, &core_max_pool, s, x, VALUE_NONE);
}

/* What a convolution gives is repeated. */
static int broadcast_behind(struct graph_maker *m)
{
	int x = input(m, 1, 8, 1, 1), y = input(m, 1, 8, 6, 6);

	return build(&m->b, &core_mul, conv(m, x, 8, 8, 1, 0), y);
}

static int constant_image(struct graph_maker *m)
{
	int x = input(m, 1, 8, 3, 3);

	return build(&m->b, &core_mul, conv(m, x, 8, 8, 1, 0), weight(m, 1, 8, 3, 3));
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
		check_refusal(&m, &b, generator, refused[i].says);
		arena_free(m.a);
	}
	arena_free(a);
}

static void test_onednn_refuses(void **state)
{
	static const struct generator_refusal refused[] = {
		{ of_doubles, NULL },
		{ computed_weights, NULL },
		{ computed_limit, NULL },
		{ unknown, NULL },
		{ of_nothing, "without elements" },
		{ four_spatial_dims, "no code for this form" },
		{ cropping, "negative padding" },
		{ vector, "product with a vector" },
		{ mean_of_channels, "other than all spatial dims" },
		{ padding_alone, "padding alone" },
		{ dilated_pool, "only reference code" },
		{ broadcast_behind, "what comes before broadcasts" },
		{ constant_image, "neither a constant that broadcasts" },
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

/* --- sizes */

/* A generator is one file that is read in one go: fewer lines than these, of that many columns, with tabs of 8. */
enum { MOST_LINES = 299, MOST_COLUMNS = 110, GENERATORS = 7 };

static void check_size(const char *path)
{
	FILE *f = fopen(path, "r");
	int lines = 0, columns = 0, c;

	if (!f)
		fail_msg("%s: cannot be read", path);
	while ((c = getc(f)) != EOF) {
		columns = c == '\n' ? 0 : c == '\t' ? columns / 8 * 8 + 8 : columns + 1;
		lines += c == '\n';
		if (columns > MOST_COLUMNS)
			fail_msg("%s: line %d is longer than %d columns", path, lines + 1, MOST_COLUMNS);
	}
	fclose(f);
	if (lines > MOST_LINES)
		fail_msg("%s has %d lines, more than %d", path, lines, MOST_LINES);
}

static bool ends_in(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n > k && strcmp(name + n - k, with) == 0;
}

/* What hone itself lacks of a device, as instructions for it, is in a folder beside its generator's file: the rules of
 * all sources are those of its files. */
static void check_folder(const char *path)
{
	char generator[4100];
	DIR *d = opendir(path);

	snprintf(generator, sizeof(generator), "%s.c", path);
	if (!d || access(generator, R_OK) != 0)
		fail_msg("%s is no generator, nor the folder of one", path);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && !ends_in(e->d_name, ".c") && !ends_in(e->d_name, ".h"))
			fail_msg("%s/%s is no source of a generator", path, e->d_name);
	closedir(d);
}

/* Nor are there files of other kinds with more of it. */
static void test_sizes(void **state)
{
	const char *folder = TOP_SRCDIR "/partition/generators";
	DIR *d = opendir(folder);
	int files = 0;

	(void)state;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char path[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (!ends_in(e->d_name, ".c")) {
			check_folder(path);
			continue;
		}
		check_size(path);
		files++;
	}
	closedir(d);
	assert_int_equal(files, GENERATORS);
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
		cmocka_unit_test(test_onednn_storages),
		cmocka_unit_test(test_onednn_refuses),
		cmocka_unit_test(test_blas_refuses),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_blas_does_not_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
