/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/kind.h - which candidates are of a kind: what a model thinks of two of a kind is right more often than what it thinks of
 * two kinds.
 *
 * In:   a state, its program and features.
 * Out:  "winograd 4 of 3, lanes c, tile x, conv_M at 9": its algorithm; the axis that vectors run along in the statement that takes most
 *       operations; the axis that most of these vectors are side by side along; whether all that is summed is beside them, "at once"; and the
 *       loops of others in which sums are computed. Tiles that are long one way and those that are long the other have unlike neighbours: a
 *       search that knows one of them does not come upon the other (docs/performance.md). Without tiles it is told by the stages that are
 *       computed inside of others, "lanes j, inside M Z". */
#ifndef HONE_SEARCH_SPACE_GENES_KIND_H
#define HONE_SEARCH_SPACE_GENES_KIND_H

#include "costmodel/features/features.h"
#include "schedule/nest.h"

/* The kind of program P, that S was lowered to, with features M; in A. */
const char *kind_of(struct arena *a, const struct state *s, const struct program *p, const struct feature_matrix *m);
bool kind_equal(const char *x, const char *y);
/* Whether two kinds are of one algorithm with vectors along one axis, however their tiles are long. */
bool kind_is_akin(const char *x, const char *y);

#endif
