/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/kernel.h - a kernel of ours, loaded into this process. */
#ifndef HONE_RUNTIME_KERNEL_KERNEL_H
#define HONE_RUNTIME_KERNEL_KERNEL_H

#include "codegen/callable.h"

struct kernel {
	struct callable call;
	int threads;		/* that it is called with */
	size_t workspace_bytes;	/* that it needs then */
};

/* Loads OBJECT, for THREADS threads, for the rest of the process. -1 and a message. */
int kernel_load(struct kernel *k, const char *object, int threads);
/* By its threads, with a workspace of its bytes or more. */
void kernel_run(const struct kernel *k, void *const *args, void *workspace);

/* At least BYTES, as a kernel wants them aligned; for free(). */
void *kernel_buffer(size_t bytes);
/* What K reads in place of RAW, for free(); NULL where it reads RAW itself. */
void *kernel_packed(const struct kernel *k, int input, const void *raw);

#endif
