/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/derived.h - ops that take the place of one op, and how they are made. */
#ifndef HONE_TE_DERIVE_DERIVED_H
#define HONE_TE_DERIVE_DERIVED_H

#include "te/dag.h"

/* Ops of a derivation, at most. */
enum { DERIVED_MAX = 10 };

/* Ops that compute what one op did, producers before consumers; the last has that op's tensor (name, shape, type,
 * whether it is an output) and axes of those names. The others are named after it: conv_U1. */
struct derived {
	struct op *op[DERIVED_MAX];
	int n;
	int weights;	/* the first so many depend on the weight alone */
	int product;	/* the number of the one that reduces over channels */
	double share;		/* of the terms of tiles' products (te/derive/winograd.h), those that are computed */
	double amplification;	/* of roundings: cook_toom_amplification() of all window dims; 0: they are the op's */
};

/* The space axes of an op that is being made, then its reduce axes. */
struct new_axes {
	int n;
	struct axis *at[2 * TENSOR_MAX_DIMS];
};

/* Appends an axis named PREFIX NAME, or longer: schedules in text tell the axes of an op apart by name. */
const struct expr *new_axes_add(struct arena *a, struct new_axes *axes, const char *prefix, const char *name,
				int64_t extent);

/* Axes of an op, and those of one that is being made which stand for them. */
struct axis_swap {
	int n;
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
};

/* Appends an axis for FROM, of its name, with EXTENT turns, and notes it in SWAP. */
const struct expr *new_axes_for(struct arena *a, struct new_axes *axes, struct axis_swap *swap, const struct axis *from,
				int64_t extent);
/* E, of the axes that SWAP knows, of those that stand for them. */
const struct expr *axis_swap_in(struct arena *a, const struct axis_swap *swap, const struct expr *e);

/* What an axis along dim D of what LOAD reads is called. */
const char *derived_dim_name(struct arena *a, const struct expr *load, int d);
/* The one dim of what LOAD reads that AXIS runs over, all of it; -1: it moves others, or runs over a part. */
int derived_dim_of(const struct expr *load, const struct axis *axis);
/* The next op of D: NAME[the first NDIM of AXES] = BODY, summed over what other axes there are. */
struct op *derived_add(struct arena *a, struct derived *d, const char *name, const struct new_axes *axes, int ndim,
		       const struct expr *body);
/* The last op of D: OP with BODY, which is of OP's axes, in the place of its own; TURNS has those of each reduce axis (NULL: as they are). */
void derived_end(struct arena *a, struct derived *d, const struct op *op, const int64_t *turns, const struct expr *body);

#endif
