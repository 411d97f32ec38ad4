/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/space_to_depth.h - a sum whose windows move by a stride as one whose windows move by one place: elements between two
 * places become channels.
 *
 * In:   an op, out[..., y, ...] = sum over c, k of data[c, s y + t k + d] * weight[c, k], where t divides s.
 * Out:  ordinary ops that compute the same tensor; with p = s / t phases, and more channels for each such dim:
 *	W[p c + a, k]		the weight's tap p k + a; 0 where it has none
 *	X[p c + a, q]		the data's element s q + t a + d; 0 where it has none
 *	out[..., y, ...]	sum over c, k of X[c, y + k] W[c, k], p times the channels and ceil(taps / p) taps
 * Holds: what it gives is what the op gives, but for the order of its sum; every access is in bounds, provably. As products of
 * transformed tiles (te/derive/winograd.h) windows with a stride have p algorithms side by side, whose products are stored one by
 * one; behind this they are summed over the channels first: 7x7 with stride 2, 49 sums a tile of 4 for 169. */
#ifndef HONE_TE_DERIVE_STRIDES_SPACE_TO_DEPTH_H
#define HONE_TE_DERIVE_STRIDES_SPACE_TO_DEPTH_H

#include "te/derive/derived.h"

enum { SPACE_TO_DEPTH_LEAST = 2 };	/* fewer taps move by no window */

/* OP, where windows of at least TAPS taps are left of one dim or more; new ops and tensors in A. False, with the reason in *WHY (may
 * be NULL), where there are none. */
bool space_to_depth_derive(struct arena *a, const struct op *op, int64_t taps, struct derived *out, const char **why);

#endif
