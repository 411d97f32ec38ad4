/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/search_table.c - best so far at some numbers of trials, and how soon random search's best
 * was reached. */
#include "bench/search/search_table.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "bench/search/curves.h"

static const int columns[] = { 16, 32, 64, 150, 300, 1000, 3000, 10000 };

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

/* So near is as good, for most purposes: timings of a quiet machine differ by as much. */
#define CLOSE 1.005

/* Of any run that is shown: random search has its baseline's. */
static int longest(const struct search_plan *plan)
{
	int most = 0;

	for (int i = 0; i < plan->n; i++) {
		bool random = plan->strategy[i] == &strategy_random;
		int trials = random ? plan->baseline : plan->trials;

		most = trials > most ? trials : most;
	}
	return most;
}

static double share(const struct search_task *t, double us)
{
	return t->best_us / us;		/* none: 0 */
}

/* Quartiles of a share: the fast end is the high one. */
static struct spread shares(const struct search_task *t, const struct search_runs *r, int trials)
{
	struct spread us = search_best(r, trials);

	return (struct spread){ share(t, us.high), share(t, us.median), share(t, us.low) };
}

static void print_count(double trials)
{
	if (isinf(trials))
		printf("%8s", "-");
	else
		printf("%8.0f", trials);
}

static void print_runs(const struct search_plan *plan, const struct search_task *t,
		       const struct search_runs *r)
{
	printf("  %-8s", r->strategy->name);
	for (int i = 0; i < COLUMNS && columns[i] <= longest(plan); i++) {
		struct spread s = columns[i] <= r->trials ? shares(t, r, columns[i])
							  : (struct spread){ 0 };

		if (s.median > 0)
			printf("  %.3f (%.3f-%.3f)", s.median, s.low, s.high);
		else
			printf("%21s", "-");
	}
	print_count(search_reach(r, t->baseline_us).median);
	print_count(search_reach(r, CLOSE * t->baseline_us).median);
	printf("%7.0f%%%5d/%d\n", 100 * r->guessed, r->at_floor, r->n);
}

static void print_columns(const struct search_plan *plan, const char *what, int width)
{
	printf("  %-8s", what);
	for (int i = 0; i < COLUMNS && columns[i] <= longest(plan); i++)
		printf("%*d", width, columns[i]);
	printf("%8s%8s%8s%7s\n", "reaches", "0.5%", "guessed", "floor");
}

void search_print(const struct search_plan *plan, const struct search_task *t)
{
	printf("%s (%s task): best %.4g us; of %d random ones %.4g us\n", t->task->name, t->role,
	       t->best_us, plan->baseline, t->baseline_us);
	printf("  estimates: beyond %d records a stand-in (%s) guesses; never less than %.4g us, and "
	       "the time above that %.0f%% off\n", t->from.records, plan->stand_in->name,
	       t->from.least_us, 100 * expm1(t->from.deviation));
	print_columns(plan, "trials", 21);
	for (int i = 0; i < plan->n; i++)
		print_runs(plan, t, &t->runs[i]);
	fflush(stdout);		/* a task takes a minute */
}

/* --- all tasks */

/* The geometric mean of the medians' shares; 0 where one task has none. */
static double mean_share(const struct search_task *t, int n, int s, int trials)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += log(shares(&t[i], &t[i].runs[s], trials).median);
	return exp(sum / n);
}

/* The same of the trials that were needed; infinite where one task was never as fast. */
static double mean_reach(const struct search_task *t, int n, int s, double factor)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += log(search_reach(&t[i].runs[s], factor * t[i].baseline_us).median);
	return exp(sum / n);
}

/* Of all runs of strategy S: what was guessed, and how many ended where nothing is faster. */
static void print_guesses(const struct search_task *t, int n, int s)
{
	double guessed = 0;
	int at_floor = 0, runs = 0;

	for (int i = 0; i < n; i++) {
		guessed += t[i].runs[s].guessed / n;
		at_floor += t[i].runs[s].at_floor;
		runs += t[i].runs[s].n;
	}
	printf("%7.0f%%%5d/%d\n", 100 * guessed, at_floor, runs);
}

static void print_means(const struct search_plan *plan, const struct search_task *t, int n)
{
	printf("all %d: geometric means of the medians\n", n);
	print_columns(plan, "trials", 8);
	for (int s = 0; s < plan->n; s++) {
		printf("  %-8s", plan->strategy[s]->name);
		for (int i = 0; i < COLUMNS && columns[i] <= longest(plan); i++) {
			if (columns[i] <= t->runs[s].trials)
				printf("%8.3f", mean_share(t, n, s, columns[i]));
			else
				printf("%8s", "-");
		}
		print_count(mean_reach(t, n, s, 1));
		print_count(mean_reach(t, n, s, CLOSE));
		print_guesses(t, n, s);
	}
}

/* Rounds are told by the trials that the model had to learn from. */
static void print_quality(const struct search_plan *plan, const struct search_task *t, int n)
{
	bool any = true;

	printf("models: recall of the best quarter, rank correlation, accuracy of pairs, on "
	       "batches not seen before\n%8s", "learned");
	for (int s = 0; s < plan->n; s++)
		if (plan->strategy[s]->model)
			printf("  %-21s", plan->strategy[s]->name);
	for (int i = 0; any && i * plan->batch < plan->trials; i++) {
		any = false;
		printf("\n%8d", i * plan->batch);
		for (int s = 0; s < plan->n; s++) {
			struct quality q = search_quality(t, n, s, i);

			any |= q.n > 0;
			if (plan->strategy[s]->model)
				printf("  %6.2f %6.2f %6.2f ", q.recall, q.rank, q.accuracy);
		}
	}
	printf("\n");
}

void search_print_all(const struct search_plan *plan, const struct search_task *t, int n)
{
	print_means(plan, t, n);
	for (int s = 0; s < plan->n; s++)
		if (plan->strategy[s]->model) {
			print_quality(plan, t, n);
			return;
		}
}

/* --- JSON */

/* Null where it is not a number that JSON has. */
static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *spread_json(const struct spread *s)
{
	return json_pack("{s:o, s:o, s:o}", "low", number(s->low), "median", number(s->median),
			 "high", number(s->high));
}

static json_t *best_json(const struct search_runs *r)
{
	json_t *list = json_array();

	for (int i = 0; i < COLUMNS && columns[i] <= r->trials; i++) {
		struct spread us = search_best(r, columns[i]);

		json_array_append_new(list, json_pack("{s:i, s:o}", "trials", columns[i], "us",
						      spread_json(&us)));
	}
	return list;
}

static json_t *rounds_json(const struct search_plan *plan, const struct search_task *t, int s)
{
	json_t *list = json_array();

	for (int i = 0; i * plan->batch < plan->trials; i++) {
		struct quality q = search_quality(t, 1, s, i);

		if (q.n > 0)
			json_array_append_new(list, json_pack("{s:i, s:f, s:f, s:f}", "learned",
							      i * plan->batch, "recall", q.recall,
							      "rank", q.rank, "accuracy",
							      q.accuracy));
	}
	return list;
}

static json_t *runs_json(const struct search_plan *plan, const struct search_task *t, int s)
{
	const struct search_runs *r = &t->runs[s];
	struct spread reach = search_reach(r, t->baseline_us);
	struct spread close = search_reach(r, CLOSE * t->baseline_us);

	return json_pack("{s:s, s:i, s:o, s:o, s:o, s:f, s:i, s:i, s:o}", "name", r->strategy->name,
			 "trials", r->trials, "best", best_json(r), "reaches", spread_json(&reach),
			 "reaches_0.5%", spread_json(&close), "guessed", r->guessed, "runs", r->n,
			 "runs_at_floor", r->at_floor, "rounds", rounds_json(plan, t, s));
}

json_t *search_json(const struct search_plan *plan, const struct search_task *t, int n)
{
	json_t *tasks = json_array();

	for (int i = 0; i < n; i++) {
		json_t *strategies = json_array();

		for (int s = 0; s < plan->n; s++)
			json_array_append_new(strategies, runs_json(plan, &t[i], s));
		json_array_append_new(tasks, json_pack(
			"{s:s, s:s, s:s, s:i, s:f, s:f, s:o, s:o, s:o}", "task", t[i].task->key,
			"name", t[i].task->name, "role", t[i].role, "records", t[i].from.records,
			"deviation", t[i].from.deviation, "floor_us", t[i].from.least_us, "best_us",
			number(t[i].best_us), "baseline_us", number(t[i].baseline_us),
			"strategies", strategies));
	}
	return json_pack("{s:s, s:s, s:b, s:i, s:i, s:i, s:o}", "recording",
			 plan->recording->path, "stand_in", plan->stand_in->name, "estimate", true,
			 "seeds", plan->seeds, "trials", plan->trials, "baseline_trials", plan->baseline,
			 "tasks", tasks);
}

/* --- curves */

static struct curve curve_of(struct arena *a, const struct search_plan *plan,
			     const struct search_task *t, const struct search_runs *r)
{
	int n = r->trials < plan->trials ? r->trials : plan->trials;
	double *low = arena_many(a, double, n), *median = arena_many(a, double, n);
	double *high = arena_many(a, double, n);

	for (int i = 0; i < n; i++) {
		struct spread s = shares(t, r, i + 1);

		low[i] = s.low;
		median[i] = s.median;
		high[i] = s.high;
	}
	return (struct curve){ low, median, high, n };
}

int search_draw(const struct search_plan *plan, const struct search_task *t, int n,
		const char *path)
{
	struct arena *a = arena_new();
	struct panel *panel = arena_many(a, struct panel, n);
	const char *names[SEARCH_MAX_STRATEGIES];
	struct text svg = { 0 };

	for (int s = 0; s < plan->n; s++)
		names[s] = plan->strategy[s]->name;
	for (int i = 0; i < n; i++) {
		struct curve *curve = arena_many(a, struct curve, plan->n);

		for (int s = 0; s < plan->n; s++)
			curve[s] = curve_of(a, plan, &t[i], &t[i].runs[s]);
		panel[i] = (struct panel){ t[i].task->name, curve };
	}
	curves_svg(&svg, panel, n, names, plan->n);
	int rc = file_write(path, text_str(&svg), svg.n);

	text_free(&svg);
	arena_free(a);
	return rc;
}
