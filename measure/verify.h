/* SPDX-License-Identifier: Apache-2.0 */
/* measure/verify.h - is an output the reference's, up to rounding?
 *
 * The order of additions is a candidate's own business, so floats agree up to a bound. For n
 * additions of rounding unit u the error stays below a small multiple of sqrt(n) u times the
 * magnitude of what is summed (Higham and Mary, A New Approach to Probabilistic Rounding Error
 * Analysis, SIAM J. Sci. Comput. 41(5), 2019). That magnitude is not at hand; for random data the
 * partial sums of an element stay near its own size or that of its neighbours, so that
 *	|got - want| <= VERIFY_LAMBDA sqrt(K) u (|want| + magnitude)
 * with the root mean square of the output as magnitude, unless the workload knows better. One
 * missing term of K changes an element by about magnitude / sqrt(K), which is above the bound
 * for K up to half a million in f32. Integers agree exactly. */
#ifndef HONE_MEASURE_VERIFY_H
#define HONE_MEASURE_VERIFY_H

#include "te/dtype.h"

/* Six standard deviations, as the worst of millions of elements is looked for, times the square
 * root of two for both sides' error, times some margin for exp, tanh and their like. */
#define VERIFY_LAMBDA 32.0

/* |got - want| <= relative |want| + absolute. */
struct tolerance {
	double relative, absolute;
};

/* For an output WANT of the reference; REDUCTION and MAGNITUDE as in struct workload. */
struct tolerance verify_tolerance(enum dtype t, const void *want, int64_t count, int64_t reduction,
				  double magnitude);
/* The element farthest beyond its bound, -1 where there is none. NaN agrees with NaN alone. */
int64_t verify_worst(enum dtype t, const void *got, const void *want, int64_t count,
		     struct tolerance tol);
/* The bound at an element whose reference value is WANT; 0 for integers. */
double verify_bound(enum dtype t, double want, struct tolerance tol);

#endif
