/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_seed.c - a campaign tries a chain as its parts are computed by then, and again when one of them has
 * become faster, whether it runs through or is stopped after each batch. */
#include "tests/db_fixture.h"

#include "search/campaign/tuner.h"
#include "tests/made_up_measurer.h"
#include "te/text/text.h"

#define DEVICE "synthetic:l2:1(size=1MiB) core:1 pu:1 isa=avx2"

#define WINDOW "const K: f32[3, 16]\nD[y < 14, c < 16] = sum(r < 3) X[y + r, c] * K[r, c]\n"
#define PRODUCT "const W: f32[16, 24]\nO[y < 14, k < 24] = sum(c < 16) D[y, c] * W[c, k]\n"

static const char *const texts[] = {
	"input X: f32[16, 16]\n" WINDOW,
	"input D: f32[14, 16]\n" PRODUCT,
	"input X: f32[16, 16]\n" WINDOW PRODUCT,
};

enum { TASKS = 3, CHAIN = 2, TRIALS = 160, BATCH = 8 };

struct seeding {
	struct made_up_measurer made_up;	/* first */
	struct fixture *f;
	bool stops;		/* after each batch */
	volatile sig_atomic_t stop;
};

/* Strategies keep nothing of their own: a line for each new batch of the last campaign, and how many had seeds. */
static struct text log_of;
static int seeded;

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	char line[120];

	snprintf(line, sizeof(line), "%s %jd %jd %d\n", p->task->name,
		 (intmax_t)p->history->trials, (intmax_t)p->ahead, b->n);
	/* What is proposed again, because the campaign was stopped, is proposed alike. */
	if (!strstr(text_str(&log_of), line)) {
		text_puts(&log_of, line);
		seeded += b->n > 0;
	}
	if (b->n > 0) {
		assert_string_equal(p->task->name, "chain");
		assert_non_null(p->seed);
		assert_string_equal(b->at[0].steps, p->seed);
	}
	strategy_find("random")->propose(p, a, rng, b);
}

static const struct strategy noting = { .name = "noting", .model = &cost_model_analytic, .propose = propose };

static int answer(struct made_up_measurer *m, struct arena *a, const struct job_batch *b, struct trial *results)
{
	(void)m;
	for (int i = 0; i < b->n; i++) {
		const char *steps = b->jobs[i].steps;

		made_up_time(a, &results[i], 100 + (double)(hash_bytes(steps, strlen(steps)).lo % 1000) / 10);
	}
	return 0;
}

static void hear(void *user, const struct tell *t)
{
	struct seeding *s = user;

	if (t->kind == TELL_PROGRESS)
		s->stop = s->stops;
}

/* How tuner_run() ended. */
static int run(struct seeding *s)
{
	static const char *const names[] = { "window", "product", "chain" };
	struct db *db = db_open(s->f->path, DB_WRITE);
	struct task_vec tasks = { 0 };
	const struct tuner_options o = {
		.source = "chain", .own_strategy = &noting, .measurer = &s->made_up.m, .threads = 1,
		.budget.trials = TRIALS, .batch = BATCH, .seed = 3, .stop = &s->stop, .listener = { hear, s },
	};

	assert_non_null(db);
	s->stop = 0;
	for (int i = 0; i < TASKS; i++) {
		struct dag *d = dag_parse(s->f->a, names[i], texts[i]);

		assert_non_null(d);
		vec_push(s->f->a, &tasks, task_new(s->f->a, d, names[i], 1));
	}
	struct tuner *t = tuner_new(db, device_synthetic(s->f->a, DEVICE), &tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	int rc = tuner_run(t);

	tuner_free(t);
	db_close(db);
	return rc;
}

static char *play(struct fixture *f, const char *name, bool stops, int *runs)
{
	struct seeding s = { .made_up = { made_up_measurer(), .answer = answer }, .f = f, .stops = stops };

	f->path = arena_printf(f->a, "%s/%s.db", f->folder, name);
	text_free(&log_of);
	log_of = (struct text){ 0 };
	seeded = 0;
	for (*runs = 1; run(&s) == 1; *runs += 1)
		assert_true(*runs < 2 * TRIALS);
	return arena_strdup(f->a, text_str(&log_of));
}

static void test_seeded(void **state)
{
	struct fixture *f = *state;
	int runs;
	const char *whole = play(f, "whole", false, &runs);

	assert_int_equal(runs, 1);
	assert_in_range(seeded, 2, TRIALS / BATCH - 2);
	assert_string_equal(play(f, "pieces", true, &runs), whole);
	assert_true(runs > 2);
	text_free(&log_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_seeded, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
