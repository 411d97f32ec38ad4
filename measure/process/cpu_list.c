/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/cpu_list.c - a list of CPUs, asked and bound to. */
#include "measure/process/cpu_list.h"

#include <sched.h>
#include <stdlib.h>

bool cpu_list_has(const char *list, long cpu)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

void cpu_list_bind(const char *list, pid_t pid)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (cpu_list_has(list, cpu))
			CPU_SET((size_t)cpu, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}
