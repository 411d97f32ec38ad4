/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/process.c - hone-runner's parent side: spawn, socket, end. */
#include "measure/process/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/process/spawn.h"

/* A process whose socket has ended gets this long to end by itself, so that its status tells. */
enum { GRACE_MS = 200 };

const char *process_find(struct arena *a, const char *path)
{
	return spawn_find(a, "hone-runner", "HONE_RUNNER", path);
}

/* OpenMP's threads, each on its core. */
static char **runner_env(struct arena *a)
{
	static const char *const set[] = {
		"OMP_PROC_BIND=true",
		"OMP_DYNAMIC=false",
		"OMP_PLACES=threads",
		"OMP_DISPLAY_ENV=false",
		NULL,
	};

	return spawn_env(a, set);
}

int process_start(struct arena *a, struct process *p, const char *path, const struct pin *pin,
		  int threads, int memory, const char **cpus)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set("cannot make a socket pair: %s (ulimit -n)", strerror(errno));
	const char *const argv[] = { path, arena_printf(a, "%d", (int)getpid()), NULL };
	int fds[RUNNER_FDS] = { SPAWN_NULL, SPAWN_NULL, SPAWN_NULL, ends[1], memory };
	pid_t pid = spawn_group(argv, runner_env(a), fds, RUNNER_FDS);

	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -1;
	}
	*p = (struct process){ pid, ends[0] };
	/* It waits for its set-up now, so that all it ever computes is computed there. */
	*cpus = pin_process(a, pin, pid, threads);
	if (!*cpus) {
		process_kill(p);
		return -1;
	}
	return 0;
}

static int end(struct process *p, int grace_ms)
{
	siginfo_t info = { 0 };

	if (p->pid == 0)
		return 0;
	close(p->socket);
	for (int ms = 0; ms < grace_ms && info.si_pid == 0; ms++) {
		if (ms > 0)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		/* Not reaped yet: its group cannot be anybody else's before spawn_kill. */
		if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
			break;
	}
	int status = spawn_kill(p->pid);

	p->pid = 0;
	return status;
}

int process_end(struct process *p)
{
	return end(p, GRACE_MS);
}

void process_kill(struct process *p)
{
	end(p, 0);
}

bool process_send(const struct process *p, const void *message, size_t bytes)
{
	return send(p->socket, message, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

enum heard process_hear(const struct process *p, struct event *e, int64_t deadline)
{
	struct pollfd fd = { .fd = p->socket, .events = POLLIN };

	for (;;) {
		int64_t left = deadline - clock_ns();
		int ready = poll(&fd, 1, left <= 0 ? 0 : (int)(left / 1000000) + 1);

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0)
			return HEARD_NOTHING;
		ssize_t got = recv(p->socket, e, sizeof(*e), 0);

		if (got >= (ssize_t)EVENT_HEAD)
			return HEARD_EVENT;
		if (got < 0 && errno == EINTR)
			continue;
		return HEARD_DEATH;
	}
}
