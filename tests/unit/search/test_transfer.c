/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_transfer.c - what a campaign learns from others: on this device, on others; and
 * that one which was stopped learns it anew, from the records that were there when it began. */
#include "tests/fixture/recording_fixture.h"

#include "search/campaign/tuner.h"
#include "tests/fake/made_up_measurer.h"

#define SPEC_A "matmul:m=48,n=64,k=32"
#define SPEC_B "matmul:m=32,n=96,k=64"
#define SPEC_C "matmul:m=64,n=32,k=48"
#define SPEC_D "matmul:m=24,n=48,k=96"
#define THIS_DEVICE "synthetic:l3:1(size=8MiB) l2:2(size=1MiB) core:1 pu:1 isa=avx512"
#define SISTER "synthetic:l3:1(size=4MiB) l2:4(size=512KiB) core:1 pu:1 isa=avx512"
#define STRANGER "synthetic:l3:1(size=8MiB) l2:2(size=1MiB) core:1 pu:1 isa=avx2"

/* --- a machine that is by some rule slower than the prior believes */

struct slow_machine {
	struct made_up_measurer made_up;	/* first */
	const struct device *device;
};

static double time_of(const struct feature_matrix *m, const char *steps)
{
	double us = 1e6 / (double)prior_score(m);

	for (int i = 0; i < m->n_rows; i++) {
		const float *row = m->rows + (ptrdiff_t)i * FEATURE_COUNT;

		us *= 1 + 0.2 * (double)row[FEATURE_UNROLL_PRODUCT];
	}
	return us * (1 + 1e-3 * (double)(hash_bytes(steps, strlen(steps)).lo % 64));
}

static int answer(struct made_up_measurer *m, struct arena *a, const struct job_batch *b,
		  struct trial *results)
{
	const struct aim aim = aim_of(((struct slow_machine *)m)->device, 1, CACHE_WARM);
	const struct problem p = { .task = b->task, .aim = &aim, .describes = true };

	for (int i = 0; i < b->n; i++) {
		const char *steps = b->jobs[i].steps;
		struct candidate c;

		assert_true(candidate_recall(&p, a, steps, &c));
		made_up_time(a, &results[i], time_of(&c.features, steps));
	}
	return 0;
}

/* --- campaigns */

struct campaign_run {
	const char *spec, *device;
	int trials;
	int threads;		/* 0: 1 */
	int rounds;		/* stop after so many; 0: do not */
	enum cache_state cache;
	bool no_transfer, exact, fresh;
	volatile sig_atomic_t stop;
};

static void count_round(void *user, const struct tell *t)
{
	struct campaign_run *r = user;

	if (t->kind == TELL_PROGRESS)
		r->stop = r->rounds > 0 && --r->rounds == 0;
}

/* Runs it on the database at F; what it learned before, "" for nothing. */
static const char *play(struct fixture *f, struct campaign_run run)
{
	struct slow_machine machine = { .made_up = { made_up_measurer(), .answer = answer } };
	struct task_vec tasks = { 0 };
	const struct tuner_options o = {
		.source = run.spec, .measurer = &machine.made_up.m, .threads = run.threads ? run.threads : 1, .cache = run.cache,
		.budget = { .trials = run.trials },
		.seed = 1, .fresh = run.fresh, .no_transfer = run.no_transfer, .exact = run.exact, .stop = &run.stop,
		.listener = { count_round, &run },
	};
	struct device *device = device_synthetic(f->a, run.device ? run.device : THIS_DEVICE);
	struct dag *dag = operator_build(f->a, run.spec);
	struct db *db = db_open(f->path, DB_WRITE);

	assert_non_null(device);
	machine.device = device;
	assert_non_null(dag);
	assert_non_null(db);
	vec_push(f->a, &tasks, task_new(f->a, dag, run.spec, 1));
	struct tuner *t = tuner_new(db, device, &tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	const char *said = tuner_transferred(t);
	char *copy = arena_strdup(f->a, said ? said : "");

	assert_ok(tuner_run(t));
	tuner_free(t);
	assert_sound(db);
	db_close(db);
	return copy;
}

/* As many records of random candidates as a base takes of a task, and some that failed. */
enum { RECORDS = 460 };

static void record(struct fixture *f, const char *spec, const char *device, int n)
{
	struct db *db = db_open(f->path, DB_WRITE);

	record_task(db, f->a, device_synthetic(f->a, device), spec, n);
	db_close(db);
}

static void assert_says(const char *said, const char *words)
{
	if (!strstr(said, words))
		fail_msg("'%s' does not say '%s'", said, words);
}

/* --- tests */

static void test_other_tasks_teach(void **state)
{
	struct fixture *f = *state;

	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_B, THIS_DEVICE, RECORDS);
	assert_says(play(f, (struct campaign_run){ SPEC_C, .trials = 16 }),
		    "pretrained on 800 records of 2 tasks of this device,");
	assert_says(play(f, (struct campaign_run){ SPEC_D, .trials = 16 }),
		    "pretrained on 816 records of 3 tasks of this device,");
	/* A campaign recalls its own task in any case. */
	assert_string_equal(play(f, (struct campaign_run){ SPEC_A, .trials = 16 }), "");
}

static void test_few_records_do_not(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(play(f, (struct campaign_run){ SPEC_A, .trials = 16 }), "");
	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	assert_string_equal(play(f, (struct campaign_run){ SPEC_B, .trials = 16 }), "");
}

static void test_no_transfer(void **state)
{
	struct fixture *f = *state;

	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_B, THIS_DEVICE, RECORDS);
	assert_string_equal(
		play(f, (struct campaign_run){SPEC_C, .trials = 16, .no_transfer = true}), "");
	/* It is another campaign than the one with transfer. */
	assert_says(play(f, (struct campaign_run){SPEC_D, .trials = 32, .rounds = 1}),
		    "pretrained on");
	assert_string_equal(
		play(f, (struct campaign_run){SPEC_D, .trials = 32, .no_transfer = true}), "");
	/* And so is one of exact sums. */
	play(f, (struct campaign_run){SPEC_D, .trials = 32, .rounds = 1, .exact = true});
	struct db *db = db_open(f->path, DB_READ);

	assert_int_equal(count_of(db, "campaigns"), 4);
	db_close(db);
}

static void test_devices(void **state)
{
	struct fixture *f = *state;

	record(f, SPEC_A, STRANGER, RECORDS);
	record(f, SPEC_B, STRANGER, RECORDS);
	assert_string_equal(play(f, (struct campaign_run){ SPEC_C, .trials = 8 }), "");
	record(f, SPEC_A, SISTER, RECORDS);
	record(f, SPEC_B, SISTER, RECORDS);
	/* There also the own task is one to learn from. */
	assert_says(play(f, (struct campaign_run){ SPEC_A, .trials = 8 }),
		    "pretrained on 808 records of 1 task of this device and 2 of related ones,");
}

/* Each state of the caches by itself, described as a campaign in it describes its own. */
static void test_caches(void **state)
{
	struct fixture *f = *state;
	const struct device *d = device_synthetic(f->a, THIS_DEVICE);

	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_B, THIS_DEVICE, RECORDS);
	assert_string_equal(play(f, (struct campaign_run){ SPEC_C, .trials = 16, .cache = CACHE_COLD_WEIGHTS }), "");
	assert_says(play(f, (struct campaign_run){ SPEC_D, .trials = 16 }), "pretrained on 800 records of 2 tasks");
	for (int c = 0; c < CACHE_STATE_COUNT; c++)
		assert_int_equal(aim_of(d, 1, (enum cache_state)c).cold_weights, c == CACHE_COLD_WEIGHTS);
}

/* --- other numbers of threads */

static int keep_first(void *user, const struct db_record *r)
{
	text_puts(user, r->steps);
	return 1;
}

/* The steps of the fastest record of SPEC with so many threads, or of the first that was tried. */
static char *steps_with(struct fixture *f, const char *spec, int threads, bool fastest)
{
	const struct task *task = task_new(f->a, operator_build(f->a, spec), spec, 1);
	struct db_want want = { .task_key = task->key, .threads = threads };
	struct db *db = db_open(f->path, DB_READ);
	struct text t = { 0 };

	if (fastest)
		db_each_standing(db, &want, DB_SUREST, keep_first, &t);
	else
		db_each(db, &want, keep_first, &t);
	db_close(db);
	char *copy = arena_strdup(f->a, text_str(&t));

	text_free(&t);
	return copy;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A campaign begins with what is fast with fewer threads or more, its loops shared out anew. */
static void test_other_threads(void **state)
{
	struct fixture *f = *state;

	play(f, (struct campaign_run){ SPEC_A, .trials = 32 });
	play(f, (struct campaign_run){ SPEC_A, .trials = 16, .threads = 4 });
	const char *alone = steps_with(f, SPEC_A, 1, true), *shared = steps_with(f, SPEC_A, 4, false);

	if (!begins(shared, alone) || !strstr(shared + strlen(alone), "parallel"))
		fail_msg("'%s' does not share '%s'", shared, alone);

	play(f, (struct campaign_run){ SPEC_B, .trials = 32, .threads = 4 });
	play(f, (struct campaign_run){ SPEC_B, .trials = 16 });
	alone = steps_with(f, SPEC_B, 1, false);
	shared = steps_with(f, SPEC_B, 4, true);
	if (!begins(shared, alone) || strlen(alone) == strlen(shared))
		fail_msg("'%s' is not '%s' alone", alone, shared);

	play(f, (struct campaign_run){ SPEC_C, .trials = 32 });
	play(f, (struct campaign_run){ SPEC_C, .trials = 16, .threads = 4, .no_transfer = true });
	assert_false(begins(steps_with(f, SPEC_C, 4, false), steps_with(f, SPEC_C, 1, true)));
}

/* --- kin */

#define DENSE "dense:m=48,n=64,k=32"

/* STEPS without what is folded and without stages' numbers, which are others where there are other functions. */
static const char *loops_of(struct arena *a, const char *steps)
{
	struct text t = { 0 };

	for (const char *at = steps; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
		const char *stage = at + strcspn(at, " ");
		const char *rest = stage + 1 + strcspn(stage + 1, " ;");

		if (begins(at, "compute_at"))
			rest += 1 + strcspn(rest + 1, " ;");
		if (!begins(at, "inline"))
			text_printf(&t, "%.*s%.*s;", (int)(stage - at), at, (int)strcspn(rest, ";"), rest);
	}
	const char *copy = arena_strdup(a, text_str(&t));

	text_free(&t);
	return copy;
}

/* What a task is fast with, another one that has other functions behind the same sums begins with. */
static void test_kin(void **state)
{
	struct fixture *f = *state;

	play(f, (struct campaign_run){ DENSE, .trials = 32 });
	play(f, (struct campaign_run){ DENSE ",act=relu", .trials = 8 });
	play(f, (struct campaign_run){ DENSE ",act=sigmoid", .trials = 8, .no_transfer = true });
	const char *theirs = loops_of(f->a, steps_with(f, DENSE, 1, true));

	assert_true(strlen(theirs) > 0);
	assert_string_equal(loops_of(f->a, steps_with(f, DENSE ",act=relu", 1, false)), theirs);
	assert_string_not_equal(loops_of(f->a, steps_with(f, DENSE ",act=sigmoid", 1, false)), theirs);
}

/* --- interruptions */

static int add_steps(void *user, const struct db_record *r)
{
	struct text *t = user;

	if (!r->final)
		text_printf(t, "%d %s\n", (int)r->trial, r->steps);
	return 0;
}

/* A line for each trial. */
static char *steps_of(struct fixture *f, const char *spec)
{
	const struct task *task = task_new(f->a, operator_build(f->a, spec), spec, 1);
	struct db_want want = { .task_key = task->key };
	struct db *db = db_open(f->path, DB_READ);
	struct text t = { 0 };

	assert_ok(db_each(db, &want, add_steps, &t));
	db_close(db);
	char *copy = arena_strdup(f->a, text_str(&t));

	text_free(&t);
	return copy;
}

/* One that was stopped after each round tries what it would have tried, though in the meantime
 * there is more that it could learn from. */
static void test_goes_on(void **state)
{
	struct fixture *f = *state;
	const char *whole_path = f->path;

	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_D, THIS_DEVICE, RECORDS);
	assert_says(play(f, (struct campaign_run){ SPEC_B, .trials = 60 }), "pretrained on 800");
	char *whole = steps_of(f, SPEC_B);

	f->path = arena_printf(f->a, "%s/pieces.db", f->folder);
	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_D, THIS_DEVICE, RECORDS);
	assert_says(play(f, (struct campaign_run){SPEC_B, .trials = 60, .rounds = 1}),
		    "pretrained on 800");
	play(f, (struct campaign_run){ SPEC_C, .trials = 24 });
	while (strlen(steps_of(f, SPEC_B)) < strlen(whole))
		assert_says(play(f, (struct campaign_run){ SPEC_B, .trials = 60, .rounds = 1 }),
			    "pretrained on 800");
	assert_string_equal(steps_of(f, SPEC_B), whole);
	f->path = arena_strdup(f->a, whole_path);
}

/* What a stand-in guessed is no lesson. */
static void test_estimates_teach_nobody(void **state)
{
	struct fixture *f = *state;

	record(f, SPEC_A, THIS_DEVICE, RECORDS);
	record(f, SPEC_B, THIS_DEVICE, RECORDS);
	struct db *db = db_open(f->path, DB_MODIFY);

	assert_non_null(db);
	assert_ok(sql_run(db, "", "UPDATE records SET estimate = 1 WHERE id % 2", ""));
	db_close(db);
	/* Of each task a half is left: 400 of 800, too few. */
	assert_string_equal(play(f, (struct campaign_run){ SPEC_C, .trials = 16 }), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)
		T(test_other_tasks_teach),
		T(test_few_records_do_not),
		T(test_no_transfer),
		T(test_devices),
		T(test_caches),
		T(test_other_threads),
		T(test_kin),
		T(test_goes_on),
		T(test_estimates_teach_nobody),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
