/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/referee.c - rounds, turns, and what is said of them. */
#include "bench/contest/referee/referee.h"

#include <math.h>
#include <sched.h>
#include <signal.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/integer.h"
#include "base/quantile.h"
#include "bench/contest/referee/quiet.h"
#include "measure/timing/sibling.h"

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

/* Before a turn, for cores without anybody beside: less than a trial waits, for turns are many, and those beside somebody are left out. */
#define BESIDE_MS 80.0

/* How many evaluations a turn has. */
struct pace {
	int64_t warm, sample;
};

/* A turn that was taken. */
struct played {
	double us;	/* of one evaluation; 0: it was not taken */
	double burst;	/* in chains, the longest before it and behind it: what is long is known at the end */
};

struct game {
	struct arena *a;
	const struct rules *rules;
	struct sibling *sibling;	/* of the cores that they play on */
	struct player *const *players;
	pid_t *pids;
	struct pace *pace;
	struct score *scores;
	int n;
	struct played *turns; /* [round * n + player] */
	struct played *alone; /* the same while all others were stopped */
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

/* One turn of player I into TURNS. */
static void take_turn(struct game *g, int i, struct played *turns)
{
	struct played *turn = &turns[g->rounds * g->n + i];
	struct score *s = &g->scores[i];
	struct arena *scratch;
	const char *why;

	if (s->lost)
		return;
	wait_for_all(g);
	sibling_await(g->sibling, BESIDE_MS);
	scratch = arena_new();
	s->turns++;
	if (!take_sample(scratch, g->players[i], &g->pace[i], &turn->us, &why))
		s->lost = arena_strdup(g->a, why);
	sibling_visit_again(g->sibling);
	turn->burst = sibling_burst(g->sibling);
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
	take_turn(g, i, g->turns);
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

/* Was somebody else on a core's second hardware thread? */
static bool is_beside(const struct game *g, const struct played *turn)
{
	return turn->burst > SIBLING_ALONE * sibling_known(g->sibling).alone;
}

/* The longest burst of round R of player I in X and player J in Y; 0: one of them did not play. */
static double burst_of(const struct game *g, int r, const struct played *x, int i, const struct played *y, int j)
{
	const struct played *a = &x[r * g->n + i], *b = &y[r * g->n + j];

	return a->us > 0 && b->us > 0 ? fmax(a->burst, b->burst) : 0;
}

/* The longest burst of rounds that count: of a core alone; or of the quietest third where there are no more of those, and
 * of min_rounds in any case. */
static double longest_burst(const struct game *g, const struct played *x, int i, const struct played *y, int j)
{
	double *burst = arena_many(g->a, double, g->rounds), alone = SIBLING_ALONE * sibling_known(g->sibling).alone;
	int n = 0;

	for (int r = 0; r < g->rounds; r++) {
		double longest = burst_of(g, r, x, i, y, j);

		if (longest > 0)
			burst[n++] = longest;
	}
	if (n == 0)
		return alone;
	sort_figures(burst, n);
	int count = (int)least(n, most(g->rules->min_rounds, n / SIBLING_QUIETEST_SHARE));

	return fmax(alone, burst[count - 1]);
}

/* The microseconds of the rounds that count of player I in X and player J in Y, to FIRST and SECOND. How many. */
static int gather(const struct game *g, const struct played *x, int i, const struct played *y, int j, double *first,
		  double *second)
{
	double longest = longest_burst(g, x, i, y, j);
	int n = 0;

	for (int r = 0; r < g->rounds; r++) {
		double burst = burst_of(g, r, x, i, y, j);

		if (burst <= 0 || burst > longest)
			continue;
		first[n] = x[r * g->n + i].us;
		second[n++] = y[r * g->n + j].us;
	}
	return n;
}

/* The rounds that player I has in X and player J in Y. */
static struct comparison compare_turns(const struct game *g, const struct played *x, int i,
				       const struct played *y, int j)
{
	double *first = arena_many(g->a, double, g->rounds);
	double *second = arena_many(g->a, double, g->rounds);
	int both = gather(g, x, i, y, j, first, second);

	return both ? compare_pairs(first, second, both, MARGIN_STARTS)
		    : (struct comparison){0};
}

static double median_of(const struct game *g, const struct played *turns, int i)
{
	double *us = arena_many(g->a, double, g->rounds);
	double *same = arena_many(g->a, double, g->rounds);
	int n = gather(g, turns, i, turns, i, us, same);

	sort_figures(us, n);
	return quantile(us, n, .5);
}

static void rate(const struct game *g, int i)
{
	struct score *s = &g->scores[i];

	if (!g->scores[0].lost)
		s->versus = compare_turns(g, g->turns, 0, g->turns, i);
	s->us = median_of(g, g->turns, i);
	for (int r = 0; r < g->rounds; r++)
		s->beside += is_beside(g, &g->turns[r * g->n + i]) + is_beside(g, &g->alone[r * g->n + i]);
	if (!g->rules->alone)
		return;
	s->alone = compare_turns(g, g->alone, i, g->turns, i);
	s->alone_us = median_of(g, g->alone, i);
}

/* Of the cores that this thread is bound to, as all players are; dies where memory does not suffice. */
static struct sibling *siblings_here(struct arena *a)
{
	int *cpus = arena_many(a, int, CPU_SETSIZE), n = 0;
	cpu_set_t here;

	CPU_ZERO(&here);
	sched_getaffinity(0, sizeof(here), &here);
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &here))
			cpus[n++] = (int)i;
	struct sibling *s = sibling_of_cores(cpus, n);

	if (!s)
		die("out of memory for a contest");
	return s;
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
		.turns = arena_many(a, struct played, n * r->max_rounds),
		.alone = arena_many(a, struct played, n * r->max_rounds),
		.sibling = siblings_here(a),
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
	sibling_free(g.sibling);
}
