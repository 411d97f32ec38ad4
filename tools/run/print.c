/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/print.c - what `hone run` tells: results, comparisons, times, and with --profile who
 * computed what. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/quantile.h"
#include "tools/json.h"
#include "tools/run/args.h"

static double peak_mb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

bool run_agrees(const struct run_report *r)
{
	int n = graph_main(r->model->graph)->nresults;

	for (int i = 0; i < r->n_checks; i++)
		for (int j = 0; j < n; j++)
			if (!r->checks[i].results[j].agrees)
				return false;
	return true;
}

static int count_origin(const struct run_report *r, enum choice_origin o)
{
	int n = 0;

	for (int i = 0; i < r->model->tasks->n; i++)
		n += r->model->choices[i].origin == o;
	return n;
}

static const char *result_name(const struct run_report *r, int i)
{
	const struct function *main = graph_main(r->model->graph);

	return function_at(main, main->results[i])->name;
}

/* --- text */

static void warn(const struct run_report *r)
{
	int guesses = count_origin(r, CHOICE_GUESS);
	int changed = count_origin(r, CHOICE_CHANGED);

	if (guesses)
		fprintf(stderr, "hone: %d of %d tasks have no record: they run as a guess of the "
				"cost model, which nobody measured (hone tune measures)\n",
			guesses, r->model->tasks->n);
	if (changed)
		fprintf(stderr, "hone: the kernels of %d of %d tasks are not those that were "
				"measured: hone writes them differently today (hone tune measures "
				"them again)\n", changed, r->model->tasks->n);
}

static void warn_of(struct foreign *x)
{
	const char *why;
	int n = x ? foreign_failures(x, &why) : 0;

	if (n)
		fprintf(stderr, "hone: %s (and %d times more): the interpreter computed it\n", why, n - 1);
}

/* Of generators that failed, where hone was to fall back. */
static void warn_of_failures(const struct opened *m)
{
	for (int i = 0; i < m->tasks->n; i++)
		for (int k = 0; k < m->choices[i].nforeign; k++)
			warn_of(m->choices[i].foreign[k].foreign);
	for (int i = 0; i < m->offloaded.cut.regions.n; i++)
		warn_of(m->offloaded.ready[i]);
}

/* Who spent how much of a run, and what was spent between: launches, waiting, the interpreter's own. */
static void print_sums(const struct run_report *r, int runs)
{
	const struct session_cost_vec *costs = session_costs(r->session);
	double kernels = 0, run_us = session_seconds(r->session) * 1e6 / runs;

	for (int i = 0; i < costs->n; i++) {
		const struct session_cost *c = &costs->at[i];
		double us = 0;

		for (int k = 0; k < costs->n; k++)
			if (strcmp(costs->at[k].by, c->by) == 0) {
				if (k < i)
					break;	/* it was told */
				us += costs->at[k].seconds * 1e6 / runs;
			}
		if (us > 0)
			printf("%10.1f us by %s (%.1f%%)\n", us, c->by, 100 * us / run_us);
		kernels += us;
	}
	printf("%10.1f us between them (%.1f%%)\n", run_us - kernels, 100 * (1 - kernels / run_us));
}

static void print_results(struct arena *a, const struct run_report *r)
{
	for (int i = 0; i < graph_main(r->model->graph)->nresults; i++) {
		printf("%-24s %s", result_name(r, i), type_string(a, value_type(a, r->results[i])));
		for (int j = 0; j < r->n_checks; j++) {
			const struct agreement *c = &r->checks[j].results[i];

			printf("  %s %s: error %.2g%s%s%s", c->agrees ? "agrees with" : "DIFFERS from",
			       r->checks[j].with, c->error, c->as_set ? ", as a set of rows" : "",
			       c->why ? ", " : "", c->why ? c->why : "");
		}
		putchar('\n');
	}
}

static void print_profile(const struct run_report *r, int runs)
{
	const struct session_cost_vec *costs = session_costs(r->session);

	printf("%10s %7s  %-11s  %-32s  %s\n", "us", "runs", "by", "what", "node");
	for (int i = 0; i < costs->n; i++) {
		const struct session_cost *c = &costs->at[i];

		printf("%10.1f %7lld  %-11s  %-32s  %s\n", c->seconds * 1e6 / runs,
		       (long long)(c->runs / runs), c->by, c->what, c->binding->origin->label);
	}
}

static void print_text(struct arena *a, const struct run_args *args, const struct run_report *r)
{
	warn(r);
	warn_of_failures(r->model);
	print_results(a, r);
	if (args->profile) {
		print_profile(r, r->runs > 1 ? r->runs + 2 : r->runs);
		print_sums(r, r->runs > 1 ? r->runs + 2 : r->runs);
	}
	printf("latency %.3f ms median (%.3f least, %.3f p99 of %d runs); first results after "
	       "%.0f ms, %d kernels compiled; peak memory %.0f MB\n",
	       quantile(r->ms, r->runs, 0.5), r->ms[0], quantile(r->ms, r->runs, 0.99), r->runs,
	       r->start_ms, r->model->built, peak_mb());
	printf("tasks: %d with a record, %d changed since, %d guessed, %d without a kernel",
	       count_origin(r, CHOICE_RECORD), count_origin(r, CHOICE_CHANGED),
	       count_origin(r, CHOICE_GUESS), count_origin(r, CHOICE_NONE));
	if (args->b.nbackends || count_origin(r, CHOICE_GENERATOR))
		printf(", %d of code generators", count_origin(r, CHOICE_GENERATOR));
	putchar('\n');
}

/* --- JSON */

static json_t *check_json(const struct run_check *check, int i)
{
	const struct agreement *c = &check->results[i];
	json_t *one = json_object();

	json_object_set_new(one, "with", json_label(check->with));
	json_object_set_new(one, "agrees", json_boolean(c->agrees));
	json_object_set_new(one, "error", json_figure(c->error));
	json_object_set_new(one, "as_set", json_boolean(c->as_set));
	json_object_set_new(one, "reason", json_label(c->why));
	return one;
}

static json_t *results_json(struct arena *a, const struct run_report *r)
{
	json_t *all = json_array();

	for (int i = 0; i < graph_main(r->model->graph)->nresults; i++) {
		json_t *one = json_object();
		json_t *checks = json_array();

		for (int j = 0; j < r->n_checks; j++)
			json_array_append_new(checks, check_json(&r->checks[j], i));
		json_object_set_new(one, "name", json_label(result_name(r, i)));
		json_object_set_new(one, "type",
				    json_label(type_string(a, value_type(a, r->results[i]))));
		json_object_set_new(one, "checks", checks);
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *profile_json(const struct run_report *r, int runs)
{
	const struct session_cost_vec *costs = session_costs(r->session);
	json_t *all = json_array();

	for (int i = 0; i < costs->n; i++) {
		const struct session_cost *c = &costs->at[i];
		json_t *one = json_object();

		json_object_set_new(one, "node", json_label(c->binding->origin->label));
		json_object_set_new(one, "what", json_label(c->what));
		json_object_set_new(one, "by", json_label(c->by));
		json_object_set_new(one, "runs", json_integer(c->runs / runs));
		json_object_set_new(one, "time_us", json_figure(c->seconds * 1e6 / runs));
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *tasks_json(const struct run_report *r)
{
	json_t *tasks = json_object();

	for (int o = 0; o <= CHOICE_NONE; o++)
		json_object_set_new(tasks, choice_origin_name((enum choice_origin)o),
				    json_integer(count_origin(r, (enum choice_origin)o)));
	return tasks;
}

static void print_json(struct arena *a, const struct run_args *args, const struct run_report *r)
{
	json_t *all = json_object();

	json_object_set_new(all, "model", json_label(args->m.model));
	json_object_set_new(all, "results", results_json(a, r));
	json_object_set_new(all, "tasks", tasks_json(r));
	json_object_set_new(all, "built", json_integer(r->model->built));
	json_object_set_new(all, "runs", json_integer(r->runs));
	json_object_set_new(all, "min_ms", json_figure(r->ms[0]));
	json_object_set_new(all, "median_ms", json_figure(quantile(r->ms, r->runs, 0.5)));
	json_object_set_new(all, "p99_ms", json_figure(quantile(r->ms, r->runs, 0.99)));
	json_object_set_new(all, "start_ms", json_figure(r->start_ms));
	json_object_set_new(all, "peak_mb", json_figure(peak_mb()));
	if (args->profile)
		json_object_set_new(all, "profile",
				    profile_json(r, r->runs > 1 ? r->runs + 2 : r->runs));
	json_print(all);
}

void run_print(struct arena *a, const struct run_args *args, const struct run_report *r)
{
	if (args->json)
		print_json(a, args, r);
	else
		print_text(a, args, r);
}
