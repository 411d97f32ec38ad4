/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange/arranger.h - what the files of te/arrange/ share. */
#ifndef HONE_TE_ARRANGE_ARRANGER_H
#define HONE_TE_ARRANGE_ARRANGER_H

#include "te/arrange/arrange.h"

struct arranger {
	struct arena *a;
	const struct dag *from;
	struct dag *to;			/* its ops stand where those of FROM do */
	struct arrangement *how;	/* of the ops of FROM, by position */
};

/* HOW with all the NDIM dims, also where that is none. */
struct arrangement arrangement_spelled(const struct arrangement *how, int ndim);

/* Op I of M's DAG, added to the new one, which has all ops before it. -1 and a message. */
int arrange_op(struct arranger *m, int i);

#endif
