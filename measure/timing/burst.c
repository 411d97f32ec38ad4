/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/burst.c - chains of multiply-adds, twelve or one. */
#include "measure/timing/burst.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/opaque.h"

/* About 8 and 3 us at 3 GHz: a hundred times what reading the clock takes, and little beside a sample of 60. */
enum { BURST_ROUNDS = 4096, CHAIN_ROUNDS = 2048 };

/* As many chains as fill two units, or four, of 3 to 5 cycles of latency, in the registers of the baseline. */
#define CHAINS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)
#define BEGIN(v) lanes v = half + half; OPAQUE(v);
#define STEP(v) v = v * half + half;
#define END(v) OPAQUE(v);

/* NAME_burst() and NAME_chain(), with vectors of BYTES, for processors that ATTRIBUTE names. */
#define WITH_VECTORS(name, bytes, attribute)                                                                           \
	static attribute __attribute__((noinline)) void name##_burst(void)                                             \
	{                                                                                                              \
		typedef float lanes __attribute__((vector_size(bytes)));                                               \
		lanes half = (lanes){ 0 } + 0.5f;                                                                      \
                                                                                                                       \
		OPAQUE(half);                                                                                          \
		CHAINS(BEGIN)                                                                                          \
		for (int n = 0; n < BURST_ROUNDS; n++) {                                                               \
			CHAINS(STEP)                                                                                   \
		}                                                                                                      \
		CHAINS(END)                                                                                            \
	}                                                                                                              \
	static attribute __attribute__((noinline)) void name##_chain(void)                                             \
	{                                                                                                              \
		typedef float lanes __attribute__((vector_size(bytes)));                                               \
		lanes half = (lanes){ 0 } + 0.5f;                                                                      \
                                                                                                                       \
		OPAQUE(half);                                                                                          \
		BEGIN(v)                                                                                               \
		for (int n = 0; n < CHAIN_ROUNDS; n++)                                                                 \
			STEP(v)                                                                                        \
		END(v)                                                                                                 \
	}

WITH_VECTORS(baseline, 16, )
#if defined(__x86_64__)
WITH_VECTORS(avx2, 32, __attribute__((target("avx2,fma"))))
WITH_VECTORS(avx512, 64, __attribute__((target("avx512f"))))

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#define WIDEST(kind) (has_avx512() ? avx512_##kind : has_avx2() ? avx2_##kind : baseline_##kind)
#else
#define WIDEST(kind) baseline_##kind
#endif

static void fixed(void)
{
	/* Eight chains hide the latency of a multiply and add; the barrier keeps the loop. */
	float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	for (int i = 0; i < 12000; i++) {
		for (int j = 0; j < 8; j++)
			v[j] = v[j] * 0.9999f + 0.0001f;
		__asm__ volatile("" : "+m"(v));
	}
}

static double ns_of(void (*work)(void))
{
	int64_t begin = clock_ns();

	work();
	return (double)(clock_ns() - begin);
}

double burst_ns(void)
{
	return ns_of(WIDEST(burst));
}

double chain_ns(void)
{
	return ns_of(WIDEST(chain));
}

double fixed_ns(void)
{
	return ns_of(fixed);
}
