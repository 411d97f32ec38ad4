/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/table.h - what a bout came to, for people and for programs. */
#ifndef HONE_BENCH_CONTEST_REFEREE_TABLE_H
#define HONE_BENCH_CONTEST_REFEREE_TABLE_H

#include <jansson.h>

#include "bench/contest/referee/bout.h"
#include "search/task.h"

/* The rows of task T: times, ratios, verdicts; who could not, who was wrong. */
void table_print(const struct task *t, const struct bout *b, const struct row *rows,
		 const char *cpus);
/* Those of any bout that have no time, and why; and who did not come to rest. */
void table_print_untimed(const struct bout *b, const struct row *rows);
/* Below all tasks: versions, what is in each clock, and who is absent. */
void table_print_notes(const struct roster *r);

/* One task with all its contestants, the absent ones among them. */
json_t *table_json(const struct task *t, const struct bout *b, const struct row *rows,
		   const char *cpus, const struct roster *r);
json_t *absentee_json(const struct absentee *m);

#endif
