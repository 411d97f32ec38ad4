/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/plans.h - what `hone partition` tells of a model whose kernels were shared by measured
 * cost. */
#ifndef HONE_TOOLS_PARTITION_PLANS_H
#define HONE_TOOLS_PARTITION_PLANS_H

#include <jansson.h>

#include "runtime/offload/shares.h"

/* All plans, and how they compare. */
void plans_print(struct arena *a, const struct settled *s);
/* A line for each kernel of PLAN, and for each node of its regions. */
void plans_print_kernels(struct arena *a, const struct settled *s, int plan);
/* All of it; a new reference. */
json_t *plans_json(struct arena *a, const struct settled *s);
json_t *plan_comparison_json(const struct comparison *c);
/* All but the kernels. */
json_t *plans_json_short(struct arena *a, const struct settled *s);

#endif
