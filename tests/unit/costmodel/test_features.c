/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/test_features.c - every feature on nests small enough to count by hand.
 *
 * A case names a store of a lowered program and says what some of its features are; the last test
 * checks that each feature of the table was seen with a value other than 0. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "costmodel/features/features.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"

/* Caches of 16, 64 and 256 lines; one cycle is a nanosecond: 64 GFLOP/s are two multiply-adds of 16
 * lanes, 128 GB/s two vectors. */
static const struct aim device = {
	.target = &target_x86_64_avx512,
	.threads = 4,
	.l1_bytes = 1024,
	.l2_bytes = 4096,
	.l3_bytes = 16384,
	.peak = 64,
	.l2_gbs = 64,
	.l3_gbs = 32,
	.mem_gbs = 16,
};

struct feature_case {
	const char *name;
	const char *te;
	const char *steps;
	int store;		/* in the order of the nest */
	const char *expected;	/* "NAME VALUE ..." */
};

#include "tests/unit/costmodel/feature_cases.h"

static int find_feature(struct arena *a, const char *name)
{
	for (int i = 0; i < FEATURE_COUNT; i++)
		if (strcmp(feature_name(a, i), name) == 0)
			return i;
	return -1;
}

static struct feature_matrix features(struct arena *a, const char *te, const char *steps,
				      struct program **program)
{
	const char *why = "";
	struct dag *dag = dag_parse(a, "case.te", te);
	struct state *s = dag ? state_parse(a, dag, "steps", steps) : NULL;
	struct program *p = s ? lower(a, s, device.target, &why) : NULL;
	struct feature_matrix m = { 0 };

	if (!p)
		fail_msg("%s: %s%s", te, why, s ? "" : err_get());
	assert_true(features_of(a, p, &device, &m));
	if (program)
		*program = p;
	return m;
}

/* Compares the features that a case names; notes those that are not 0 in SEEN. */
static void check_case(const struct feature_case *c, bool seen[FEATURE_COUNT])
{
	struct arena *a = arena_new();
	struct feature_matrix m = features(a, c->te, c->steps, NULL);
	struct scan s = scan_text(c->name, c->expected);

	assert_in_range(c->store, 0, m.n_rows - 1);
	const float *row = m.rows + (ptrdiff_t)c->store * FEATURE_COUNT;

	while (!scan_at_end(&s)) {
		char *name = scan_name(&s, a);
		double want = 0;

		if (!name || !scan_double(&s, &want))
			fail_msg("%s: a name and a number have to follow: %s", c->name, s.at);
		int f = find_feature(a, name);

		if (f < 0)
			fail_msg("%s: there is no feature '%s'", c->name, name);
		double got = feature_value(row, f);

		if (!(fabs(got - want) <= 1e-4 * fabs(want) + 1e-9))
			fail_msg("%s: %s is %.9g, not %.9g", c->name, name, got, want);
		seen[f] |= want != 0;
		scan_line_end(&s);
	}
	arena_free(a);
}

static void test_cases(void **state)
{
	bool seen[FEATURE_COUNT] = { false };
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_case(&cases[i], seen);
	for (int i = 0; i < FEATURE_SCALARS; i++)
		if (!seen[i])
			fail_msg("no case has %s", feature_name(a, i));
	for (int i = 0; i < ACCESS_FEATURES; i++) {	/* of any access: all have the same code */
		bool any = false;

		for (int slot = 0; slot < FEATURE_ACCESSES; slot++)
			any |= seen[FEATURE_SCALARS + slot * ACCESS_FEATURES + i];
		if (!any)
			fail_msg("no case has %s", feature_name(a, FEATURE_SCALARS + i));
	}
	arena_free(a);
}

/* Six inputs and the output: five have features, the most used (here E) first. */
static void test_most_used(void **state)
{
	struct arena *a = arena_new();
	struct feature_matrix m = features(a,
		"input A: f32[4]\ninput B: f32[4]\ninput C: f32[4]\ninput D: f32[4]\n"
		"input E: f32[4]\ninput F: f32[64]\n"
		"Y[i < 4] = A[i] + B[i] + C[i] + D[i] + E[i] * E[i] + F[i * 16]\n", "", NULL);

	(void)state;
	assert_int_equal(m.n_rows, 1);
	assert_true(fabs(feature_value(m.rows, FEATURE_OF_ACCESS(0, BYTES)) - 32) < 1e-3);
	assert_true(m.rows[FEATURE_OF_ACCESS(0, READ)] == 1);
	assert_true(m.rows[FEATURE_OF_ACCESS(1, WRITE)] == 1);	/* Y is named first */
	assert_true(m.rows[FEATURE_OF_ACCESS(4, READ)] == 1);
	arena_free(a);
}

static void test_deterministic(void **state)
{
	struct arena *a = arena_new();
	struct feature_matrix x = features(a, register_tile_te, register_tile_steps, NULL);
	struct feature_matrix y = features(a, register_tile_te, register_tile_steps, NULL);

	(void)state;
	assert_int_equal(x.n_rows, y.n_rows);
	assert_memory_equal(x.rows, y.rows, (size_t)x.n_rows * FEATURE_COUNT * sizeof(float));
	for (int i = 0; i < x.n_rows * FEATURE_COUNT; i++)
		assert_true(isfinite(x.rows[i]));
	arena_free(a);
}

static void test_table(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (int i = 0; i < FEATURE_COUNT; i++) {
		assert_int_equal(find_feature(a, feature_name(a, i)), i);	/* names differ */
		assert_true(strlen(feature_unit(i)) > 0);
	}
	assert_true(hash_equal(features_hash(), features_hash()));
	arena_free(a);
}

static void test_print(void **state)
{
	struct arena *a = arena_new();
	struct program *p;
	struct feature_matrix m = features(a, "input A: f32[8]\nC[i] = A[i] + 1\n", "", &p);
	struct text t = { 0 };

	(void)state;
	features_print(&t, p, &m);
	assert_non_null(strstr(text_str(&t), "store 0: C, in i: f_add 8 ops, "));
	assert_non_null(strstr(text_str(&t), ", turns 8 turns, "));
	assert_null(strstr(text_str(&t), "f_mul"));
	text_free(&t);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_most_used),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
