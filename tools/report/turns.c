/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/turns.c - the best of a task for a simulated device by its number of virtual threads, so that one sees what
 * they give. */
#include "tools/report/data.h"

#include <stdlib.h>

#include "measure/device/simulated.h"

static bool has(const struct report_turns_vec *v, int threads)
{
	for (int i = 0; i < v->n; i++)
		if (v->at[i].threads == threads)
			return true;
	return false;
}

static int by_threads(const void *x, const void *y)
{
	const struct report_turns *a = x, *b = y;

	return b->threads - a->threads;
}

static int add(const struct report_data *r, struct report_task *t, int threads)
{
	struct db_want want = query_want(&r->look);
	struct best best;

	want.threads = threads;
	int found = task_best(r->arena, r->look.db, t->task, want, r->look.device->target, &best);

	if (found > 0)
		vec_push(r->arena, &t->turns, ((struct report_turns){ threads, best.record.time_us }));
	return found < 0 ? -1 : 0;
}

const char *report_turns_name(struct arena *a, int threads)
{
	return threads == 1 ? "without virtual threads" : arena_printf(a, "with %d virtual threads", threads);
}

int report_task_turns(const struct report_data *r, struct report_task *t)
{
	const struct trial_entry_vec *trials = &t->trials.trials;

	if (!device_is_simulated(r->look.device))
		return 0;
	for (int i = 0; i < trials->n; i++)
		if (trials->at[i].status == TRIAL_OK && !has(&t->turns, trials->at[i].threads) &&
		    add(r, t, trials->at[i].threads) < 0)
			return -1;
	if (t->turns.n)
		qsort(t->turns.at, (size_t)t->turns.n, sizeof(*t->turns.at), by_threads);
	for (int i = 0; i < t->turns.n; i++)
		if (t->turns.at[i].threads != t->row.threads)
			vec_push(r->arena, &t->baselines, ((struct report_baseline){
				report_turns_name(r->arena, t->turns.at[i].threads), t->turns.at[i].us, t->row.best_us }));
	return 0;
}
