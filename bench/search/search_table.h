/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/search_table.h - a comparison of strategies as tables, as JSON, as curves. */
#ifndef HONE_BENCH_SEARCH_SEARCH_TABLE_H
#define HONE_BENCH_SEARCH_SEARCH_TABLE_H

#include <jansson.h>

#include "bench/search/search.h"

/* Of one task, to stdout. */
void search_print(const struct search_plan *plan, const struct search_task *t);
/* Of all N together, and how well the models ordered what they had not seen. */
void search_print_all(const struct search_plan *plan, const struct search_task *t, int n);
json_t *search_json(const struct search_plan *plan, const struct search_task *t, int n);
/* An SVG of N tasks, one panel each. -1 and a message where PATH cannot be written. */
int search_draw(const struct search_plan *plan, const struct search_task *t, int n,
		const char *path);

#endif
