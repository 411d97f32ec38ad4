/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/decimated.h - sums over windows that lanes would read at a stride, as sums at every place of the data, of which results
 * pick theirs: what decimates a signal filters it first.
 *
 * In:   an op, out[..., x] = sum over k, ... of data[..., s x + k + c] * weight[..., k], x and that dim of the data the innermost.
 * Out:  ordinary ops that compute the same tensor; place z of the data, as windows count, is read as tap s t + z % s for each t:
 *	K[..., t, z]		the weight's tap s t + z % s; 0 where it has none
 *	S[..., t, z]		sum over ... of data[..., z + c] * K[..., t, z]
 *	out[..., x]		sum over k of S[..., k / s, s x + k]
 * Where data are 0 at both ends, as padding is, places go round: those of the last strides are the first ones, whose terms are as much.
 * Holds: what it gives is what the op gives, but for the order of its sum; every access is in bounds, provably. Data are read as they
 * lie, and shuffled behind the sum: once a row of results, where a row of the data would be shuffled for each tap. The price are sums for places
 * that no tap wants, and a weight that is repeated. */
#ifndef HONE_TE_DERIVE_DECIMATED_H
#define HONE_TE_DERIVE_DECIMATED_H

#include "te/derive/derived.h"
#include "te/index/index.h"

enum { DECIMATED_LEAST = 2 };	/* the least stride there is */

/* What is known of the tensors that an op reads: their elements along dim D are 0 outside of at(). */
struct known_zeros {
	struct range (*at)(const struct tensor *t, int d, const void *user);
	const void *user;
};

/* OP of which the windows along its lanes have a stride of LEAST or more; new ops and tensors in A. ZEROS may be NULL. False, with the
 * reason in *WHY (may be NULL), where they have not. */
bool decimated_derive(struct arena *a, const struct op *op, int64_t least, const struct known_zeros *zeros, struct derived *out,
		      const char **why);

#endif
