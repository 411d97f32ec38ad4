/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/cpu_time.c - /proc/stat and its like. */
#include "measure/timing/cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/device/cpuinfo.h"
#include "measure/process/cpu_list.h"

/* One line: user nice system idle iowait irq softirq steal; guest is within user. */
static void add_line(struct cpu_time *t, const char *figures)
{
	double v[8] = { 0 };

	if (sscanf(figures, "%lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4],
		   &v[5], &v[6], &v[7]) < 4)
		return;
	for (int i = 0; i < 8; i++)
		t->total += v[i];
	t->idle += v[3] + v[4];
	t->steal += v[7];
}

struct cpu_time cpu_time_parse(const char *text, const char *list)
{
	struct cpu_time t = { 0 };

	for (const char *at = text; at && strncmp(at, "cpu", 3) == 0;) {
		bool is_sum = at[3] == ' ';
		char *figures;
		long cpu = strtol(at + 3, &figures, 10);

		if (is_sum ? !list : list && cpu_list_has(list, cpu))
			add_line(&t, is_sum ? at + 3 : figures);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return t;
}

struct cpu_time cpu_time_now(struct arena *a, const char *list)
{
	return cpu_time_parse(proc_read(a, "/proc/stat"), list);
}

/* utime and stime of proc(5), behind the name, which may have blanks in it. */
double cpu_time_of(struct arena *a, pid_t pid)
{
	const char *text = proc_read(a, arena_printf(a, "/proc/%d/stat", (int)pid));
	const char *name_end = text ? strrchr(text, ')') : NULL;
	double user, system;

	if (!name_end || sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf",
				&user, &system) != 2)
		return 0;
	return user + system;
}

static double used(int who)
{
	struct rusage u;

	if (getrusage(who, &u) < 0)
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

double cpu_time_ours(void)
{
	return (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)) * (double)sysconf(_SC_CLK_TCK);
}
