/* SPDX-License-Identifier: Apache-2.0 */
/* target/x86_64_sse4_2.c - x86-64 since Nehalem; multiplications and additions are apart. */
#include "target/cpu.h"

static bool runs(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("sse4.2");
#else
	return false;
#endif
}

const struct target target_x86_64_sse4_2 = {
	.name = "x86-64-sse4.2",
	.isa = "sse4.2",
	.summary = "x86-64-v2: SSE4.2, no multiply-add",
	CPU_VECTORS(16, 16),
	.stream_bytes = 16,
	.arch = "x86_64",
	.march = "-march=x86-64-v2",
	.defined = "defined __SSE4_2__",
	.runs = runs,
};
