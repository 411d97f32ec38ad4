/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/polyphase.h - sums over windows that lanes would read at a stride, as one sum for each phase of the stride, side by side in
 * lanes: the polyphase form of a filter that is decimated.
 *
 * In:   an op, out[..., x] = sum over k, ... of data[..., s x + k + c] * weight[..., k], x and that dim of the data the innermost.
 * Out:  ordinary ops that compute the same tensor:
 *	K[..., t, r]		the weight's tap s t + r; 0 where it has none
 *	S[..., z]		sum over t, ... of data[..., z + s t + c] * K[..., t, z % s]
 *	out[..., x]		sum over r of S[..., s x + r]
 * Holds: what it gives for finite data is what the op gives, but for the order of its sum; every access is in bounds, provably. Data are
 * read side by side, and what is shuffled is a row of results. The price are s times as many lanes, which a row of results that fills less
 * than a vector has anyway, and taps that are 0. */
#ifndef HONE_TE_DERIVE_STRIDES_POLYPHASE_H
#define HONE_TE_DERIVE_STRIDES_POLYPHASE_H

#include "te/derive/derived.h"

/* OP of which the windows along its lanes have a stride of LEAST or more; new ops and tensors in A. False, with the
 * reason in *WHY (may be NULL), where they have not. */
bool polyphase_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why);

#endif
