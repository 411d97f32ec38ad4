/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/field_table.c - times and ratios of each task, and of all together. */
#include "bench/search/field_table.h"

#include <math.h>
#include <stdio.h>

#include "base/quantile.h"

/* Median and ends of the times of strategy S; false where no campaign has a kernel. */
static bool times_of(const struct field_plan *plan, const struct field_task *t, int s,
		     double *middle, double *low, double *high)
{
	double us[FIELD_MAX_SEEDS];
	int n = 0;

	for (int i = 0; i < plan->seeds; i++)
		if (t->us[s][i] > 0)
			us[n++] = t->us[s][i];
	if (n == 0)
		return false;
	sort_figures(us, n);
	*middle = quantile(us, n, 0.5);
	*low = us[0];
	*high = us[n - 1];
	return true;
}

/* Only where all pairs of seeds agree. */
static const char *verdict(const struct field_ratio *r)
{
	return r->low > 1 ? "faster" : r->high < 1 ? "slower" : "unclear";
}

void field_print(const struct field_plan *plan, const struct field_task *t)
{
	const char *first = plan->strategy[0]->name;
	double middle, low, high;

	printf("%s (%s task)\n", t->task->name, t->role);
	for (int s = 0; s < plan->n; s++) {
		const struct field_ratio *r = &t->ratio[s];

		printf("  %-8s%6d trials", plan->strategy[s]->name, plan->trials[s]);
		if (!times_of(plan, t, s, &middle, &low, &high)) {
			printf("  no kernel\n");
			continue;
		}
		printf("%11.4g us (%.4g to %.4g)", middle, low, high);
		if (s > 0 && r->middle > 0)
			printf("  %s over it %.3f (%.3f to %.3f)  %s", first, r->middle, r->low,
			       r->high, verdict(r));
		printf("\n");
	}
	fflush(stdout);		/* a task takes minutes */
}

void field_print_all(const struct field_plan *plan, const struct field_task *t, int n)
{
	const char *first = plan->strategy[0]->name;

	printf("all %d tasks: geometric mean of the ratios, 95%% interval\n", n);
	for (int s = 1; s < plan->n; s++) {
		struct field_total total = field_sum(plan, t, n, s);

		printf("  %-8s  ", plan->strategy[s]->name);
		if (total.tasks == 0)
			printf("no task with a kernel of both\n");
		else
			printf("%s over it %.3f (%.3f to %.3f) on %d tasks; faster on %d, slower on "
			       "%d\n", first, total.mean, total.low, total.high, total.tasks,
			       total.faster, total.slower);
	}
}

/* --- JSON */

static json_t *times_json(const struct field_plan *plan, const struct field_task *t, int s)
{
	json_t *list = json_array();

	for (int i = 0; i < plan->seeds; i++)
		json_array_append_new(list, t->us[s][i] > 0 ? json_real(t->us[s][i]) : json_null());
	return list;
}

static json_t *ratio_json(double middle, double low, double high)
{
	return middle > 0 ? json_pack("{s:f, s:f, s:f}", "ratio", middle, "low", low, "high", high)
			  : json_null();
}

static json_t *task_json(const struct field_plan *plan, const struct field_task *t)
{
	json_t *strategies = json_array();

	for (int s = 0; s < plan->n; s++) {
		const struct field_ratio *r = &t->ratio[s];

		json_array_append_new(strategies,
				      json_pack("{s:s, s:i, s:o, s:o}", "name",
						plan->strategy[s]->name, "trials", plan->trials[s], "us", times_json(plan, t, s), "gain",
						ratio_json(r->middle, r->low, r->high)));
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "key", t->task->key, "task", t->task->name,
			 "role", t->role, "strategies", strategies);
}

json_t *field_json(const struct field_plan *plan, const struct field_task *t, int n)
{
	json_t *tasks = json_array(), *totals = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(tasks, task_json(plan, &t[i]));
	for (int s = 1; s < plan->n; s++) {
		struct field_total x = field_sum(plan, t, n, s);

		json_array_append_new(totals, json_pack("{s:s, s:i, s:o, s:i, s:i}", "name",
							plan->strategy[s]->name, "tasks", x.tasks,
							"gain", ratio_json(x.mean, x.low, x.high),
							"faster", x.faster, "slower", x.slower));
	}
	return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "device", plan->device->fingerprint,
			 "against", plan->strategy[0]->name, "seeds", plan->seeds, "threads",
			 plan->threads, "tasks", tasks, "totals", totals);
}
