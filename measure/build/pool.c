/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/pool.c - a process pool around poll(2).
 *
 * A command's output comes through a pipe; its end of file says that the command is about to end.
 * What still runs then, having closed its output, is asked for every few milliseconds. */
#include "measure/build/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/process/cpu_list.h"
#include "measure/process/spawn.h"

/* Room may come while a command runs: asked for so often. */
enum { OUTPUT_LIMIT = 16384, REAP_POLL_MS = 2, ROOM_POLL_MS = 10, LONGEST_MS = 1000 };

struct pool_slot {
	struct command_run *run;	/* NULL: free */
	pid_t pid;
	int fd;				/* -1 after its end of file */
	int64_t start, deadline;	/* clock_ns() */
	char *output;
	size_t n, room;			/* characters of output, without the end */
};

bool command_succeeded(const struct command_run *r)
{
	return !r->timed_out && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0;
}

/* The children of the command inherit these; the command itself has hardly begun. */
static void limit_resources(pid_t pid, const struct pool_limits *limits)
{
	rlim_t cpu = (rlim_t)limits->limit_s + 2;

	prlimit(pid, RLIMIT_CPU, &(struct rlimit){ cpu, cpu }, NULL);
	prlimit(pid, RLIMIT_AS, &(struct rlimit){ limits->memory, limits->memory }, NULL);
	prlimit(pid, RLIMIT_CORE, &(struct rlimit){ 0, 0 }, NULL);
}

static int start(struct arena *a, struct pool_slot *s, struct command_run *run,
		 const struct pool_limits *limits, const char *cpus, char *const *envp)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set("cannot make a pipe: %s (ulimit -n)", strerror(errno));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	int fds[3] = { SPAWN_NULL, ends[1], ends[1] };
	pid_t pid = spawn_group(run->argv, envp, fds, 3);

	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -1;
	}
	limit_resources(pid, limits);
	if (cpus)
		cpu_list_bind(cpus, pid);
	int64_t now = clock_ns();

	*s = (struct pool_slot){ .run = run, .pid = pid, .fd = ends[0], .start = now,
			    .deadline = now + (int64_t)(limits->limit_s * 1e9),
			    .room = limits->output ? limits->output : OUTPUT_LIMIT };
	s->output = arena_alloc(a, s->room + 1);
	return 0;
}

/* Takes what is in the pipe; what is beyond the limit is dropped. */
static void drain(struct pool_slot *s)
{
	char rest[4096];

	while (s->fd >= 0) {
		size_t room = s->room - s->n;
		ssize_t got = read(s->fd, room ? s->output + s->n : rest,
				   room ? room : sizeof(rest));

		if (got > 0) {
			s->n += room ? (size_t)got : 0;
		} else if (got == 0 || errno != EINTR) {
			if (got < 0 && errno == EAGAIN)
				return;
			close(s->fd);
			s->fd = -1;
		}
	}
}

static void finish(struct pool_slot *s, int status)
{
	drain(s);
	if (s->fd >= 0)		/* a grandchild holds it open */
		close(s->fd);
	s->output[s->n] = '\0';
	s->run->output = s->output;
	s->run->status = status;
	s->run->ms = ms_since(s->start);
	s->run = NULL;
}

static void advance(struct pool_slot *s, int64_t now)
{
	int status;

	if (now >= s->deadline) {
		s->run->timed_out = true;
		finish(s, spawn_kill(s->pid));
		return;
	}
	drain(s);
	if (s->fd < 0 && waitpid(s->pid, &status, WNOHANG) == s->pid)
		finish(s, status);
}

static void wait_any(const struct pool_slot *slots, struct pollfd *fds, int n, int most_ms)
{
	int64_t now = clock_ns(), wake = now + (int64_t)most_ms * 1000000;

	for (int i = 0; i < n; i++) {
		const struct pool_slot *s = &slots[i];

		fds[i] = (struct pollfd){ .fd = s->run ? s->fd : -1, .events = POLLIN };
		if (s->run && s->deadline < wake)
			wake = s->deadline;
		if (s->run && s->fd < 0 && now + REAP_POLL_MS * 1000000 < wake)
			wake = now + REAP_POLL_MS * 1000000;
	}
	poll(fds, (nfds_t)n, wake < now ? 0 : (int)((wake - now) / 1000000) + 1);
}

/* What is free of SLOTS for commands to come; *CPUS as of struct pool_room. */
static int free_slots(const struct pool_limits *limits, int running, const char **cpus)
{
	struct pool_room room = { .jobs = limits->jobs };

	if (limits->room)
		room = limits->room(limits->user);
	*cpus = room.cpus;
	return (room.jobs < limits->jobs ? room.jobs : limits->jobs) - running;
}

int pool_run(struct arena *a, struct command_run *runs, int n, const struct pool_limits *limits,
	     char *const *envp)
{
	int width = limits->jobs < n ? limits->jobs : n;
	struct pool_slot *slots = arena_many(a, struct pool_slot, width);
	struct pollfd *fds = arena_many(a, struct pollfd, width);
	int next = 0, running = 0, rc = 0;

	if (n == 0)
		return 0;	/* nobody to wait for */
	do {
		const char *cpus;
		int room = next < n ? free_slots(limits, running, &cpus) : 0;

		for (int i = 0; i < width && next < n && room > 0 && rc == 0; i++) {
			if (slots[i].run)
				continue;
			rc = start(a, &slots[i], &runs[next], limits, cpus, envp);
			next++;
			room--;
		}
		wait_any(slots, fds, width, limits->room && next < n ? ROOM_POLL_MS : LONGEST_MS);
		int64_t now = clock_ns();

		running = 0;
		for (int i = 0; i < width; i++) {
			if (slots[i].run)
				advance(&slots[i], now);
			running += slots[i].run != NULL;
		}
	} while (running > 0 || (next < n && rc == 0));
	return rc;
}
