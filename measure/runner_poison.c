/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner_poison.c - hone-runner: a kernel that is verified finds no zeros in memory that
 * nobody has written.
 *
 * Fresh pages are zeros, and what ran last leaves its stack behind: both would let a kernel pass
 * that skips a part of its local arrays. The object that is verified is the one that is timed: all
 * is done around it. Out of reach is what a thread of OpenMP writes to its stack as it waits, the
 * first few hundred bytes. */
#include <dlfcn.h>
#include <string.h>

#include "measure/runner_task.h"

enum { POISON = 0xff };
/* Of each stack: more than a kernel's arrays may take, and OpenMP's frames above them. */
enum { PAINTED = 256 << 10 };

static __attribute__((noinline)) void paint_stack(void *unused)
{
	char below[PAINTED];

	(void)unused;
	memset(below, POISON, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

/* The entries to a parallel region of libgomp and of LLVM's libomp, as compilers call them: each
 * thread of the team runs the function, as deep in its stack as it would run a kernel's. */
typedef void gomp_parallel_fn(void (*fn)(void *), void *data, unsigned threads, unsigned flags);

struct kmp_ident {
	int32_t reserved, flags, reserved2, reserved3;
	const char *source;
};

enum { KMP_IDENT_KMPC = 2 };

typedef int32_t kmp_self_fn(struct kmp_ident *);
typedef void kmp_push_fn(struct kmp_ident *, int32_t self, int32_t threads);
typedef void kmp_fork_fn(struct kmp_ident *, int32_t argc,
			 void (*fn)(int32_t *thread, int32_t *bound, ...), ...);

static void paint_member(int32_t *thread, int32_t *bound, ...)
{
	(void)bound;
	paint_stack(thread);
}

static void paint_team(void *object, int32_t threads)
{
	struct kmp_ident here = { .flags = KMP_IDENT_KMPC, .source = ";unknown;unknown;0;0;;" };
	gomp_parallel_fn *gomp;
	kmp_self_fn *self;
	kmp_push_fn *push;
	kmp_fork_fn *fork;

	*(void **)&gomp = dlsym(object, "GOMP_parallel");
	*(void **)&self = dlsym(object, "__kmpc_global_thread_num");
	*(void **)&push = dlsym(object, "__kmpc_push_num_threads");
	*(void **)&fork = dlsym(object, "__kmpc_fork_call");
	if (self && push && fork) {
		push(&here, self(&here), threads);
		fork(&here, 0, paint_member);
	} else if (gomp) {
		gomp(paint_stack, NULL, (unsigned)threads, 0);
	}
}

/* Nothing else is called between the paint and the kernel: it would write to the same stack. */
int32_t poison_run(const struct loaded_kernel *k)
{
	paint_team(k->object, k->timed.threads);
	paint_stack(NULL);
	return timed_run(k->timed);
}
