/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/series.c - from rounds to a series for each task. */
#include "tools/live/view/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 8 };

/* Task INDEX, to be found by its key. */
struct series_name {
	const char *key;
	int index;
};

static int by_key(const void *x, const void *y)
{
	const struct series_name *p = x, *q = y;

	return strcmp(p->key, q->key);
}

struct live_series *live_series_read(struct arena *a, const struct status *s)
{
	struct live_series *all = arena_many(a, struct live_series, s->tasks.n + 1);
	struct series_name *names = arena_many(a, struct series_name, s->tasks.n + 1);
	size_t n = (size_t)s->tasks.n;

	for (int i = 0; i < s->tasks.n; i++)
		names[i] = (struct series_name){ s->tasks.at[i].stats.task.key, i };
	qsort(names, n, sizeof(*names), by_key);
	for (int r = 0; r < s->rounds.n; r++) {
		const struct db_round *round = &s->rounds.at[r];
		const struct series_name *at = bsearch(&(struct series_name){ .key = round->task_key },
						       names, n, sizeof(*names), by_key);

		if (at && round->best_us > 0)
			vec_push(a, &all[at->index], (struct live_point){ r, round->best_us });
	}
	return all;
}

double live_gain(const struct live_series *v, double best_us)
{
	return v->n && best_us > 0 ? v->at[0].us / best_us : NAN;
}

int live_spark(const struct live_series *v, int rounds, int columns, signed char *levels)
{
	int n = rounds < columns ? rounds : columns, next = 0;
	double low = INFINITY, high = 0, us = NAN;

	for (int i = 0; i < v->n; i++) {
		low = fmin(low, v->at[i].us);
		high = fmax(high, v->at[i].us);
	}
	double range = high > low ? log(high / low) : 1;

	for (int i = 0; i < n; i++) {
		int end = (int)((int64_t)(i + 1) * rounds / n);

		while (next < v->n && v->at[next].round < end)
			us = v->at[next++].us;
		levels[i] = isnan(us) ? -1 : (signed char)lround((LEVELS - 1) * log(us / low) / range);
	}
	return n;
}
