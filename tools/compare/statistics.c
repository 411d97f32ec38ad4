/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/statistics.c - verdicts of all tasks at once, their mean, and what they take in a model.
 *
 * A comparison asks as many questions as it has tasks and totals. Its verdicts are Holm's (verdict_many()), so that
 * with less than 5% any of them is a false alarm. Where the unclear ones are asked again, by --remeasure, these are two
 * comparisons, of which each may have half of that: first of the records, then of the new pairs and of all totals. A
 * kernel with itself, and what rests on a trial that nobody confirmed, is no question. */
#include <string.h>

#include "tools/compare/compare.h"

static const double FALSE_ALARMS = 1 - VERDICT_CONFIDENCE;

static double share_of_alarms(const struct compare_table *t)
{
	return t->options->again == AGAIN_NONE ? FALSE_ALARMS : FALSE_ALARMS / 2;
}

/* Whether R asks a question. */
static bool is_asked(struct compare_row *r)
{
	if (!r->sound)
		r->with.verdict = VERDICT_UNCLEAR;
	return r->sound && !r->same;
}

void compare_judge_rows(struct arena *a, struct compare_table *t)
{
	struct comparison **all = arena_many(a, struct comparison *, t->rows.n + 1);
	int n = 0;

	for (int i = 0; i < t->rows.n; i++)
		if (is_asked(&t->rows.at[i]))
			all[n++] = &t->rows.at[i].with;
	verdict_many(all, n, share_of_alarms(t), t->options->margin);
}

/* --- means and sums */

static void take_mean(struct arena *a, struct compare_table *t)
{
	struct comparison *all = arena_many(a, struct comparison, t->rows.n);
	int n = 0;

	t->sound = 0;
	for (int i = 0; i < t->rows.n; i++)
		t->sound += t->rows.at[i].sound;
	for (int i = 0; i < t->rows.n; i++)
		if (t->rows.at[i].sound || !t->sound)
			all[n++] = t->rows.at[i].with;
	t->mean = compare_mean(all, n, t->options->margin);
}

/* How often TOTAL's model runs the task of R; 0: not, or R is no row of TOTAL. */
static double weight_in(const struct compare_table *t, const struct compare_total *total, const char *fingerprint,
			const struct db_record *r)
{
	if (r->threads != total->threads || strcmp(r->cache, total->cache) != 0 ||
	    strcmp(r->fingerprint, fingerprint) != 0)
		return 0;
	for (int i = 0; i < t->weights.n; i++)
		if (strcmp(t->weights.at[i].source, total->source) == 0 &&
		    strcmp(t->weights.at[i].task_key, r->task_key) == 0)
			return t->weights.at[i].weight;
	return 0;
}

/* The total of SOURCE with threads, cache state and device of LIKE. */
static void add_total(struct arena *a, struct compare_table *t, const char *source, const struct db_record *like)
{
	struct compare_total total = { .source = source, .threads = like->threads, .cache = like->cache };
	struct comparison *of = arena_many(a, struct comparison, t->rows.n);
	double *us = arena_many(a, double, t->rows.n);

	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];
		double weight = weight_in(t, &total, like->fingerprint, &r->side[NOW].record);

		if (!(weight > 0) || !r->sound)
			continue;
		of[total.tasks] = r->with;
		us[total.tasks++] = weight * r->side[NOW].record.time_us;
		total.us[NOW] += us[total.tasks - 1];
		total.us[BEFORE] += us[total.tasks - 1] * r->with.ratio;
	}
	if (total.tasks == 0)
		return;
	for (int i = 0; i < t->weights.n; i++)
		total.missing += strcmp(t->weights.at[i].source, source) == 0;
	total.missing -= total.tasks;
	total.with = compare_sum(of, us, total.tasks, t->options->margin);
	vec_push(a, &t->totals, total);
}

/* Whether row I is the first with its threads, cache state and device. */
static bool is_first_of_kind(const struct compare_table *t, int i)
{
	const struct db_record *r = &t->rows.at[i].side[NOW].record;

	for (int k = 0; k < i; k++) {
		const struct db_record *x = &t->rows.at[k].side[NOW].record;

		if (x->threads == r->threads && strcmp(x->cache, r->cache) == 0 &&
		    strcmp(x->fingerprint, r->fingerprint) == 0)
			return false;
	}
	return true;
}

/* Weights are model by model. */
static void take_totals(struct arena *a, struct compare_table *t)
{
	const struct side_weight *w = t->weights.at;

	t->totals.n = 0;
	for (int i = 0; i < t->weights.n; i++) {
		if (i > 0 && strcmp(w[i].source, w[i - 1].source) == 0)
			continue;
		for (int k = 0; k < t->rows.n; k++)
			if (is_first_of_kind(t, k))
				add_total(a, t, w[i].source, &t->rows.at[k].side[NOW].record);
	}
}

/* --- all of it */

/* What was not judged yet: totals, and rows that were timed again or that nothing is timed again of. */
static void judge_rest(struct arena *a, struct compare_table *t)
{
	struct comparison **all = arena_many(a, struct comparison *, t->rows.n + t->totals.n + 1);
	bool first = t->options->again == AGAIN_NONE;
	int n = 0;

	for (int i = 0; i < t->rows.n; i++)
		if (is_asked(&t->rows.at[i]) && (first || t->rows.at[i].again))
			all[n++] = &t->rows.at[i].with;
	if (t->sound > 1)
		all[n++] = &t->mean;
	for (int i = 0; i < t->totals.n; i++)
		all[n++] = &t->totals.at[i].with;
	verdict_many(all, n, share_of_alarms(t), t->options->margin);
	for (int i = 0; i < t->rows.n && t->sound == 1; i++)
		if (t->rows.at[i].sound)	/* no question of its own */
			t->mean.verdict = t->rows.at[i].with.verdict;
	if (t->sound == 0)
		t->mean.verdict = VERDICT_UNCLEAR;
}

void compare_judge(struct arena *a, struct compare_table *t)
{
	take_mean(a, t);
	take_totals(a, t);
	judge_rest(a, t);
	memset(t->verdicts, 0, sizeof(t->verdicts));
	t->retimed = t->settled = 0;
	for (int i = 0; i < t->rows.n; i++) {
		const struct compare_row *r = &t->rows.at[i];

		t->verdicts[r->with.verdict]++;
		t->retimed += r->again;
		t->settled += r->again && r->was == VERDICT_UNCLEAR && r->with.verdict != VERDICT_UNCLEAR;
	}
}

bool compare_is_slower(const struct compare_table *t)
{
	bool slower = t->verdicts[VERDICT_SLOWER] > 0 || t->mean.verdict == VERDICT_SLOWER;

	for (int i = 0; i < t->totals.n; i++)
		slower |= t->totals.at[i].with.verdict == VERDICT_SLOWER;
	return slower;
}
