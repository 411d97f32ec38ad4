/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition_plans.c - the plan by cost, kernel by kernel, beside hone alone and all that generators
 * take. */
#include "tools/partition_plans.h"

#include <stdio.h>
#include <string.h>

#include "graph/task/uses.h"
#include "runtime/offload/alone.h"
#include "runtime/offload/judge.h"
#include "tools/json.h"
#include "tools/partition_cut.h"

static const char *const plan_names[] = {
	[SETTLED_COST] = "by measured cost", [SETTLED_HOST] = "hone alone", [SETTLED_ALL] = "all offloaded",
};
/* The order in which they are told. */
static const int told[] = { SETTLED_HOST, SETTLED_ALL, SETTLED_COST };

static const char *who(const struct settled *s, int backend)
{
	return backend == OFFER_HOST ? "hone" : offers_options(s->offers)->backends[backend].generator->name;
}

/* Who runs STEP. */
static int runs_it(const struct settled *s, const struct flat_step *step)
{
	const struct offers_options *o = offers_options(s->offers);

	for (int b = 0; b < o->n && step->kind == FLAT_FOREIGN; b++)
		if (o->backends[b].generator == foreign_backend(step->foreign)->generator)
			return b;
	return OFFER_HOST;
}

static int nodes_of(const struct model_task *t)
{
	int n = 0;

	for (int v = 0; t->from.function && v < t->from.function->bindings.n; v++)
		n += function_at(t->from.function, v)->kind == BIND_CALL;
	return n;
}

static bool is_of_kernels(const struct settled *s, int backend)
{
	return backend != OFFER_HOST &&
	       offers_options(s->offers)->backends[backend].generator->grain == HONE_KERNELS;
}

/* How many generators come before those of regions. */
static int first_of_regions(const struct settled *s)
{
	int n = 0;

	while (n < offers_options(s->offers)->n && is_of_kernels(s, n))
		n++;
	return n;
}

/* What M's generators of regions take, call by call. */
static struct cut_report regions_report(struct arena *a, const struct opened *m)
{
	const struct offloaded *o = &m->offloaded;

	return cut_report_new(a, o->from, &o->cut, o->backends, o->nbackends);
}

/* A list of steps with what it is of. */
struct plan_list {
	const struct flat *flat;
	const struct function *function;
	int index;
	const struct task_uses *uses;
	const struct opened *model;
};

static const struct model_task *task_of(const struct plan_list *l, const struct flat_step *step)
{
	int task = step->kind == FLAT_COPY ? -1 : task_used(l->uses, l->index, step->value);

	return task < 0 ? NULL : &l->model->tasks->at[task];
}

/* How many groups of BACKEND's steps hang together, as regions do. */
static int subgraphs_of(struct arena *a, const struct settled *s, const struct plan_list *l, int backend)
{
	int n = l->function->bindings.n, found = 0;
	int *generator = arena_many(a, int, n), *unit = arena_many(a, int, n);
	const struct flow flow = flow_new(a, l->function);

	for (int v = 0; v < n; v++) {
		generator[v] = REGION_HOST;
		unit[v] = v;
	}
	for (int i = 0; i < l->flat->steps.n; i++)
		if (l->flat->steps.at[i].kind == FLAT_FOREIGN)
			generator[l->flat->steps.at[i].value] = runs_it(s, &l->flat->steps.at[i]);
	const struct call_regions r = regions_find(a, &flow, generator, unit);

	for (int i = 0; i < r.at.n; i++)
		found += r.at.at[i].generator == backend;
	return found;
}

static void add_list(struct arena *a, const struct settled *s, const struct plan_list *l, int backend,
		     struct plan_share *out)
{
	for (int i = 0; i < l->flat->steps.n; i++) {
		const struct flat_step *step = &l->flat->steps.at[i];
		const struct model_task *t = task_of(l, step);
		struct offer offer;

		if (!t || runs_it(s, step) != backend)
			continue;
		out->nodes += nodes_of(t);
		out->kernels++;
		out->macs += t->flop / 2;
		if (offers_get(s->offers, t->key, backend, &offer))
			out->us += offer.us;
	}
	if (backend != OFFER_HOST)
		out->subgraphs += subgraphs_of(a, s, l, backend);
}

static struct plan_list list_of(const struct settled *s, int plan, int function, const struct task_uses *uses)
{
	const struct opened *m = &s->plans[plan].model;

	return (struct plan_list){ m->code->flats[function], m->graph->functions.at[function], function, uses, m };
}

/* The regions of M that BACKEND, of its list, computes. */
static void add_regions(struct arena *a, const struct settled *s, const struct opened *m, int backend,
			struct plan_share *out)
{
	const struct offload_region_vec *regions = &m->offloaded.cut.regions;
	const struct cut_report r = regions_report(a, m);
	const struct cut_share x = cut_share_of(&r, backend);

	out->nodes += x.nodes;
	out->kernels += x.regions;
	out->subgraphs += x.regions;
	out->macs += x.macs;
	for (int i = 0; i < regions->n; i++) {
		const struct graph *g = m->offloaded.cut.graph;
		const struct function *f = g->functions.at[graph_find_function(g, regions->at[i].function)];
		struct offer offer;

		if (regions->at[i].backend == backend &&
		    offers_get(s->offers, region_key(f), first_of_regions(s) + backend, &offer))
			out->us += offer.us;
	}
}

struct plan_share plan_share_of(struct arena *a, const struct settled *s, int plan, int backend)
{
	const struct opened *m = &s->plans[plan].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);
	struct plan_share out = { 0 };

	for (int f = 0; f < m->graph->functions.n; f++)
		if (m->code->flats[f]) {
			struct plan_list l = list_of(s, plan, f, uses);

			add_list(a, s, &l, backend, &out);
		}
	if (m->offloaded.from && backend >= first_of_regions(s))
		add_regions(a, s, m, backend - first_of_regions(s), &out);
	return out;
}

/* --- text */

static void print_plans(const struct settled *s)
{
	printf("%-18s %12s %12s %8s\n", "plan", "measured", "predicted", "results");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct settled_plan *p = &s->plans[told[i]];

		printf("%-18s %9.3f ms %9.3f ms  %s%.0e\n", plan_names[told[i]], p->us * 1e-3,
		       p->predicted_us * 1e-3, p->agrees ? "agree, " : "DIFFER, ", p->error);
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
	printf("%s:\n", plan_names[plan]);
	for (int b = OFFER_HOST; b < n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		printf("  %-10s %4d of %d nodes (%5.1f%%), %5.1f%% of the multiply-adds, %d kernels", who(s, b),
		       x.nodes, all.nodes, percent(x.nodes, all.nodes), percent(x.macs, all.macs), x.kernels);
		if (b == OFFER_HOST)
			printf(", %.3f ms\n", x.us * 1e-3);
		else
			printf(" in %d subgraph%s, %.3f ms (%s)\n", x.subgraphs, x.subgraphs == 1 ? "" : "s",
			       x.us * 1e-3, offers_options(s->offers)->backends[b].version);
	}
}

static void print_comparison(const char *with, const struct comparison *c)
{
	printf("by measured cost %.3f times as fast as %s (%.3f to %.3f): %s\n", c->ratio, with, c->low, c->high,
	       verdict_name(c->verdict));
}

/* What each takes for T: a time with * where it is a kernel's alone, or - and the reason. */
static void print_offers(struct arena *a, const struct settled *s, const struct model_task *t)
{
	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++) {
		struct offer x;
		const char *why;

		if (offers_get(s->offers, t->key, b, &x))
			printf("  %s %.1f%s", who(s, b), x.us, x.in_model ? "" : "*");
		else if (is_of_kernels(s, b) && (why = offer_refusal(a, s->offers, t, b)))
			printf("  %s: %s", who(s, b), why);
	}
}

void plans_print_kernels(struct arena *a, const struct settled *s, int plan)
{
	const struct opened *m = &s->plans[plan].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);

	if (m->offloaded.from) {
		const struct cut_report r = regions_report(a, m);

		cut_print_calls(&r, false);
	}
	printf("%-9s %-28s %s\n", "by", "kernel", "us of each, * alone; task; node");
	for (int f = 0; f < m->graph->functions.n; f++) {
		if (!m->code->flats[f])
			continue;
		const struct plan_list l = list_of(s, plan, f, uses);

		for (int i = 0; i < l.flat->steps.n; i++) {
			const struct flat_step *step = &l.flat->steps.at[i];
			const struct model_task *t = task_of(&l, step);

			if (!t)
				continue;
			printf("%-9s %-28s", who(s, runs_it(s, step)), t->op);
			print_offers(a, s, t);
			printf("; %s; %s\n", t->shape, function_at(l.function, step->value)->label);
		}
	}
}

void plans_print(struct arena *a, const struct settled *s)
{
	print_plans(s);
	print_shares(a, s, SETTLED_ALL);
	print_shares(a, s, SETTLED_COST);
	if (s->launch_us > 0)
		printf("each kernel of a generator costs %.1f us beside its own time\n", s->launch_us);
	print_comparison("hone alone", &s->with_host);
	print_comparison("all offloaded", &s->with_all);
	printf("the model runs %s%s\n", plan_names[s->chosen],
	       s->chosen == SETTLED_COST ? "" : ", which was faster than by measured cost");
}

/* --- JSON */

static json_t *comparison_json(const struct comparison *c)
{
	return json_pack("{s:f, s:f, s:f, s:s}", "ratio", c->ratio, "low", c->low, "high", c->high, "verdict",
			 verdict_name(c->verdict));
}

static json_t *shares_json(struct arena *a, const struct settled *s, int plan)
{
	json_t *out = json_array();

	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		json_array_append_new(out, json_pack(
			"{s:s, s:o, s:i, s:i, s:i, s:f, s:f}", "by", who(s, b), "version",
			json_label(b == OFFER_HOST ? NULL : offers_options(s->offers)->backends[b].version),
			"nodes", x.nodes, "kernels", x.kernels, "subgraphs", x.subgraphs, "macs", x.macs, "us",
			x.us));
	}
	return out;
}

static json_t *offer_json(const struct settled *s, const struct model_task *t, int b, const char *why)
{
	struct offer x = { 0 };
	bool known = offers_get(s->offers, t->key, b, &x);

	return json_pack("{s:s, s:o, s:b, s:o}", "by", who(s, b), "us", json_positive(known ? x.us : 0), "in_model",
			 (int)x.in_model, "reason", json_label(known ? NULL : why));
}

static json_t *kernel_json(struct arena *a, const struct settled *s, const struct plan_list *l,
			   const struct flat_step *step)
{
	const struct model_task *t = task_of(l, step);
	json_t *offers = json_array();

	for (int b = OFFER_HOST; b < offers_options(s->offers)->n; b++)
		json_array_append_new(offers, offer_json(s, t, b,
							 is_of_kernels(s, b) ? offer_refusal(a, s->offers, t, b) : NULL));
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "by", who(s, runs_it(s, step)), "op", t->op, "shape", t->shape,
			 "node", json_label(function_at(l->function, step->value)->label), "offers", offers);
}

static json_t *kernels_json(struct arena *a, const struct settled *s)
{
	const struct opened *m = &s->plans[SETTLED_COST].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);
	json_t *out = json_array();

	for (int f = 0; f < m->graph->functions.n; f++)
		if (m->code->flats[f]) {
			const struct plan_list l = list_of(s, SETTLED_COST, f, uses);

			for (int i = 0; i < l.flat->steps.n; i++)
				if (task_of(&l, &l.flat->steps.at[i]))
					json_array_append_new(out, kernel_json(a, s, &l, &l.flat->steps.at[i]));
		}
	return out;
}

json_t *plans_json(struct arena *a, const struct settled *s)
{
	json_t *plans = json_array();

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct settled_plan *p = &s->plans[told[i]];

		json_array_append_new(plans, json_pack(
			"{s:s, s:f, s:f, s:i, s:b, s:o, s:o}", "plan", plan_names[told[i]], "us", p->us,
			"predicted_us", p->predicted_us, "unknown", p->unknown, "agrees", (int)p->agrees, "error", json_figure(p->error), "shares",
			shares_json(a, s, told[i])));
	}
	return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "chosen", plan_names[s->chosen], "launch_us", s->launch_us,
			 "plans", plans, "with_host", comparison_json(&s->with_host),
			 "with_all", comparison_json(&s->with_all), "kernels", kernels_json(a, s));
}
