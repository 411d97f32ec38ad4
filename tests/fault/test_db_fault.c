/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_db_fault.c - a writer killed at any moment, a full disk, a folder that may only
 * be read: nothing committed is lost, and the message says what happened. */
#include "tests/fixture/db_fixture.h"
#include "tests/skip.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"

enum {
	KILLS = 20,
	PER_BATCH = 3,
	ACKS_MOST = 6,		/* batches before a kill */
	WAIT_US_MOST = 4000,	/* about a commit */
	NOBODY = 65534,
};

/* Goes on with the campaign, or starts it, and appends for ever; tells PIPE after each batch how
 * many there are. The search state is that number. */
static void write_for_ever(struct fixture *f, int pipe)
{
	struct arena *a = arena_new();
	struct db *db = db_open(f->path, DB_WRITE);
	const struct db_task task = { .key = KEY_A, .name = "mm", .text = "", .flop = 1 };
	struct db_campaign like = { .source = "mm" }, c;
	struct db_record r[PER_BATCH];

	if (!db)
		_exit(1);
	f->device = db_device(db, "d0", "{}");
	f->toolchain = db_toolchain(db, "gcc");
	f->task = db_task(db, &task);
	like.device = f->device;
	if (db_campaign_enter(db, a, &like, false, &(struct db_calibration){ 0 }, &c) < DB_ENTER_NEW)
		_exit(2);
	for (int64_t n = c.rounds + 1;; n++) {
		for (int i = 0; i < PER_BATCH; i++) {
			r[i] = fixture_record(f, arena_printf(a, "step %d of %d", i, (int)n),
					      TRIAL_OK, (double)n);
			r[i].trial = n * PER_BATCH + i;
		}
		struct db_round round = fixture_round(f, (double)n);

		if (db_append(db, &(struct db_batch){ db->campaign, r, PER_BATCH, &n, sizeof(n),
						      &round }))
			_exit(3);
		if (write(pipe, &n, sizeof(n)) != sizeof(n))
			_exit(4);
	}
}

/* Starts a writer and kills it after some batches; the last number that it told. */
static int64_t kill_a_writer(struct fixture *f, struct rng *rng)
{
	int fd[2];
	int64_t n = 0, last = 0;
	int64_t acks = rng_below(rng, ACKS_MOST);

	assert_int_equal(pipe(fd), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		close(fd[0]);
		write_for_ever(f, fd[1]);
	}
	close(fd[1]);
	for (int i = 0; i < acks && read(fd[0], &n, sizeof(n)) == sizeof(n); i++)
		last = n;
	usleep((useconds_t)rng_below(rng, WAIT_US_MOST));
	kill(pid, SIGKILL);
	while (read(fd[0], &n, sizeof(n)) == sizeof(n))
		last = n;
	close(fd[0]);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status))
		fail_msg("the writer ended by itself with %d", WEXITSTATUS(status));
	return last;
}

static void test_kill(void **state)
{
	struct fixture *f = *state;
	struct rng rng = rng_seed(1);
	int64_t told = 0, rounds = 0, device;

	for (int i = 0; i < KILLS; i++) {
		int64_t last = kill_a_writer(f, &rng);
		struct stat st;
		struct db_campaign c = { 0 };

		told = last > told ? last : told;
		/* The very first one may have died before there was anything. */
		if (stat(f->path, &st) < 0 || st.st_size == 0)
			continue;
		struct db *db = db_open(f->path, DB_WRITE);

		if (!db)
			fail_msg("%s", err_get());
		assert_sound(db);
		device = db_device(db, "d0", "{}");
		assert_ok(device);
		assert_ok(db_campaign_find(db, f->a, "mm", NULL, device, &c));
		/* All that was told is there, at most the batch in flight beyond it, each whole. */
		assert_in_range(c.rounds, told > rounds ? told : rounds,
				(told > rounds ? told : rounds) + 1);
		assert_int_equal(count_of(db, "records"), c.rounds * PER_BATCH);
		assert_int_equal(count_of(db, "rounds"), c.rounds);
		if (c.rounds) {
			assert_int_equal(c.search_bytes, sizeof(c.rounds));
			assert_memory_equal(c.search, &c.rounds, sizeof(c.rounds));
		}
		rounds = c.rounds;
		db_close(db);
	}
	assert_true(rounds > 0);
}

static void test_two_writers(void **state)
{
	enum { WRITERS = 3, BATCHES = 10 };
	struct fixture *f = *state;

	/* None has made the file: they meet while making it, too. */
	for (int i = 0; i < WRITERS; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid > 0)
			continue;
		struct db *db = fixture_open(f, f->path);

		for (int j = 0; j < BATCHES; j++)
			if (append_one(db, fixture_record(f, "a", TRIAL_OK, 1)) < 0)
				_exit(1);
		db_close(db);
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	struct db *db = db_open(f->path, DB_READ);

	assert_non_null(db);
	assert_int_equal(count_of(db, "records"), WRITERS * BATCHES);
	assert_sound(db);
	db_close(db);
}

/* Who reads a file that others make just now finds none, or all its tables. */
static void test_reader_of_new_file(void **state)
{
	enum { ROUNDS = 20, WRITERS = 2 };
	struct fixture *f = *state;

	for (int round = 0; round < ROUNDS; round++) {
		const char *path = arena_printf(f->a, "%s/new%d.db", f->folder, round);
		int left = WRITERS;

		for (int i = 0; i < WRITERS; i++) {
			pid_t pid = fork();

			assert_true(pid >= 0);
			if (pid == 0)
				_exit(db_open(path, DB_WRITE) ? 0 : 1);
		}
		while (left > 0) {
			int status;

			if (access(path, F_OK) == 0) {
				struct db *db = db_open(path, DB_READ);

				if (!db)
					fail_msg("%s", err_get());
				assert_int_equal(count_of(db, "records"), 0);
				db_close(db);
			}
			if (waitpid(-1, &status, WNOHANG) <= 0)
				continue;
			assert_int_equal(status, 0);
			left--;
		}
	}
}

/* Appends until it fails, at most 1000 times; the number of batches that were saved. */
static int append_until_full(struct fixture *f, struct db *db)
{
	char *message = arena_alloc(f->a, 4001);
	struct db_record r = fixture_record(f, "a", TRIAL_OK, 1);
	int n = 0;

	memset(message, 'm', 4000);
	r.message = message;
	while (n < 1000 && append_one(db, r) == 0)
		n++;
	assert_in_range(n, 1, 999);
	return n;
}

static void test_full_disk(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 512 * 1024;	/* the log of all migrations takes half of it */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int n = append_until_full(f, db);

	assert_err("no space left");
	assert_int_equal(count_of(db, "records"), n);
	/* Closing and opening again on the full disk loses nothing. */
	db_close(db);
	db = db_open(f->path, DB_READ);
	assert_non_null(db);
	assert_int_equal(count_of(db, "records"), n);
	assert_sound(db);
	db_close(db);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	db = db_open(f->path, DB_MODIFY);
	assert_non_null(db);
	assert_ok(append_one(db, fixture_record(f, "b", TRIAL_OK, 1)));
	assert_int_equal(count_of(db, "records"), n + 1);
	db_close(db);
}

static void test_full_file(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);

	assert_ok(sql_run(db, "limiting", "PRAGMA max_page_count = 40", ""));
	int n = append_until_full(f, db);

	assert_err("no space left");
	assert_int_equal(count_of(db, "records"), n);
	assert_sound(db);
	db_close(db);
}

static void test_full_from_start(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 8 * 1024;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct db *db = db_open(f->path, DB_WRITE);
	int rc = setrlimit(RLIMIT_FSIZE, &old);

	assert_int_equal(rc, 0);
	assert_null(db);
	assert_err("no space left");
	/* What is left behind is no obstacle. */
	db = fixture_open(f, f->path);
	assert_sound(db);
	db_close(db);
}

/* In a child, as a user to whom permissions mean something; it exits 0 where all is as it must be,
 * and else with the number of the line. */
static void as_nobody(struct fixture *f, const char *in_log)
{
	const char *path = f->path;

	if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		_exit(77);
#define CHECK(x) do {                                                                              \
		if (!(x)) {                                                                        \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #x, err_get());             \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)
	struct db *db = db_open(path, DB_READ);

	CHECK(db && count_of(db, "records") == 1);
	db_close(db);
	CHECK(!db_open(path, DB_MODIFY) && strstr(err_get(), "may not be written"));
	CHECK(!db_open(arena_printf(f->a, "%s/new.db", f->folder), DB_WRITE));
	CHECK(strstr(err_get(), "cannot write in the folder"));
	/* A log that nobody may recover: what is in the file alone would be less than was saved. */
	CHECK(!db_open(in_log, DB_READ) && strstr(err_get(), in_log));
#undef CHECK
	_exit(0);
}

static void test_read_only(void **state)
{
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	char *in_log = arena_printf(f->a, "%s/log.db", f->folder);
	int status;
	size_t bytes;

	assert_ok(append_one(db, fixture_record(f, "a", TRIAL_OK, 1)));
	/* As a kill leaves it: the file and its log, taken while it is open. */
	char *data = file_read(f->a, f->path, 1 << 24, &bytes);

	assert_ok(file_write(in_log, data, bytes));
	data = file_read(f->a, arena_printf(f->a, "%s-wal", f->path), 1 << 24, &bytes);
	assert_ok(file_write(arena_printf(f->a, "%s-wal", in_log), data, bytes));
	db_close(db);
	assert_int_equal(chmod(f->path, 0444), 0);
	assert_int_equal(chmod(in_log, 0444), 0);
	assert_int_equal(chmod(f->folder, 0555), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		as_nobody(f, in_log);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(chmod(f->folder, 0755), 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_test("root may write anywhere, and cannot become nobody here");
	assert_int_equal(status, 0);
}

/* Sets COLUMN of the one record to VALUE, past all constraints; false where sqlite will not. */
static bool spoil(struct db *db, const char *column, const char *value)
{
	struct text sql = { 0 };

	sqlite3_exec(db->sql, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON",
		     NULL, NULL, NULL);
	text_printf(&sql, "UPDATE records SET %s = %s", column, value);
	bool ok = sqlite3_exec(db->sql, sql.s, NULL, NULL, NULL) == SQLITE_OK;

	text_free(&sql);
	sqlite3_exec(db->sql, "PRAGMA ignore_check_constraints = OFF", NULL, NULL, NULL);
	return ok;
}

/* Whatever a column of a record is overwritten with: nobody gets to see it, and the check finds
 * it. */
static void test_spoiled_records(void **state)
{
	static const char *const columns[] = { "steps", "steps_hash", "status", "samples",
					       "counted", "time_us", "threads" };
	static const char *const values[] = { "'x'", "''", "x'00ff'", "zeroblob(24)", "-1", "0",
					      "1e300", "-1e999", "99999999999", "'split 1 0 2'",
					      "hex(zeroblob(16))" };
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	struct db_record r = fixture_record(f, "split 1 0 4", TRIAL_OK, 3);
	int n = 0;

	r.counted = "111";
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		for (size_t j = 0; j < sizeof(values) / sizeof(*values); j++) {
			struct db_record_vec all;
			struct db_problem_vec problems;

			assert_ok(append_one(db, r));
			assert_sound(db);
			if (spoil(db, columns[i], values[j])) {
				assert_ok(db_records(db, f->a, &(struct db_want){ 0 }, &all));
				assert_ok(db_check(db, f->a, &problems));
				if (all.n || !problems.n)
					fail_msg("%s = %s: %d records, %d problems", columns[i],
						 values[j], all.n, problems.n);
				n++;
			}
			assert_ok(sql_run(db, "", "DELETE FROM records", ""));
		}
	assert_true(n > 60);
	db_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kill), TEST(test_two_writers), TEST(test_reader_of_new_file), TEST(test_full_disk),
		TEST(test_full_file), TEST(test_full_from_start), TEST(test_read_only),
		TEST(test_spoiled_records),
	};

	return cmocka_run_group_tests_name("db under faults", tests, NULL, NULL);
}
