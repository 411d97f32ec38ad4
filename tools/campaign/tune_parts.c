/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_parts.c - the parts of chains as tasks. */
#include "tools/campaign/tune_parts.h"

#include <string.h>

#include "search/space/parts.h"

static bool has_task(const struct task_vec *tasks, const char *key)
{
	bool found = false;

	for (int i = 0; i < tasks->n; i++)
		found |= strcmp(tasks->at[i]->key, key) == 0;
	return found;
}

int tune_parts(struct arena *a, struct db *db, struct db_want want, const struct task_vec *tasks, struct task_vec *parts)
{
	for (int i = 0; i < tasks->n; i++) {
		const struct task *whole = tasks->at[i];
		struct dag_part_vec some = parts_fewest(a, whole->dag);

		for (int k = 0; k < some.n; k++) {
			struct task *t = task_new(a, some.at[k].dag, arena_printf(a, "part %d of %s", k + 1, whole->name), whole->weight);
			struct db_record record;

			if (has_task(tasks, t->key) || has_task(parts, t->key))
				continue;
			want.task_key = t->key;
			int known = db_best(db, a, &want, &record);

			if (known < 0)
				return -1;
			if (!known)
				vec_push(a, parts, t);
		}
	}
	return 0;
}
