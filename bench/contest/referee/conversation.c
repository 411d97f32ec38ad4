/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/conversation.c - a contestant's side of the conversation. */
#include "bench/contest/referee/conversation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

struct server {
	const struct conversation *c;
	void *user;
	FILE *answers;
	struct arena *arena; /* of the task */
	bool prepared;
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

/* RC is of one of the functions of the conversation. */
static void answer_rc(struct server *s, int rc, const char *text)
{
	answer(s, rc < 0 ? "error" : "ok", rc < 0 ? err_get() : text);
}

static void serve_entries(struct server *s)
{
	for (const struct contestant_entry *e = s->c->entries; e->name; e++)
		fprintf(s->answers, "entry %s\t%s\n", e->name, e->clock);
	answer(s, "ok", s->c->version(s->arena));
}

static void forget(struct server *s)
{
	if (s->prepared)
		s->c->release(s->user);
	s->prepared = false;
	arena_reset(s->arena);
}

static bool has_entry(const struct conversation *c, const char *name)
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

static void serve_prepare(struct server *s, char *dir)
{
	const char *text = "";
	char *entry;
	int threads;

	forget(s);
	if (!split(dir, &entry, &threads) || !has_entry(s->c, entry)) {
		answer(s, "error", "it wants a folder, one of its entries, and threads");
		return;
	}
	int rc = s->c->prepare(s->user, s->arena, dir, entry, threads, &text);

	s->prepared = rc > 0;
	if (rc == 0)
		answer(s, "cannot", text);
	else
		answer_rc(s, rc, text);
}

static void serve_check(struct server *s, const char *file)
{
	answer_rc(s, s->prepared ? s->c->check(s->user, file) : err_set("nothing is prepared"), "");
}

static void serve_run(struct server *s, const char *count)
{
	long long n = atoll(count);
	int rc = s->prepared ? 0 : err_set("nothing is prepared");
	char text[32];
	int64_t begin = clock_ns();

	for (long long i = 0; rc == 0 && i < n; i++)
		rc = s->c->run(s->user);
	snprintf(text, sizeof(text), "%lld", (long long)(clock_ns() - begin));
	answer_rc(s, rc, text);
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

int converse(const struct conversation *c, void *user, int argc, char **argv)
{
	struct server s = {.c = c, .user = user, .answers = claim_output(), .arena = arena_new()};
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
