/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_poison.c - hone-runner: a kernel that is verified finds no zeros in memory that
 * nobody has written.
 *
 * Fresh pages are zeros, and what ran last leaves its stack behind: both would let a kernel pass
 * that skips a part of its local arrays. The object that is verified is the one that is timed: all
 * is done around it. */
#include <string.h>

#include "measure/runner/runner_task.h"

enum { POISON = 0xff };
/* Of each stack: more than a kernel's arrays may take. */
enum { PAINTED = 256 << 10 };

static __attribute__((noinline)) void paint_stack(void)
{
	char below[PAINTED];

	memset(below, POISON, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

/* Nothing else is called between the paint and the kernel: it would write to the same stack. */
static void run_painted(struct team *t, int thread, void *user)
{
	const struct timed *k = user;

	paint_stack();
	callable_run(k->call, t, thread, k->args, k->workspace);
}

void poison_run(const struct loaded_kernel *k)
{
	struct timed timed = k->timed;

	team_run(timed.threads, run_painted, &timed);
}
