/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/notify.c - /bin/sh in the background. */
#include "tools/campaign/notify.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/process/spawn.h"

/* What a mail or a web hook may take at the end, on a bad line. */
enum { LAST_WAIT_S = 30, POLL_MS = 20 };

/* Linux takes no longer variable than 128 KiB (MAX_ARG_STRLEN). */
enum { VALUE_LIMIT = 100000 };

static const char *variable(struct arena *a, const char *name, const char *value)
{
	bool fits = value && strlen(value) < VALUE_LIMIT;

	return arena_printf(a, "%s=%s", name, fits ? value : "");
}

static char **environment(struct arena *a, const struct notify *n, const struct notice *what)
{
	const char *const set[] = {
		variable(a, "HONE_EVENT", what->event),
		variable(a, "HONE_WHY", what->why),
		variable(a, "HONE_SOURCE", n->source),
		variable(a, "HONE_DB", n->db),
		variable(a, "HONE_TRIALS", arena_printf(a, "%lld", (long long)what->trials)),
		variable(a, "HONE_BEST", what->best),
		NULL,
	};

	return spawn_env(a, set);
}

static void judge(const struct notify *n, int status)
{
	if (WIFSIGNALED(status))
		listener_tell(&n->listener, TELL_WARNING, "--notify: ended by signal %d",
			      WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		listener_tell(&n->listener, TELL_WARNING, "--notify: exit status %d",
			      WEXITSTATUS(status));
}

/* How many still run. */
static int reap(struct notify *n)
{
	int running = 0, status;

	for (int i = 0; i < NOTIFY_RUNNING; i++) {
		if (n->running[i] && waitpid(n->running[i], &status, WNOHANG) == n->running[i]) {
			n->running[i] = 0;
			judge(n, status);
		}
		running += n->running[i] != 0;
	}
	return running;
}

static pid_t *free_place(struct notify *n)
{
	for (int i = 0; i < NOTIFY_RUNNING; i++)
		if (!n->running[i])
			return &n->running[i];
	return NULL;
}

void notify_send(struct notify *n, const struct notice *what)
{
	if (!n->command)
		return;
	reap(n);
	pid_t *place = free_place(n);

	if (!place) {
		listener_tell(&n->listener, TELL_WARNING, "--notify: %d still run; not told: %s",
			      NOTIFY_RUNNING, what->event);
		return;
	}
	struct arena *a = arena_new();
	const char *const argv[] = { "/bin/sh", "-c", n->command, NULL };
	const int fds[] = { SPAWN_NULL, STDERR_FILENO, STDERR_FILENO };
	pid_t pid = spawn_group(argv, environment(a, n, what), fds, 3);

	if (pid < 0)
		listener_tell(&n->listener, TELL_WARNING, "--notify: %s", err_get());
	*place = pid < 0 ? 0 : pid;
	arena_free(a);
}

void notify_end(struct notify *n)
{
	int64_t end = clock_ns() + LAST_WAIT_S * INT64_C(1000000000);

	while (reap(n) > 0 && clock_ns() < end)
		nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
	for (int i = 0; i < NOTIFY_RUNNING; i++) {
		if (!n->running[i])
			continue;
		listener_tell(&n->listener, TELL_WARNING,
			      "--notify: does not end within %d s; killed", LAST_WAIT_S);
		spawn_kill(n->running[i]);
		n->running[i] = 0;
	}
}
