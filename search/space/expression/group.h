/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/group.h - which intrinsic of a target a reduction can be computed by, as far as its expression says. */
#ifndef HONE_SEARCH_SPACE_EXPRESSION_GROUP_H
#define HONE_SEARCH_SPACE_EXPRESSION_GROUP_H

#include "schedule/state.h"

struct group_use {
	const struct intrinsic *by;	/* NULL: none */
	int reduce;		/* the reduced axis of the op of which so many turns are its group */
};

/* For STAGE of S with lanes along DIM: the first intrinsic there is (target/intrinsic.h) for the types of its product,
 * where one operand is the same for all lanes and the other a constant, which can be packed, or one that panels suit. */
struct group_use group_of(const struct state *s, int stage, int dim, const struct target *target);
/* The same of those that multiply matrices. */
struct group_use group_of_matrix(const struct state *s, int stage, int dim, const struct target *target);
/* What G has side by side for an intrinsic to read, where its lanes run along another dim: a word; a block of 1 where there
 * is none. */
struct stored_dim group_stored(const struct stage *g);
/* Is G a product of matrices by one of these? */
bool group_is_matrix(const struct stage *g);
/* The multiple that the terms of STAGE's sum are worth being made (te/derive/padded_sum.h) for an intrinsic of vectors or of
 * MATRICES: there is none of without, or its tiles are half empty. 0: it is not. */
int64_t group_padding(const struct state *s, int stage, const struct target *target, bool matrices);
/* Does STAGE choose between values along what a group of its reader runs over, or its rows? Inlined it is no operand of one. */
bool group_is_cut(const struct state *s, int stage);
/* The scratchpad of TARGET that an intrinsic has what it reads of STAGE in, a copy for it: where it is computed it is for
 * lanes, or for all of them. */
enum memory_scope group_operand_scope(const struct state *s, int stage, const struct target *target);
/* Is T read as rows of a matrix, as it is stored, by a product of matrices that READER is? */
bool group_has_as_rows(const struct stage *reader, const struct tensor *t);
/* Is STAGE, no constant, what a group of a tiled reader reads in lanes, and so to be stored in panels, but is not yet? */
bool group_wants_panels(const struct state *s, int stage);

#endif
