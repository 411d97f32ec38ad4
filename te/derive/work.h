/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/work.h - a derivation while it is made, and how its ops are. */
#ifndef HONE_TE_DERIVE_WORK_H
#define HONE_TE_DERIVE_WORK_H

#include "te/derive/window_sum.h"
#include "te/derive/winograd.h"

struct derive_work {
	struct arena *a;
	const struct op *op;
	int64_t m;
	struct window_sum sum;
	int64_t last[WINDOW_DIMS];	/* outputs of the last tile: M, or those that are left */
	struct cook_toom by[WINDOW_DIMS];
	struct cook_toom tail[WINDOW_DIMS];	/* of the last tile, where that is smaller */
	enum dtype dtype;	/* of what is between data and output */
	struct derived *out;
};

/* new_axes_add() and derived_add() for D. */
const struct expr *derive_axis(struct derive_work *d, struct new_axes *axes, const char *prefix,
			       const char *name, int64_t extent);
struct op *derive_op(struct derive_work *d, const char *name, const struct new_axes *axes, int ndim,
		     const struct expr *body);
/* That of the op, and SUFFIX. */
const char *derive_name(struct derive_work *d, const char *suffix);

#endif
