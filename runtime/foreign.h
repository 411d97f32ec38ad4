/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/foreign.h - regions of a model that code generators compute, ready to run.
 *
 * In:   a graph that was cut (partition/offload.h), and the generators of its regions.
 * Out:  for each region's function its results for its arguments.
 * Holds: every call across the border is checked against the types that the region was made for; a region
 *        is prepared once for all sessions, which take turns. */
#ifndef HONE_RUNTIME_FOREIGN_H
#define HONE_RUNTIME_FOREIGN_H

#include "graph/eval/interp.h"
#include "partition/generators.h"

struct foreign;

/* Region FUNCTION of G by BACKEND, for THREADS threads, in A. NULL and a message with the generator's
 * reason. */
struct foreign *foreign_new(struct arena *a, const struct graph *g, int function,
			    const struct backend *backend, int threads);
/* Computes RESULTS, arrays of the types that the function has, of ARGS. 0, or -1 and a message. */
int foreign_run(struct foreign *x, const struct value *args, struct value *results);

#endif
