/* SPDX-License-Identifier: Apache-2.0 */
/* tests/tune_fixture.h - hone tune as a process of its own, and what it leaves behind.
 *
 * Everything hone starts has a TMPDIR of the test's own: that is how what survives is found, be it
 * a process or a folder. */
#ifndef HONE_TESTS_TUNE_FIXTURE_H
#define HONE_TESTS_TUNE_FIXTURE_H

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

#define SPEC "matmul:m=64,n=64,k=64"

enum { STOPPED = 75, MOST_TRIALS = 8000 };
enum { HANG_MS = 120000 };	/* no figure of hone's: the test gives up here */

static inline void nap_ms(int64_t ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static inline const char *temp_of(struct fixture *f)
{
	return arena_printf(f->a, "%s/tmp", f->folder);
}

/* What hone tune is asked for; what is NULL or 0 is as below. */
struct tune {
	const char *source;	/* SPEC */
	const char *batch;	/* "4" */
	const char *cc;		/* its own choice */
	const char *log;	/* file in the fixture's folder: "log" */
	int64_t trials;		/* 400 */
};

static inline const char *tune_log(struct fixture *f, const char *log)
{
	return arena_printf(f->a, "%s/%s", f->folder, log ? log : "log");
}

/* Starts it as a shell would: in a group of its own. */
static inline pid_t tune_start(struct fixture *f, const struct tune *t)
{
	const char *temp = temp_of(f), *log = tune_log(f, t->log);
	const char *number = arena_printf(f->a, "%jd", (intmax_t)(t->trials ? t->trials : 400));

	mkdir(temp, 0700);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		setpgid(0, 0);
		signal(SIGHUP, SIG_DFL);	/* the tests may run under nohup, */
		signal(SIGINT, SIG_DFL);	/* or in the background of a script */
		setenv("TMPDIR", temp, 1);
		dup2(fd, 1);
		dup2(fd, 2);
		execl("./hone", "hone", "tune", t->source ? t->source : SPEC, "--db", f->path,
		      "--trials", number, "--batch", t->batch ? t->batch : "4",
		      t->cc ? "--cc" : NULL, t->cc, (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);	/* whoever is first */
	return pid;
}

/* What it has said, in the fixture's arena. */
static inline const char *tune_said(struct fixture *f, const char *log)
{
	const char *text = file_read(f->a, tune_log(f, log), 1 << 20, NULL);

	return text ? text : "";
}

static inline const char *log_text(struct fixture *f)
{
	return tune_said(f, NULL);
}

/* More cases. */
static inline bool is_long(void)
{
	const char *l = getenv("HONE_LONG");

	return l && *l;
}

/* The exit status; -1 where a signal ended it. */
static inline int wait_end(struct fixture *f, pid_t pid)
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
static inline int64_t committed(struct fixture *f)
{
	struct arena *a = arena_new();
	struct db *db = access(f->path, F_OK) == 0 ? db_open(f->path, DB_READ) : NULL;
	struct db_record_vec records = { 0 };
	bool seen[MOST_TRIALS] = { false };
	int64_t n = 0;

	if (db)
		assert_ok(db_records(db, a, &(struct db_want){ 0 }, &records));
	for (int i = 0; i < records.n; i++) {
		if (records.at[i].final)
			continue;
		assert_in_range(records.at[i].trial, 0, MOST_TRIALS - 1);
		assert_false(seen[records.at[i].trial]);
		seen[records.at[i].trial] = true;
		n++;
	}
	db_close(db);
	arena_free(a);
	return n;
}

static inline void check_sound(struct fixture *f)
{
	if (access(f->path, F_OK) < 0)
		return;
	int rc = system(arena_printf(f->a, "./hone db check %s >%s.check 2>&1", f->path, f->path));
	const char *path = arena_printf(f->a, "%s.check", f->path);

	if (rc != 0)
		fail_msg("hone db check: %s", file_read(f->a, path, 1 << 20, NULL));
}

/* Folders that hone made in its TMPDIR. */
static inline int leftovers(struct fixture *f)
{
	DIR *d = opendir(temp_of(f));
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strncmp(e->d_name, "hone", 4) == 0;
	closedir(d);
	return n;
}

static inline bool is_ours(struct fixture *f, const char *pid)
{
	static char environment[65536];
	int fd = open(arena_printf(f->a, "/proc/%s/environ", pid), O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, environment, sizeof(environment));

	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(environment, (size_t)n, f->folder, strlen(f->folder));
}

/* The runner dies with hone; compilers in flight end by themselves. */
static inline void expect_no_processes(struct fixture *f)
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
static inline int64_t said_going_on(struct fixture *f)
{
	const char *line = strstr(log_text(f), "going on after ");

	return line ? atoll(line + strlen("going on after ")) : -1;
}

#endif
