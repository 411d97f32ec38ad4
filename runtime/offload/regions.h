/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/regions.h - a model on its way through passes, with regions that generators compute.
 *
 * In:   a graph behind the pass `scales`, and the names of generators.
 * Out:  the graph behind all passes, its regions ready to run.
 * Holds: a region that its generator fails to make ready, or that hone is faster at, goes back to the host,
 *        with the reason. */
#ifndef HONE_RUNTIME_OFFLOAD_REGIONS_H
#define HONE_RUNTIME_OFFLOAD_REGIONS_H

#include "partition/offload.h"
#include "runtime/offload/foreign.h"
#include "runtime/offload/generators.h"
#include "runtime/offload/offers.h"

/* The pass behind which graphs are cut: weights have been folded, nothing is fused. */
#define OFFLOAD_AFTER "scales"

struct offloaded {
	const struct backend *backends;
	int nbackends;
	const struct graph *from;	/* that calls are of */
	struct offload cut;
	struct graph *graph;		/* behind all passes */
	struct foreign **foreign;	/* by function of it */
	struct foreign **ready;		/* by region of the cut */
	const struct offer *times;	/* the same: what its generator takes; 0 us: nobody timed it */
};

/* Cut for BACKENDS, of HONE_REGIONS, which are those of OFFERS from FIRST on, and made ready for THREADS threads;
 * in A. By cost, as OFFERS' policy has it, a region that hone was faster at stays with it; NULL: all that is
 * taken goes. -1 and a message. */
int offloaded_new(struct arena *a, struct graph *g, const struct backend_vec *backends,
		  const struct offload_request *r, const struct offers *offers, int first, int threads,
		  struct offloaded *out);

#endif
