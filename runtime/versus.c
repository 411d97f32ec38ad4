/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/versus.c - rounds of one turn each. */
#include "runtime/versus.h"

#include "base/arena.h"
#include "base/file.h"
#include "measure/timing.h"

enum { WARM_TURNS = 2, LEAST_ROUNDS = VERDICT_MIN_PAIRS, MOST_ROUNDS = 400 };

struct versus_series VEC(double);

/* A run that counts, behind one that brings its data back to the caches. */
static int turn(struct session *s, const struct value *inputs, double *us)
{
	if (session_exercise(s, inputs) < 0)
		return -1;
	int64_t begin = clock_ns();

	if (session_exercise(s, inputs) < 0)
		return -1;
	*us = (double)(clock_ns() - begin) * 1e-3;
	return 0;
}

int versus_run(struct session *ours, struct session *theirs, const struct value *inputs,
	       double seconds, struct versus *out)
{
	struct arena *a = arena_new();
	struct versus_series x = { 0 }, y = { 0 };
	double until = clock_s() + seconds, us[2];
	int rc = 0;

	for (int i = 0; rc == 0 && i < MOST_ROUNDS &&
			(i < WARM_TURNS + LEAST_ROUNDS || clock_s() < until); i++) {
		rc = turn(ours, inputs, &us[0]) < 0 ? -1
							      : turn(theirs, inputs, &us[1]);
		if (rc < 0 || i < WARM_TURNS)
			continue;
		vec_push(a, &x, us[0]);
		vec_push(a, &y, us[1]);
	}
	if (rc == 0) {
		out->is = compare_pairs(x.at, y.at, x.n);
		out->ours_us = median(x.at, x.n);
		out->theirs_us = median(y.at, y.n);
	}
	arena_free(a);
	return rc;
}
