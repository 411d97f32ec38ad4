/* SPDX-License-Identifier: Apache-2.0 */
/* partition/report.h - how much of a graph each generator takes of a cut.
 *
 * In:   a graph that was cut, and the generators it was cut for.
 * Out:  nodes, regions and multiply-adds of each. */
#ifndef HONE_PARTITION_REPORT_H
#define HONE_PARTITION_REPORT_H

#include "partition/offload.h"

struct cut_report {
	struct arena *arena;
	const struct graph *from;	/* that calls are of */
	const struct offload *cut;
	const struct backend *backends;
	int n;
	const double *macs;		/* multiplications and additions, in pairs, by call */
	double all_macs;
};

/* The part of a model that one computes. */
struct cut_share {
	int nodes, regions;
	double macs;
};

/* In A. */
struct cut_report cut_report_new(struct arena *a, const struct graph *from, const struct offload *cut,
				 const struct backend *backends, int n);
/* Of BACKEND, or of hone (REGION_HOST). */
struct cut_share cut_share_of(const struct cut_report *r, int backend);

#endif
