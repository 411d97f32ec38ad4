/* SPDX-License-Identifier: Apache-2.0 */
/* bench/sequence/kernel.h - a kernel of ours, compiled and called in this process. */
#ifndef HONE_BENCH_SEQUENCE_KERNEL_H
#define HONE_BENCH_SEQUENCE_KERNEL_H

#include "measure/builder.h"
#include "schedule/state.h"

struct kernel {
	int32_t (*run)(void *const *args);
	size_t (*packed_bytes)(int32_t input);
	void (*pack)(int32_t input, const void *raw, void *packed);
};

/* Compiles what S makes for THREADS threads and vectors of VECTOR_BYTES, and loads it for the rest
 * of the process. -1 and a message where it does not compile. */
int kernel_build(struct arena *a, struct builder *b, const struct state *s, int vector_bytes,
		 int threads, struct kernel *k);
/* 0, or -1 and a message where the kernel said so. */
int kernel_run(const struct kernel *k, void *const *args);

/* At least BYTES, as a kernel wants them aligned; for free(). */
void *kernel_buffer(size_t bytes);
/* What K reads in place of RAW, for free(); NULL where it reads RAW itself. */
void *kernel_packed(const struct kernel *k, int input, const void *raw);

#endif
