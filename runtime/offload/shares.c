/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/shares.c - steps and regions of a plan, summed by who computes them. */
#include "runtime/offload/shares.h"

#include "graph/ir/op.h"
#include "runtime/offload/judge.h"
#include "runtime/offload/told.h"

const char *plan_name(int plan)
{
	static const char *const names[] = {
		[SETTLED_COST] = "by measured cost", [SETTLED_HOST] = "hone alone",
		[SETTLED_ALL] = "all offloaded",
	};

	return names[plan];
}

const char *plan_who(const struct settled *s, int backend)
{
	return backend == OFFER_HOST ? "hone" : offers_options(s->offers)->backends[backend].generator->name;
}

int plan_step_by(const struct settled *s, const struct flat_step *step)
{
	return step->kind == FLAT_FOREIGN
		       ? offers_backend(offers_options(s->offers), foreign_backend(step->foreign)) : OFFER_HOST;
}

/* An identity is what layouts are changed by: passes drop those of models. */
static int nodes_of(const struct model_task *t)
{
	int n = 0;

	for (int v = 0; t->from.function && v < t->from.function->bindings.n; v++) {
		const struct binding *b = function_at(t->from.function, v);

		n += b->kind == BIND_CALL && b->op != &core_identity;
	}
	return n;
}

bool plan_is_of_kernels(const struct settled *s, int backend)
{
	return backend != OFFER_HOST &&
	       offers_options(s->offers)->backends[backend].generator->grain == HONE_KERNELS;
}

/* How many generators come before those of regions. */
static int first_of_regions(const struct settled *s)
{
	int n = 0;

	while (n < offers_options(s->offers)->n && plan_is_of_kernels(s, n))
		n++;
	return n;
}

struct cut_report plan_regions(struct arena *a, const struct opened *m)
{
	const struct offloaded *o = &m->offloaded;

	return cut_report_new(a, o->from, &o->cut, o->backends, o->nbackends);
}

const struct model_task *plan_task(const struct plan_list *l, const struct flat_step *step)
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
			generator[l->flat->steps.at[i].value] = plan_step_by(s, &l->flat->steps.at[i]);
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
		const struct model_task *t = plan_task(l, step);
		struct offer offer;

		if (!t || plan_step_by(s, step) != backend)
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

/* What the interpreter runs of function F itself, which has no list. */
static void add_interpreted(const struct opened *m, int f, const struct task_uses *uses, struct plan_share *out)
{
	const struct function *in = m->graph->functions.at[f];

	for (int v = in->nparams; v < in->bindings.n; v++) {
		const struct binding *b = function_at(in, v);
		int task = task_used(uses, f, v);

		out->nodes += b->kind == BIND_CALL && !binding_is_view(b);
		if (b->kind != BIND_APPLY || task < 0)
			continue;
		out->nodes += nodes_of(&m->tasks->at[task]);
		out->macs += m->tasks->at[task].flop / 2;
	}
}

struct plan_list plan_list_of(const struct settled *s, int plan, int function, const struct task_uses *uses)
{
	const struct opened *m = &s->plans[plan].model;

	return (struct plan_list){ m->code->flats[function], m->graph->functions.at[function], function, uses, m };
}

/* The regions of M that BACKEND, of its list, computes. */
static void add_regions(struct arena *a, const struct settled *s, const struct opened *m, int backend,
			struct plan_share *out)
{
	const struct offload_region_vec *regions = &m->offloaded.cut.regions;
	const struct cut_report r = plan_regions(a, m);
	const struct cut_share x = cut_share_of(&r, backend);

	out->nodes += x.nodes;
	out->kernels += x.regions;
	out->subgraphs += x.regions;
	out->macs += x.macs;
	for (int i = 0; i < regions->n; i++) {
		const struct graph *g = m->offloaded.cut.graph;
		const struct function *f = g->functions.at[graph_find_function(g, regions->at[i].function)];
		double told = foreign_told_us(m->offloaded.ready[i]);
		struct offer offer;

		if (regions->at[i].backend != backend)
			continue;
		if (told > 0)
			out->us += told;
		else if (offers_get(s->offers, region_key(f), first_of_regions(s) + backend, &offer))
			out->us += offer.us;
	}
}

struct plan_share plan_share_of(struct arena *a, const struct settled *s, int plan, int backend)
{
	const struct opened *m = &s->plans[plan].model;
	const struct task_uses *uses = task_uses_new(a, m->graph, m->tasks);
	struct plan_share out = { 0 };

	for (int f = 0; f < m->graph->functions.n; f++) {
		const struct function *of = m->graph->functions.at[f];

		if (m->code->flats[f]) {
			struct plan_list l = plan_list_of(s, plan, f, uses);

			add_list(a, s, &l, backend, &out);
		} else if (backend == OFFER_HOST && !function_is_fused(of) && !function_generator(of)) {
			add_interpreted(m, f, uses, &out);
		}
	}
	if (m->offloaded.from && backend >= first_of_regions(s))
		add_regions(a, s, m, backend - first_of_regions(s), &out);
	if (backend != OFFER_HOST)
		out.told = told_cost(m, offers_options(s->offers)->backends[backend].generator);
	return out;
}

struct plan_offload plan_offload_of(struct arena *a, const struct settled *s, int plan)
{
	const struct plan_share host = plan_share_of(a, s, plan, OFFER_HOST);
	double nodes = host.nodes, macs = host.macs;
	struct plan_offload out = { 0 };

	for (int b = 0; b < offers_options(s->offers)->n; b++) {
		const struct plan_share x = plan_share_of(a, s, plan, b);

		out.nodes += x.nodes;
		out.macs += x.macs;
		out.kernels += x.kernels;
		out.subgraphs += x.subgraphs;
	}
	out.nodes /= nodes + out.nodes > 0 ? nodes + out.nodes : 1;
	out.macs /= macs + out.macs > 0 ? macs + out.macs : 1;
	return out;
}
