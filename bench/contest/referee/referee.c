/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/referee.c - rounds, turns, and what is said of them. */
#include "bench/contest/referee/referee.h"

#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "bench/contest/referee/quiet.h"
#include "base/quantile.h"

/* Warm-up and samples are long beside what a team of threads needs to wake up (0.1 ms) and short
 * beside the drift of a machine's clock. libomp's workers spin for 200 ms, the longest known; twice
 * that and a little is time enough for all. Nine rounds give an interval that leaves the best and
 * the worst one out. */
const struct rules rules_default = {
	.seconds = 10,
	.warm_ms = 3,
	.sample_ms = 10,
	.quiet_ms = 500,
	.min_rounds = 9,
	.max_rounds = 200,
};

enum { CALLS_MAX = 1 << 24 };

/* How many evaluations a turn has. */
struct pace {
	int64_t warm, sample;
};

struct game {
	struct arena *a;
	const struct rules *rules;
	struct player *const *players;
	pid_t *pids;
	struct pace *pace;
	struct score *scores;
	int n;
	double *times; /* [round * n + player], microseconds; 0: did not play */
	double *alone; /* the same of turns while all others were stopped */
	int rounds;
};

/* Evaluations that last as long as warm-up and sample should. */
static bool find_pace(struct arena *a, const struct rules *r, struct player *p, struct pace *out,
		      const char **why)
{
	int64_t calls = 1, ns;

	/* the first call brings in pages and threads */
	for (bool first = true;; first = false) {
		if (player_run(a, p, calls, &ns, why) != ANSWER_OK)
			return false;
		double ms = (double)ns * 1e-6;

		if (!first && (ms >= r->sample_ms || calls >= CALLS_MAX)) {
			*out = (struct pace){(int64_t)ceil((double)calls * r->warm_ms / ms),
					     (int64_t)ceil((double)calls * r->sample_ms / ms)};
			return true;
		}
		if (!first)
			calls = (int64_t)((double)calls * fmin(8, 1.2 * r->sample_ms / ms)) + 1;
	}
}

/* Microseconds of one evaluation. */
static bool take_sample(struct arena *a, struct player *p, const struct pace *pace, double *us,
			const char **why)
{
	int64_t ns;

	if (player_run(a, p, pace->warm, &ns, why) != ANSWER_OK ||
	    player_run(a, p, pace->sample, &ns, why) != ANSWER_OK)
		return false;
	*us = (double)ns * 1e-3 / (double)pace->sample;
	return true;
}

/* Until all sleep; who does not is known for it. */
static void wait_for_all(struct game *g)
{
	int busy;

	for (int i = 0; i < g->n; i++)
		g->pids[i] = g->players[i]->pid;
	if (!quiet_wait(g->pids, g->n, g->rules->quiet_ms, &busy))
		g->scores[busy].restless++;
}

/* Stops or lets go on all players but I, whatever they have threads for. */
static void signal_others(const struct game *g, int i, int signal)
{
	for (int j = 0; j < g->n; j++)
		if (j != i && g->players[j]->pid > 0)
			kill(g->players[j]->pid, signal);
}

/* One turn of player I into TIMES. */
static void take_turn(struct game *g, int i, double *times)
{
	struct score *s = &g->scores[i];
	struct arena *scratch;
	const char *why;

	if (s->lost)
		return;
	wait_for_all(g);
	scratch = arena_new();
	s->turns++;
	if (!take_sample(scratch, g->players[i], &g->pace[i], &times[g->rounds * g->n + i], &why))
		s->lost = arena_strdup(g->a, why);
	arena_free(scratch);
}

static void take_turn_alone(struct game *g, int i)
{
	signal_others(g, i, SIGSTOP);
	take_turn(g, i, g->alone);
	signal_others(g, i, SIGCONT);
}

/* What player I does in this round. Which of the two turns is the first changes, for the second finds
 * warmer caches. */
static void take_turns(struct game *g, int i)
{
	bool first = g->rules->alone && g->rounds % 2;

	if (first)
		take_turn_alone(g, i);
	take_turn(g, i, g->times);
	if (g->rules->alone && !first)
		take_turn_alone(g, i);
}

static void play(struct game *g)
{
	int64_t begin = clock_ns();

	for (g->rounds = 0; g->rounds < g->rules->max_rounds; g->rounds++) {
		if (g->rounds >= g->rules->min_rounds && seconds_since(begin) >= g->rules->seconds)
			break;
		for (int j = 0; j < g->n; j++)
			take_turns(g, (g->rounds + j) % g->n);
	}
}

/* The rounds that player I has in X and player J in Y. */
static struct comparison compare_turns(const struct game *g, const double *x, int i,
				       const double *y, int j)
{
	double *first = arena_many(g->a, double, g->rounds);
	double *second = arena_many(g->a, double, g->rounds);
	int both = 0;

	for (int r = 0; r < g->rounds; r++) {
		double a = x[r * g->n + i], b = y[r * g->n + j];

		if (a <= 0 || b <= 0)
			continue;
		first[both] = a;
		second[both++] = b;
	}
	return both ? compare_pairs(first, second, both, MARGIN_STARTS)
		    : (struct comparison){0};
}

static double median_of(const struct game *g, const double *times, int i)
{
	double *us = arena_many(g->a, double, g->rounds);

	for (int r = 0; r < g->rounds; r++)
		us[r] = times[r * g->n + i];
	sort_figures(us, g->rounds);
	return quantile(us, g->rounds, .5);
}

static void rate(const struct game *g, int i)
{
	struct score *s = &g->scores[i];

	if (!g->scores[0].lost)
		s->versus = compare_turns(g, g->times, 0, g->times, i);
	s->us = median_of(g, g->times, i);
	if (!g->rules->alone)
		return;
	s->alone = compare_turns(g, g->alone, i, g->times, i);
	s->alone_us = median_of(g, g->alone, i);
}

void referee_play(struct arena *a, const struct rules *r, struct player *const *players, int n,
		  struct score *scores)
{
	struct game g = {
		.a = a,
		.rules = r,
		.players = players,
		.n = n,
		.scores = scores,
		.pids = arena_many(a, pid_t, n),
		.pace = arena_many(a, struct pace, n),
		.times = arena_many(a, double, n * r->max_rounds),
		.alone = arena_many(a, double, n * r->max_rounds),
	};

	for (int i = 0; i < n; i++) {
		const char *why;

		scores[i] = (struct score){0};
		wait_for_all(&g);
		if (!find_pace(a, r, players[i], &g.pace[i], &why))
			scores[i].lost = why;
	}
	play(&g);
	for (int i = 0; i < n; i++)
		if (!scores[i].lost)
			rate(&g, i);
}
