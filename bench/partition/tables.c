/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/tables.c - tables of at most 100 columns, a line for each set of generators. */
#include "bench/partition/tables.h"

#include <stdio.h>
#include <string.h>

/* Of the first column. */
enum { WIDTH = 14 };

static const struct partition_entry *entry_at(const struct partition_report *r, int model, int set)
{
	const struct partition_entry *e = &r->models.at[model].entries[set];

	return e->why ? NULL : e;
}

/* The title of a table and its other columns. */
static void print_head(const char *title, const char *columns)
{
	printf("  %-*s  %s\n", WIDTH, title, columns);
}

/* One that is too long has a line of its own. */
static void print_label(const char *label)
{
	bool fits = strlen(label) <= WIDTH;

	if (!fits)
		printf("  %s\n", label);
	printf("  %-*s", WIDTH, fits ? label : "");
}

static void print_offload(const struct plan_offload *o)
{
	printf("  %6.1f%% %6.1f%% %7d %9d", 100 * o->nodes, 100 * o->macs, o->kernels, o->subgraphs);
}

static void print_offloads(const struct partition_report *r, int model)
{
	print_head("offloaded", "all that is taken                   by measured cost");
	print_head("", "  nodes    MACs kernels subgraphs    nodes    MACs kernels subgraphs");
	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_entry *e = entry_at(r, model, i);

		if (!e)
			continue;
		print_label(r->sets.at[i].label);
		print_offload(&e->plans[SETTLED_ALL].offload);
		print_offload(&e->plans[SETTLED_COST].offload);
		puts("");
	}
}

static void print_latencies(const struct partition_report *r, int model)
{
	static const int told[] = { SETTLED_HOST, SETTLED_ALL, SETTLED_COST };

	print_head("latency, ms", "hone alone              all offloaded           by measured cost");
	print_head("", " measured  predicted    measured  predicted    measured  predicted   results");
	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_entry *e = entry_at(r, model, i);

		if (!e)
			continue;
		print_label(r->sets.at[i].label);
		for (int k = 0; k < 3; k++) {
			const struct entry_plan *p = &e->plans[told[k]];

			printf("  %9.3f %10.3f%c", p->us * 1e-3, p->predicted_us * 1e-3, p->unknown ? '?' : ' ');
		}
		printf("  %s\n", partition_entry_is_sound(e) ? "agree" : "DIFFER");
	}
}

/* RUNS: what stands behind it, or "". */
static void print_speed_up(const char *label, const char *over, const struct comparison *c, double predicted,
			   const char *runs)
{
	char measured[64], expected[32];

	snprintf(measured, sizeof(measured), "%.3f (%.3f to %.3f)", c->ratio, c->low, c->high);
	snprintf(expected, sizeof(expected), "%.3f", predicted);
	print_label(label);
	printf("  %-13s  %-28s %10s  %-*s", over, measured, predicted > 0 ? expected : "-", *runs ? 9 : 0,
	       verdict_name(c->verdict));
	puts(runs);
}

static void print_speed_ups(const struct partition_report *r, int model)
{
	print_head("speed-up", "over           measured                      predicted  by cost  hone run takes");
	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_entry *e = entry_at(r, model, i);

		if (!e)
			continue;
		print_speed_up(r->sets.at[i].label, "hone alone", &e->with_host,
			       partition_predicted(e, SETTLED_HOST), plan_name(e->chosen));
		print_speed_up("", "all offloaded", &e->with_all, partition_predicted(e, SETTLED_ALL), "");
		if (r->models.at[model].as != ELEMENT_F32)
			print_speed_up("", "f32, as run", &e->with_f32, 0, "");
	}
}

static void print_breakdowns(const struct partition_report *r, int model)
{
	print_head("by cost, ms", "      run       hone  generators  transforms  interpreter       rest");
	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_entry *e = entry_at(r, model, i);

		if (!e)
			continue;
		const struct run_spent *x = &e->plans[SETTLED_COST].spent;

		print_label(r->sets.at[i].label);
		printf("  %9.3f %10.3f  %10.3f  %10.3f   %10.3f %10.3f\n", x->run * 1e-3, x->host * 1e-3,
		       x->generators * 1e-3, x->moves * 1e-3, x->interpreter * 1e-3, run_spent_rest(x) * 1e-3);
	}
}

static void print_cost(const struct hone_cost *c)
{
	printf("  %9.3f %9.3f %10.3f", c->kernels_us * 1e-3, c->launches_us * 1e-3, c->transfers_us * 1e-3);
}

/* A line for each set that has a generator that tells. */
static void print_told(const struct partition_report *r, int model)
{
	bool any = false;

	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_entry *e = entry_at(r, model, i);

		if (!e || cost_us(e->plans[SETTLED_ALL].spent.told) <= 0)
			continue;
		if (!any) {
			print_head("told, ms", "all that is taken                by measured cost");
			print_head("", "  kernels  launches  transfers    kernels  launches  transfers");
		}
		any = true;
		print_label(r->sets.at[i].label);
		print_cost(&e->plans[SETTLED_ALL].spent.told);
		print_cost(&e->plans[SETTLED_COST].spent.told);
		puts("");
	}
}

void partition_tables_print(const struct partition_report *r, int i)
{
	const struct partition_model *m = &r->models.at[i];
	bool any = false;

	printf("%s", m->model);
	if (m->as != ELEMENT_F32)
		printf(" as %s", element_name(m->as));
	puts("");
	if (m->why) {
		printf("  not run: %s\n\n", m->why);
		return;
	}
	for (int k = 0; k < r->sets.n; k++) {
		any |= !m->entries[k].why;
		if (m->entries[k].why)
			printf("  %s: not run: %s\n", r->sets.at[k].label, m->entries[k].why);
	}
	if (any) {
		print_offloads(r, i);
		print_latencies(r, i);
		print_speed_ups(r, i);
		print_breakdowns(r, i);
		print_told(r, i);
	}
	puts("");
}

/* --- all models */

static void print_means(const struct partition_report *r, enum element as)
{
	bool narrow = as != ELEMENT_F32;

	printf("Speed-up by measured cost, geometric means over models%s%s\n", narrow ? " as " : "",
	       narrow ? element_name(as) : "");
	print_head("", narrow ? "models  over hone alone  predicted  over all offloaded  predicted  over f32"
			      : "models  over hone alone  predicted  over all offloaded  predicted");
	for (int i = 0; i < r->sets.n; i++) {
		const struct partition_mean m = partition_mean_of(&r->models, as, i);

		print_label(r->sets.at[i].label);
		if (m.models == 0) {
			printf("  %6d  %15s\n", 0, "-");
			continue;
		}
		printf("  %6d  %15.3f", m.models, m.over_host);
		if (m.predicted == m.models)
			printf("  %9.3f  %18.3f  %9.3f", m.predicted_over_host, m.over_all, m.predicted_over_all);
		else
			printf("  %9s  %18.3f  %9s", "-", m.over_all, "-");
		if (narrow)
			printf("  %8.3f", m.over_f32);
		puts("");
	}
}

static void print_generators(const struct partition_report *r)
{
	print_head("generator", " lines  version");
	for (int i = 0; i < r->generators.n; i++) {
		const struct partition_generator *g = &r->generators.at[i];

		print_label(g->label);
		if (g->lines > 0)
			printf("  %6d  %s\n", g->lines, g->version);
		else
			printf("  %6s  %s\n", "-", g->version);
	}
}

void partition_tables_end(const struct partition_report *r)
{
	for (int i = 0; i < r->types.n; i++) {
		print_means(r, r->types.at[i]);
		puts("");
	}
	print_generators(r);
	puts("");
	printf("%d thread%s. Nodes and multiply-adds are shares of the model's, subgraphs are kernels that hang\n"
	       "together; predicted: the sum over kernels, ? where one was not timed; speed-up: the other's time\n"
	       "over its own, with the %g%% interval of its median; f32, as run: the model of floats by the plan that\n"
	       "hone run takes, in turns with this one by its own; transforms only move elements, whoever does;\n"
	       "rest: launching and all between steps; lines: of C, no blanks, no comments, - where the sources are\n"
	       "none of hone's; told: what generators say that their devices take, which all times have in the place\n"
	       "of what the clock says of it.\n",
	       r->threads, r->threads > 1 ? "s" : "", 100 * VERDICT_CONFIDENCE);
}
