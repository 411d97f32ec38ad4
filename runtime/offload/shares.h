/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/shares.h - who computes what in the plans of a model that was settled.
 *
 * In:   plans with their lists of steps, and what their kernels were measured to take.
 * Out:  of each plan the part of hone and of each generator; its steps beside their tasks. */
#ifndef HONE_RUNTIME_OFFLOAD_SHARES_H
#define HONE_RUNTIME_OFFLOAD_SHARES_H

#include "graph/task/uses.h"
#include "partition/report.h"
#include "runtime/offload/settle.h"

/* Who computes what in one plan. */
struct plan_share {
	int nodes;		/* of the model, as its passes left them; transforms of layout are none */
	int kernels;		/* calls */
	int subgraphs;		/* of calls that hang together; 0 for hone */
	double macs;		/* multiplications and additions, in pairs */
	double us;		/* of a run: measured in the model, or told */
	struct hone_cost told;	/* of these, what the generator tells */
};

/* The part of BACKEND, or of hone (OFFER_HOST), in PLAN. */
struct plan_share plan_share_of(struct arena *a, const struct settled *s, int plan, int backend);

/* What generators compute of a plan, all of them. */
struct plan_offload {
	double nodes, macs;	/* of the model's: 0 to 1 */
	int kernels, subgraphs;
};
struct plan_offload plan_offload_of(struct arena *a, const struct settled *s, int plan);

/* SETTLED_COST, ... as it is told. */
const char *plan_name(int plan);
/* The name of BACKEND, or hone's. */
const char *plan_who(const struct settled *s, int backend);
/* Is it a generator of HONE_KERNELS? */
bool plan_is_of_kernels(const struct settled *s, int backend);
/* What M's generators of regions take, call by call; in A. */
struct cut_report plan_regions(struct arena *a, const struct opened *m);

/* A list of steps with what it is of. */
struct plan_list {
	const struct flat *flat;
	const struct function *function;
	int index;
	const struct task_uses *uses;
	const struct opened *model;
};

/* That of FUNCTION, which has one, in PLAN; USES are of the plan's tasks. */
struct plan_list plan_list_of(const struct settled *s, int plan, int function, const struct task_uses *uses);
/* The task of a step of it; NULL: a copy. */
const struct model_task *plan_task(const struct plan_list *l, const struct flat_step *step);
/* Who runs STEP: a backend or OFFER_HOST. */
int plan_step_by(const struct settled *s, const struct flat_step *step);

#endif
