/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition_plans.h - what `hone partition` tells of a model whose kernels were shared by measured
 * cost. */
#ifndef HONE_TOOLS_PARTITION_PLANS_H
#define HONE_TOOLS_PARTITION_PLANS_H

#include <jansson.h>

#include "runtime/offload/settle.h"

/* Who computes what in one plan. */
struct plan_share {
	int nodes;		/* of the model, as its passes left them */
	int kernels;		/* calls */
	int subgraphs;		/* of calls that hang together; 0 for hone */
	double macs;		/* multiplications and additions, in pairs */
	double us;		/* measured in the model, of a run */
};

/* The part of BACKEND, or of hone (OFFER_HOST), in PLAN. */
struct plan_share plan_share_of(struct arena *a, const struct settled *s, int plan, int backend);

/* All plans, and how they compare. */
void plans_print(struct arena *a, const struct settled *s);
/* A line for each kernel of PLAN, and for each node of its regions. */
void plans_print_kernels(struct arena *a, const struct settled *s, int plan);
/* All of it; a new reference. */
json_t *plans_json(struct arena *a, const struct settled *s);

#endif
