/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/field_table.h - a comparison of campaigns as a table and as JSON. */
#ifndef HONE_BENCH_SEARCH_FIELD_TABLE_H
#define HONE_BENCH_SEARCH_FIELD_TABLE_H

#include <jansson.h>

#include "bench/search/field.h"

/* Of one task, to stdout. */
void field_print(const struct field_plan *plan, const struct field_task *t);
/* Of all N together. */
void field_print_all(const struct field_plan *plan, const struct field_task *t, int n);
json_t *field_json(const struct field_plan *plan, const struct field_task *t, int n);

#endif
