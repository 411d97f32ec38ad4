/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_contest.c - strategies on a recording: deterministic, new candidates, and what is
 * said of their runs. */
#include "tests/fixture/recording_fixture.h"

#include <unistd.h>

#include "bench/search/ablation.h"
#include "bench/search/curves.h"
#include "bench/search/search.h"
#include "search/strategies/strategy.h"

/* Windows that do not overlap have no other algorithm. */
#define SPEC "conv2d:ic=16,h=30,w=30,oc=16,k=3,s=3,layout=nhwc"

/* From 200 to 600 records, whose landscapes differ, medians of nine seeds say the same. */
enum { RECORDS = 400, TRIALS = 64, SEEDS = 9, BATCH = 16 };

/* Of a time: so much faster is no luck. */
#define MUCH 0.97

static const struct strategy *const strategies[] = {
#define X(name) &strategy_##name,
#include "search/strategies/strategies.def"
#undef X
};

enum { STRATEGIES = sizeof(strategies) / sizeof(strategies[0]) };

struct contest_scene {
	struct recording *recording;
	struct measurer *measurer;
	struct aim aim;
};

static struct contest_scene set_up_with(struct fixture *f, const struct cost_model *stand_in)
{
	static const char *const specs[] = { SPEC };
	struct contest_scene s = { 0 };

	recording_make(f->path, specs, 1, RECORDS);
	s.recording = recording_open(f->path);
	if (!s.recording)
		fail_msg("%s", err_get());
	assert_int_equal(s.recording->tasks.n, 1);
	s.measurer = measurer_replay(s.recording, stand_in);
	s.aim = aim_of(s.recording->device, 1, CACHE_WARM);
	assert_ok(replay_begin(s.measurer, s.recording->tasks.at[0]));
	return s;
}

static struct contest_scene set_up(struct fixture *f)
{
	return set_up_with(f, &cost_model_xgboost);
}

static void tear_down(struct contest_scene *s)
{
	s->measurer->free(s->measurer);
	recording_close(s->recording);
}

static struct contest_result play(struct arena *a, const struct contest_scene *s,
				  const struct strategy *strategy, int trials, uint64_t seed)
{
	struct contest c = { .strategy = strategy, .task = s->recording->tasks.at[0],
			     .aim = &s->aim, .measurer = s->measurer, .trials = trials,
			     .batch = BATCH, .seed = seed };
	struct contest_result r;

	assert_ok(contest_run(a, &c, &r));
	return r;
}

static void the_same_run_twice(void **state)
{
	struct fixture *f = *state;
	struct contest_scene s = set_up(f);

	for (int i = 0; i < STRATEGIES; i++) {
		struct contest_result x = play(f->a, &s, strategies[i], TRIALS, 5);
		struct contest_result y = play(f->a, &s, strategies[i], TRIALS, 5);

		assert_memory_equal(x.best_us, y.best_us, TRIALS * sizeof(*x.best_us));
		assert_int_equal(x.n_rounds, TRIALS / BATCH);
		for (int j = 0; j < x.n_rounds; j++) {
			assert_true(x.rounds[j].rank == y.rounds[j].rank);
			assert_int_equal(x.rounds[j].scored, strategies[i]->model ? BATCH : 0);
		}
	}
	tear_down(&s);
}

/* Batches are full, and no candidate comes twice, also where few are left or a part of evolution is. */
static void proposals_are_new(void **state)
{
	struct fixture *f = *state;
	struct contest_scene s = set_up(f);
	const struct task *t = s.recording->tasks.at[0];
	int n = STRATEGIES;

	while (ablations[n - STRATEGIES])
		n++;
	for (int i = 0; i < n; i++) {
		const struct strategy *one = i < STRATEGIES ? strategies[i] : ablations[i - STRATEGIES];
		struct problem p = {
			.task = t, .sketches = sketches_of(f->a, t->dag, &s.aim), .aim = &s.aim,
			.history = history_new(), .describes = one->model != NULL,
			.learner = one->model ? learner_new(one->model, 1) : NULL,
		};
		struct history *seen = history_new();

		for (uint64_t round = 0; round < 3; round++) {
			struct batch b = batch_new(f->a, BATCH);
			struct rng rng = rng_seed(round);
			struct round r;

			assert_ok(round_play(one, &p, s.measurer, f->a, &rng, &b, &r));
			assert_int_equal(b.n, BATCH);
			for (int j = 0; j < b.n; j++)
				assert_true(history_see(seen, b.at[j].steps));
		}
		history_free(seen);
		history_free(p.history);
		learner_free(p.learner);
	}
	tear_down(&s);
}

static struct search_plan plan_of(const struct contest_scene *s)
{
	return (struct search_plan){ .recording = s->recording, .stand_in = &cost_model_xgboost,
				     .strategy = { &strategy_random, &strategy_evolve },
				     .n = 2, .trials = TRIALS, .baseline = TRIALS,
				     .seeds = SEEDS, .batch = BATCH };
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median over the seeds of what evolution finds when it asks MODEL. */
static double found_with(struct arena *a, const struct contest_scene *s,
			 const struct cost_model *model)
{
	double us[SEEDS];

	for (int i = 0; i < SEEDS; i++) {
		struct contest c = { .strategy = &strategy_evolve, .model = model,
				     .task = s->recording->tasks.at[0], .aim = &s->aim,
				     .measurer = s->measurer, .trials = TRIALS, .batch = BATCH,
				     .seed = (uint64_t)i + 1 };
		struct contest_result r;

		assert_ok(contest_run(a, &c, &r));
		us[i] = r.best_us[TRIALS - 1];
	}
	qsort(us, SEEDS, sizeof(*us), by_value);
	return us[SEEDS / 2];
}

/* The recording is one where the prior misleads: only what is learned can help. */
static void a_model_helps(void **state)
{
	struct fixture *f = *state;
	struct contest_scene s = set_up(f);
	struct search_plan plan = plan_of(&s);
	struct search_task t;

	assert_ok(search_compare(f->a, &plan, s.recording->tasks.at[0], s.measurer, &t));
	double random = search_best(&t.runs[0], TRIALS).median;
	double learned = found_with(f->a, &s, &cost_model_xgboost);
	double misled = found_with(f->a, &s, &cost_model_analytic);

	print_message("best: random %.4g us, evolution %.4g, by the prior alone %.4g\n", random,
		      learned, misled);
	assert_true(learned < MUCH * random);
	assert_true(learned < misled);
	assert_true(search_best(&t.runs[1], TRIALS).median == learned);
	assert_true(t.best_us > 0 && t.best_us <= learned);
	assert_true(t.baseline_us == random);
	assert_true(search_reach(&t.runs[1], random).median < TRIALS);
	assert_true(t.runs[1].guessed > 0.5 && t.runs[1].guessed <= 1);
	assert_int_equal(search_quality(&t, 1, 0, 0).n, 0);
	assert_int_equal(search_quality(&t, 1, 1, 1).n, SEEDS);
	tear_down(&s);
}

/* A replay says how much of it was guessed, and no guess is below the floor. */
static void guesses_are_counted(void **state)
{
	static const struct cost_model *const kinds[] = { &cost_model_xgboost,
							  &cost_model_nearest };
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		struct contest_scene s = set_up_with(f, kinds[i]);
		struct replay_answers from = replay_answers(s.measurer);

		assert_int_equal(from.records, RECORDS);
		assert_int_equal(from.recorded + from.guessed, 0);
		struct contest_result r = play(f->a, &s, &strategy_random, TRIALS, 9);

		from = replay_answers(s.measurer);
		assert_int_equal(from.recorded + from.guessed, TRIALS);
		assert_true(from.guessed > 0);
		assert_true(from.least_us > 0 && from.deviation > 0);
		assert_true(r.best_us[TRIALS - 1] >= from.least_us * (1 - 1e-9));
		tear_down(&s);
		unlink(f->path);
	}
}

static void quartiles(void **state)
{
	static double best[5][2] = { { 9, 4 }, { 0, 2 }, { 7, 7 }, { 0, 1 }, { 0, 3 } };
	struct contest_result runs[5];
	struct search_runs r = { .trials = 2, .n = 5, .run = runs };

	(void)state;
	for (int i = 0; i < 5; i++)
		runs[i].best_us = best[i];
	struct spread last = search_best(&r, 2), reach = search_reach(&r, 3);

	assert_true(last.low == 2 && last.median == 3 && last.high == 4);
	assert_true(isinf(search_best(&r, 1).median) && search_best(&r, 1).low == 9);
	assert_int_equal(search_at_floor(&r, 2), 2);
	assert_int_equal(search_at_floor(&r, 0.5), 0);
	assert_true(reach.low == 2 && reach.median == 2 && isinf(reach.high));
}

static int count(const char *s, const char *word)
{
	int n = 0;

	for (; (s = strstr(s, word)); s++)
		n++;
	return n;
}

static void curves_are_drawn(void **state)
{
	static const double low[20] = { 0 }, high[20] = { 0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1,
							  1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const char *const names[] = { "one", "other" };
	const struct curve curve[] = { { low, high, high, 20 }, { low, low, high, 4 } };
	const struct panel panel[] = { { "a<b", curve }, { "c", curve }, { "d", curve } };
	struct text svg = { 0 };

	(void)state;
	curves_svg(&svg, panel, 3, names, 2);
	assert_int_equal(strncmp(svg.s, "<svg ", 5), 0);
	assert_int_equal(count(svg.s, "a&lt;b"), 1);
	assert_int_equal(count(svg.s, ">other<"), 1);
	/* a curve that ends before the axis begins is not drawn */
	assert_int_equal(count(svg.s, "fill-opacity"), 3);
	assert_null(strstr(svg.s, "nan"));
	assert_null(strstr(svg.s, "inf"));
	text_free(&svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_run_twice, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(proposals_are_new, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(a_model_helps, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(guesses_are_counted, fixture_new, fixture_free),
		cmocka_unit_test(quartiles),
		cmocka_unit_test(curves_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
