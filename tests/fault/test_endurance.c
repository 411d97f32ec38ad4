/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_endurance.c - a campaign of many trials needs no more memory at its end than
 * when it was under way, and leaves no file behind. It runs on a recording: a trial costs little. */
#include "tests/fixture/recording_fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/heap.h"
#include "search/campaign/tuner.h"

#define SPEC "matmul:m=512,n=512,k=512"

/* Memory is compared from WARM trials on. With HONE_LONG that is past the samples that a learner
 * keeps; before, those account for what a trial may add. */
enum { RECORDS = 100, TRIALS = 2000, LONG_TRIALS = 20000, WARM = 1000, LONG_WARM = 4200 };
/* Hashes of what was tried and the caches of the database grow by about a megabyte; a sample and
 * what a model makes of it were seen to take 14 kB. */
enum { GROWTH_MB = 6, BYTES_A_SAMPLE = 20000 };
/* A model is asked for one large batch in the time of a small one: fewer and larger ones do. */
enum { BATCH = 16, MODEL_BATCH = 128 };

static bool is_long(void)
{
	const char *l = getenv("HONE_LONG");

	return l && *l;
}

static int64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long long pages = 0;

	if (f && fscanf(f, "%*s %lld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* A strategy that looks at the memory when it is done: then no model is being trained. */
static const struct strategy *watched;
static int64_t warm_bytes, last_bytes;

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	watched->propose(p, a, rng, b);
	if (p->history->trials < (is_long() ? LONG_WARM : WARM))
		return;
	last_bytes = resident_bytes();
	if (warm_bytes == 0)
		warm_bytes = last_bytes;
}

/* In a process of its own: the bytes that it grew by after it was warm; exits with a message where
 * something fails. */
static int64_t run(const char *recording, const char *path, const char *strategy, int batch)
{
	heap_give_back();	/* as hone tune does */
	struct strategy watching = *strategy_find(strategy);
	struct recording *r = recording_open(recording);
	struct db *db = db_open(path, DB_WRITE);

	if (!r || !db)
		die("%s", err_get());
	watched = strategy_find(strategy);
	watching.propose = propose;
	struct tuner_options o = { .source = "test", .own_strategy = &watching, .threads = 1,
				   .budget.trials = is_long() ? LONG_TRIALS : TRIALS, .batch = batch,
				   .seed = 4, .measurer = measurer_replay(r, &cost_model_xgboost) };
	struct tuner *t = tuner_new(db, r->device, &r->tasks, &o);

	if (!t || tuner_run(t) < 0)
		die("%s", err_get());
	tuner_free(t);
	db_close(db);
	recording_close(r);
	return last_bytes - warm_bytes;
}

/* Files in a folder; 0 where there are none. */
static int files_in(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void check(struct fixture *f, const char *strategy, int batch)
{
	const char *path = arena_printf(f->a, "%s/%s.db", f->folder, strategy);
	const char *temp = arena_printf(f->a, "%s/tmp-%s", f->folder, strategy);
	int64_t grown = INT64_MAX;
	int ends[2], status = 0;

	assert_ok(dir_make(temp));
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	if (pid == 0) {
		setenv("TMPDIR", temp, 1);
		grown = run(f->path, path, strategy, batch);
		_exit(write(ends[1], &grown, sizeof(grown)) != sizeof(grown));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &grown, sizeof(grown)), sizeof(grown));
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(files_in(temp), 0);
	assert_int_equal(access(arena_printf(f->a, "%s-wal", path), F_OK), -1);

	struct db *db = db_open(path, DB_READ);

	assert_non_null(db);
	assert_true(count_of(db, "records") >= (is_long() ? LONG_TRIALS : TRIALS));
	db_close(db);
	int64_t samples = is_long() || !strategy_find(strategy)->model
				  ? 0 : (TRIALS - WARM) * (int64_t)BYTES_A_SAMPLE;

	print_message("%s: grew by %jd KiB\n", strategy, (intmax_t)(grown >> 10));
#if !defined(__SANITIZE_ADDRESS__)	/* it keeps what was freed */
	assert_true(grown <= ((int64_t)GROWTH_MB << 20) + samples);
#endif
}

static void memory_stays_what_it_is(void **state)
{
	static const char *const specs[] = { SPEC };
	struct fixture *f = *state;

	recording_make(f->path, specs, 1, RECORDS);
	check(f, "random", BATCH);
	check(f, "evolve", MODEL_BATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory_stays_what_it_is, fixture_new,
						fixture_free),
	};

	return cmocka_run_group_tests_name("endurance", tests, NULL, NULL);
}
