/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/player.c - lines over a socket, each answer within a limit. */
#include "bench/contest/referee/player.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "measure/process/spawn.h"

/* A process that was told to quit, or whose socket has ended, gets this long to end by itself. */
enum { GRACE_MS = 500 };
/* Of a line, and of what is quoted from a log. */
enum { LINE_LIMIT = 1 << 16, QUOTE = 300 };

/* --- its process */

void player_start(struct arena *a, struct player *p, const char *const *argv,
		  const char *const *env, const char *log, double limit_s)
{
	int ends[2];
	int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	*p = (struct player){.socket = -1, .log = log, .limit_s = limit_s};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
		int fds[] = {ends[1], ends[1], to};
		pid_t pid = spawn_group(argv, spawn_env(a, env), fds, 3);

		close(ends[1]);
		p->socket = ends[0];
		p->pid = pid > 0 ? pid : 0;
	}
	if (to >= 0)
		close(to);
}

int64_t player_peak_kb(const struct player *p)
{
	char path[64], line[128];
	long long kb = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)p->pid);
	FILE *f = p->pid > 0 ? fopen(path, "re") : NULL;

	while (f && kb == 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lld kB", &kb) != 1)
			kb = 0;
	if (f)
		fclose(f);
	return kb;
}

/* Waits until it has ended by itself, so that its status tells; its group is killed in any case. */
static int bury(struct player *p)
{
	siginfo_t info = {0};
	pid_t pid = p->pid;

	p->pid = 0;
	if (p->socket >= 0)
		close(p->socket);
	p->socket = -1;
	if (pid == 0)
		return -1;
	for (int ms = 0; ms < GRACE_MS && info.si_pid == 0; ms++) {
		if (ms > 0)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
			break;
	}
	return spawn_kill(pid);
}

void player_end(struct player *p)
{
	if (p->pid && !p->lost)
		send(p->socket, "quit\n", 5, MSG_NOSIGNAL);
	bury(p);
	text_free(&p->heard);
}

/* The end of what it said on standard error. */
static const char *last_words(struct arena *a, const struct player *p)
{
	size_t n = 0;
	char *log = file_read(a, p->log, (size_t)1 << 30, &n);

	while (log && n > 0 && (log[n - 1] == '\n' || log[n - 1] == ' '))
		log[--n] = '\0';
	if (!log || n == 0)
		return "";
	const char *line = strrchr(log, '\n');

	line = line ? line + 1 : log;
	return arena_printf(a, ": %.*s", QUOTE, line);
}

static enum answer lose(struct arena *a, struct player *p, const char **text, const char *reason)
{
	if (!p->lost)
		spawn_kill(p->pid);
	p->pid = 0;
	p->lost = true;
	*text = arena_printf(a, "%s%s", reason, last_words(a, p));
	return ANSWER_LOST;
}

static enum answer lose_dead(struct arena *a, struct player *p, const char **text)
{
	bool was_there = p->pid != 0;
	int status = bury(p);

	p->lost = true;
	if (!was_there)
		*text = "it is not running";
	else if (WIFSIGNALED(status))
		*text = arena_printf(a, "it ended by signal %d (%s)%s", WTERMSIG(status),
				     strsignal(WTERMSIG(status)), last_words(a, p));
	else
		*text = arena_printf(a, "it ended with status %d%s", WEXITSTATUS(status),
				     last_words(a, p));
	return ANSWER_LOST;
}

/* --- lines */

/* The next line, in A. NULL where it does not come before the DEADLINE, and DIED says why. */
static const char *hear(struct arena *a, struct player *p, int64_t deadline, bool *died)
{
	char part[4096];

	for (;;) {
		const char *s = text_str(&p->heard), *end = strchr(s, '\n');
		int64_t left = deadline - clock_ns();
		struct pollfd fd = {.fd = p->socket, .events = POLLIN};

		if (end) {
			const char *line = arena_strndup(a, s, (size_t)(end - s));
			struct text rest = {0};

			text_puts(&rest, end + 1);
			text_free(&p->heard);
			p->heard = rest;
			return line;
		}
		*died = false;
		if (left <= 0 || p->heard.n > LINE_LIMIT)
			return NULL;
		if (poll(&fd, 1, (int)(left / 1000000) + 1) <= 0)
			continue;
		ssize_t got = recv(p->socket, part, sizeof(part), 0);

		if (got > 0) {
			text_putn(&p->heard, part, (size_t)got);
		} else if (got == 0 || errno != EINTR) {
			*died = true;
			return NULL;
		}
	}
}

/* What a LINE that is no entry says. */
static enum answer take(struct arena *a, struct player *p, const char *line, const char **text)
{
	*text = line + strcspn(line, " ");
	*text += **text == ' ';
	if (strcmp(line, "ok") == 0 || strncmp(line, "ok ", 3) == 0)
		return ANSWER_OK;
	if (strncmp(line, "cannot", 6) == 0)
		return ANSWER_CANNOT;
	return lose(a, p, text, strncmp(line, "error", 5) == 0 ? *text : line);
}

/* Sends REQUEST and hears the answer; lines `entry` before it go to ENTRIES, which may be NULL. */
static enum answer ask(struct arena *a, struct player *p, const char *request,
		       struct entry_vec *entries, const char **text)
{
	int64_t deadline = clock_ns() + (int64_t)(p->limit_s * 1e9);
	size_t n = strlen(request);
	bool died = false;

	*text = "it is lost";
	if (p->lost)
		return ANSWER_LOST;
	if (p->pid == 0 || send(p->socket, request, n, MSG_NOSIGNAL) != (ssize_t)n)
		return lose_dead(a, p, text);
	for (;;) {
		const char *line = hear(a, p, deadline, &died);
		const char *tab = line ? strchr(line, '\t') : NULL;

		if (!line && died)
			return lose_dead(a, p, text);
		if (!line)
			return lose(a, p, text,
				    arena_printf(a, "no answer to '%.*s' within %g s",
						 (int)strcspn(request, " \n"), request,
						 p->limit_s));
		if (!entries || !tab || strncmp(line, "entry ", 6) != 0)
			return take(a, p, line, text);
		const char *name = arena_strndup(a, line + 6, (size_t)(tab - line - 6));

		vec_push(a, entries, (struct entry){name, tab + 1});
	}
}

enum answer player_entries(struct arena *a, struct player *p, struct entry_vec *entries,
			   const char **text)
{
	return ask(a, p, "entries\n", entries, text);
}

enum answer player_prepare(struct arena *a, struct player *p, const char *folder, const char *entry,
			   int threads, const char **text)
{
	return ask(a, p, arena_printf(a, "prepare %s %s %d\n", folder, entry, threads), NULL, text);
}

enum answer player_check(struct arena *a, struct player *p, const char *file, const char **text)
{
	return ask(a, p, arena_printf(a, "check %s\n", file), NULL, text);
}

enum answer player_run(struct arena *a, struct player *p, int64_t n, int64_t *ns, const char **text)
{
	enum answer got = ask(a, p, arena_printf(a, "run %jd\n", (intmax_t)n), NULL, text);

	*ns = got == ANSWER_OK ? atoll(*text) : 0;
	if (got == ANSWER_OK && *ns <= 0)
		return lose(a, p, text, "it says that it took no time");
	return got;
}
