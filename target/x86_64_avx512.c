/* SPDX-License-Identifier: Apache-2.0 */
/* target/x86_64_avx512.c - Intel servers from Skylake on, AMD from Zen 4 on. */
#include "target/cpu.h"

static bool runs(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
	return false;
#endif
}

const struct target target_x86_64_avx512 = {
	.name = "x86-64-avx512",
	.isa = "avx512",
	.summary = "x86-64-v4: AVX-512 F, VL, BW, DQ",
	CPU_VECTORS(64, 32),
	.stream_bytes = 16,
	.scope_bytes[SCOPE_MATRIX] = 4 * 1024,	/* of eight tiles four, where there are any; the others are of operands */
	.half = &target_x86_64_avx2,
	.masked_loads = true,
	.masked_stores = true,
	.arch = "x86_64",
	.march = "-march=x86-64-v4",
	.defined = "defined __AVX512F__ && defined __AVX512VL__ && defined __AVX512BW__ && defined __AVX512DQ__",
	/* Compilers for AVX-512 prefer half its width, out of regard for the clock of old ones. */
	.tuning = "-mprefer-vector-width=512",
	.clang_attribute = "min_vector_width(512)",	/* the same, in exported files */
	.runs = runs,
};
