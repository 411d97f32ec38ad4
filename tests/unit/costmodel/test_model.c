/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/test_model.c - cost models on made-up programs whose speed is a known function of
 * their features, and the measures of a ranking on small cases. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "costmodel/model.h"
#include "costmodel/quality.h"

enum { PROGRAMS = 400, KNOWN = 300, MAX_ROWS = 6 };

/* Programs 0..KNOWN-1 are learned from; the others are new to the model. */
struct world {
	struct arena *a;
	struct feature_matrix program[PROGRAMS];
	struct cost_sample sample[PROGRAMS];
	float truth[PROGRAMS];
};

/* A store takes time by its flop, which the prior knows, three times as much unless it is unrolled,
 * and for its misses, of which the prior knows nothing; a sum over stores, as in the real world. */
static double row_time(const float *row)
{
	double flop = exp2((double)row[FEATURE_FLOP]);
	double misses = exp2((double)row[FEATURE_L1_MISS]);

	return flop * (row[FEATURE_UNROLL_PRODUCT] > 3 ? 1 : 3) + 4 * misses;
}

static struct world world_new(uint64_t seed)
{
	struct world w = { .a = arena_new() };
	struct rng rng = rng_seed(seed);

	for (int i = 0; i < PROGRAMS; i++) {
		int rows = 1 + (int)rng_below(&rng, MAX_ROWS);
		float *row = arena_many(w.a, float, rows * FEATURE_COUNT);
		double time = 0, prior = 0;

		w.program[i] = (struct feature_matrix){ row, rows };
		for (int r = 0; r < rows; r++, row += FEATURE_COUNT) {
			for (int f = 0; f < FEATURE_COUNT; f++)
				row[f] = (float)(6 * rng_unit(&rng));
			row[FEATURE_FLOP] = (float)(10 - 2 * r + rng_unit(&rng));
			row[FEATURE_PRIOR_TIME] = row[FEATURE_FLOP];
			time += row_time(row);
			prior += exp2((double)row[FEATURE_FLOP]);
		}
		for (int r = 0; r < rows; r++) {
			row -= FEATURE_COUNT;
			row[FEATURE_PROGRAM_SHARE] =
				(float)(exp2((double)row[FEATURE_FLOP]) / prior);
		}
		w.truth[i] = (float)(1e3 / time);
		w.sample[i] = (struct cost_sample){ w.program[i].rows, rows, w.truth[i], 0 };
	}
	return w;
}

static struct model *new_model(int threads)
{
	const struct cost_options o = { .seed = 7, .threads = threads };

	return cost_model_xgboost.create(&o);
}

static double accuracy_on_new(const struct cost_model *c, const struct model *m,
			      const struct world *w, float *scores)
{
	c->score(m, 0, w->program + KNOWN, PROGRAMS - KNOWN, scores);
	return pairwise_accuracy(scores, w->truth + KNOWN, PROGRAMS - KNOWN);
}

static void test_learns(void **state)
{
	struct world w = world_new(1);
	struct model *m = new_model(1);
	struct cost_learned learned;
	float scores[PROGRAMS];

	(void)state;
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, KNOWN, &learned), 0);
	assert_int_equal(learned.samples, KNOWN);
	assert_int_equal(learned.failed, 0);
	assert_false(learned.validity);
	assert_in_range(learned.rounds, 10, 120);
	const struct cost_options none = { .seed = 0 };
	struct model *prior = cost_model_analytic.create(&none);
	double before = accuracy_on_new(&cost_model_analytic, prior, &w, scores);
	double accuracy = accuracy_on_new(&cost_model_xgboost, m, &w, scores);

	print_message("accuracy %.3f, held out %.3f, prior %.3f, %d rounds\n", accuracy,
		      learned.held_accuracy, before, learned.rounds);
	assert_true(before < 0.8);
	assert_true(accuracy > 0.85);
	assert_true(fabs(accuracy - learned.held_accuracy) < 0.1);
	assert_true(recall_at_k(scores, w.truth + KNOWN, PROGRAMS - KNOWN, 30) > 0.6);
	cost_model_analytic.free(prior);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

/* Two tasks of very different speed are each ranked by their own best. */
static void test_groups(void **state)
{
	struct world w = world_new(2);
	struct model *m = new_model(1);
	float scores[PROGRAMS];

	(void)state;
	for (int i = 0; i < KNOWN; i += 2) {
		w.sample[i].group = 1;
		w.sample[i].throughput *= 1000;
	}
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, KNOWN, NULL), 0);
	assert_true(accuracy_on_new(&cost_model_xgboost, m, &w, scores) > 0.85);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

static void test_deterministic(void **state)
{
	struct world w = world_new(3);
	struct model *x = new_model(1), *y = new_model(1);
	float by_x[PROGRAMS], by_y[PROGRAMS];

	(void)state;
	assert_int_equal(cost_model_xgboost.learn(x, w.sample, KNOWN, NULL), 0);
	assert_int_equal(cost_model_xgboost.learn(y, w.sample, 50, NULL), 0);
	assert_int_equal(cost_model_xgboost.learn(y, w.sample, KNOWN, NULL), 0);
	cost_model_xgboost.score(x, 0, w.program, PROGRAMS, by_x);
	cost_model_xgboost.score(y, 0, w.program, PROGRAMS, by_y);
	assert_memory_equal(by_x, by_y, sizeof(by_x));
	for (int i = 0; i < PROGRAMS; i++) {	/* one by one as all at once */
		float one;

		cost_model_xgboost.score(x, 0, &w.program[i], 1, &one);
		assert_true(one == by_x[i]);
	}
	cost_model_xgboost.free(x);
	cost_model_xgboost.free(y);
	arena_free(w.a);
}

/* Programs whose first store asks for many registers fail. */
static bool fails(const struct feature_matrix *p)
{
	return p->rows[FEATURE_ACC_REGISTERS] > 4.5f;
}

static void test_failures_teach(void **state)
{
	struct world w = world_new(4);
	struct model *m = new_model(1);
	struct cost_learned learned;
	float scores[PROGRAMS], works[PROGRAMS];
	double good = 0, bad = 0;
	int n_good = 0, n_bad = 0;

	(void)state;
	for (int i = 0; i < KNOWN; i++)
		if (fails(&w.program[i]))
			w.sample[i].throughput = 0;
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, KNOWN, &learned), 0);
	assert_true(learned.validity);
	assert_true(learned.failed > 30);
	accuracy_on_new(&cost_model_xgboost, m, &w, scores);
	for (int i = KNOWN; i < PROGRAMS; i++) {
		bool bad_one = fails(&w.program[i]);

		works[i - KNOWN] = !bad_one;
		*(bad_one ? &bad : &good) += (double)scores[i - KNOWN];
		n_bad += bad_one;
		n_good += !bad_one;
	}
	print_message("mean score: %.3f where it works, %.3f where it fails\n", good / n_good,
		      bad / n_bad);
	assert_true(bad / n_bad < 0.6 * (good / n_good));
	assert_true(pairwise_accuracy(scores, works, PROGRAMS - KNOWN) > 0.7);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

enum { FEW = 16 };

/* The accuracy on new programs of one that learned FEW of W, after BASE where that is not NULL. */
static double accuracy_of_few(const struct world *w, const struct world *base)
{
	struct model *m = new_model(1);
	float scores[PROGRAMS];

	if (base)
		assert_int_equal(cost_model_xgboost.pretrain(m, base->sample, KNOWN, NULL), 0);
	assert_int_equal(cost_model_xgboost.learn(m, w->sample, FEW, NULL), 0);
	double accuracy = accuracy_on_new(&cost_model_xgboost, m, w, scores);

	cost_model_xgboost.free(m);
	return accuracy;
}

/* What other tasks have in common is known before the first sample, and helps after it. */
static void test_pretraining(void **state)
{
	struct world others = world_new(8), w = world_new(9);
	struct model *m = new_model(1);
	struct cost_learned learned;
	const struct cost_options none = { .seed = 0 };
	struct model *prior = cost_model_analytic.create(&none);
	float scores[PROGRAMS];

	(void)state;
	for (int i = 0; i < KNOWN; i += 2) {
		others.sample[i].group = 1;
		others.sample[i].throughput *= 1000;
	}
	assert_int_equal(cost_model_xgboost.pretrain(m, others.sample, 7, &learned), 0);
	assert_int_equal(cost_model_xgboost.pretrain(m, others.sample, KNOWN, &learned), 0);
	assert_true(learned.rounds > 0 && learned.samples == KNOWN);
	double by_prior = accuracy_on_new(&cost_model_analytic, prior, &w, scores);
	double by_base = accuracy_on_new(&cost_model_xgboost, m, &w, scores);
	double alone = accuracy_of_few(&w, NULL), both = accuracy_of_few(&w, &others);

	print_message("accuracy: prior %.3f, base %.3f, %d samples alone %.3f, after it %.3f\n",
		      by_prior, by_base, FEW, alone, both);
	assert_true(by_base > by_prior + 0.1);
	assert_true(both > alone + 0.04);
	cost_model_analytic.free(prior);
	cost_model_xgboost.free(m);
	arena_free(w.a);
	arena_free(others.a);
}

/* Samples of three tasks: fast where the prior says so, where it says the contrary, and by chance. How new programs are ordered
 * says how much the prior counts in each, for trees hardly tell programs apart by so few. */
static void test_prior_is_judged(void **state)
{
	enum { TASKS = 3, OF_TASK = 32 };
	struct world w = world_new(9);
	struct model *m = new_model(1);
	float scores[PROGRAMS], by_prior[PROGRAMS];
	double follows[TASKS];

	(void)state;
	for (int i = 0; i < PROGRAMS; i++)
		by_prior[i] = prior_score(&w.program[i]);
	for (int task = 0; task < TASKS; task++) {
		struct cost_sample sample[OF_TASK];

		for (int i = 0; i < OF_TASK; i++) {
			float speed[] = { by_prior[i], 1 / by_prior[i], by_prior[(i + 7) % OF_TASK] };

			sample[i] = w.sample[i];
			sample[i].throughput = speed[task];
			sample[i].group = task;
		}
		assert_int_equal(cost_model_xgboost.learn(m, sample, OF_TASK, NULL), 0);
		cost_model_xgboost.score(m, task, w.program + KNOWN, PROGRAMS - KNOWN, scores);
		follows[task] = pairwise_accuracy(scores, by_prior + KNOWN, PROGRAMS - KNOWN);
	}
	print_message("pairs in the prior's order: %.3f where it is right, %.3f the contrary, %.3f chance\n", follows[0],
		      follows[1], follows[2]);
	assert_true(follows[0] > 0.95);
	assert_true(follows[1] < 0.5);
	assert_true(follows[2] < 0.65);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

/* Until enough programs worked, scores are those of the prior. */
static void test_before_learning(void **state)
{
	struct world w = world_new(6);
	const struct cost_options o = { .seed = 1 };
	struct model *m = new_model(1), *prior = cost_model_analytic.create(&o);
	struct cost_learned learned;
	float scores[PROGRAMS], by_prior[PROGRAMS];

	(void)state;
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, 0, &learned), 0);
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, 7, &learned), 0);
	assert_int_equal(learned.rounds, 0);
	cost_model_xgboost.score(m, 0, w.program, PROGRAMS, scores);
	cost_model_analytic.score(prior, 0, w.program, PROGRAMS, by_prior);
	assert_memory_equal(scores, by_prior, sizeof(scores));
	for (int i = 0; i < PROGRAMS; i++)
		assert_true(by_prior[i] > 0);
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, 8, &learned), 0);
	assert_true(learned.rounds > 0);
	cost_model_analytic.free(prior);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

static int count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	if (!d)
		return 1;
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Ranks by likeness alone: knows what it was told, and something of what is near it. */
static void test_nearest(void **state)
{
	const struct cost_options o = { .seed = 1 };
	struct world w = world_new(10);
	struct model *m = cost_model_nearest.create(&o);
	struct cost_learned learned;
	float scores[PROGRAMS], by_prior[PROGRAMS];

	(void)state;
	for (int i = 0; i < PROGRAMS; i++)
		by_prior[i] = prior_score(&w.program[i]);
	assert_int_equal(cost_model_nearest.learn(m, w.sample, 7, &learned), 0);
	assert_int_equal(learned.rounds, 0);
	cost_model_nearest.score(m, 0, w.program, PROGRAMS, scores);
	assert_memory_equal(scores, by_prior, sizeof(scores));
	w.sample[3].throughput = 0;
	assert_int_equal(cost_model_nearest.learn(m, w.sample, KNOWN, &learned), 0);
	assert_int_equal(learned.samples, KNOWN);
	assert_int_equal(learned.failed, 1);
	cost_model_nearest.score(m, 0, w.program, KNOWN, scores);
	assert_true(pairwise_accuracy(scores, w.truth, KNOWN) > 0.99);
	for (int i = 0; i < KNOWN; i++)		/* like those that it knows, but not the same */
		for (int f = 0; f < w.program[i].n_rows * FEATURE_COUNT; f += 3)
			w.program[i].rows[f] += 0.01f;
	cost_model_nearest.score(m, 0, w.program, KNOWN, scores);
	assert_true(pairwise_accuracy(scores, w.truth, KNOWN) > 0.9);
	cost_model_nearest.free(m);
	arena_free(w.a);
}

enum { PAIRS = 20 };

/* Where only the very next one is alike, others do not blur what is known: programs come in pairs
 * of the same speed, between pairs of another. */
static void test_nearest_few(void **state)
{
	const struct cost_options o = { .seed = 1 };
	struct model *m = cost_model_nearest.create(&o);
	static float rows[2 * PAIRS][FEATURE_COUNT];
	struct cost_sample sample[2 * PAIRS];
	float scores[PAIRS];

	(void)state;
	for (int i = 0; i < 2 * PAIRS; i++) {
		rows[i][FEATURE_PROGRAM_SHARE] = 1;
		rows[i][FEATURE_FLOP] = (float)(10 * (i / 2) + i % 2);
		sample[i] = (struct cost_sample){ rows[i], 1, i / 2 % 2 ? 1 : 100, 0 };
	}
	assert_int_equal(cost_model_nearest.learn(m, sample, 2 * PAIRS, NULL), 0);
	for (int i = 0; i < PAIRS; i++) {
		float between[FEATURE_COUNT] = { 0 };

		between[FEATURE_PROGRAM_SHARE] = 1;
		between[FEATURE_FLOP] = 10 * (float)i + 0.25f;
		cost_model_nearest.score(m, 0, &(struct feature_matrix){ between, 1 }, 1, &scores[i]);
		assert_true(fabsf(scores[i] - (i % 2 ? 0.01f : 1)) < 1e-4f);
	}
	cost_model_nearest.free(m);
}

/* Runs last: the OpenMP runtime keeps the threads that it has started. Few rounds, because two
 * threads that wait for each other take long where others use the cores. */
static void test_threads(void **state)
{
	const struct cost_options o = { .seed = 7, .threads = 2, .max_rounds = 5 };
	struct world w = world_new(7);
	struct model *m = cost_model_xgboost.create(&o);
	float scores[PROGRAMS];

	(void)state;
	assert_int_equal(count_threads(), 1);
	assert_int_equal(cost_model_xgboost.learn(m, w.sample, KNOWN, NULL), 0);
	assert_true(accuracy_on_new(&cost_model_xgboost, m, &w, scores) > 0.6);
	assert_in_range(count_threads(), 1, 2);
	cost_model_xgboost.free(m);
	arena_free(w.a);
}

static void test_table(void **state)
{
	(void)state;
	assert_ptr_equal(cost_model_find("xgboost"), &cost_model_xgboost);
	assert_ptr_equal(cost_model_find("analytic"), &cost_model_analytic);
	assert_ptr_equal(cost_model_find("nearest"), &cost_model_nearest);
	assert_null(cost_model_find("oracle"));
}

static void test_quality(void **state)
{
	const float truth[] = { 5, 4, 3, 2, 1, 0 };
	const float same[] = { 50, 40, 30, 20, 10, 0 };
	const float reversed[] = { 0, 1, 2, 3, 4, 5 };
	const float flat[] = { 1, 1, 1, 1, 1, 1 };
	const float swapped[] = { 4, 5, 3, 2, 1, 0 };

	(void)state;
	assert_true(pairwise_accuracy(same, truth, 6) == 1);
	assert_true(pairwise_accuracy(reversed, truth, 6) == 0);
	assert_true(pairwise_accuracy(flat, truth, 6) == 0.5);
	assert_true(pairwise_accuracy(truth, flat, 6) == 0.5);
	assert_true(fabs(pairwise_accuracy(swapped, truth, 6) - 14 / 15.0) < 1e-12);
	assert_true(rank_correlation(same, truth, 6) == 1);
	assert_true(rank_correlation(reversed, truth, 6) == -1);
	assert_true(recall_at_k(same, truth, 6, 2) == 1);
	assert_true(recall_at_k(reversed, truth, 6, 2) == 0);
	assert_true(recall_at_k(reversed, truth, 6, 4) == 0.5);
	assert_true(recall_at_k(swapped, truth, 6, 1) == 0);
	assert_true(recall_at_k(flat, truth, 6, 3) == 1);	/* ties: the earlier ones */
	assert_true(recall_at_k(reversed, truth, 6, 6) == 1);
	assert_true(recall_at_k(reversed, truth, 0, 3) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_quality),
		cmocka_unit_test(test_before_learning),
		cmocka_unit_test(test_prior_is_judged),
		cmocka_unit_test(test_learns),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_failures_teach),
		cmocka_unit_test(test_pretraining),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nearest_few),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
