/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/window_sum.h - recognizes a sum over windows of data times weight, by its form alone. */
#ifndef HONE_TE_DERIVE_WINDOW_SUM_H
#define HONE_TE_DERIVE_WINDOW_SUM_H

#include "te/dag.h"

/* A space axis Y and a reduce axis K of an op: the data is read at stride Y + K, the weight at K. */
struct window_dim {
	int space;	/* Y among the op's space axes */
	int reduce;	/* K among its reduce axes */
	int data;	/* the dim of the data that is read at stride Y + K */
	int weight;	/* the dim of the weight that is read at K */
	int64_t taps;	/* the extent of K */
	int64_t stride;
};

enum { WINDOW_DIMS = 2 };

/* Of space axis Y and reduce axis K: the data is read at stride Y + dilation K + offset, the weight at K. */
struct window_reads {
	int data, weight;	/* the dims */
	int64_t stride, dilation, offset;
};

struct window_sum {
	const struct expr *data, *weight;	/* the loads */
	int n;
	struct window_dim dim[WINDOW_DIMS];	/* the last of the op that fit, in the order of space axes */
};

/* In how many dims of LOAD is AXIS? */
int window_uses(const struct expr *load, const struct axis *axis);
/* The windows of loads DATA and WEIGHT along Y and K, where these occur nowhere else in them; false: they move none. */
bool window_find(struct arena *a, const struct expr *data, const struct expr *weight, const struct axis *y, const struct axis *k,
	       struct window_reads *out);
/* OP as tensor[space] = sum over reduce of data[...] * weight[...], with at least one window dim of M or more places
 * for which there is an algorithm (te/derive/cook_toom.h). Y and K occur nowhere else. False, with the reason in *WHY (may be NULL), where
 * it is none. */
bool window_sum_of(struct arena *a, const struct op *op, int64_t m, struct window_sum *out,
		   const char **why);

#endif
