/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner_poison.c - hone-runner: a kernel that is verified finds no zeros in memory that
 * nobody has written.
 *
 * Fresh pages are zeros, and what ran last leaves its stack behind: both would let a kernel pass
 * that skips a part of its temporaries. */
#include <stdlib.h>
#include <string.h>

#include "measure/runner_task.h"

enum { POISON = 0xff };
/* Of the stack: more than a kernel's arrays may take. */
enum { PAINTED = 256 << 10 };

static bool poisoning;

/* What kernels allocate by: the program's own goes before the C library's. */
void *aligned_alloc(size_t alignment, size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, alignment, size) != 0)
		return NULL;
	return poisoning ? memset(p, POISON, size) : p;
}

static __attribute__((noinline)) void paint_stack(void)
{
	char below[PAINTED];

	memset(below, POISON, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

void poison_begin(void)
{
	poisoning = true;
	paint_stack();
}

void poison_end(void)
{
	poisoning = false;
}
