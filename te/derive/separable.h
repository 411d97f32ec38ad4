/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/separable.h - a reduction over windows of several dims, of the innermost behind the others: 3 + 3 of 3x3 elements for each result.
 *
 * In:   an op, out[..., y, x] = reduce over j, k of data[..., s y + j, t x + d k + c].
 * Out:  ordinary ops that compute the same tensor:
 *	R[..., y, z]		reduce over j of data[..., s y + j, z + c]
 *	out[..., y, x]		R[..., y, t x] reduced with R[..., y, t x + d], ..., written out
 * Holds: what it gives is what the op gives, but for the order of its sum; every access is in bounds, provably. Results with a stride pick from what
 * is reduced, where they would pick from each row of the data. */
#ifndef HONE_TE_DERIVE_SEPARABLE_H
#define HONE_TE_DERIVE_SEPARABLE_H

#include "te/derive/derived.h"

enum { SEPARABLE_LEAST = 2 };	/* fewer taps are no window */

/* OP, the innermost dim of whose windows has TAPS taps or more; new ops and tensors in A. False, with the reason in *WHY (may be NULL), where it has
 * not, or no other dim has windows. */
bool separable_derive(struct arena *a, const struct op *op, int64_t taps, struct derived *out, const char **why);

#endif
