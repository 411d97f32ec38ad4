/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/lane_windows.h - sums over windows that lanes would read at a stride, and their terms at places of the data that lanes read side by
 * side.
 *
 * In:   an op, out[..., x] = sum over k, ... of data[..., s x + k + c] * weight[..., k], x and that dim of the data the innermost.
 * Out:  its weight by phases, K[..., t, r], the tap s t + r, or 0 where there is none; and data[..., place] * K[..., t, z % s], of a place that is
 *       the data's z-th as windows count, or whole strides behind. */
#ifndef HONE_TE_DERIVE_STRIDES_LANE_WINDOWS_H
#define HONE_TE_DERIVE_STRIDES_LANE_WINDOWS_H

#include "te/derive/derived.h"
#include "te/derive/window_sum.h"

enum { LANE_WINDOWS_LEAST = 2 };	/* the least stride there is */

struct lane_windows {
	const struct op *op;
	const struct expr *data, *weight;	/* the loads */
	int reduce;	/* k among the op's reduce axes */
	struct window_reads reads;
	int64_t taps;	/* of each phase: t */
};

/* Those of OP, by LEAST or more. False, with the reason in *WHY (may be NULL), where it has none. */
bool lane_windows_of(struct arena *a, const struct op *op, int64_t least, struct lane_windows *out, const char **why);
/* K; the next op of OUT. */
const struct tensor *lane_windows_weight(struct arena *a, const struct lane_windows *w, struct derived *out);
/* The term of PLACE, z, and TAP, t, at element z + BEHIND of the data as windows count, where axes of the op are those of SWAP. */
const struct expr *lane_windows_term(struct arena *a, const struct lane_windows *w, const struct axis_swap *swap, const struct tensor *weight,
				     const struct expr *place, const struct expr *tap, const struct expr *behind);

#endif
