/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/ending.c - estimates of what a campaign does at its end. */
#include "search/campaign/ending.h"

#include <math.h>

#include "search/campaign/contenders.h"

/* A model is read, and its storages are compared: networks took 0.2 to 1 s where expectations are kept,
 * as they are behind a campaign. */
#define OPEN_S 1.5

/* A guess, where it is not kept from an earlier run: 28 of mobilenet_v2 took 3 s. */
#define GUESS_S 0.1

/* Of a lineup, besides its rounds, in runs: weights are packed and their pages come to life. */
enum { FIRST_RUNS = 20 };

/* Of a round: to measure the best of a task again took 0.5 to 0.9 of what its campaign's rounds took, in
 * six networks, with fewer candidates but more samples. */
#define CONFIRM_SHARE 0.8

/* Rounds that have begun are played to their end: on average half of one, and all of the next, lie beyond the limit. */
#define ROUNDS_BEYOND 1.5

/* Trials keep half of the time, for without them there is nothing to confirm. */
#define MOST_SHARE 0.5

double pace_build_s(const struct campaign_pace *p)
{
	return p->kernels ? p->build_s / (double)p->kernels : 0;
}

double finals_cost_s(const struct finals_work *w, int lineups, int rounds)
{
	double run_s = w->run_us * 1e-6, turn_s = run_s + fmax(run_s, FINALS_TURN_MS * 1e-3);
	double play_s = lineups * (FIRST_RUNS * run_s + rounds * turn_s);

	double open_s = OPEN_S + w->guesses * (GUESS_S + w->build_s);

	return w->built ? play_s : open_s + w->tasks * lineups * w->build_s + play_s;
}

int finals_lineups(const struct finals_work *w, double seconds, int most)
{
	int lineups = most;

	while (lineups > 1 && finals_cost_s(w, lineups, FINALS_PLANNED_ROUNDS) > seconds)
		lineups--;
	/* One alone decides nothing, but says what its kernels take inside the model. */
	return lineups > 1 || finals_cost_s(w, 1, FINALS_LEAST_ROUNDS) <= seconds ? lineups : 0;
}

double finals_share_s(const struct finals_work *w, double total_s)
{
	double most_s = fmin(FINALS_SHARE * total_s, FINALS_MOST_S);
	int lineups = finals_lineups(w, most_s, CONTENDERS);

	return lineups ? fmin(most_s, finals_cost_s(w, lineups, FINALS_ROUNDS)) : 0;
}

double ending_reserve_s(const struct campaign_pace *p, double total_s, int unconfirmed,
			const struct finals_work *finals)
{
	double round_s = p->rounds ? p->seconds / (double)p->rounds : 0;
	double confirm_s = unconfirmed * CONFIRM_SHARE * round_s;
	double finals_s = finals ? finals_share_s(finals, total_s) : 0;

	return fmin(ROUNDS_BEYOND * round_s + confirm_s + finals_s, MOST_SHARE * total_s);
}
