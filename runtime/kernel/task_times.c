/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/task_times.c - a record's time where there is one. */
#include "runtime/kernel/task_times.h"

#include "runtime/kernel/expectations.h"
#include "search/expect.h"

/* Was the kernel of BEST, or, without one, a guess, timed beside those of generators? */
static bool in_place(const struct task_times *s, const struct model_task *t, const struct db_record *best,
		     double *us)
{
	struct offer x;
	char hex[HASH_TEXT];

	if (!s->offers || !offers_get(s->offers, t->key, OFFER_HOST, &x) ||
	    (best && (!best->source_hash || strcmp(best->source_hash, hash_text(x.source, hex)) != 0)))
		return false;
	*us = x.us;
	return true;
}

/* The time of the best record of T, or PLACED: that of its kernel beside those of generators. 1, 0 or -1. */
static int recorded(const struct task_times *s, struct arena *a, const struct model_task *t,
		    double *us, bool *placed)
{
	char hex[HASH_TEXT];
	struct db_want want = { .task_key = hash_text(t->key, hex),
				.fingerprint = s->device->fingerprint,
				.target = device_mark(s->device), .threads = s->threads,
				.exact = s->exact, .now = &s->now };
	struct db_record best;
	int found = s->db ? db_best(s->db, a, &want, &best) : 0;

	if (found > 0)
		*us = best.time_us;
	*placed = found >= 0 && in_place(s, t, found > 0 ? &best : NULL, us);
	return *placed || found;
}

/* Sets the first OF of US, which is 0 where no record has it, to what is expected there, times DOUBT. */
static void expect(const struct task_times *s, const struct model_task_vec *tasks, int of, double *us,
		   double doubt)
{
	struct arena *a = arena_new();
	const struct model_task **open = arena_many(a, const struct model_task *, of);
	double *expected = arena_many(a, double, of);
	int n = 0;

	for (int i = 0; i < of; i++)
		if (us[i] <= 0)
			open[n++] = &tasks->at[i];
	expectations_get(open, n, s->device, s->threads ? s->threads : 1, expected);
	for (int i = of - 1; i >= 0; i--)
		if (us[i] <= 0)
			us[i] = doubt * expected[--n];
	arena_free(a);
}

double *task_times_of_host(const struct task_times *s, struct arena *a, const struct model_task_vec *tasks,
			   int expected)
{
	struct arena *scratch = arena_new();
	double *us = arena_many(a, double, tasks->n);
	bool any = false, *placed = arena_many(a, bool, tasks->n);
	int found = 0;

	for (int i = 0; i < tasks->n && found >= 0; i++) {
		found = recorded(s, scratch, &tasks->at[i], &us[i], &placed[i]);
		any |= found > 0;
		arena_reset(scratch);
	}
	arena_free(scratch);
	if (found < 0)
		return NULL;
	expect(s, tasks, expected, us, any ? EXPECT_DOUBT : 1);
	double ratio = s->offers ? offers_figure(s->offers, FIGURE_HOST_RATIO) : 0;

	for (int i = 0; i < tasks->n && ratio > 1; i++)
		if (!placed[i])
			us[i] *= ratio;
	return us;
}

/* So much longer hone's kernels seem to take where all is to go to generators that can. */
#define LAST_RESORT 1e3

/* Is there an offer (BEST, by task; us is 0 where there is none) for task I in whatever storages? */
static bool is_offered(const struct model_task_vec *tasks, const struct offer *best, int i)
{
	for (int k = 0; k < tasks->n; k++)
		if (best[k].us > 0 && tasks->at[k].from.function == tasks->at[i].from.function)
			return true;
	return false;
}

/* US, of hone, becomes what tasks take where generators have a share in them. */
static void share(const struct task_times *s, const struct model_task_vec *tasks, int expected, double *us)
{
	struct arena *a = arena_new();
	struct offer *best = arena_many(a, struct offer, tasks->n);

	for (int i = 0; i < tasks->n; i++)
		if (!offers_best(s->offers, tasks->at[i].key, cut_demand(&tasks->at[i].from), &best[i]))
			best[i].us = 0;
	for (int i = 0; i < tasks->n; i++) {
		const struct cut_from *from = &tasks->at[i].from;

		if (best[i].us > 0) {
			if (offer_wins(s->offers, from, &best[i], us[i]))
				us[i] = offer_cost_us(s->offers, &best[i]);
		} else if (us[i] > 0 && offer_is_forced(s->offers, from) &&
			   (i >= expected || is_offered(tasks, best, i))) {
			us[i] *= LAST_RESORT;
		}
	}
	arena_free(a);
}

static double *times(void *user, struct arena *a, const struct model_task_vec *tasks, int expected)
{
	const struct task_times *s = user;
	double *us = task_times_of_host(s, a, tasks, expected);

	if (us && s->offers)
		share(s, tasks, expected, us);
	return us;
}

static void chose(void *user, const struct layout_choice *c)
{
	struct task_times *s = user;

	s->images = *c;
	s->images.state = NULL;
}

const struct kernel_costs *task_times_costs(struct task_times *s)
{
	s->costs = (struct kernel_costs){ .lanes = target_lanes(s->device->target, sizeof(float)), .times = times, .chose = chose,
					  .user = s };
	return &s->costs;
}
