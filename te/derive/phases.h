/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/phases.h - a sum whose taps or elements depend on the phase of a place, as one sum for each phase, side by
 * side.
 *
 * In:   an op, out[y, ...] = sum over k of data[(y + c) / s + d +- k] * weight[(y + c) % s + s k], as transposed
 *       convolutions are, or of data[y + s k + d] * weight[k], as dilated ones are.
 * Out:  ordinary ops that compute the same tensor, in which windows of neighbours move by one place:
 *	W[a, weight]	of a transposed one: the weight's taps of phase a, in the order of the data
 *	X[a, data]	of a dilated one: the data's elements of phase a
 *	S[a, q, ...]	sum over k of data[q + k] W[a, k], or of X[a, q + k] weight[k]
 *	out[y, ...]	S[(y + c) % s, (y + c) / s, ...]
 * Holds: sums have the same terms; every access is in bounds, provably. */
#ifndef HONE_TE_DERIVE_PHASES_H
#define HONE_TE_DERIVE_PHASES_H

#include "te/derive/derived.h"

enum { PHASES_LEAST = 2 };	/* the fewest there are */

/* OP with each place of LEAST phases or more in two dims; new ops and tensors in A. False, with the reason in *WHY (may
 * be NULL), where it has none. */
bool phases_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why);

#endif
