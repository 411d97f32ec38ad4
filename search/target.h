/* SPDX-License-Identifier: Apache-2.0 */
/* search/target.h - what kernels are made for. */
#ifndef HONE_SEARCH_TARGET_H
#define HONE_SEARCH_TARGET_H

#include "costmodel/features.h"
#include "measure/device/device.h"

/* What a search knows of the device. */
struct target {
	int vector_bytes;
	int registers;	/* vector registers */
	int threads;	/* that the kernel may use */
	struct cost_device cost;	/* the same and more, for cost models */
};

/* Kernels of THREADS threads on D. */
struct target target_of(const struct device *d, int threads);

#endif
