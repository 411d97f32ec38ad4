/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/match.h - the parts of the recognizer: how indices are compared, and a file for each form
 * that a DAG may have (match_*.c). */
#ifndef HONE_BENCH_WORK_MATCH_H
#define HONE_BENCH_WORK_MATCH_H

#include "bench/work/work.h"
#include "te/index/index.h"

/* The reduction of a DAG, sum of X * W, both loads, which the sum may have cast to its type. */
struct work_product {
	struct arena *a;
	const struct dag *dag;
	const struct op *sum;
	const struct expr *x, *w;
};

/* The index expressions E and F are equal everywhere. */
bool index_equal(struct arena *a, const struct expr *e, const struct expr *f);
/* E runs over a whole dimension of EXTENT: it is an axis of that extent, set in AXIS, or always 0
 * where EXTENT is 1 and AXIS is NULL then. */
bool index_is_axis(struct arena *a, const struct expr *e, int64_t extent, const struct axis **axis);
/* The same for one known axis. */
bool index_is(struct arena *a, const struct expr *e, int64_t extent, const struct axis *axis);

/* Both fill W's kind, operands (y's tensor is the sum's) and parameters. */
bool match_matmul(const struct work_product *p, struct work *w);
/* PADDED is the op of zero padding in front of the sum, or NULL. */
bool match_conv(const struct work_product *p, struct work *w, const struct op **padded);

/* Appends what OP does, elementwise, to the values of FROM, which it reads. W has its y. */
bool match_epilogue(struct arena *a, const struct dag *d, const struct op *op,
		    const struct op *from, struct work *w);

#endif
