/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/ask.h - candidates, and a measurer that knows nothing of them. */
#ifndef HONE_SEARCH_MEASURERS_ASK_H
#define HONE_SEARCH_MEASURERS_ASK_H

#include "search/measurers/measurer.h"
#include "search/space/genes/candidate.h"

/* What X has more than Y, which was before it. */
struct phases phases_minus(const struct phases *x, const struct phases *y);

/* Submits N candidates of T, at least one. As submit() of a measurer. */
int ask(struct measurer *m, const struct task *t, double incumbent_us, const struct candidate *c,
	int n, bool again);
/* Collects what was asked for first into the trials of its N candidates; in A. As collect(). */
int hear_answer(struct measurer *m, struct arena *a, struct candidate *c, int n);
/* Both at once, where nothing else is asked for. */
int ask_and_wait(struct measurer *m, struct arena *a, const struct task *t, double incumbent_us,
		 struct candidate *c, int n, bool again);

#endif
