/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/axes.h - lists of axes, and indices along them. */
#ifndef HONE_GRAPH_OP_MOVE_AXES_H
#define HONE_GRAPH_OP_MOVE_AXES_H

#include "graph/eval/eval.h"
#include "graph/ir/infer.h"
#include "graph/op/express.h"

/* V, an index among N, negative ones from the end, in [0, n); -1 where it is none. */
static inline int64_t index_among(int64_t v, int64_t n)
{
	return v < -n || v >= n ? -1 : v < 0 ? v + n : v;
}

/* Which of N NAMES the attribute ATTR is; N where it is none of them. */
int call_choice(const struct binding *call, const char *attr, const char *const *names, int n);

/* WHERE[axis] is the position of axis in AXES, -1 where it is not there; false where one of them is
 * no axis of RANK or stands there twice. AXES that are NULL are 0, 1, ... */
bool axes_find(int n, const int64_t *axes, int rank, int *where);

/* -1 and a message where operand I is known to be no list of integers: no tensor of rank 0 or 1 of
 * them. */
int infer_list(const struct infer *x, int i);
/* How many elements the list I has; -1 where that is not known. */
int infer_length(const struct infer *x, int i);

#endif
