/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.c - thresholds of glibc's malloc, which it raises by itself up to 32 and 64 MB as large blocks are freed. */
#include "base/heap.h"

#include <malloc.h>

/* Blocks from MAPPED on have a mapping of their own, which ends when they are freed; of what is free at the end of a
 * heap at most KEPT stays. Chunks of arenas are less than MAPPED (base/arena.c): they come and go with each batch, and
 * mapping them as well, from glibc's 128 kB on, cost tuning for VDLA half of its time again. KEPT is glibc's. */
enum { MAPPED = 2 << 20, KEPT = 128 << 10 };

void heap_give_back(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MAPPED);
	mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}
