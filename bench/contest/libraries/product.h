/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/product.h - a matrix product in the DAG's own memory, as libraries for linear
 * algebra are asked for it: matrices by their strides, batches one after the other. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_PRODUCT_H
#define HONE_BENCH_CONTEST_LIBRARIES_PRODUCT_H

#include "bench/contest/contestant.h"

struct matrix {
	float *at;
	int64_t row, column;	/* elements from one to the next */
};

struct product_batch {
	int64_t a, b, y;	/* elements from the first batch */
};

struct product {
	int64_t m, n, k;
	struct matrix a, b, y;
	const struct product_batch *batch;
	int64_t nbatch;
};

/* Y = A * B of T, over T's arguments, in A. False, and WHY, where T is more than a product or its
 * matrices have no strides. */
bool product_of(struct arena *a, const struct contestant_task *t, struct product *out,
		const char **why);

#endif
