/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_lag.c - what is known when a batch is proposed: all but the batch before it, whether the campaign
 * runs through or is stopped after each batch. */
#include "tests/db_fixture.h"

#include "search/campaign/tuner.h"
#include "te/operator.h"
#include "tests/made_up_measurer.h"

#define SPEC "matmul:m=24,n=32,k=16"
#define DEVICE "synthetic:l2:1(size=1MiB) core:1 pu:1 isa=avx2"

enum { TRIALS = 40, BATCH = 8 };

/* A campaign that writes down what each of its proposals knows. */
struct lagging {
	struct made_up_measurer made_up;	/* first */
	struct fixture *f;
	bool stops;		/* after each batch */
	volatile sig_atomic_t stop;
};

/* Strategies keep nothing of their own: lines of the last campaigns. */
static struct text known;

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	const struct history *h = p->history;
	char line[100];

	snprintf(line, sizeof(line), "%jd known, %jd ahead, best %.3f\n", (intmax_t)h->trials,
		 (intmax_t)p->ahead, h->n_best ? h->best[0].time_us : 0);
	/* What is proposed again, because the campaign was stopped, is proposed alike. */
	if (!strstr(text_str(&known), line))
		text_puts(&known, line);
	strategy_find("random")->propose(p, a, rng, b);
}

/* It has a model so that what is known of records comes back with a run. */
static const struct strategy noting = { .name = "noting", .model = &cost_model_analytic,
					.propose = propose };

static int answer(struct made_up_measurer *m, struct arena *a, const struct job_batch *b,
		  struct trial *results)
{
	(void)m;
	for (int i = 0; i < b->n; i++) {
		const char *steps = b->jobs[i].steps;

		made_up_time(a, &results[i],
			     100 + (double)(hash_bytes(steps, strlen(steps)).lo % 1000) / 10);
	}
	return 0;
}

static void hear(void *user, const struct tell *t)
{
	struct lagging *l = user;

	if (t->kind == TELL_PROGRESS)
		l->stop = l->stops;
}

/* How tuner_run() ended. */
static int run(struct lagging *l)
{
	struct db *db = db_open(l->f->path, DB_WRITE);
	struct task_vec tasks = { 0 };
	const struct tuner_options o = {
		.source = SPEC, .own_strategy = &noting, .measurer = &l->made_up.m, .threads = 1,
		.budget.trials = TRIALS, .batch = BATCH, .seed = 3, .stop = &l->stop,
		.listener = { hear, l },
	};

	assert_non_null(db);
	l->stop = 0;
	vec_push(l->f->a, &tasks, task_new(l->f->a, operator_build(l->f->a, SPEC), SPEC, 1));
	struct tuner *t = tuner_new(db, device_synthetic(l->f->a, DEVICE), &tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	int rc = tuner_run(t);

	tuner_free(t);
	db_close(db);
	return rc;
}

static char *play(struct fixture *f, const char *name, bool stops, int *runs)
{
	struct lagging l = { .made_up = { made_up_measurer(), .answer = answer }, .f = f,
			     .stops = stops };

	f->path = arena_printf(f->a, "%s/%s.db", f->folder, name);
	text_free(&known);
	known = (struct text){ 0 };
	for (*runs = 1; run(&l) == 1; *runs += 1)
		assert_true(*runs < 2 * TRIALS);
	return arena_strdup(f->a, text_str(&known));
}

static void test_lag(void **state)
{
	struct fixture *f = *state;
	int runs;
	const char *whole = play(f, "whole", false, &runs);

	assert_int_equal(runs, 1);
	for (int i = 0; i < TRIALS / BATCH; i++) {
		int ahead = i > 0 ? BATCH : 0;
		const char *line = arena_printf(f->a, "%d known, %d ahead,", i * BATCH - ahead, ahead);

		if (!strstr(whole, line))
			fail_msg("'%s' is not in\n%s", line, whole);
	}
	assert_string_equal(play(f, "pieces", true, &runs), whole);
	assert_true(runs > 2);
	text_free(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lag, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
