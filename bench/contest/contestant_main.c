/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/contestant_main.c - a contestant's side of the conversation. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/contestant.h"
#include "bench/contest/contestant_task.h"

struct server {
	const struct contestant *c;
	FILE *answers;
	struct arena *arena; /* of the task */
	struct contestant_task task;
	void *handle; /* NULL: nothing is prepared */
};

/* One line: what libraries say may have several. */
static void answer(struct server *s, const char *word, const char *text)
{
	fputs(word, s->answers);
	if (*text)
		fputc(' ', s->answers);
	for (const char *p = text; *p; p++)
		fputc(*p == '\n' || *p == '\t' ? ' ' : *p, s->answers);
	fputc('\n', s->answers);
	fflush(s->answers);
}

static void serve_entries(struct server *s)
{
	for (const struct contestant_entry *e = s->c->entries; e->name; e++)
		fprintf(s->answers, "entry %s\t%s\n", e->name, e->clock);
	answer(s, "ok", s->c->version(s->arena));
}

static void forget(struct server *s)
{
	if (s->handle)
		s->c->release(s->handle);
	s->handle = NULL;
	arena_reset(s->arena);
}

static bool has_entry(const struct contestant *c, const char *name)
{
	for (const struct contestant_entry *e = c->entries; e->name; e++)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* "DIR ENTRY THREADS"; the folder may have blanks in its name. */
static bool split(char *text, char **entry, int *threads)
{
	char *last = strrchr(text, ' ');

	if (!last)
		return false;
	*last = '\0';
	*threads = atoi(last + 1);
	*entry = strrchr(text, ' ');
	if (!*entry)
		return false;
	*(*entry)++ = '\0';
	return *threads > 0;
}

static void serve_prepare(struct server *s, char *text)
{
	const char *why = "";
	char *entry;
	int threads;

	forget(s);
	if (!split(text, &entry, &threads) || !has_entry(s->c, entry)) {
		answer(s, "error", "it wants a folder, one of its entries, and threads");
		return;
	}
	if (contestant_task_read(s->arena, text, &s->task) < 0) {
		answer(s, "error", err_get());
		return;
	}
	s->task.entry = arena_strdup(s->arena, entry);
	s->task.threads = threads;
	s->handle = s->c->prepare(s->arena, &s->task, &why);
	if (s->handle)
		answer(s, "ok", s->c->kernel(s->handle));
	else
		answer(s, "cannot", why);
}

static int write_outputs(struct server *s, const char *file)
{
	size_t bytes = contestant_output_bytes(s->task.dag);
	void *out = malloc(bytes);

	if (!out)
		return err_set("out of memory (%zu bytes)", bytes);
	int rc = s->c->run(s->handle);

	if (rc == 0)
		rc = s->c->output(s->handle, out);
	if (rc == 0)
		rc = file_write(file, out, bytes);
	free(out);
	return rc;
}

static void serve_check(struct server *s, const char *file)
{
	int rc = s->handle ? write_outputs(s, file) : err_set("nothing is prepared");

	answer(s, rc == 0 ? "ok" : "error", rc == 0 ? "" : err_get());
}

static void serve_run(struct server *s, const char *count)
{
	long long n = atoll(count);
	int rc = s->handle ? 0 : err_set("nothing is prepared");
	char text[32];
	int64_t begin = clock_ns();

	for (long long i = 0; rc == 0 && i < n; i++)
		rc = s->c->run(s->handle);
	snprintf(text, sizeof(text), "%lld", (long long)(clock_ns() - begin));
	answer(s, rc == 0 ? "ok" : "error", rc == 0 ? text : err_get());
}

/* False where it was the last request. */
static bool serve(struct server *s, char *line)
{
	char *rest = line + strcspn(line, " ");

	if (*rest)
		*rest++ = '\0';
	if (strcmp(line, "quit") == 0)
		return false;
	if (strcmp(line, "entries") == 0)
		serve_entries(s);
	else if (strcmp(line, "prepare") == 0)
		serve_prepare(s, rest);
	else if (strcmp(line, "check") == 0)
		serve_check(s, rest);
	else if (strcmp(line, "run") == 0)
		serve_run(s, rest);
	else
		answer(s, "error", "no such request");
	return true;
}

/* Takes standard output away from libraries that print. */
static FILE *claim_output(void)
{
	int fd = dup(STDOUT_FILENO);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(fd, "w");
}

int contestant_main(const struct contestant *c, int argc, char **argv)
{
	struct server s = {.c = c, .answers = claim_output(), .arena = arena_new()};
	char *line = NULL;
	size_t size = 0;
	bool more = true;

	if (argc != 1 || !s.answers) {
		fprintf(stderr, "%s is started by hone bench, not by hand\n", argv[0]);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (more && getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		more = serve(&s, line);
	}
	free(line);
	forget(&s);
	arena_free(s.arena);
	fclose(s.answers);
	return 0;
}
