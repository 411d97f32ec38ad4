/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/plans.c - the plan by cost, kernel by kernel, beside hone alone and all that generators
 * take. */
#include "tools/partition/plans.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/offload/alone.h"
#include "runtime/offload/told.h"
#include "tools/json.h"
#include "tools/partition/cut.h"

/* The order in which they are told. */
static const int told[] = { SETTLED_HOST, SETTLED_ALL, SETTLED_COST };

/* --- text */

static void print_plans(const struct settled *s)
{
	printf("%-18s %12s %12s  results, within %.0e\n", "plan", "measured", "predicted", s->bound);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct settled_plan *p = &s->plans[told[i]];

		printf("%-18s %9.3f ms %9.3f ms  %s%.0e", plan_name(told[i]), p->us * 1e-3,
		       p->predicted_us * 1e-3, p->agrees ? "agree, " : "DIFFER, ", p->error);
		if (cost_us(p->spent.told) > 0)
			printf(", %.3f ms of it told", cost_us(p->spent.told) * 1e-3);
		puts("");
	}
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_shares(struct arena *a, const struct settled *s, int plan)
{
	int n = offers_options(s->offers)->n;
	struct plan_share all = { 0 };

	for (int b = OFFER_HOST; b < n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		all.nodes += x.nodes;
		all.macs += x.macs;
	}
	printf("%s:\n", plan_name(plan));
	for (int b = OFFER_HOST; b < n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		printf("  %-10s %4d of %d nodes (%5.1f%%), %5.1f%% of the multiply-adds, %d kernels", plan_who(s, b),
		       x.nodes, all.nodes, percent(x.nodes, all.nodes), percent(x.macs, all.macs), x.kernels);
		if (b == OFFER_HOST)
			printf(", %.3f ms\n", x.us * 1e-3);
		else
			printf(" in %d subgraph%s, %.3f ms (%s)\n", x.subgraphs, x.subgraphs == 1 ? "" : "s",
			       x.us * 1e-3, offers_options(s->offers)->backends[b].version);
	}
}

/* What generators tell of the plans that they are part of. */
static void print_told(const struct settled *s)
{
	const struct offers_options *o = offers_options(s->offers);

	if (!told_any(&s->plans[SETTLED_ALL].model, NULL))
		return;
	printf("%-18s %-10s %12s %12s %12s\n", "told, not measured", "by", "kernels", "launches", "transfers");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		for (int b = 0; b < o->n; b++) {
			const struct hone_cost c = told_cost(&s->plans[told[i]].model, o->backends[b].generator);

			if (cost_us(c) > 0)
				printf("%-18s %-10s %9.1f us %9.1f us %9.1f us\n", plan_name(told[i]), plan_who(s, b),
				       c.kernels_us, c.launches_us, c.transfers_us);
		}
	for (int b = 0; b < o->n; b++)
		if (told_any(&s->plans[SETTLED_ALL].model, o->backends[b].generator))
			printf("%s tells what it takes: all times have that in the place of what the clock says of it\n",
			       plan_who(s, b));
}

/* How far the choice of kernels and storages is from the least sum of their times. */
static void print_gap(const struct layout_choice *c)
{
	if (c->us > 0 && c->exact)
		printf("no other choice of kernels and storages has a lesser sum\n");
	else if (c->us > 0)
		printf("the sum of kernels and storages is at most %.1f%% above the least there is\n",
		       100 * (c->us / c->bound - 1));
}

static void print_comparison(const char *with, const struct comparison *c)
{
	printf("by measured cost %.3f times as fast as %s (%.3f to %.3f): %s\n", c->ratio, with, c->low, c->high,
	       verdict_name(c->verdict));
}

/* What each takes for T: a time, with * where it is a kernel's alone, or as its generator tells it, or the
 * reason why not. */
static void print_offers(struct arena *a, const struct settled *s, const struct model_task *t)
{
	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++) {
		struct offer x;
		const char *why;

		if (offers_get(s->offers, t->key, b, &x))
			printf("  %s %.1f%s", plan_who(s, b), x.us, x.told ? " told" : x.in_model ? "" : "*");
		else if (plan_is_of_kernels(s, b) && (why = offer_refusal(a, s->offers, t, b)))
			printf("  %s: %s", plan_who(s, b), why);
	}
}

void plans_print_kernels(struct arena *a, const struct settled *s, int plan)
{
	const struct opened *m = &s->plans[plan].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);

	if (m->offloaded.from) {
		const struct cut_report r = plan_regions(a, m);

		cut_print_calls(&r, false);
	}
	printf("%-9s %-28s %s\n", "by", "kernel", "us of each, * alone, or told; task; node");
	for (int f = 0; f < m->graph->functions.n; f++) {
		if (!m->code->flats[f])
			continue;
		const struct plan_list l = plan_list_of(s, plan, f, uses);

		for (int i = 0; i < l.flat->steps.n; i++) {
			const struct flat_step *step = &l.flat->steps.at[i];
			const struct model_task *t = plan_task(&l, step);

			if (!t)
				continue;
			printf("%-9s %-28s", plan_who(s, plan_step_by(s, step)), t->op);
			print_offers(a, s, t);
			const char *reason = demand_reason(cut_demand(&t->from));

			printf("; %s; %s%s%s\n", t->shape, function_at(l.function, step->value)->origin->label,
			       reason ? ": " : "", reason ? reason : "");
		}
	}
}

void plans_print(struct arena *a, const struct settled *s)
{
	print_plans(s);
	print_shares(a, s, SETTLED_ALL);
	print_shares(a, s, SETTLED_COST);
	print_gap(&s->plans[SETTLED_COST].model.images);
	print_told(s);
	if (s->launch_us > 0)
		printf("each kernel of a generator costs %.1f us beside its own time\n", s->launch_us);
	print_comparison("hone alone", &s->with_host);
	print_comparison("all offloaded", &s->with_all);
	printf("the model runs %s%s\n", plan_name(s->chosen),
	       s->chosen == SETTLED_COST ? "" : ", which was faster than by measured cost");
}

/* --- JSON */

json_t *plan_comparison_json(const struct comparison *c)
{
	return json_pack("{s:f, s:f, s:f, s:s}", "ratio", c->ratio, "low", c->low, "high", c->high, "verdict",
			 verdict_name(c->verdict));
}

/* null where nothing is told. */
static json_t *cost_json(struct hone_cost c)
{
	return cost_us(c) <= 0 ? json_null()
			       : json_pack("{s:f, s:f, s:f}", "kernels_us", c.kernels_us, "launches_us", c.launches_us,
					   "transfers_us", c.transfers_us);
}

static json_t *shares_json(struct arena *a, const struct settled *s, int plan)
{
	json_t *out = json_array();

	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		json_array_append_new(out, json_pack(
			"{s:s, s:o, s:i, s:i, s:i, s:f, s:f, s:o}", "by", plan_who(s, b), "version",
			json_label(b == OFFER_HOST ? NULL : offers_options(s->offers)->backends[b].version),
			"nodes", x.nodes, "kernels", x.kernels, "subgraphs", x.subgraphs, "macs", x.macs, "us",
			x.us, "told", cost_json(x.told)));
	}
	return out;
}

static json_t *offer_json(const struct settled *s, const struct model_task *t, int b, const char *why)
{
	struct offer x = { 0 };
	bool known = offers_get(s->offers, t->key, b, &x);

	return json_pack("{s:s, s:o, s:b, s:b, s:o}", "by", plan_who(s, b), "us", json_positive(known ? x.us : 0), "in_model",
			 (int)x.in_model, "told", (int)x.told, "reason", json_label(known ? NULL : why));
}

static json_t *kernel_json(struct arena *a, const struct settled *s, const struct plan_list *l,
			   const struct flat_step *step)
{
	const struct model_task *t = plan_task(l, step);
	json_t *offers = json_array();

	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++)
		json_array_append_new(offers, offer_json(s, t, b,
							 plan_is_of_kernels(s, b) ? offer_refusal(a, s->offers, t, b) : NULL));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "by", plan_who(s, plan_step_by(s, step)), "op", t->op, "shape", t->shape,
			 "node", json_label(function_at(l->function, step->value)->origin->label), "demand",
			 demand_json(cut_demand(&t->from)), "offers", offers);
}

static json_t *kernels_json(struct arena *a, const struct settled *s)
{
	const struct opened *m = &s->plans[SETTLED_COST].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);
	json_t *out = json_array();

	for (int f = 0; f < m->graph->functions.n; f++)
		if (m->code->flats[f]) {
			const struct plan_list l = plan_list_of(s, SETTLED_COST, f, uses);

			for (int i = 0; i < l.flat->steps.n; i++)
				if (plan_task(&l, &l.flat->steps.at[i]))
					json_array_append_new(out, kernel_json(a, s, &l, &l.flat->steps.at[i]));
		}
	return out;
}

static json_t *plan_json(struct arena *a, const struct settled *s, int plan)
{
	const struct settled_plan *p = &s->plans[plan];
	const struct run_spent *x = &p->spent;
	const struct plan_offload part = plan_offload_of(a, s, plan);
	json_t *spent = json_pack("{s:f, s:f, s:f, s:o, s:f, s:f, s:f}", "run_us", x->run, "hone_us", x->host,
				  "generators_us", x->generators, "told", cost_json(x->told), "moves_us", x->moves,
				  "interpreter_us", x->interpreter, "rest_us", run_spent_rest(x));

	return json_pack("{s:s, s:f, s:f, s:i, s:b, s:o, s:f, s:f, s:o, s:o}", "plan", plan_name(plan), "us", p->us,
			 "predicted_us", p->predicted_us, "unknown", p->unknown, "agrees", (int)p->agrees,
			 "error", json_figure(p->error), "offloaded_nodes", part.nodes, "offloaded_macs",
			 part.macs, "spent", spent, "shares", shares_json(a, s, plan));
}

json_t *plans_json_short(struct arena *a, const struct settled *s)
{
	const struct layout_choice *c = &s->plans[SETTLED_COST].model.images;
	json_t *plans = json_array();

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		json_array_append_new(plans, plan_json(a, s, told[i]));
	return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "chosen", plan_name(s->chosen), "launch_us",
			 s->launch_us, "gap", json_figure(c->us <= 0 ? NAN : c->exact ? 0 : c->us / c->bound - 1),
			 "plans", plans, "with_host", plan_comparison_json(&s->with_host),
			 "with_all", plan_comparison_json(&s->with_all));
}

json_t *plans_json(struct arena *a, const struct settled *s)
{
	json_t *out = plans_json_short(a, s);

	json_object_set_new(out, "kernels", kernels_json(a, s));
	return out;
}
