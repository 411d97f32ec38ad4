/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/cut.h - what `hone partition` tells of calls: who takes each by patterns and claims. */
#ifndef HONE_TOOLS_PARTITION_CUT_H
#define HONE_TOOLS_PARTITION_CUT_H

#include <jansson.h>

#include "partition/report.h"

/* Why who computes a node does; NULL: not because of D. */
const char *demand_reason(struct demand d);
/* "keep", "offload" or null. */
json_t *demand_json(struct demand d);

/* A line for each call; LEFT: for those alone that are left to hone. */
void cut_print_calls(const struct cut_report *r, bool left);
void cut_print_shares(const struct cut_report *r);
/* All of it; a new reference. */
json_t *cut_json(const struct cut_report *r);

#endif
