/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/chosen.h - what a choice of storages came to. */
#ifndef HONE_GRAPH_LAYOUT_CHOSEN_H
#define HONE_GRAPH_LAYOUT_CHOSEN_H

#include <stdbool.h>

/* How a state stores images: as they come, channels last, or channels in blocks of a vector, or of
 * half of one where that alone divides them. */
enum layout_manner { MANNER_NCHW, MANNER_NHWC, MANNER_BLOCKED, MANNER_COUNT };

struct layout_choice {
	int *state;	/* by node */
	double us;	/* of all nodes and transforms */
	double bound;	/* no choice takes less */
	bool exact;	/* it is the least there is */
	double uniform_us[MANNER_COUNT];	/* one manner wherever there is such a state */
	double greedy_us;			/* each node's fastest */
	int alternatives;	/* nodes that are computed otherwise than the rules of fusion have it */
};

#endif
