/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition_cut.h - what `hone partition` tells of calls: who takes each by patterns and claims. */
#ifndef HONE_TOOLS_PARTITION_CUT_H
#define HONE_TOOLS_PARTITION_CUT_H

#include <jansson.h>

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

/* A line for each call; LEFT: for those alone that are left to hone. */
void cut_print_calls(const struct cut_report *r, bool left);
void cut_print_shares(const struct cut_report *r);
/* All of it; a new reference. */
json_t *cut_json(const struct cut_report *r);

#endif
