/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/deinterleaved.h - a reduction whose lanes would read every S-th element, over data in which these lie side by
 * side: windows with a stride, as vectors.
 *
 * In:   an op, out[..., x] = reduce over k of what has data[..., s x + d k + c] in it, x its innermost dim, which moves the data's.
 * Out:  ordinary ops that compute the same tensor:
 *	X[..., a, q]	data[..., s q + a + c], of as many phases a as windows reach; no such dim where that is one
 *	out[..., x]	as it was, of X[..., d k % s, x + d k / s]
 * Holds: the same terms in the same order; every access is in bounds, provably. Elements that no window reaches are not copied. */
#ifndef HONE_TE_DERIVE_STRIDES_DEINTERLEAVED_H
#define HONE_TE_DERIVE_STRIDES_DEINTERLEAVED_H

#include "te/derive/derived.h"

enum { DEINTERLEAVED_LEAST = 2 };	/* the least stride there is */

/* OP of which the lanes have a stride of LEAST or more; new ops and tensors in A. False, with the reason in *WHY (may be NULL), where
 * they have not. */
bool deinterleaved_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why);

#endif
