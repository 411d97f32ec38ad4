/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/baselines.c - what the database holds that the best of a task can be held against.
 *
 * Holds: a time is compared with one that was taken in the same way: of a kernel alone, or of a step of a
 *        model, with as many threads. */
#include "tools/report/data.h"

#include <stdio.h>
#include <string.h>

#define OFFLOAD_HONE DB_OFFLOAD "hone"	/* hone's own kernels beside those of generators (runtime/offload) */

/* The latest time of one library, taken in one way. */
struct library_time {
	const char *toolchain;
	const char *cache;
	int threads;
	double us;
};
struct library_time_vec VEC(struct library_time);

struct library_look {
	struct arena *a;
	struct library_time_vec times;
};

static struct library_time *find_time(struct library_look *l, const char *toolchain, const char *cache,
				      int threads)
{
	for (int i = 0; i < l->times.n; i++) {
		struct library_time *t = &l->times.at[i];

		if (strcmp(t->toolchain, toolchain) == 0 && strcmp(t->cache, cache) == 0 &&
		    t->threads == threads)
			return t;
	}
	return NULL;
}

/* Later records replace earlier ones. */
static int take_time(void *ctx, const struct db_record *r)
{
	struct library_look *l = ctx;
	struct library_time *t = find_time(l, r->toolchain_text, r->cache, r->threads);

	if (r->status != TRIAL_OK)
		return 0;
	if (t)
		t->us = r->time_us;
	else
		vec_push(l->a, &l->times, (struct library_time){ arena_strdup(l->a, r->toolchain_text),
								 arena_strdup(l->a, r->cache),
								 r->threads, r->time_us });
	return 0;
}

/* Hone's own time of T that was taken as X was; 0: there is none. -1 and a message. */
static int ours_like(const struct report_data *r, struct library_look *l, const struct report_task *t,
		     const struct library_time *x, double *us)
{
	const struct library_time *beside = find_time(l, OFFLOAD_HONE, x->cache, x->threads);
	struct db_want want = query_want(&r->look);
	struct best best;

	*us = beside ? beside->us : 0;
	if (beside || strcmp(x->cache, cache_state_name(CACHE_MODEL)) == 0)
		return 0;
	want.threads = x->threads;
	want.cache = x->cache;
	int found = task_best(r->arena, r->look.db, t->task, want, r->look.device->target, &best);

	if (found > 0)
		*us = best.record.time_us;
	return found < 0 ? -1 : 0;
}

static int add_libraries(const struct report_data *r, struct report_task *t)
{
	struct library_look l = { .a = r->arena };
	struct db_want want = { .offload = true, .task_key = t->task->key,
				.fingerprint = r->look.device->fingerprint, .threads = r->look.threads };

	if (db_each(r->look.db, &want, take_time, &l) < 0)
		return -1;
	want.cache = cache_state_name(CACHE_MODEL);	/* which has to be asked for */
	if (db_each(r->look.db, &want, take_time, &l) < 0)
		return -1;
	for (int i = 0; i < l.times.n; i++) {
		const struct library_time *x = &l.times.at[i];
		bool in_model = strcmp(x->cache, cache_state_name(CACHE_MODEL)) == 0;
		struct report_baseline b = { .us = x->us };

		if (strcmp(x->toolchain, OFFLOAD_HONE) == 0)
			continue;
		b.name = arena_printf(r->arena, "%s, %s, %d thread%s", x->toolchain + strlen(DB_OFFLOAD),
				      in_model ? "as a step of a model"
					       : arena_printf(r->arena, "alone, caches %s", x->cache),
				      x->threads, x->threads > 1 ? "s" : "");
		if (ours_like(r, &l, t, x, &b.ours_us) < 0)
			return -1;
		vec_push(r->arena, &t->baselines, b);
	}
	return 0;
}

/* How many trials the first batch of T had in the report's campaigns; 0: not known. */
static int64_t first_batch(const struct report_data *r, const struct report_task *t)
{
	for (int c = 0; c < r->campaigns.n; c++) {
		const struct db_round_vec *rounds = &r->campaigns.at[c].status.rounds;

		for (int i = 0; i < rounds->n; i++)
			if (strcmp(rounds->at[i].task_key, t->task->key) == 0)
				return rounds->at[i].trials;
	}
	return 0;
}

int report_task_baselines(const struct report_data *r, struct report_task *t)
{
	int64_t n = first_batch(r, t);
	double best = 0;

	if (t->first_us > 0)
		vec_push(r->arena, &t->baselines, (struct report_baseline){
			"the first valid trial, measured once", t->first_us, t->alone_us });
	for (int i = 0; i < t->trials.trials.n && i < n; i++) {
		const struct trial_entry *e = &t->trials.trials.at[i];
		double us = trial_is_like(t, e) ? e->us : 0;

		best = us > 0 && (best == 0 || us < best) ? us : best;
	}
	if (best > 0)
		vec_push(r->arena, &t->baselines, (struct report_baseline){
			arena_printf(r->arena, "the fastest of the first batch, %jd trials, each measured once",
				     (intmax_t)n), best, t->alone_us });
	return add_libraries(r, t);
}
