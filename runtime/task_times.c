/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/task_times.c - a record's time where there is one. */
#include "runtime/task_times.h"

#include "search/expect.h"

/* The time of the best record of T. 1, 0 or -1. */
static int recorded(const struct task_times *s, struct arena *a, const struct model_task *t,
		    double *us)
{
	char hex[HASH_TEXT];
	struct db_want want = { .task_key = hash_text(t->key, hex),
				.fingerprint = s->device->fingerprint, .threads = s->threads,
				.now = &s->now };
	struct db_record best;
	int found = s->db ? db_best(s->db, a, &want, &best) : 0;

	if (found > 0)
		*us = best.time_us;
	return found;
}

static const double *times(void *user, struct arena *a, const struct model_task_vec *tasks)
{
	const struct task_times *s = user;
	struct arena *scratch = arena_new();
	double *us = arena_many(a, double, tasks->n);
	bool any = false;
	int found = 0;

	for (int i = 0; i < tasks->n && found >= 0; i++) {
		found = recorded(s, scratch, &tasks->at[i], &us[i]);
		any |= found > 0;
		if (found == 0)
			us[i] = -expect_us(task_new(scratch, tasks->at[i].dag, tasks->at[i].op, 1),
					   s->device, s->threads ? s->threads : 1);
		arena_reset(scratch);
	}
	for (int i = 0; i < tasks->n; i++)
		if (us[i] <= 0)
			us[i] *= any ? -EXPECT_DOUBT : -1;
	arena_free(scratch);
	return found < 0 ? NULL : us;
}

static void chose(void *user, const struct layout_choice *c)
{
	struct task_times *s = user;

	s->images = *c;
	s->images.state = NULL;
}

const struct kernel_costs *task_times_costs(struct task_times *s)
{
	s->costs = (struct kernel_costs){ .lanes = s->device->vector_bytes / 4, .times = times, .chose = chose,
					  .user = s };
	return &s->costs;
}
