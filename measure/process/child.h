/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/child.h - what a program does first that hone starts, and that is not to outlive it. */
#ifndef HONE_MEASURE_PROCESS_CHILD_H
#define HONE_MEASURE_PROCESS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on it dies with its parent, whose process id is PARENT. False where that died before. */
static inline bool child_begins(const char *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return getppid() == atoi(parent);
}

#endif
