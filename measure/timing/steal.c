/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/steal.c - /proc/stat, looked at once a tick. */
#include "measure/timing/steal.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What /proc/stat counts in (USER_HZ is 100 on all machines that Linux runs on but Alpha). */
#define TICK_NS 10000000

/* The lines of the CPUs come first: some 60 bytes each, for a thousand of them. */
enum { STAT_BYTES = 1 << 16 };

/* Of one line: user nice system idle iowait irq softirq steal. */
static long line_ticks(const char *line)
{
	long ticks;

	return sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %ld", &ticks) == 1 ? ticks : 0;
}

long steal_ticks(void)
{
	static char text[STAT_BYTES];
	cpu_set_t own;
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	long ticks = 0;
	size_t cpu;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (sched_getaffinity(0, sizeof(own), &own) < 0)
		return 0;
	for (const char *at = text; at && strncmp(at, "cpu", 3) == 0;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, "cpu%zu ", &cpu) == 1 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &own))
			ticks += line_ticks(at);
	return ticks;
}

void steal_begin(struct steal_watch *w, long ticks, int64_t now_ns)
{
	*w = (struct steal_watch){ .ticks = ticks, .looked_ns = now_ns };
}

int steal_is_due(const struct steal_watch *w, int64_t now_ns)
{
	return now_ns - w->looked_ns >= TICK_NS;
}

int steal_look(struct steal_watch *w, long ticks, int64_t now_ns, int n)
{
	int first = ticks == w->ticks ? n : w->before;

	*w = (struct steal_watch){ .ticks = ticks, .looked_ns = now_ns, .before = w->since,
				   .since = n };
	return first;
}
