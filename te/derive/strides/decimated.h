/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/decimated.h - sums over windows that lanes would read at a stride, as sums at every place of the data, of which results
 * pick theirs: what decimates a signal filters it first.
 *
 * In:   an op, out[..., x] = sum over k, ... of data[..., s x + k + c] * weight[..., k], x and that dim of the data the innermost.
 * Out:  ordinary ops that compute the same tensor; place z of the data, as windows count, is read as tap s t + z % s for each t:
 *	K[..., t, r]		the weight's tap s t + r; 0 where it has none
 *	S[..., t, z]		sum over ... of data[..., z + c] * K[..., t, z % s]
 *	out[..., x]		sum over k of S[..., k / s, s x + k]
 * Holds: what it gives is what the op gives, but for the order of its sum; every access is in bounds, provably. Data are read as they
 * lie, each once for all taps, and shuffled behind the sum: once a row of results, where a row of the data would be shuffled for each tap. The
 * price are sums for places that no tap wants. */
#ifndef HONE_TE_DERIVE_STRIDES_DECIMATED_H
#define HONE_TE_DERIVE_STRIDES_DECIMATED_H

#include "te/derive/derived.h"

/* OP of which the windows along its lanes have a stride of LEAST or more; new ops and tensors in A. False, with the
 * reason in *WHY (may be NULL), where they have not. */
bool decimated_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why);

#endif
