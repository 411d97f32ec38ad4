/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_tune_model.c - which kernels of a model a campaign spends its trials on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "tools/campaign/tune_model.h"

#define MODEL TOP_SRCDIR "/examples/tiny_cnn.onnx"
#define CACHES(l2) "synthetic:l3:1(size=8MiB) l2:1(size=" l2 ") l1d:1(size=48KiB) core:1 pu:1"

enum { KERNELS = 15 };	/* of the model */

struct weighing {
	struct arena *arena;
	struct task_vec tasks;
	struct weigher weigher;
	double constants;
	double *best, *hope, *runs, *weight;
};

static struct weighing *weighing_new(const char *device)
{
	struct arena *a = arena_new();
	struct weighing *w = arena_one(a, struct weighing);

	w->arena = a;
	if (tune_model(a, MODEL, device_synthetic(a, device), 1, &w->tasks, &w->weigher, &w->constants) < 0)
		fail_msg("%s", err_get());
	w->best = arena_many(a, double, w->tasks.n);
	w->hope = arena_many(a, double, w->tasks.n);
	w->runs = arena_many(a, double, w->tasks.n);
	w->weight = arena_many(a, double, w->tasks.n);
	for (int i = 0; i < w->tasks.n; i++)
		w->hope[i] = 1e-3;
	return w;
}

static int set_up(void **state)
{
	*state = weighing_new(CACHES("1MiB"));
	return 0;
}

/* None of the model's images stays in its caches. */
static int set_up_small(void **state)
{
	*state = weighing_new(CACHES("4KiB"));
	return 0;
}

static int tear_down(void **state)
{
	struct weighing *w = *state;

	arena_free(w->arena);
	return 0;
}

/* The weights where all tasks that have one in CHOSEN (NULL: none) take US; in the arena. */
static const double *weigh(struct weighing *w, const double *chosen, double us)
{
	for (int i = 0; i < w->tasks.n; i++)
		if (chosen && chosen[i] > 0)
			w->best[i] = w->hope[i] = us;
	w->weigher.weigh(w->weigher.user, w->best, w->hope, w->runs, w->weight);
	for (int i = 0; i < w->tasks.n; i++)
		assert_true(w->runs[i] <= w->weight[i]);
	return arena_memdup(w->arena, w->weight, sizeof(*w->weight) * (size_t)w->tasks.n);
}

static int count(const struct weighing *w, const double *weight)
{
	int n = 0;

	for (int i = 0; i < w->tasks.n; i++)
		n += weight[i] > 0;
	return n;
}

/* Before there are kernels, those of the storages that are expected to be best are enough to run the
 * model, and few others are wanted. */
static void test_begins_with_what_is_expected(void **state)
{
	struct weighing *w = *state;
	int n = count(w, weigh(w, NULL, 0));

	assert_true(w->tasks.n > 2 * KERNELS);
	assert_in_range(n, KERNELS, w->tasks.n / 2);
	assert_true(w->constants > 0);
}

/* What turned out fast stays. Then other ways to cut its kernels are tried, and given up where they are
 * no faster. */
static void test_fast_ones_stay(void **state)
{
	struct weighing *w = *state;
	const double *first = weigh(w, NULL, 0);
	const double *then = weigh(w, first, 1e-3);
	int others = 0;

	for (int i = 0; i < w->tasks.n; i++) {
		others += first[i] == 0 && then[i] > 0;
		if (first[i] == 0 && then[i] > 0)
			w->best[i] = w->hope[i] = 1;
	}
	assert_in_range(others, 1, KERNELS);
	then = weigh(w, first, 1e-3);
	for (int i = 0; i < w->tasks.n; i++)
		assert_true(first[i] > 0 || then[i] == 0);
}

/* What turned out slow makes room for storages that nobody tried. */
static void test_slow_ones_go(void **state)
{
	struct weighing *w = *state;
	const double *first = weigh(w, NULL, 0);
	const double *then = weigh(w, first, 1e6);
	int others = 0;

	for (int i = 0; i < w->tasks.n; i++)
		others += first[i] == 0 && then[i] > 0;
	assert_true(others > 0);
}

/* The chains that have a weight. */
static int chains(const struct weighing *w, const double *weight)
{
	int n = 0;

	for (int i = 0; i < w->tasks.n; i++)
		n += weight[i] > 0 && strchr(w->tasks.at[i]->op, '>');
	return n;
}

/* The weights where the parts of chains take 10, and chains 30. */
static const double *weigh_slow_chains(struct weighing *w, const double *parts)
{
	for (int i = 0; i < w->tasks.n; i++)
		if (strchr(w->tasks.at[i]->op, '>'))
			w->best[i] = w->hope[i] = 30;
	return weigh(w, parts, 10);
}

/* Chains wait for kernels of their parts, and are not tried where what is between the parts stays in the cache. */
static void test_chains_that_stay_in_the_cache(void **state)
{
	struct weighing *w = *state;
	const double *first = weigh(w, NULL, 0);

	assert_int_equal(chains(w, first), 0);
	assert_int_equal(chains(w, weigh(w, first, 10)), 0);
	assert_int_equal(chains(w, weigh_slow_chains(w, first)), 0);
}

/* Elsewhere they are tried once their parts are not expected to become much faster, and again when they did. */
static void test_chains_that_leave_the_cache(void **state)
{
	struct weighing *w = *state;
	const double *first = weigh(w, NULL, 0);

	assert_int_equal(chains(w, first), 0);
	weigh(w, first, 10);
	for (int i = 0; i < w->tasks.n; i++)
		if (first[i] > 0)
			w->hope[i] = 5;
	assert_int_equal(chains(w, weigh(w, NULL, 0)), 0);
	int n = chains(w, weigh(w, first, 10));

	assert_in_range(n, 1, KERNELS);
	assert_int_equal(chains(w, weigh_slow_chains(w, first)), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_chains_that_stay_in_the_cache, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_chains_that_leave_the_cache, set_up_small, tear_down),
		cmocka_unit_test_setup_teardown(test_begins_with_what_is_expected, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fast_ones_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slow_ones_go, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
