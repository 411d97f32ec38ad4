/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe_isa.c - the probe kernels, one copy for each ISA. */
#include "measure/device/probe_isa.h"

#include "base/clock.h"
#include "base/opaque.h"

/* Fast and fused whatever the options of the rest of hone are. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("O3", "fp-contract=fast")
#endif

/* Checked memory accesses are not what the read kernel is to measure. */
#define PLAIN __attribute__((noinline, no_sanitize("address"), no_sanitize("undefined")))

/* Chains cover units x latency of a multiply-add: 2 x 5 cycles where there are sixteen registers
 * (Haswell), 4 x 4 on wide ARM cores. */
#define CHAINS_12(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)
#define CHAINS_20(X) CHAINS_12(X) X(m) X(o) X(p) X(q) X(r) X(s) X(t) X(u)

#if defined(__x86_64__)

#define ISA(name) avx512_##name
#define TARGET	  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define BYTES	  64
#define CHAINS	  CHAINS_20
#include "measure/device/probe_isa.def"

#define ISA(name) avx2_##name
#define TARGET	  __attribute__((target("avx2,fma")))
#define BYTES	  32
#define CHAINS	  CHAINS_12
#include "measure/device/probe_isa.def"

#endif

#define ISA(name) plain_##name
#define TARGET
#define BYTES 16
#if defined(__aarch64__)
#define CHAINS CHAINS_20
enum { PLAIN_CHAINS = 20 };
#else
#define CHAINS CHAINS_12
enum { PLAIN_CHAINS = 12 };
#endif
#include "measure/device/probe_isa.def"

/* Those of another architecture are for synthetic devices: no kernels, never run. */
static const struct probe_isa isas[TARGET_COUNT] = {
#if defined(__x86_64__)
	[TARGET_x86_64_avx512] = {&target_x86_64_avx512, avx512_fma, 20, avx512_read},
	[TARGET_x86_64_avx2] = {&target_x86_64_avx2, avx2_fma, 12, avx2_read},
	[TARGET_x86_64_sse4_2] = {&target_x86_64_sse4_2, plain_fma, PLAIN_CHAINS, plain_read},
#elif defined(__aarch64__)
	[TARGET_aarch64_neon] = {&target_aarch64_neon, plain_fma, PLAIN_CHAINS, plain_read},
#endif
	[TARGET_generic] = {&target_generic, plain_fma, PLAIN_CHAINS, plain_read},
};

const struct probe_isa *probe_isa_of(const struct target *t)
{
	return &isas[target_number(t)];
}

int64_t probe_fma_ns(const struct probe_isa *isa, int64_t n)
{
	int64_t begin = clock_ns();

	isa->fma(n);
	return clock_ns() - begin;
}

int64_t probe_fma_rounds(const struct probe_isa *isa, int64_t ns)
{
	int64_t n = 1000;

	/* doubling also wakes the clock and the wide units up */
	while (n < INT64_MAX / 4 && probe_fma_ns(isa, n) < ns / 2)
		n *= 2;

	int64_t took = probe_fma_ns(isa, n);

	return took > 0 ? 1 + (int64_t)((double)n * (double)ns / (double)took) : n;
}

bool probe_is_optimized(void)
{
#if defined(__clang__) && !defined(__OPTIMIZE__)
	return false; /* no pragma turns clang's optimizer on */
#else
	return true;
#endif
}
