/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/openblas_core.c - OpenBLAS's core types by the instructions of their kernels. */
#include "bench/contest/libraries/openblas_core.h"

#include <stddef.h>
#include <strings.h>

enum vector_level cpu_level(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return VECTORS_AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return VECTORS_AVX2;
	if (__builtin_cpu_supports("avx"))
		return VECTORS_AVX;
#endif
	return VECTORS_OTHER; /* nothing is known of other machines */
}

/* The names that its driver/others/dynamic.c has for x86; any other is an older core. */
static enum vector_level core_level(const char *core)
{
	static const struct {
		const char *core;
		enum vector_level level;
	} cores[] = {
		{"Sandybridge", VECTORS_AVX},	{"Bulldozer", VECTORS_AVX},
		{"Piledriver", VECTORS_AVX},	{"Steamroller", VECTORS_AVX},
		{"Excavator", VECTORS_AVX2},	{"Haswell", VECTORS_AVX2},
		{"Zen", VECTORS_AVX2},		{"SkylakeX", VECTORS_AVX512},
		{"Cooperlake", VECTORS_AVX512}, {"SapphireRapids", VECTORS_AVX512},
	};

	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		if (strcasecmp(cores[i].core, core) == 0)
			return cores[i].level;
	return VECTORS_OTHER;
}

const char *openblas_better_core(const char *found, enum vector_level level)
{
	static const char *const best[] = {NULL, "Sandybridge", "Haswell", "SkylakeX"};

	return core_level(found) < level ? best[level] : NULL;
}
