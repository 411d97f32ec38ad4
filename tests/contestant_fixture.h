/* SPDX-License-Identifier: Apache-2.0 */
/* tests/contestant_fixture.h - a contestant of hone bench, found and driven line by line as the
 * referee does it. */
#ifndef HONE_TESTS_CONTESTANT_FIXTURE_H
#define HONE_TESTS_CONTESTANT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "tests/skip.h"

enum { MAX_ENTRIES = 8, PATIENCE_S = 600 };

/* A process that answers lines. */
struct peer {
	pid_t pid;
	FILE *to, *from;
	char *line;
	size_t size;
};

static inline struct peer start(char *const *argv)
{
	struct peer p = { 0 };
	int in[2], out[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	p.pid = fork();
	assert_true(p.pid >= 0);
	if (p.pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		close(out[0]);
		alarm(PATIENCE_S);	/* survives exec: nothing hangs the test */
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p.to = fdopen(in[1], "w");
	p.from = fdopen(out[0], "r");
	return p;
}

static inline const char *next_line(struct peer *p)
{
	if (getline(&p->line, &p->size, p->from) <= 0)
		fail_msg("the contestant has ended");
	p->line[strcspn(p->line, "\n")] = '\0';
	return p->line;
}

static inline const char *ask(struct peer *p, const char *request)
{
	fprintf(p->to, "%s\n", request);
	fflush(p->to);
	return next_line(p);
}

static inline void stop(struct peer *p)
{
	int status;

	fprintf(p->to, "quit\n");
	fclose(p->to);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fclose(p->from);
	free(p->line);
}

static inline bool begins(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

/* The names of its entries, in A; their number. */
static inline int entries_of(struct peer *p, struct arena *a, const char **names)
{
	int n = 0;
	const char *line = ask(p, "entries");

	for (; begins(line, "entry "); line = next_line(p)) {
		size_t length = strcspn(line + 6, "\t");

		assert_in_range(n, 0, MAX_ENTRIES - 1);
		assert_true(line[6 + length] == '\t' && line[6 + length + 1]);
		names[n++] = arena_strndup(a, line + 6, length);
	}
	assert_true(begins(line, "ok ") && line[3]);
	return n;
}

static inline bool is_engine(const char *name)
{
	return strcmp(name, "onnxruntime") == 0 || strcmp(name, "openvino") == 0;
}

/* SCRIPT of bench/contest/ speaks for the engine NAME. */
static inline bool find_engine(const char *script, const char *name, struct arena *a, char **argv)
{
	const char *venv = getenv("HONE_CONTEST_VENV"), *data = getenv("XDG_DATA_HOME");

	if (!venv)
		venv = data ? arena_printf(a, "%s/hone/contest", data)
			    : arena_printf(a, "%s/.local/share/hone/contest", getenv("HOME"));
	argv[0] = arena_printf(a, "%s/bin/python", venv);
	argv[1] = arena_printf(a, TOP_SRCDIR "/bench/contest/%s", script);
	argv[2] = arena_strdup(a, name);
	return access(argv[0], X_OK) == 0;
}

/* Its command line; false where it is not there. */
static inline bool find(const char *name, struct arena *a, char **argv)
{
	if (is_engine(name))
		return find_engine("engine.py", name, a, argv);
	argv[0] = arena_printf(a, TOP_BUILDDIR "/hone-contestant-%s", name);
	return access(argv[0], X_OK) == 0;
}

/* The engine NAME for whole models, started; the calling test is skipped where it is not there. */
static inline struct peer start_whole_or_skip(const char *name)
{
	struct arena *a = arena_new();
	char *argv[4] = { NULL };
	struct peer p = { 0 };

	if (find_engine("whole.py", name, a, argv))
		p = start(argv);
	else
		skip_part(name, "not installed (bench/contest/setup)");
	arena_free(a);
	if (!p.to)
		skip();
	return p;
}

/* The contestant NAME, started; the calling test is skipped where it is not there. */
static inline struct peer start_or_skip(const char *name)
{
	struct arena *a = arena_new();
	char *argv[4] = { NULL };
	struct peer p = { 0 };

	if (find(name, a, argv))
		p = start(argv);
	else
		skip_part(name, is_engine(name) ? "not installed (bench/contest/setup)"
						: "not built (configure names its package)");
	arena_free(a);
	if (!p.to)
		skip();
	return p;
}

static inline void write_file(const char *dir, const char *name, const void *data, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(file_write(path, data, size), 0);
}

#endif
