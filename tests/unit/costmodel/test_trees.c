/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/test_trees.c - tables of trees predict what XGBoost predicts, to the bit; texts that are no trees are refused. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <inttypes.h>
#include <xgboost/c_api.h>

#include "base/err.h"
#include "base/rng.h"
#include "costmodel/trees.h"

enum { ROWS = 300, COLUMNS = 5, DEEPEST = 7 };

struct tree_data {
	float rows[ROWS][COLUMNS], target[ROWS];
};

static void must(int rc)
{
	if (rc != 0)
		fail_msg("%s", XGBGetLastError());
}

/* Columns of few values, of many, of tiny and of large ones: where trees compare with a value that is there, it counts
 * which way equal ones go. */
static void fill(struct tree_data *t, struct rng *rng)
{
	for (int i = 0; i < ROWS; i++) {
		float *x = t->rows[i];

		x[0] = (float)rng_below(rng, 4);
		x[1] = (float)rng_unit(rng) - 0.5f;
		x[2] = (float)rng_unit(rng) * 1e-30f;
		x[3] = (float)rng_below(rng, 1000) * 1e20f;
		x[4] = -x[0] / 3;
		t->target[i] = x[0] * x[1] + x[2] * 1e29f - x[3] * 1e-23f + (float)rng_unit(rng) / 7;
	}
}

static void set(BoosterHandle h, const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	must(XGBoosterSetParam(h, name, text));
}

static BoosterHandle learn(const struct tree_data *t, DMatrixHandle *m, int depth, int rounds)
{
	BoosterHandle h;

	must(XGDMatrixCreateFromMat(t->rows[0], ROWS, COLUMNS, -1e38f, m));
	must(XGDMatrixSetFloatInfo(*m, "label", t->target, ROWS));
	must(XGBoosterCreate(m, 1, &h));
	must(XGBoosterSetParam(h, "tree_method", "hist"));
	set(h, "base_score", 0);
	set(h, "nthread", 1);
	set(h, "verbosity", 0);
	set(h, "max_depth", depth);
	for (int i = 0; i < rounds; i++)
		must(XGBoosterUpdateOneIter(h, i, *m));
	return h;
}

/* The first N of its trees, in a table. */
static struct trees *read_trees(BoosterHandle h, int n, int depth)
{
	struct trees *t = trees_new(n, depth);
	const char **text;
	bst_ulong all;

	must(XGBoosterDumpModel(h, "", 0, &all, &text));
	assert_true(all >= (bst_ulong)n);
	assert_int_equal(trees_read(t, text, n), 0);
	return t;
}

/* XGBoost's, of the first N trees. */
static const float *predict(BoosterHandle h, DMatrixHandle m, int n)
{
	char config[160];
	const bst_ulong *shape;
	const float *sums;
	bst_ulong dims;

	snprintf(config, sizeof(config), "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, "
					 "\"iteration_end\": %d, \"strict_shape\": false}", n);
	must(XGBoosterPredictFromDMatrix(h, m, config, &shape, &dims, &sums));
	assert_int_equal(shape[0], ROWS);
	return sums;
}

static void predicts_as_xgboost(void **state)
{
	struct rng rng = rng_seed(1);
	struct tree_data t;
	float sums[ROWS];

	(void)state;
	for (int depth = 1; depth <= DEEPEST; depth++) {
		DMatrixHandle m;

		fill(&t, &rng);
		int rounds = 2 + (int)rng_below(&rng, 40), n = 1 + (int)rng_below(&rng, rounds - 1);
		BoosterHandle h = learn(&t, &m, depth, rounds);
		struct trees *trees = read_trees(h, n, depth);

		trees_sum(trees, t.rows[0], ROWS, COLUMNS, sums);
		assert_memory_equal(sums, predict(h, m, n), sizeof(sums));
		trees_free(trees);
		must(XGBoosterFree(h));
		must(XGDMatrixFree(m));
	}
}

static float sum_of(const char *const *text, int n, float x)
{
	struct trees *t = trees_new(n, 1);
	float sum;

	assert_int_equal(trees_read(t, text, n), 0);
	trees_sum(t, &x, 1, 1, &sum);
	trees_free(t);
	return sum;
}

static void reads_by_hand(void **state)
{
	static const char *const text[] = {
		"0:[f0<2] yes=1,no=2,missing=2\n\t1:leaf=0.5\n\t2:leaf=-3\n",
		"0:leaf=0.25\n",
		"0:[f0<1e-3] yes=2,no=1,missing=1\n2:leaf=8\n1:leaf=16",
	};

	(void)state;
	assert_true(sum_of(text, 1, 1) == 0.5f);
	assert_true(sum_of(text, 1, 2) == -3);
	assert_true(sum_of(text, 2, 2) == -2.75f);
	assert_true(sum_of(text, 3, 0) == 8.75f);
	assert_true(sum_of(text, 3, 1) == 16.75f);
}

static void refuses(void **state)
{
	static const char *const texts[] = {
		"", "tree", "0:", "0:leaf=", "0:leaf=x", "-1:leaf=1", "3:leaf=1", "0:[f0<1]", "0:[f0<1] yes=1",
		"0:[f0<1] yes=0,no=1,missing=0", "0:[f0<1] yes=1,no=0,missing=1", "0:[f0<1] yes=1,no=3,missing=1",
		"0:[f0<1] yes=1,no=2,missing=1\n1:leaf=1\nx",
		"0:[f0<1] yes=1,no=2,missing=1\n1:leaf=1",
	};
	static const char *const two[] = { "0:leaf=1", "0:leaf=2" };
	struct trees *t = trees_new(1, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(trees_read(t, &texts[i], 1), -1);
		assert_non_null(strstr(err_get(), "cannot be read"));
	}
	assert_int_equal(trees_read(t, two, 2), -1);
	assert_int_equal(trees_read(t, two, 1), 0);
	trees_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predicts_as_xgboost),
		cmocka_unit_test(reads_by_hand),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
