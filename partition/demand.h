/* SPDX-License-Identifier: Apache-2.0 */
/* partition/demand.h - what the user demands of a model's nodes, which generators get a share of.
 *
 * In:   a graph as it was read, and labels that options give.
 * Out:  the same graph, where the origins of calls have these demands, as if the model said so itself.
 * Holds: from there on nobody looks at labels: passes carry demands as they carry labels. */
#ifndef HONE_PARTITION_DEMAND_H
#define HONE_PARTITION_DEMAND_H

#include "partition/offload.h"

struct demand_labels {
	const char *const *keep;	/* of nodes that hone is to compute */
	int nkeep;
	const char *const *offload;	/* of nodes that a generator is to, whatever it takes */
	int noffload;
};

/* Puts the demands of L on the calls of G that come from such nodes, over what the model says, and has G's
 * tasks told apart by demands. -1 and a message where a label is no call's, or is there for both. */
int demands_set(struct graph *g, const struct demand_labels *l);
/* -1 and a message where a demand of G names a generator that is none of the N BACKENDS. */
int demands_check_names(const struct graph *g, const struct backend *backends, int n);
/* -1 and a message where a call of FROM that has to go to a generator went to none in CUT. */
int demands_check_cut(const struct graph *from, const struct offload *cut);
/* Sets the message that B, which has to go to a generator, does not, and WHY; -1. */
int demand_unmet(const struct binding *b, const char *why);

#endif
