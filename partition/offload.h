/* SPDX-License-Identifier: Apache-2.0 */
/* partition/offload.h - a graph cut between the host and generators.
 *
 * In:   a graph that was simplified and not fused yet, and generators.
 * Out:  the same graph, where each region is a function with the attribute "generator", applied once.
 * Holds: what the graph computes; regions are convex, in every function of the graph. What a generator
 *        would compute, and why it would not, is told of every call. */
#ifndef HONE_PARTITION_OFFLOAD_H
#define HONE_PARTITION_OFFLOAD_H

#include "partition/claim.h"
#include "partition/region.h"

/* One call of a function that main needs. */
struct offload_call {
	int function, value;		/* of the graph that was cut */
	int backend;			/* REGION_HOST */
	int region;			/* of all; -1 */
	const char *pattern;		/* its name; NULL */
	const char *why;		/* why the host computes it; NULL: it does not */
};

struct offload_call_vec VEC(struct offload_call);

struct offload_region {
	const char *function;	/* name of the function of the cut graph that it is */
	int backend;
};

struct offload_region_vec VEC(struct offload_region);

/* A call that is not offered to generators. */
struct offload_refusal {
	int function, value;
	const char *why;
};

struct offload_refusal_vec VEC(struct offload_refusal);

struct offload {
	struct graph *graph;
	struct offload_call_vec calls;	/* in the order of the graph */
	struct offload_region_vec regions;
};

struct offload_options {
	const struct backend *backends;
	int n;
	struct offload_refusal_vec refusals;
	int least;		/* calls of a region: smaller ones go back to the host; 0: any size */
};

/* Gives generators all that they would take and G's demands let them; what several would, the one whose match has most calls, and
 * of equals the one that is named first. In A, G itself where they take nothing; -1 and a message. */
int offload_all(struct arena *a, struct graph *g, const struct offload_options *o, struct offload *out);
#endif
