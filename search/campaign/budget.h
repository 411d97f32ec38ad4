/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/budget.h - when a campaign has done enough.
 *
 * In:   what the user allows; where the campaign and its tasks stand.
 * Out:  what it was that ended them, or how long they have left.
 * Holds: of several limits the first one that is reached counts; a limit of 0 is none. */
#ifndef HONE_SEARCH_CAMPAIGN_BUDGET_H
#define HONE_SEARCH_CAMPAIGN_BUDGET_H

#include <stdbool.h>

#include "base/text.h"

/* What a campaign gets where nobody says how much: so many trials at most, and tasks are done where what may still be gained is
 * noise. Six operators' campaigns of 1000 trials would have ended behind 64 to 240 trials by 1%, at 1.03 to 1.11 of what they came to, and two of
 * one seed differ by 5% on two operators of twelve where one ended behind 240 to 400 trials by 0.2% (docs/performance.md, When a campaign ends). */
enum { BUDGET_TRIALS = 1000 };
#define BUDGET_GAIN 0.001

struct budget {
	int64_t trials;		/* in all */
	double minutes;		/* of work; the time between two runs is not counted */
	int64_t until;		/* a moment, in seconds since 1970 */
	double reserve_s;	/* of both, kept for what comes behind the trials; the tuner's to set */
	int64_t plateau;	/* a task is done after so many trials in a row without gain */
	double gflops;		/* a task is done where its best reaches so many GFLOP/s */
	double gain;		/* a task is done where it is not expected to become faster by so much of its time soon */
};

/* Where a campaign stands. */
struct standing {
	int64_t trials;
	double seconds;		/* of work */
	int64_t now;		/* in seconds since 1970 */
};

/* What ends a campaign or a task. */
enum cause {
	CAUSE_NONE,		/* it goes on */
	CAUSE_TRIALS, CAUSE_MINUTES, CAUSE_UNTIL,	/* the campaign */
	/* a task, and the last one the campaign */
	CAUSE_PLATEAU, CAUSE_TARGET, CAUSE_GAIN, CAUSE_EXHAUSTED, CAUSE_REFUSED,
	CAUSE_SIGNAL,
	CAUSE_COUNT
};

/* CAUSE_TRIALS, CAUSE_MINUTES, CAUSE_UNTIL or CAUSE_NONE. */
enum cause budget_ends(const struct budget *b, const struct standing *s);
/* Where a task stands. */
struct task_standing {
	int64_t since_gain;	/* trials */
	double gflops;		/* of its best; 0: there is none */
	double gain;		/* of its time, that is expected of the next trials */
};

/* CAUSE_PLATEAU, CAUSE_TARGET, CAUSE_GAIN or CAUSE_NONE. */
enum cause budget_ends_task(const struct budget *b, const struct task_standing *s);
/* Seconds until the first limit is reached; -1 where that is not known. */
double budget_left_s(const struct budget *b, const struct standing *s);
/* Seconds of time alone, what is reserved included; INFINITY where time is no limit. */
double budget_time_left_s(const struct budget *b, const struct standing *s);

/* The moment that TEXT names, in local time: "YYYY-MM-DD HH:MM", or "HH:MM", the next one after
 * NOW. -1 where it names none. */
int64_t budget_moment(const char *text, int64_t now);
/* The moment as such a text. */
void budget_print_moment(struct text *out, int64_t moment);
/* What ended it, as the option that asked for it: "--plateau 64". */
void budget_print_cause(struct text *out, const struct budget *b, enum cause c);

#endif
