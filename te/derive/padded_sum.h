/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/padded_sum.h - a sum of products over more terms, those beyond the end 0: where an instruction sums up
 * several at a time, and their number is no multiple of that.
 *
 * In:   an op, out[space] = sum over reduce of X * W, two loads.
 * Out:  copies of both with zeros behind one dim, and the sum over these.
 * Holds: they give what the op gives, to the last bit but for the order of sums; nothing is read beyond its end. */
#ifndef HONE_TE_DERIVE_PADDED_SUM_H
#define HONE_TE_DERIVE_PADDED_SUM_H

#include "te/derive/derived.h"

/* The reduce axis of OP that is made a multiple of M: the last that is none, moves one dim of each factor, is all of
 * its index, and has half as many turns then at least as are made of them. -1: there is none, or OP is no sum of
 * products of two tensors. */
int padded_sum_axis(const struct op *op, int64_t m);
/* Are the sums that multiples M and N make of OP, 0: none, the same? */
bool padded_sums_are_one(const struct op *op, int64_t m, int64_t n);
/* OP so; new ops and tensors in A. False, with the reason in *WHY (may be NULL), where there is no such axis. */
bool padded_sum_derive(struct arena *a, const struct op *op, int64_t m, struct derived *out, const char **why);

#endif
