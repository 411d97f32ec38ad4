/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/search.c - runs of strategies, and their quartiles. */
#include "bench/search/search.h"

#include <math.h>

#include "base/quantile.h"

static void note_answers(struct search_runs *r, const struct replay_answers *before,
			 const struct replay_answers *after)
{
	double guessed = (double)(after->guessed - before->guessed);
	double recorded = (double)(after->recorded - before->recorded);

	r->guessed = guessed + recorded > 0 ? guessed / (guessed + recorded) : 0;
	r->at_floor = search_at_floor(r, after->least_us);
}

static int play(struct arena *a, const struct search_plan *plan, const struct task *t,
		struct measurer *m, struct search_runs *r)
{
	const struct db_want *want = &plan->recording->want;
	struct aim aim = aim_of(plan->recording->device, want->threads, cache_state_alone(want->cache));

	struct replay_answers before = replay_answers(m), after;

	r->n = plan->seeds;
	r->run = arena_many(a, struct contest_result, r->n);
	for (int i = 0; i < r->n; i++) {
		struct contest c = { .strategy = r->strategy, .task = t, .aim = &aim,
				     .measurer = m, .trials = r->trials, .batch = plan->batch,
				     .seed = (uint64_t)i + 1 };

		if (plan->progress)
			plan->progress(t, r->strategy, i);
		if (contest_run(a, &c, &r->run[i]) < 0)
			return -1;
	}
	after = replay_answers(m);
	note_answers(r, &before, &after);
	return 0;
}

static double best_of(const struct search_runs *r)
{
	double best = INFINITY;

	for (int i = 0; i < r->n; i++) {
		double us = r->run[i].best_us[r->trials - 1];

		best = us > 0 && us < best ? us : best;
	}
	return best;
}

int search_compare(struct arena *a, const struct search_plan *plan, const struct task *t,
		   struct measurer *m, struct search_task *out)
{
	struct search_runs base = { .strategy = &strategy_random, .trials = plan->baseline };

	if (replay_begin(m, t) != 0 || play(a, plan, t, m, &base) < 0)
		return -1;
	*out = (struct search_task){
		.task = t,
		.runs = arena_many(a, struct search_runs, plan->n),
		.best_us = best_of(&base),
		.baseline_us = search_best(&base, base.trials).median,
	};
	for (int i = 0; i < plan->n; i++) {
		struct search_runs *r = &out->runs[i];

		*r = base;	/* there is no use in doing that again */
		if (plan->strategy[i] == base.strategy)
			continue;
		*r = (struct search_runs){ .strategy = plan->strategy[i], .trials = plan->trials };
		if (play(a, plan, t, m, r) < 0)
			return -1;
		out->best_us = fmin(out->best_us, best_of(r));
	}
	out->from = replay_answers(m);
	return 0;
}

/* --- what can be said of them */

static struct spread spread_of(double *x, int n)
{
	sort_figures(x, n);
	return (struct spread){ quantile(x, n, 0.25), quantile(x, n, 0.5), quantile(x, n, 0.75) };
}

struct spread search_best(const struct search_runs *r, int trials)
{
	double x[SEARCH_MAX_SEEDS];

	for (int i = 0; i < r->n; i++) {
		double us = r->run[i].best_us[trials - 1];

		x[i] = us > 0 ? us : INFINITY;
	}
	return spread_of(x, r->n);
}

/* So near to the least answer is at it: sums round. */
#define AT_FLOOR (1 + 1e-9)

int search_at_floor(const struct search_runs *r, double least_us)
{
	int n = 0;

	for (int i = 0; i < r->n; i++) {
		double us = r->run[i].best_us[r->trials - 1];

		n += us > 0 && us <= least_us * AT_FLOOR;
	}
	return n;
}

static double reach(const struct contest_result *run, int trials, double us)
{
	for (int i = 0; i < trials; i++)
		if (run->best_us[i] > 0 && run->best_us[i] <= us)
			return i + 1;
	return INFINITY;
}

struct spread search_reach(const struct search_runs *r, double us)
{
	double x[SEARCH_MAX_SEEDS];

	for (int i = 0; i < r->n; i++)
		x[i] = reach(&r->run[i], r->trials, us);
	return spread_of(x, r->n);
}

static void add(struct quality *q, const struct search_runs *r, int round)
{
	for (int i = 0; i < r->n; i++) {
		const struct contest_result *run = &r->run[i];

		if (round >= run->n_rounds || run->rounds[round].scored == 0)
			continue;
		q->n++;
		q->recall += run->rounds[round].recall;
		q->rank += run->rounds[round].rank;
		q->accuracy += run->rounds[round].accuracy;
	}
}

struct quality search_quality(const struct search_task *t, int n, int s, int i)
{
	struct quality q = { 0 };

	for (int j = 0; j < n; j++)
		add(&q, &t[j].runs[s], i);
	if (q.n == 0)
		return q;
	return (struct quality){ q.n, q.recall / q.n, q.rank / q.n, q.accuracy / q.n };
}
