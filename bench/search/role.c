/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/role.c - the lists that come with hone, by what they were used for. */
#include "bench/search/role.h"

#include <string.h>

#include "tools/list.h"

/* Whoever chooses a constant of the search by its figures on a task adds the task to one. */
static const char *const lists[] = { "tuning.tasks", "operators.tasks" };

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

int roles_load(struct arena *a, struct roles *out)
{
	*out = (struct roles){ 0 };
	for (int i = 0; i < LISTS; i++) {
		struct task_vec tasks = { 0 };

		if (list_tasks(a, lists[i], &tasks) < 0)
			return -1;
		for (int j = 0; j < tasks.n; j++)
			vec_push(a, &out->tuning, tasks.at[j]);
	}
	return 0;
}

const char *role_of(const struct roles *r, const struct task *t)
{
	for (int i = 0; i < r->tuning.n; i++)
		if (strcmp(r->tuning.at[i]->key, t->key) == 0)
			return "tuning";
	return "judging";
}
