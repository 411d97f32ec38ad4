/* SPDX-License-Identifier: Apache-2.0 */
/* te/inputs.h - the test data of a DAG: from which numbers its inputs are drawn.
 *
 * In:   a frozen DAG; the ranges that its inputs were given hold.
 * Out:  the domain of each input: whole multiples of a quantum between two bounds.
 * Holds: ranges nobody chose are such that the expressions are finite for them, where a range of
 *        INPUT_RANGES does that. */
#ifndef HONE_TE_INPUTS_H
#define HONE_TE_INPUTS_H

#include "te/index/domain.h"

/* Kernels are verified on each of these. */
enum input_set {
	INPUTS_RANDOM,	/* of many bits: roundings happen as they do in use */
	INPUTS_EXACT,	/* of few bits: sums are exact in any order as far as that can be had, so
			 * that one missing term of 65,536 shows */
	INPUT_SETS
};

/* OF, by the positions of D's ops: fills in the inputs' domains. Returns the number of nodes that
 * may still get in trouble; WHAT, where it is not NULL, then says in A's words which and where. */
int inputs_choose(struct arena *a, const struct dag *d, enum input_set set, struct domain *of,
		  const char **what);

/* Where numbers from LOW to HIGH, of type T, are drawn with BITS bits: multiples of a power of two.
 */
struct domain inputs_grid(enum dtype t, double low, double high, int bits);

#endif
