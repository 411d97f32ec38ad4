/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/test_register_kernels.c - the table of register kernels: what is looked up, kept, described, and what follows
 * from it for the prior and for samples. Tables are made up; tests/unit/measure/test_device.c times one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "costmodel/features/features.h"
#include "measure/device/kernels_json.h"
#include "measure/device/register_probe.h"
#include "measure/device/register_text.h"
#include "search/aim.h"
#include "search/space/genes/candidate.h"
#include "te/operator.h"

enum { L1 = 32 << 10, SAMPLES = 150 };

static const struct aim aim = { .target = &target_x86_64_avx512, .threads = 1, .l1_bytes = L1, .l2_bytes = 1 << 20,
				.l3_bytes = 8 << 20, .peak = 200, .l2_gbs = 100, .l3_gbs = 20, .mem_gbs = 10 };

static struct register_kernels table_random(struct rng *rng)
{
	struct register_kernels k = { .spread = 1 + rng_unit(rng) };

	for (int i = 0; i < 40; i++)
		k.gops[rng_below(rng, REGISTER_KIND_COUNT)][rng_below(rng, REGISTER_ROWS)][rng_below(rng, REGISTER_VECTORS)] =
			(float)(1 + 1000 * rng_unit(rng));
	return k;
}

/* How far X is from Y; the lesser of two as far comes first. */
static int64_t distance(int64_t x, int64_t y)
{
	return x <= y ? 2 * (y - x) : 2 * (x - y) + 1;
}

/* That of the tile which is nearest by vectors, and of those by rows. */
static void test_nearest(void **state)
{
	struct rng rng = rng_seed(1);
	int found = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct register_kernels k = table_random(&rng);
		int kind = (int)rng_below(&rng, REGISTER_KIND_COUNT);
		int64_t rows = 1 + rng_below(&rng, REGISTER_ROWS), vectors = 1 + rng_below(&rng, REGISTER_VECTORS);
		int64_t least = INT64_MAX;
		double rate = register_rate(&k, kind, rows, vectors), nearest = 0;

		for (int r = 0; r < REGISTER_ROWS; r++)
			for (int v = 0; v < REGISTER_VECTORS; v++) {
				int64_t away = 100 * distance(v + 1, vectors) + distance(r + 1, rows);

				if (k.gops[kind][r][v] <= 0 || away >= least)
					continue;
				nearest = (double)k.gops[kind][r][v];
				least = away;
			}
		assert_true(rate == nearest);
		found += rate > 0;
	}
	assert_true(found > 1000);
	assert_true(register_rate(NULL, REGISTER_F32, 4, 4) == 0);
	assert_true(register_rate(&(struct register_kernels){ 0 }, REGISTER_F32, 4, 4) == 0);
}

static void test_round_trip(void **state)
{
	static struct device_measured m, back;
	struct rng rng = rng_seed(2);

	(void)state;
	for (int i = 0; i < 50; i++) {
		memset(&m, 0, sizeof(m));
		memset(&back, 0, sizeof(back));
		m.kernels[rng_below(&rng, TARGET_COUNT)] = table_random(&rng);
		json_t *json = kernels_json(&m);
		char *text = json_dumps(json, 0);
		json_t *again = json_loads(text, 0, NULL);

		assert_true(kernels_parse(again, &back));
		assert_memory_equal(m.kernels, back.kernels, sizeof(m.kernels));
		json_decref(json);
		json_decref(again);
		free(text);
	}
	assert_true(kernels_parse(NULL, &back));
}

static void test_damaged(void **state)
{
	static const char *const damaged[] = {
		"[]",
		"{\"x86-64-avx2\": 7}",
		"{\"x86-64-avx2\": {\"f32\": [[1, 1, 5]]}}",
		"{\"x86-64-avx2\": {\"spread\": 0.5}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": 3}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[0, 1, 5]]}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[1, 7, 5]]}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[31, 1, 5]]}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[1, 1, -5]]}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[1, 1, 1e30]]}}",
		"{\"x86-64-avx2\": {\"spread\": 1, \"f32\": [[1, 1]]}}",
	};
	static const char unknown[] = "{\"riscv\": 7, \"x86-64-avx2\": {\"spread\": 1, \"f8\": 7, \"f32\": [[2, 3, 5]]}}";
	static struct device_measured m;

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		json_t *json = json_loads(damaged[i], 0, NULL);

		assert_non_null(json);
		memset(&m, 0, sizeof(m));
		if (kernels_parse(json, &m))
			fail_msg("%s was taken", damaged[i]);
		json_decref(json);
	}
	json_t *json = json_loads(unknown, 0, NULL);

	memset(&m, 0, sizeof(m));
	assert_true(kernels_parse(json, &m));
	assert_true(register_rate(&m.kernels[TARGET_x86_64_avx2], REGISTER_F32, 2, 3) == 5);
	json_decref(json);
}

/* The store that sums. */
static const float *sums_of(const struct feature_matrix *m)
{
	for (int i = 0; i < m->n_rows; i++)
		if (m->rows[i * FEATURE_COUNT + FEATURE_COMBINES] > 0)
			return m->rows + (ptrdiff_t)i * FEATURE_COUNT;
	fail_msg("nothing is summed");
	return NULL;
}

static double prior_ns(struct arena *a, const struct program *p, const struct target *target, const struct register_kernels *k)
{
	struct feature_matrix m;
	struct aim of = aim;

	of.target = target;
	of.kernels = k;
	assert_true(features_of(a, p, &of, &m));
	return feature_value(sums_of(&m), FEATURE_PRIOR_TIME);
}

static void set_all(struct register_kernels *k, enum register_kind kind, float gops)
{
	for (int r = 0; r < REGISTER_ROWS; r++)
		for (int v = 0; v < REGISTER_VECTORS; v++)
			k->gops[kind][r][v] = gops;
}

/* The tile of each kernel is the one it is called by: its sums are in so many registers, and the prior takes it for as
 * slow as its own entry says, whatever the others say, but for no slower than its instructions take together. */
static void check_tile(const struct target *target, const struct register_tile *t)
{
	struct arena *a = arena_new();
	const struct program *p = register_tile_program(a, t, target);
	struct register_kernels k = { .spread = 1 };
	struct feature_matrix m;
	struct aim of = aim;

	of.target = target;
	assert_true(features_of(a, p, &of, &m));
	assert_float_equal((float)feature_value(sums_of(&m), FEATURE_BODY_CHAINS), (float)(t->rows * t->vectors), 1e-3F);
	assert_float_equal((float)feature_value(sums_of(&m), FEATURE_ACC_REGISTERS), (float)(t->rows * t->vectors), 1e-3F);
	set_all(&k, t->kind, 1000);
	float *own = &k.gops[t->kind][t->rows - 1][t->vectors - 1];
	double last = prior_ns(a, p, target, &k), counted = prior_ns(a, p, target, NULL);

	*own = 0.01F;	/* sums that wait for themselves */
	double slow = prior_ns(a, p, target, &k);

	assert_float_equal((float)slow, (float)counted, 1e-4F * (float)counted);
	float half = (float)(2 * register_tile_operations(t) / counted);

	*own = half;
	double now = prior_ns(a, p, target, &k);

	assert_true(now >= counted / 2 * 0.999 && now <= counted / 2 + last);
	set_all(&k, t->kind, 0.01F);
	*own = half;
	assert_float_equal((float)prior_ns(a, p, target, &k), (float)now, 1e-6F * (float)now);
	for (*own = 0.02F; *own < 1000; *own *= 2) {
		now = prior_ns(a, p, target, &k);
		assert_true(now <= slow);
		slow = now;
	}
	arena_free(a);
}

static void test_tiles(void **state)
{
	int rows[REGISTER_TILES], vectors[REGISTER_TILES];

	(void)state;
	for (int i = 0; i < TARGET_COUNT; i++) {
		const struct target *target = target_at(i);

		if (target->operands)
			assert_int_equal(register_tiles(target, REGISTER_F32, rows, vectors), 0);
		for (int k = 0; k < REGISTER_KIND_COUNT; k++) {
			int n = register_tiles(target, k, rows, vectors);

			assert_in_range(n, 0, REGISTER_TILES);
			for (int j = 0; j < n; j++) {
				const struct register_tile t = register_tile_of(target, k, rows[j], vectors[j], L1);

				assert_true(register_tile_bytes(&t) <= L1);
				check_tile(target, &t);
			}
		}
	}
}

/* How many of SAMPLES have a tile of 4 rows by 3 vectors. */
static int count_tiles(const struct register_kernels *k)
{
	struct arena *a = arena_new();
	const struct dag *dag = operator_build(a, "matmul:m=120,n=192,k=96");
	struct aim of = aim;

	of.kernels = k;
	struct problem p = { .task = task_new(a, dag, "matmul", 1), .sketches = sketches_of(a, dag, &of), .aim = &of,
			     .describes = true };
	struct rng rng = rng_seed(3);
	int n = 0;

	for (int i = 0; i < SAMPLES; i++) {
		struct candidate c;
		int refused = 0;

		assert_true(candidate_random(&p, a, &rng, 1000, &refused, &c));
		const float *row = sums_of(&c.features);
		double links = feature_value(row, FEATURE_BODY_OPS) / feature_value(row, FEATURE_BODY_CHAINS);

		n += (int)(feature_value(row, FEATURE_ACC_REGISTERS) + 0.5) == 4 * 3 &&
		     (int)(feature_value(row, FEATURE_BODY_LOADS) / links + 0.5) == 4 + 3;
	}
	arena_free(a);
	return n;
}

static void test_samples(void **state)
{
	struct register_kernels k = { .spread = 1 };

	(void)state;
	for (int r = 0; r < REGISTER_ROWS; r++)
		for (int v = 0; v < REGISTER_VECTORS; v++)
			k.gops[REGISTER_F32][r][v] = r == 3 && v == 2 ? 100 : 20;
	int without = count_tiles(NULL), with = count_tiles(&k);

	if (with < SAMPLES / 2 || without > SAMPLES / 4)
		fail_msg("%d of %d samples have the fast tile, %d where no table is", with, SAMPLES, without);
}

/* A made-up device has none, nor has one of another machine that does not say so. */
static void test_none(void **state)
{
	struct arena *a = arena_new();
	const struct device *d = device_synthetic(a, "synthetic:core:2 pu:1");

	(void)state;
	assert_non_null(d);
	assert_null(aim_of(d, 1, CACHE_WARM).kernels);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_tiles),	cmocka_unit_test(test_samples),	   cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
