/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/series.h - how the best time of each task fell, batch after batch.
 *
 * In:   where a campaign stands, with its rounds.
 * Out:  for each task what its batches left, in the order of the rounds; all in one arena. */
#ifndef HONE_TOOLS_LIVE_VIEW_SERIES_H
#define HONE_TOOLS_LIVE_VIEW_SERIES_H

#include "tools/campaign/status.h"

/* The best so far behind a batch. */
struct live_point {
	int round;	/* its place among all rounds of the campaign, from 0 */
	double us;
};
struct live_series VEC(struct live_point);

/* One for each of S's tasks, in their order. */
struct live_series *live_series_read(struct arena *a, const struct status *s);
/* How many times faster the best is than behind the task's first batch; NAN where there is none. */
double live_gain(const struct live_series *v, double best_us);
/* Levels 0..7 of COLUMNS spans of ROUNDS, on a logarithmic scale from the least to the greatest of the
 * series, -1 before its first. Returns how many columns there are: no more than rounds. */
int live_spark(const struct live_series *v, int rounds, int columns, signed char *levels);

#endif
