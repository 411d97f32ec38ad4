/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/sgemm.c - the entry, the kernel and the second start of a BLAS. */
#include "bench/contest/libraries/sgemm.h"

#include <stdlib.h>
#include <unistd.h>

const struct contestant_entry sgemm_entries[] = {
	{ "sgemm", "plain matrices; it packs both in each call" },
	{ NULL, NULL },
};

const char *sgemm_kernel(void *handle)
{
	const struct product *p = handle;

	return p->nbatch > 1 ? "sgemm in a loop" : "sgemm";
}

void sgemm_choose(const char *variable, const char *value, char **argv)
{
	if (!getenv(variable) && setenv(variable, value, 1) == 0)
		execv("/proc/self/exe", argv);
}
