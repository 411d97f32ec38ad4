/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/history.h - what was tried of a task, and the fastest of it.
 *
 * Holds: its size does not grow with the trials but for 32 bytes each. */
#ifndef HONE_SEARCH_STRATEGIES_HISTORY_H
#define HONE_SEARCH_STRATEGIES_HISTORY_H

#include "search/space/genes/genes.h"

/* The fastest that are kept; and kinds that are told apart, which are some dozens. */
enum { HISTORY_BEST = 64, HISTORY_KINDS = 96 };

/* One that ran. */
struct measured {
	struct genes genes;
	const char *steps;
	double time_us;
};

/* What was measured of a kind of candidates (search/space/genes/candidate.h). */
struct tried_kind {
	const char *name;
	int64_t trials;		/* however they ended */
	double best_us;		/* 0: none ran */
	struct genes best;	/* of that one */
};

struct history {
	const struct measured *best;	/* fastest first */
	int n_best;
	const struct tried_kind *kinds;	/* as they came */
	int n_kinds;
	int64_t trials;		/* measured, however they ended */
	int64_t since_gain;	/* of these, since the best became at least 1% faster */
};

struct history *history_new(void);
void history_free(struct history *h);	/* NULL is allowed */
/* True where STEPS was never seen; it has been from then on. */
bool history_see(struct history *h, const char *steps);
/* Whether it was, without noting it. */
bool history_has(const struct history *h, const char *steps);
/* A trial of decisions G (none where G->n is 0) and KIND (NULL: not known). TIME_US is 0 where it failed. All is
 * copied. */
void history_add(struct history *h, const struct genes *g, const char *steps, const char *kind, double time_us);

#endif
