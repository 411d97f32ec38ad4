/* SPDX-License-Identifier: Apache-2.0 */
/* target/x86_64_avx2.c - Intel from Haswell on, AMD from Zen on. */
#include "target/cpu.h"

static bool runs(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

const struct target target_x86_64_avx2 = {
	.name = "x86-64-avx2",
	.isa = "avx2",
	.summary = "x86-64-v3: AVX2, FMA, F16C",
	CPU_VECTORS(32, 16),
	.stream_bytes = 16,
	.masked_loads = true,	/* stores are tens of instructions inside AMD's */
	.arch = "x86_64",
	.march = "-march=x86-64-v3",
	.defined = "defined __AVX2__ && defined __FMA__",
	.runs = runs,
};
