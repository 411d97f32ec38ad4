/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_scheduler.c - which task comes next, played through on simulated tasks. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "search/campaign/scheduler.h"
#include "tests/sim_tasks.h"

enum { INSTANCES = 300 };

static struct scheduler scheduler_of(struct arena *a, struct sim_model *m)
{
	struct task_vec tasks = { 0 };

	for (int i = 0; i < m->n; i++)
		vec_push(a, &tasks, &m->at[i].task);
	return scheduler_new(a, &tasks, PEAK, (struct weigher){ 0 });
}

static void hear(struct scheduler *s, int i, int size, double best_us)
{
	scheduler_sent(s, i, size);
	scheduler_heard(s, i, size, best_us);
}

/* One batch of task I, which is returned. */
static int play(struct sim_model *m, struct scheduler *s, int i, int size)
{
	hear(s, i, size, best_of(&m->at[i], size));
	return i;
}

static int play_next(struct sim_model *m, struct scheduler *s, int64_t *left)
{
	int i = scheduler_next(s);
	int size = scheduler_batch(s, i, BATCH, *left);

	*left -= size;
	return play(m, s, i, size);
}

/* The model's time. A task without a kernel is slow; one that can have none does not count. */
static double time_of(const struct sim_model *m, const struct scheduler *s)
{
	double sum = 0;

	for (int i = 0; i < m->n; i++) {
		const struct sim *t = &m->at[i];
		double none = t->valid > 0 ? t->floor_us * (1 + 3 * t->c) : 0;

		sum += t->task.weight * (s->at[i].best_us > 0 ? s->at[i].best_us : none);
	}
	return sum;
}

/* --- what it is compared with */

/* A policy plays M, of which it has a copy, and returns the model's time. */
typedef double policy(struct sim_model m);

static double by_gain(struct sim_model m)
{
	struct arena *a = arena_new();
	struct scheduler s = scheduler_of(a, &m);

	for (int64_t left = m.budget; left > 0;)
		play_next(&m, &s, &left);
	double sum = time_of(&m, &s);

	arena_free(a);
	return sum;
}

static double in_turn(struct sim_model m)
{
	struct arena *a = arena_new();
	struct scheduler s = scheduler_of(a, &m);
	int64_t left = m.budget;

	for (int i = 0; left > 0; i++) {
		int size = i < m.n ? FIRST : BATCH;

		size = size < left ? size : (int)left;
		play(&m, &s, i % m.n, size);
		left -= size;
	}
	double sum = time_of(&m, &s);

	arena_free(a);
	return sum;
}

/* Three tenths of the budget evenly, the rest by what the tasks compute in the model. */
static double by_work(struct sim_model m)
{
	struct arena *a = arena_new();
	struct scheduler s = scheduler_of(a, &m);
	double flop = 0, due = 0;
	int64_t spent = 0;

	for (int i = 0; i < m.n; i++)
		flop += m.at[i].task.weight * m.at[i].task.flop;
	for (int i = 0; i < m.n; i++) {
		double work = m.at[i].task.weight * m.at[i].task.flop / flop;

		due += (0.3 / m.n + 0.7 * work) * (double)m.budget;
		play(&m, &s, i, (int)(llround(due) - spent));
		spent = llround(due);
	}
	double sum = time_of(&m, &s);

	arena_free(a);
	return sum;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The time under OTHER over that of the scheduler, sorted. CURVES: of mixed curves. */
static void ratios(policy *other, enum sim_curve curve, double ratio[INSTANCES])
{
	for (int i = 0; i < INSTANCES; i++) {
		struct sim_model m = random_model((uint64_t)i + 1);

		for (int j = 0; j < m.n && curve != CURVES; j++)
			m.at[j].curve = curve;
		ratio[i] = other(m) / by_gain(m);
	}
	qsort(ratio, INSTANCES, sizeof(*ratio), compare);
}

static void better_than_shares(void **state)
{
	static const char *const names[] = { "power", "samples", "steps", "mixed" };
	static const struct {
		policy *play;
		const char *name;
	} others[] = { { in_turn, "in turn" }, { by_work, "by work" } };
	double ratio[INSTANCES];

	(void)state;
	for (int i = 0; i < 2; i++)
		for (int curve = 0; curve <= CURVES; curve++) {
			ratios(others[i].play, (enum sim_curve)curve, ratio);
			double least = ratio[0], low = ratio[INSTANCES / 20];
			double median = ratio[INSTANCES / 2];

			print_message("%s, %s: median %.3f, 5%% %.3f, least %.3f, most %.3f\n",
				      others[i].name, names[curve], median, low, least,
				      ratio[INSTANCES - 1]);
			assert_true(median > 1.01);
			assert_true(low > 0.95);
			assert_true(least > 0.6);
		}
}

/* --- single properties */

static void first_round(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(10);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	assert_int_equal(scheduler_batch(&s, 0, BATCH, -1), FIRST);
	assert_int_equal(scheduler_batch(&s, 0, 4, -1), 4);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, 3), 1);
	int64_t left = 40;

	for (int i = 0; i < m.n; i++) {
		assert_int_equal(scheduler_batch(&s, i, BATCH, left), 2);
		assert_int_equal(play_next(&m, &s, &left), i);
	}
	assert_int_equal(left, 20);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, left), FIRST);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, 5), 5);
	hear(&s, 0, EARLY, 100);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, left), BATCH);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, 5), 5);
	assert_int_equal(scheduler_batch(&s, 0, BATCH, -1), BATCH);
	arena_free(a);
}

static void alone(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(1);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	for (int64_t left = 100; left > 0;) {
		int64_t size = 100 - left < EARLY ? FIRST : BATCH;

		assert_int_equal(scheduler_batch(&s, 0, BATCH, left), left < size ? left : size);
		assert_int_equal(play_next(&m, &s, &left), 0);
	}
	s.at[0].exhausted = true;
	assert_int_equal(scheduler_next(&s), -1);
	arena_free(a);
}

static void exhausted(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(3);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	s.at[0].exhausted = true;	/* before its first trial, even */
	for (int64_t left = 200; left > 0;)
		assert_int_not_equal(play_next(&m, &s, &left), 0);
	s.at[2].exhausted = true;
	for (int64_t left = 200; left > 0;)
		assert_int_equal(play_next(&m, &s, &left), 1);
	s.at[1].exhausted = true;
	assert_int_equal(scheduler_next(&s), -1);
	arena_free(a);
}

/* A task that cannot be scheduled takes a few even shares at most, and is tried again for as long
 * as there is a budget. */
static void never_valid(void **state)
{
	(void)state;
	for (int i = 0; i < INSTANCES; i++) {
		struct arena *a = arena_new();
		struct sim_model m = random_model((uint64_t)i + 1);
		struct scheduler s = scheduler_of(a, &m);
		int64_t left = m.budget;

		m.at[0].valid = 0;
		while (left > 0)
			play_next(&m, &s, &left);
		int64_t tried = s.at[0].trials;

		assert_true(tried * m.n <= 4 * m.budget);
		for (left = 50 * m.budget; left > 0;)
			play_next(&m, &s, &left);
		assert_true(s.at[0].trials > tried);
		assert_true(s.at[0].trials * m.n <= 4 * 51 * m.budget);
		arena_free(a);
	}
}

static void no_kernel_at_all(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(4);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	for (int i = 0; i < m.n; i++)
		m.at[i].valid = 0;
	for (int64_t left = 1000; left > 0;)
		play_next(&m, &s, &left);
	for (int i = 0; i < m.n; i++)
		assert_in_range(s.at[i].trials, 200, 300);
	arena_free(a);
}

/* Neither copies, which compute nothing, nor a device whose peak nobody knows. */
static void nothing_to_divide_by(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = random_model(7);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	s.peak = 0;
	for (int i = 0; i < m.n; i += 2)
		m.at[i].task.flop = 0;
	for (int64_t left = 200 * m.n; left > 0;)
		play_next(&m, &s, &left);
	for (int i = 0; i < m.n; i++) {
		assert_true(isfinite(s.at[i].rate) && isfinite(s.at[i].unheard));
		assert_true(s.at[i].trials > FIRST);
	}
	arena_free(a);
}

/* Of tasks that take the same time, the one whose like are much faster has most to gain. */
static void far_from_similar(void **state)
{
	static const char *const ops[][3] = {
		{ "dense", "dense+bias", "conv2d" },
		{ "depthwise+relu>conv2d", "depthwise>conv2d+bias", "depthwise" },
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool fast = i % 2;
		struct arena *a = arena_new();
		struct sim_model m = equal_model(4);
		struct scheduler s = scheduler_of(a, &m);

		for (int j = 0; j < 3; j++)
			m.at[j].task.op = ops[i / 2][j];
		hear(&s, 0, BATCH, fast ? 25 : 100);
		for (int j = 1; j < m.n; j++)
			hear(&s, j, BATCH, 100);
		assert_int_equal(scheduler_next(&s), fast ? 1 : 3);
		arena_free(a);
	}
}

/* A task that takes no more than what memory needs for it has nothing to gain, however slow it is by its operations. */
static void bound_by_memory(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(2);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	hear(&s, 0, BATCH, 200);
	hear(&s, 1, BATCH, 100);
	assert_int_equal(scheduler_next(&s), 0);
	scheduler_bound(&s, 0, 199);
	assert_int_equal(scheduler_next(&s), 1);
	scheduler_bound(&s, 1, 150);	/* a probe may be below what a kernel reaches */
	assert_int_equal(scheduler_next(&s), 0);
	arena_free(a);
}

/* What is on its way counts as tried, so that no task gets its first batch twice. */
static void counts_what_is_sent(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(2);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	assert_int_equal(scheduler_next(&s), 0);
	scheduler_sent(&s, 0, FIRST);
	assert_int_equal(scheduler_next(&s), 1);
	scheduler_sent(&s, 1, FIRST);
	scheduler_heard(&s, 0, FIRST, 100);
	assert_int_equal(s.at[0].trials, FIRST);
	assert_int_equal(s.at[0].sent, 0);
	assert_int_equal(s.at[1].sent, FIRST);
	arena_free(a);
}

/* What may still be gained is told when trials outweigh the guess; it fades where none gains, and comes back where one does. */
static void gain_fades(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(1);
	struct scheduler s = scheduler_of(a, &m);
	double before;

	(void)state;
	for (int n = 0; n < 64; n += BATCH) {
		assert_true(scheduler_gain(&s, 0) == 1);
		hear(&s, 0, BATCH, 100);
	}
	before = scheduler_gain(&s, 0);
	assert_true(before < 1);
	for (int i = 0; i < 64; i++) {
		hear(&s, 0, BATCH, 100);
		assert_true(scheduler_gain(&s, 0) < before || before == 0);
		before = scheduler_gain(&s, 0);
	}
	assert_true(before < 0.01);
	hear(&s, 0, BATCH, 50);
	assert_true(scheduler_gain(&s, 0) > before);
	arena_free(a);
}

/* Winograd's kernels are faster than the operations as written allow: what is guessed of them says nothing of when they are done. */
static void gain_is_of_what_was_heard(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(1);
	struct scheduler slow = scheduler_of(a, &m), fast = scheduler_of(a, &m);

	(void)state;
	slow.peak = 1e-6;
	fast.peak = 1e6;
	for (int n = 0; n < 128; n += BATCH) {
		hear(&slow, 0, BATCH, 200 - n);
		hear(&fast, 0, BATCH, 200 - n);
	}
	assert_true(scheduler_gain(&slow, 0) > 0 && scheduler_gain(&slow, 0) == scheduler_gain(&fast, 0));
	arena_free(a);
}

/* A change of task is not worth a few percent; more, it is. */
static void stays(void **state)
{
	struct arena *a = arena_new();
	struct sim_model m = equal_model(2);
	struct scheduler s = scheduler_of(a, &m);

	(void)state;
	hear(&s, 0, FIRST, 100);
	hear(&s, 1, FIRST, 100);
	s.at[0].weight = 1.02;
	assert_int_equal(scheduler_next(&s), 1);
	s.at[0].weight = 1.2;
	assert_int_equal(scheduler_next(&s), 0);
	arena_free(a);
}

/* --- between two runs */

/* S as it comes back from the text that a journal keeps. */
static struct scheduler reload(struct arena *a, struct sim_model *m, const struct scheduler *s)
{
	struct scheduler loaded = scheduler_of(a, m);
	json_t *saved = scheduler_save(s);
	char *text = json_dumps(saved, JSON_COMPACT | JSON_SORT_KEYS);
	json_t *read = json_loads(text, 0, NULL);

	assert_non_null(read);
	if (scheduler_load(&loaded, read) < 0)
		fail_msg("%s", err_get());
	free(text);
	json_decref(saved);
	json_decref(read);
	return loaded;
}

static void resumed(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct arena *a = arena_new();
		struct sim_model m = random_model(seed), again = m;
		struct scheduler s = scheduler_of(a, &m), t = scheduler_of(a, &again);
		int64_t left = m.budget, left_again = m.budget;

		m.at[0].valid = again.at[0].valid = 0;
		while (left > 0) {
			int i = play_next(&m, &s, &left);

			t = reload(a, &again, &t);
			assert_int_equal(play_next(&again, &t, &left_again), i);
			assert_int_equal(left, left_again);
			s.at[1].exhausted = t.at[1].exhausted = left < m.budget / 2;
		}
		for (int i = 0; i < m.n; i++) {
			assert_int_equal(s.at[i].trials, t.at[i].trials);
			assert_true(s.at[i].best_us == t.at[i].best_us);
			assert_true(s.at[i].rate == t.at[i].rate);
			assert_true(s.at[i].unheard == t.at[i].unheard);
			assert_int_equal(s.at[i].exhausted, t.at[i].exhausted);
		}
		arena_free(a);
	}
}

static void damaged(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"tasks\": []}",
		"{\"tasks\": {\"key1\": {\"trials\": 3}}}",
		"{\"tasks\": {\"key1\": {\"trials\": -3, \"best_us\": 0, \"rate\": 0, "
		"\"unheard\": 1, \"exhausted\": false}}}",
	};
	struct arena *a = arena_new();
	struct sim_model m = equal_model(2);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct scheduler s = scheduler_of(a, &m);
		json_t *saved = json_loads(texts[i], 0, NULL);

		assert_non_null(saved);
		assert_int_equal(scheduler_load(&s, saved), -1);
		json_decref(saved);
	}
	json_t *none = json_loads("{\"tasks\": {\"other\": {}}, \"current\": \"other\"}", 0, NULL);
	struct scheduler s = scheduler_of(a, &m);

	assert_int_equal(scheduler_load(&s, none), 0);
	assert_int_equal(scheduler_next(&s), 0);
	json_decref(none);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(better_than_shares),
		cmocka_unit_test(first_round),
		cmocka_unit_test(alone),
		cmocka_unit_test(exhausted),
		cmocka_unit_test(never_valid),
		cmocka_unit_test(no_kernel_at_all),
		cmocka_unit_test(nothing_to_divide_by),
		cmocka_unit_test(far_from_similar),
		cmocka_unit_test(bound_by_memory),
		cmocka_unit_test(counts_what_is_sent),
		cmocka_unit_test(gain_fades),
		cmocka_unit_test(gain_is_of_what_was_heard),
		cmocka_unit_test(stays),
		cmocka_unit_test(resumed),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
