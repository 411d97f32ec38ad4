/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/cpu_list.h - CPUs as the kernel of the system lists them: "0,2-3". */
#ifndef HONE_MEASURE_PROCESS_CPU_LIST_H
#define HONE_MEASURE_PROCESS_CPU_LIST_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether LIST names CPU. */
bool cpu_list_has(const char *list, long cpu);
/* Binds the thread PID (0: this one) to LIST; where that is refused it stays where it is. */
void cpu_list_bind(const char *list, pid_t pid);

#endif
