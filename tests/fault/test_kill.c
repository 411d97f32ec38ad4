/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_kill.c - hone tune is killed at any moment, or stopped by Ctrl-C, and goes on.
 *
 * Everything hone starts here has a TMPDIR of the test's own: that is how what survives is found,
 * be it a process or a folder. */
#include "tests/db_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"

#define SPEC "matmul:m=64,n=64,k=64"

enum { KILLS = 8, TRIALS = 64, LONG_TRIALS = 200, STOPPED = 75 };
enum { HANG_MS = 120000 };	/* no figure of hone's: the test gives up here */

static void nap_ms(int64_t ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static const char *temp_of(struct fixture *f)
{
	return arena_printf(f->a, "%s/tmp", f->folder);
}

static const char *log_of(struct fixture *f)
{
	return arena_printf(f->a, "%s/log", f->folder);
}

/* Starts hone tune as a shell would: in a group of its own. */
static pid_t start_with(struct fixture *f, int64_t trials, const char *batch, const char *cc)
{
	const char *temp = temp_of(f), *log = log_of(f);
	const char *number = arena_printf(f->a, "%jd", (intmax_t)trials);

	mkdir(temp, 0700);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		setpgid(0, 0);
		setenv("TMPDIR", temp, 1);
		dup2(fd, 1);
		dup2(fd, 2);
		execl("./hone", "hone", "tune", SPEC, "--db", f->path, "--trials", number,
		      "--batch", batch, cc ? "--cc" : NULL, cc, (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);	/* whoever is first */
	return pid;
}

static pid_t start(struct fixture *f, int64_t trials, const char *batch)
{
	return start_with(f, trials, batch, NULL);
}

static const char *log_text(struct fixture *f)
{
	const char *text = file_read(f->a, log_of(f), 1 << 20, NULL);

	return text ? text : "";
}

/* The exit status; -1 where a signal ended it. */
static int wait_end(struct fixture *f, pid_t pid)
{
	int status = 0;

	for (int ms = 0; waitpid(pid, &status, WNOHANG) != pid; ms += 10) {
		if (ms > HANG_MS) {
			kill(-pid, SIGKILL);
			fail_msg("hone tune does not end: %s", log_text(f));
		}
		nap_ms(10);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Trials in the database, each with a number of its own; 0 where there is none yet. */
static int64_t committed(struct fixture *f)
{
	struct arena *a = arena_new();
	struct db *db = access(f->path, F_OK) == 0 ? db_open(f->path, DB_READ) : NULL;
	struct db_record_vec records = { 0 };
	bool seen[LONG_TRIALS * 4] = { false };
	int64_t n = 0;

	if (db)
		assert_ok(db_records(db, a, &(struct db_want){ 0 }, &records));
	for (int i = 0; i < records.n; i++) {
		if (records.at[i].final)
			continue;
		assert_in_range(records.at[i].trial, 0, LONG_TRIALS * 4 - 1);
		assert_false(seen[records.at[i].trial]);
		seen[records.at[i].trial] = true;
		n++;
	}
	db_close(db);
	arena_free(a);
	return n;
}

static void check_sound(struct fixture *f)
{
	if (access(f->path, F_OK) < 0)
		return;
	int rc = system(arena_printf(f->a, "./hone db check %s >%s.check 2>&1", f->path, f->path));
	const char *path = arena_printf(f->a, "%s.check", f->path);

	if (rc != 0)
		fail_msg("hone db check: %s", file_read(f->a, path, 1 << 20, NULL));
}

/* Folders that hone made in its TMPDIR. */
static int leftovers(struct fixture *f)
{
	DIR *d = opendir(temp_of(f));
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strncmp(e->d_name, "hone", 4) == 0;
	closedir(d);
	return n;
}

static bool is_ours(struct fixture *f, const char *pid)
{
	static char environment[65536];
	int fd = open(arena_printf(f->a, "/proc/%s/environ", pid), O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, environment, sizeof(environment));

	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(environment, (size_t)n, f->folder, strlen(f->folder));
}

/* The runner dies with hone; compilers in flight end by themselves. */
static void expect_no_processes(struct fixture *f)
{
	int alive = 1;

	for (int ms = 0; alive; ms += 50) {
		DIR *d = opendir("/proc");

		assert_non_null(d);
		alive = 0;
		for (struct dirent *e; (e = readdir(d));)
			if (*e->d_name >= '1' && *e->d_name <= '9')
				alive += is_ours(f, e->d_name);
		closedir(d);
		if (alive && ms > HANG_MS)
			fail_msg("%d processes survive", alive);
		if (alive)
			nap_ms(50);
	}
}

/* What the last run said of the trials it found; -1 where it did not come so far. */
static int64_t said_going_on(struct fixture *f)
{
	const char *line = strstr(log_text(f), "going on after ");

	return line ? atoll(line + strlen("going on after ")) : -1;
}

static int64_t budget(void)
{
	const char *l = getenv("HONE_LONG");

	return l && *l ? LONG_TRIALS : TRIALS;
}

static void test_kill(void **state)
{
	struct fixture *f = *state;
	struct rng rng = rng_seed(20);

	/* A fast machine may be done before the last kill. */
	for (int i = 0; i < KILLS && committed(f) < budget(); i++) {
		int64_t before = committed(f);
		pid_t pid = start(f, budget(), "4");

		nap_ms(50 + rng_below(&rng, 800));
		kill(i % 2 ? pid : -pid, SIGKILL);
		wait_end(f, pid);
		expect_no_processes(f);
		check_sound(f);
		assert_true(committed(f) >= before);
		if (before > 0 && said_going_on(f) >= 0)
			assert_int_equal(said_going_on(f), before);
		/* A compiler that outlived hone may have kept one more from being removed. */
		assert_in_range(leftovers(f), 0, 2);
	}
	int64_t before = committed(f);

	if (before < budget()) {
		if (wait_end(f, start(f, budget(), "4")) != 0)
			fail_msg("hone tune: %s", log_text(f));
		assert_int_equal(said_going_on(f), before > 0 ? before : -1);
		assert_int_equal(leftovers(f), 0);
	}
	assert_int_equal(committed(f), budget());
	check_sound(f);
	expect_no_processes(f);
}

static void wait_trials(struct fixture *f, int64_t n)
{
	for (int ms = 0; committed(f) < n; ms += 50) {
		if (ms > HANG_MS)
			fail_msg("no trial was made: %s", log_text(f));
		nap_ms(50);
	}
}

/* Waits until the compilers of a batch are at work. */
static void wait_batch(struct fixture *f)
{
	const char *ask = arena_printf(f->a, "ls %s/*/k*-3.c >/dev/null 2>&1", temp_of(f));

	for (int ms = 0; system(ask) != 0; ms += 50) {
		if (ms > HANG_MS)
			fail_msg("no batch was begun: %s", log_text(f));
		nap_ms(50);
	}
}

static void test_interrupt(void **state)
{
	struct fixture *f = *state;
	pid_t pid = start(f, 400, "4");

	wait_trials(f, 4);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	assert_non_null(strstr(log_text(f), "finishing the batch; Ctrl-C again stops at once"));
	assert_non_null(strstr(log_text(f), "stopped by a signal: "));
	int64_t n = committed(f);

	assert_true(n >= 4 && n < 400 && n % 4 == 0);
	assert_int_equal(leftovers(f), 0);
	check_sound(f);

	/* The second one does not wait for a batch that takes minutes. */
	pid = start(f, 400, "300");
	wait_batch(f);
	kill(-pid, SIGINT);
	nap_ms(200);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	assert_int_equal(said_going_on(f), n);
	assert_int_equal(committed(f), n);
	check_sound(f);
	expect_no_processes(f);

	if (wait_end(f, start(f, n + 4, "4")) != 0)
		fail_msg("hone tune: %s", log_text(f));
	assert_int_equal(said_going_on(f), n);
	assert_int_equal(committed(f), n + 4);
	assert_int_equal(leftovers(f), 0);
}

/* A compiler that does its work, but for candidates; then nothing but a kill ends it. */
static const char *slow_compiler(struct fixture *f)
{
	static const char script[] = "#!/bin/sh\n"
				     "case \"$*\" in *-[2-9].c*) sleep 1000; exit 1;; esac\n"
				     "exec gcc \"$@\"\n";
	const char *path = arena_printf(f->a, "%s/cc", f->folder);

	assert_ok(file_write(path, script, sizeof(script) - 1));
	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

static void test_compilers_die(void **state)
{
	struct fixture *f = *state;
	pid_t pid = start_with(f, 400, "8", slow_compiler(f));

	wait_batch(f);
	kill(-pid, SIGINT);
	nap_ms(200);
	kill(-pid, SIGINT);
	assert_int_equal(wait_end(f, pid), STOPPED);
	expect_no_processes(f);
	assert_int_equal(committed(f), 0);
	check_sound(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kill, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_interrupt, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_compilers_die, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("kill", tests, NULL, NULL);
}
