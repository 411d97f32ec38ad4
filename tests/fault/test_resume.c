/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_resume.c - a campaign that is killed again and again comes to the very records
 * of one that was not: the same candidates of the same tasks in the same order.
 *
 * It runs on a recording, so that measurements are the same, too. Each attempt is a process of its
 * own that a clock of CPU time kills, so the load of the machine does not matter. */
#include "tests/fixture/recording_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/campaign/tuner.h"

static const char *const specs[] = {
	"matmul:m=60,n=64,k=48",
	"dense:m=16,n=100,k=64,act=relu",
	"softmax:m=32,n=100",
};

enum { TASKS = sizeof(specs) / sizeof(specs[0]), RECORDS = 100, TRIALS = 150, BATCH = 8,
       FAILED = 3 };

/* An attempt gets between an eighth and half of the time that the campaign took in one go. After so
 * many the next one is let be: on a slow machine most of the time may go into beginning anew. */
enum { MAX_KILLS = 12 };

static void die_now(int signal)
{
	(void)signal;
	kill(getpid(), SIGKILL);
}

static void die_after(int64_t cpu_ms)
{
	struct itimerval t = { .it_value = { cpu_ms / 1000, cpu_ms % 1000 * 1000 } };

	signal(SIGPROF, die_now);
	setitimer(ITIMER_PROF, &t, NULL);
}

/* Goes on with the campaign in the database at PATH; the exit status of the process. */
static int tune(const char *recording, const char *path, const char *strategy)
{
	struct recording *r = recording_open(recording);
	struct db *db = db_open(path, DB_WRITE);

	if (!r || !db)
		return FAILED;
	struct tuner_options o = { .source = "test", .strategy = strategy, .threads = 1,
				   .budget.trials = TRIALS, .batch = BATCH, .seed = 4,
				   .measurer = measurer_replay(r, &cost_model_xgboost) };
	struct tuner *t = tuner_new(db, r->device, &r->tasks, &o);
	int rc = t ? tuner_run(t) : -1;

	if (rc < 0)
		fprintf(stderr, "tune: %s\n", err_get());
	tuner_free(t);
	db_close(db);
	recording_close(r);
	return rc < 0 ? FAILED : 0;
}

/* The milliseconds of CPU time that it took; 0 where it was killed after CPU_MS (0: never). */
static int64_t attempt(const char *recording, const char *path, const char *strategy,
		       int64_t cpu_ms)
{
	pid_t pid = fork();
	struct rusage used;
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (cpu_ms > 0)
			die_after(cpu_ms);
		_exit(tune(recording, path, strategy));
	}
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGKILL);
		return 0;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	return 1 + used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000;
}

/* Whether the campaign in the database at PATH came to its end. A process may be killed after that;
 * the next one would begin another campaign. */
static bool ended(struct fixture *f, const char *path)
{
	struct db *db = db_open(path, DB_READ);
	struct db_campaign_vec all = { 0 };

	if (!db)
		return false;
	assert_ok(db_campaigns(db, f->a, &all));
	db_close(db);
	assert_true(all.n <= 1);
	return all.n && all.at[0].state == CAMPAIGN_DONE;
}

static struct db_record_vec records_of(struct fixture *f, const char *path)
{
	struct db *db = db_open(path, DB_READ);
	struct db_record_vec all = { 0 };

	assert_non_null(db);
	assert_ok(db_records(db, f->a, &(struct db_want){ 0 }, &all));
	assert_sound(db);
	db_close(db);
	return all;
}

static void compare(const struct db_record *x, const struct db_record *y, int i)
{
	if (strcmp(x->task_key, y->task_key) != 0)
		fail_msg("record %d is of another task", i);
	if (strcmp(x->steps, y->steps) != 0)
		fail_msg("record %d differs: %s\nand %s", i, x->steps, y->steps);
	assert_int_equal(x->status, y->status);
	assert_int_equal(x->trial, y->trial);
	assert_int_equal(x->final, y->final);
	assert_true(x->time_us == y->time_us);
}

static void check(struct fixture *f, const char *strategy)
{
	const char *whole = arena_printf(f->a, "%s/whole-%s.db", f->folder, strategy);
	const char *pieces = arena_printf(f->a, "%s/pieces-%s.db", f->folder, strategy);
	struct rng rng = rng_seed(11);
	int kills = 0;

	int64_t ms = 8 + attempt(f->path, whole, strategy, 0);

	while (!attempt(f->path, pieces, strategy,
			kills < MAX_KILLS ? ms / 8 + rng_below(&rng, ms * 3 / 8) : 0)) {
		kills++;
		if (ended(f, pieces))
			break;
	}
	struct db_record_vec x = records_of(f, whole), y = records_of(f, pieces);

	print_message("%s: %d kills, %d records\n", strategy, kills, y.n);
	assert_true(x.n >= TRIALS);
	for (int i = 0; i < x.n && i < y.n; i++)
		compare(&x.at[i], &y.at[i], i);
	assert_int_equal(x.n, y.n);
}

static void killed_campaigns_go_on_as_they_would_have(void **state)
{
	struct fixture *f = *state;

	recording_make(f->path, specs, TASKS, RECORDS);
	check(f, "evolve");
	check(f, "random");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_campaigns_go_on_as_they_would_have,
						fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
