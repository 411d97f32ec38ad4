/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offloaded.h - a model on its way through passes, with regions that generators compute.
 *
 * In:   a graph behind the pass `scales`, and the names of generators.
 * Out:  the graph behind all passes, its regions ready to run.
 * Holds: a region that its generator fails to make ready goes back to the host, with the reason. */
#ifndef HONE_RUNTIME_OFFLOADED_H
#define HONE_RUNTIME_OFFLOADED_H

#include "partition/offload.h"
#include "runtime/foreign.h"

/* The pass behind which graphs are cut: weights have been folded, nothing is fused. */
#define OFFLOAD_AFTER "scales"

/* What the user says of it. */
struct offload_request {
	const char *const *backends;	/* names, or paths of shared objects */
	int nbackends;
	const char *const *keep;	/* labels of nodes that the host is to compute */
	int nkeep;
};

struct offloaded {
	const struct backend *backends;
	const struct graph *from;	/* that calls are of */
	struct offload cut;
	struct graph *graph;		/* behind all passes */
	struct foreign **foreign;	/* by function of it */
};

/* In A, for THREADS threads. -1 and a message. */
int offloaded_new(struct arena *a, struct graph *g, const struct offload_request *r, int threads,
		  struct offloaded *out);

#endif
