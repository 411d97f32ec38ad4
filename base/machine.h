/* SPDX-License-Identifier: Apache-2.0 */
/* base/machine.h - what the machine has, as far as the system says. */
#ifndef HONE_BASE_MACHINE_H
#define HONE_BASE_MACHINE_H

#include <stdint.h>
#include <unistd.h>

/* Memory, bytes. */
static inline int64_t machine_memory(void)
{
	return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

#endif
