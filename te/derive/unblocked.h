/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/unblocked.h - a sum whose channels lie in blocks, as one over all of them side by side: blocks of fewer channels than
 * vectors have lanes leave lanes idle.
 *
 * In:   an op, out[..., o, ..., l] = sum over k of what has data[...] and W[..., o, ..., l, ...] in it, o and l in no other place.
 * Out:  ordinary ops that compute the same tensor:
 *	W[..., ..., c, ...]	the weight, of c = L o + l
 *	J[..., c]		the sums
 *	out[..., o, ..., l]	J[..., L o + l]
 * Holds: the same terms in the same order; every access is in bounds, provably. */
#ifndef HONE_TE_DERIVE_UNBLOCKED_H
#define HONE_TE_DERIVE_UNBLOCKED_H

#include "te/derive/derived.h"

/* OP, where its innermost dim has fewer elements than LANES and another one counts blocks of it; new ops and tensors in A. False, with the
 * reason in *WHY (may be NULL), where that is not so. */
bool unblocked_derive(struct arena *a, const struct op *op, int64_t lanes, struct derived *out, const char **why);

#endif
