/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/table.h - tasks on a VDLA under their roofs, as a table and as JSON. */
#ifndef HONE_BENCH_VDLA_TABLE_H
#define HONE_BENCH_VDLA_TABLE_H

#include <jansson.h>

#include "bench/vdla/entry.h"

/* N entries, and what they come to together. */
void vdla_print_entries(const struct vdla_plan *plan, const struct vdla_entry *entries, int n);
/* The same; docs/json.schema.json describes it. A new reference. */
json_t *vdla_entries_json(const struct vdla_plan *plan, const struct vdla_entry *entries, int n);

#endif
