/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake/made_up_measurer.h - a measurer whose answers a test makes up. */
#ifndef HONE_TESTS_FAKE_MADE_UP_MEASURER_H
#define HONE_TESTS_FAKE_MADE_UP_MEASURER_H

#include <stdio.h>

#include "base/err.h"
#include "search/measurers/measurer.h"

/* A batch that was answered and not collected. */
struct made_up_batch {
	struct arena *arena;
	struct trial *trials;
	int n, rc;
	char why[256];
};

struct made_up_measurer {
	struct measurer m;	/* first */
	/* The results of B, as collect() gives them; strings and arrays in A. Called when it is submitted. */
	int (*answer)(struct made_up_measurer *m, struct arena *a, const struct job_batch *b,
		      struct trial *results);
	struct made_up_batch waiting[MEASURER_AHEAD];
	int n;
};

static inline int made_up_submit(struct measurer *measurer, const struct job_batch *b)
{
	struct made_up_measurer *m = (struct made_up_measurer *)measurer;

	assert_true(m->n < MEASURER_AHEAD);
	assert_true(b->n > 0);
	struct made_up_batch *w = &m->waiting[m->n++];

	*w = (struct made_up_batch){ .arena = arena_new(), .n = b->n };
	w->trials = arena_many(w->arena, struct trial, b->n);
	w->rc = m->answer(m, w->arena, b, w->trials);
	if (w->rc != 0)
		snprintf(w->why, sizeof(w->why), "%s", err_get());
	return 0;
}

static inline int made_up_collect(struct measurer *measurer, struct arena *a, struct trial *results)
{
	struct made_up_measurer *m = (struct made_up_measurer *)measurer;

	assert_true(m->n > 0);
	struct made_up_batch w = m->waiting[0];

	memmove(m->waiting, m->waiting + 1, (size_t)--m->n * sizeof(w));
	for (int i = 0; i < w.n; i++)
		results[i] = trial_result(a, &w.trials[i]);
	if (w.rc != 0)
		err_set("%s", w.why);
	arena_free(w.arena);
	return w.rc;
}

static inline void made_up_free(struct measurer *measurer)
{
	struct made_up_measurer *m = (struct made_up_measurer *)measurer;

	while (m->n > 0)
		arena_free(m->waiting[--m->n].arena);
}

/* One whose answers to what is measured again say more. */
static inline struct measurer made_up_measurer(void)
{
	return (struct measurer){ .toolchain = "none", .submit = made_up_submit,
				  .collect = made_up_collect, .confirms = true, .free = made_up_free };
}

/* It ran, and took US. */
static inline void made_up_time(struct arena *a, struct trial *t, double us)
{
	double *sample = arena_one(a, double);

	*sample = us;
	*t = (struct trial){ .status = TRIAL_OK, .samples = sample, .n_samples = 1, .counted = "1",
			     .time_us = us };
}

#endif
