/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/verify.h - is an output the reference's, up to rounding?
 *
 * The order of additions is a candidate's own business, so floats agree up to a bound. It is each
 * element's own: the reference computes it along with the value, from the magnitudes that entered
 * this element (te/error/error.h derives it). WANT has the type of the output, BOUND the type
 * error_bound_type() says; both come from the reference.
 *
 * Where the reference is NaN or infinite, so must be the output. A bound is infinite where a right
 * kernel may end in any number; what is left there must at least have been written. So outputs are
 * poisoned with what the reference does not have at the element. */
#ifndef HONE_MEASURE_RUNNER_VERIFY_H
#define HONE_MEASURE_RUNNER_VERIFY_H

#include "te/error/error.h"

/* Makes BOUND, as the reference computed it, fit for comparing. Returns how many of the COUNT
 * elements say nothing: WANT is NaN or infinite, or BOUND infinite. */
int64_t verify_settle(enum dtype t, const void *want, void *bound, int64_t count);

/* Whether so many silent elements of COUNT leave too few to judge a kernel by: more than half. */
bool verify_says_little(int64_t silent, int64_t count);

/* Fills DATA with what no right kernel leaves there. */
void verify_poison(enum dtype t, void *data, const void *want, int64_t count);

/* The element farthest beyond its bound, -1 where there is none. */
int64_t verify_worst(enum dtype t, const void *got, const void *want, const void *bound,
		     int64_t count);

/* The root mean square of GOT - WANT over that of WANT, floats, of those elements that say something; 0 where WANT
 * is 0. */
double verify_rms(enum dtype t, const void *got, const void *want, const void *bound,
		  int64_t count);

/* The bound of element I. */
double verify_bound(enum dtype t, const void *bound, int64_t i);

#endif
