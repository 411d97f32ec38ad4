/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/probe_isa.h - the kernels that probes and the noise test time.
 *
 * hone is built for the baseline of its architecture; these kernels are compiled once for each
 * target: caches are read with the widest that runs here, multiply-adds are timed for each. */
#ifndef HONE_MEASURE_DEVICE_PROBE_ISA_H
#define HONE_MEASURE_DEVICE_PROBE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

struct probe_isa {
	const struct target *target;
	/* N rounds of `chains` independent multiply-adds of vectors. */
	void (*fma)(int64_t n);
	int chains;
	/* Reads BYTES (a multiple of 16 vectors) at DATA (64-byte aligned) N times. */
	void (*read)(const void *data, size_t bytes, int64_t n);
};

/* That of a target that runs here. */
const struct probe_isa *probe_isa_of(const struct target *t);

/* False where the kernels were compiled without optimization: their figures are no device's. */
bool probe_is_optimized(void);

/* Nanoseconds of the calling thread for N rounds of the multiply-add kernel. */
int64_t probe_fma_ns(const struct probe_isa *isa, int64_t n);
/* Rounds that take about NS nanoseconds here. */
int64_t probe_fma_rounds(const struct probe_isa *isa, int64_t ns);

#endif
