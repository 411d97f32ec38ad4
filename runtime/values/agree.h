/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/agree.h - do the results of two runs of a model agree?
 *
 * Kernels add in another order than the reference, so floats agree up to a part of the largest of
 * their tensor. A detector orders what it found by scores, and what lies within rounding of another
 * may change places: results that have their first dim in common are compared row by row as a set
 * where they do not agree in order. */
#ifndef HONE_RUNTIME_VALUES_AGREE_H
#define HONE_RUNTIME_VALUES_AGREE_H

#include "graph/eval/value.h"

/* The bound for floats of 32 bits and more, in deep networks; runtime/values/rounding.h has that of others. */
#define AGREE_BOUND 1e-4

struct agreement {
	bool agrees;
	double error;		/* largest difference over the largest magnitude; 0 where both are
				 * empty; infinite where type or shape differ */
	bool as_set;		/* rows agree in another order */
	const char *why;	/* where it does not agree, for people */
};

/* GOT[0..n) against WANT[0..n), one answer each, in A. BOUND: the largest difference allowed, in parts of the
 * largest magnitude in the reference's tensor. */
struct agreement *results_agree(struct arena *a, const struct value *got, const struct value *want, int n,
				double bound);

#endif
