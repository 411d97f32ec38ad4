/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/quiet.c - what /proc says of all threads of some processes. */
#include "bench/contest/referee/quiet.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"

/* What the threads of a process have run, in all. */
struct activity {
	int64_t ran_ns;
	bool running; /* some thread runs now, or wants to */
};

static size_t read_text(pid_t pid, const char *tid, const char *name, char *text, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", (int)pid, tid, name);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return n;
}

/* The state tells at once what the time, which the kernel counts up at ticks and switches, tells
 * late; the time tells of those who slept only when looked at. */
static void look_at_thread(pid_t pid, const char *tid, struct activity *of)
{
	char text[512];
	long long ran = 0;

	if (read_text(pid, tid, "stat", text, sizeof(text)) > 0) {
		const char *state = strrchr(text, ')'); /* behind the name, whatever is in it */

		of->running |= state && strncmp(state, ") R", 3) == 0;
	}
	if (read_text(pid, tid, "schedstat", text, sizeof(text)) > 0 &&
	    sscanf(text, "%lld", &ran) == 1)
		of->ran_ns += ran;
}

static struct activity look(pid_t pid)
{
	struct activity seen = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = pid > 0 ? opendir(path) : NULL;

	if (!d)
		return seen;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			look_at_thread(pid, e->d_name, &seen);
	closedir(d);
	return seen;
}

static void look_at_all(const pid_t *pids, int n, struct activity *out)
{
	for (int i = 0; i < n; i++)
		out[i] = look(pids[i]);
}

/* The first process that runs, or ran more than a little in the NS nanoseconds between two looks;
 * -1: none. */
static int find_busy(const struct activity *before, const struct activity *after, int n, int64_t ns)
{
	for (int i = 0; i < n; i++)
		if (after[i].running ||
		    (double)(after[i].ran_ns - before[i].ran_ns) > QUIET_SHARE * (double)ns)
			return i;
	return -1;
}

bool quiet_wait(const pid_t *pids, int n, double limit_ms, int *busy)
{
	int64_t deadline = clock_ns() + (int64_t)(limit_ms * 1e6);
	struct arena *a = arena_new();
	struct activity *before = arena_many(a, struct activity, n);
	struct activity *after = arena_many(a, struct activity, n);

	look_at_all(pids, n, before);
	do {
		int64_t begin = clock_ns();

		nanosleep(&(struct timespec){.tv_nsec = (long)(QUIET_MS * 1e6)}, NULL);
		look_at_all(pids, n, after);
		*busy = find_busy(before, after, n, clock_ns() - begin);
		memcpy(before, after, sizeof(*before) * (size_t)n);
	} while (*busy >= 0 && clock_ns() < deadline);
	arena_free(a);
	return *busy < 0;
}
