/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/join.h - two fused functions as one kernel, beyond the rules of fusion; for graph/layout/ only. */
#ifndef HONE_GRAPH_LAYOUT_JOIN_H
#define HONE_GRAPH_LAYOUT_JOIN_H

#include "graph/layout/spacing.h"

/* Which functions to join, and what for. */
struct joinable {
	bool (*may)(const struct function *producer, const struct function *consumer);
	bool spares_image;	/* what the first gives need not be stored: that is all there is to gain */
};

/* For each node that alone reads what another gives, states in which one kernel computes both, in each manner
 * in which either has one. */
void layout_join(struct spacing *s, const struct joinable *which);

#endif
