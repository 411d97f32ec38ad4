/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/ending.h - what comes behind the trials of a campaign, and the time that it takes: the best
 * are measured again, and a model's kernels compete inside it.
 *
 * In:   what rounds took so far, and what there is to do.
 * Out:  seconds to keep of a budget; how many lineups of finals a time suffices for.
 * Holds: it is arithmetic, which asks neither clock nor machine. */
#ifndef HONE_SEARCH_CAMPAIGN_ENDING_H
#define HONE_SEARCH_CAMPAIGN_ENDING_H

#include <stdbool.h>
#include <stdint.h>

/* Rounds of finals. More tell hardly more: the interval of 41 pairs reaches from the 14th ratio to the
 * 28th, within 1% of the median where the machine's noise is 3%. Fewer than 21 leave kernels untold
 * apart that are, and then the simpler one gets a task that it is slower in: of 21 pairs the interval
 * goes from the 6th to the 16th; so many are planned with. Of 11 it goes from the 2nd to the 10th: with
 * fewer nothing is decided. */
enum { FINALS_ROUNDS = 41, FINALS_PLANNED_ROUNDS = 21, FINALS_LEAST_ROUNDS = 11 };

/* Of a lineup in a round, behind a run that is not counted and brings its weights back to the
 * caches: what a run of a small model takes is then a mean over dozens. */
#define FINALS_TURN_MS 4.0

/* What is kept of a budget of time for finals, at most: of an hour 5 minutes do for every network that
 * was tried, compilation included. */
#define FINALS_SHARE 0.1
#define FINALS_MOST_S 300.0

/* What finals have before them. */
struct finals_work {
	bool built;	/* the model is open and has its kernels: rounds are all that is left */
	int tasks;	/* that compete */
	int guesses;	/* tasks that have no kernel: one is guessed of each */
	double build_s;	/* that a kernel takes, with compilers side by side */
	double run_us;	/* of the model */
};

/* Seconds of LINEUPS in ROUNDS. */
double finals_cost_s(const struct finals_work *w, int lineups, int rounds);
/* The lineups that SECONDS suffice for, no more than MOST; 0: finals are to be left out. */
int finals_lineups(const struct finals_work *w, double seconds, int most);
/* What they are to have of a budget of TOTAL_S; 0 where that is too little for any. */
double finals_share_s(const struct finals_work *w, double total_s);

/* What the rounds of a campaign took. */
struct campaign_pace {
	int64_t rounds, kernels;	/* how many, and in all of them */
	double seconds;			/* of building, running, verifying, waiting */
	double build_s;			/* of building, also of what others of these hid */
};

/* Seconds that a kernel takes to build where nothing hides it; 0 before the first. */
double pace_build_s(const struct campaign_pace *p);

/* What to keep of a budget of TOTAL_S for the best of UNCONFIRMED tasks, which are measured again, and
 * for FINALS (NULL: there are none). */
double ending_reserve_s(const struct campaign_pace *p, double total_s, int unconfirmed,
			const struct finals_work *finals);

#endif
