/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_usage.c - threads, address space and stack of hone-runner's process. */
#include "measure/runner/runner_usage.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STACK_LIMIT ((rlim_t)64 << 20)

size_t usage_address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

int usage_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	if (!d)
		return 1;
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

int usage_threads_beyond(int expected)
{
	int extra = usage_threads() - expected;

	for (int i = 0; extra > 0 && i < 5; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		extra = usage_threads() - expected;
	}
	return extra;
}

void usage_limit_stack(void)
{
	struct rlimit stack;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	getrlimit(RLIMIT_STACK, &stack);
	if (stack.rlim_max > STACK_LIMIT)
		stack.rlim_max = STACK_LIMIT;
	stack.rlim_cur = stack.rlim_max;
	setrlimit(RLIMIT_STACK, &stack);
}

void usage_limit_address_space(size_t bytes)
{
	setrlimit(RLIMIT_AS, &(struct rlimit){ (rlim_t)bytes, RLIM_INFINITY });
}
