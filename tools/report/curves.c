/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/curves.c - the best so far, of a task by its trials and by seconds at work, and of a model.
 *
 * Seconds at work are those that rounds account for, campaign after campaign: pauses between sittings are
 * in none of them. */
#include "tools/report/data.h"

#include <math.h>
#include <string.h>

/* US at X, where it is the least so far. */
static void add_step(struct arena *a, struct report_step_vec *v, double x, double us)
{
	if (us > 0 && (!v->n || us < v->at[v->n - 1].us))
		vec_push(a, v, (struct report_step){ x, us });
}

static double round_seconds(const struct db_round *r)
{
	double sum = 0;

	for (int p = 0; p < PHASE_COUNT; p++)
		if (!isnan(r->seconds[p]))
			sum += r->seconds[p];
	return sum;
}

bool trial_is_like(const struct report_task *t, const struct trial_entry *e)
{
	return e->status == TRIAL_OK &&
	       (!t->alone_us || (e->threads == t->alone_threads && e->cache == t->alone_cache));
}

void report_task_curves(const struct report_data *r, struct report_task *t)
{
	double seconds = 0;

	for (int i = 0; i < t->trials.trials.n; i++) {
		const struct trial_entry *e = &t->trials.trials.at[i];

		if (!trial_is_like(t, e))
			continue;
		if (!t->first_us)
			t->first_us = e->us;
		add_step(r->arena, &t->by_trials, i + 1, e->us);
	}
	for (int c = 0; c < r->campaigns.n; c++) {
		const struct db_round_vec *rounds = &r->campaigns.at[c].status.rounds;

		for (int i = 0; i < rounds->n; i++) {
			seconds += round_seconds(&rounds->at[i]);
			if (strcmp(rounds->at[i].task_key, t->task->key) == 0)
				add_step(r->arena, &t->by_time, seconds, rounds->at[i].best_us);
		}
	}
}

/* --- a model */

/* The task of S that ROUND is of; -1: none with a weight. */
static int find_task(const struct status *s, const struct db_round *round)
{
	for (int i = 0; i < s->tasks.n; i++)
		if (s->tasks.at[i].weight > 0 &&
		    strcmp(s->tasks.at[i].stats.task.key, round->task_key) == 0)
			return i;
	return -1;
}

static void sum_curve(const struct report_data *r, struct report_campaign *c)
{
	const struct status *s = &c->status;
	double *best = arena_many(r->arena, double, s->tasks.n + 1), seconds = 0, sum = 0;
	int waiting = 0, found = 0;

	for (int i = 0; i < s->tasks.n; i++)
		waiting += s->tasks.at[i].weight > 0;
	for (int i = 0; i < s->rounds.n; i++) {
		const struct db_round *round = &s->rounds.at[i];
		int t = find_task(s, round);

		seconds += round_seconds(round);
		if (t < 0 || !(round->best_us > 0))
			continue;
		found += best[t] == 0;
		sum += s->tasks.at[t].weight * (round->best_us - best[t]);
		best[t] = round->best_us;
		if (found == waiting)
			add_step(r->arena, &c->by_time, seconds, sum);
	}
}

/* --- sums */

/* The best of T for C, which is another one where T's own campaign asked for it alone, and C in a model. */
static int row_of(struct report_data *r, const struct report_campaign *c, const struct report_task *t,
		  struct best_row *out)
{
	r->look.source = c->status.campaign.source;
	if (strcmp(r->look.source, t->source) != 0)
		return best_row_read(&r->look, t->task, out);
	*out = t->row;
	return 0;
}

int report_campaign_sums(struct report_data *r, struct report_campaign *c)
{
	const struct status *s = &c->status;

	for (int i = 0; i < s->tasks.n; i++) {
		double weight = s->tasks.at[i].weight;
		const struct report_task *t = report_task_find(r, s->tasks.at[i].stats.task.key);
		struct best_row row = { 0 };

		if (!(weight > 0))
			continue;
		c->weighted++;
		if (t && row_of(r, c, t, &row) < 0)
			return -1;
		if (!row.found) {
			c->missing++;
			continue;
		}
		c->caveats += *row.caveat != '\0';
		c->in_model += row.in_model;
		c->best_us += weight * row.best_us;
		c->alone_us += t->alone_us > 0 ? weight * t->alone_us : NAN;
		c->first_us += t->first_us > 0 ? weight * t->first_us : NAN;
	}
	if (c->missing == c->weighted)
		c->best_us = c->alone_us = c->first_us = NAN;
	if (!r->asked->task)
		sum_curve(r, c);
	return 0;
}
