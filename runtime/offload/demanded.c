/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/demanded.c - demands are set where a model is read, and looked for where it is to run. */
#include "runtime/offload/demanded.h"

#include "base/err.h"
#include "graph/ir/known.h"
#include "graph/pass/pass.h"
#include "graph/task/variant.h"
#include "partition/demand.h"
#include "runtime/offload/alone.h"

struct graph *demanded_passes(struct arena *a, struct graph *g, const struct offload_request *r,
			      const struct kernel_costs *costs, const char *last)
{
	const struct demand_labels labels = { r->keep, r->nkeep, r->offload, r->noffload };

	if (!g || (r->nbackends > 0 && demands_set(g, &labels) < 0))
		return NULL;
	g->costs = costs;
	return graph_passes(a, g, last);
}

struct hash128 demanded_key(const struct graph *g, bool *forced)
{
	struct hasher *h = hasher_new();
	bool any = false;

	*forced = false;
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		for (int v = f->nparams; v < f->bindings.n; v++) {
			const struct demand d = function_at(f, v)->origin->demand;

			hash_demand(h, d);
			any |= d.kind != DEMAND_NONE;
			*forced |= d.kind == DEMAND_OFFLOAD;
		}
	}
	const struct hash128 key = hasher_end(h);

	return any ? key : (struct hash128){ 0 };
}

/* --- was it done? */

struct checking {
	struct arena *scratch;
	const struct opened *m;
	const struct choice_plan *plan;
};

/* The generator that computes task T at USE by choice C; NULL: hone does. */
static const struct hone_generator *computed_by(const struct choice *c, const struct model_use *use)
{
	for (int i = 0; i < c->nforeign; i++)
		if (c->foreign[i].function == use->function && c->foreign[i].value == use->value)
			return foreign_backend(c->foreign[i].foreign)->generator;
	return NULL;
}

/* Adds "NAME: WHY" to OUT. */
static void add_why(const struct checking *x, const char **out, const char *name, const char *why)
{
	*out = arena_printf(x->scratch, "%s%s%s: %s", *out, **out ? "; " : "", name, why);
}

/* Adds what generators of regions say of B, which came from the graph that was cut. */
static void add_region_why(const struct checking *x, const struct binding *b, const char **out)
{
	const struct offloaded *o = &x->m->offloaded;

	for (int i = 0; o->from && i < o->cut.calls.n; i++) {
		const struct offload_call *c = &o->cut.calls.at[i];
		const struct binding *of = function_at(o->from->functions.at[c->function], c->value);

		if (c->why && of->origin == b->origin && of->op == b->op) {
			add_why(x, out, "regions", c->why);
			return;
		}
	}
}

/* Why no generator computes B of task T, which choice C was made for. */
static const char *why_unmet(const struct checking *x, const struct model_task *t, const struct choice *c,
			     const struct binding *b)
{
	const struct offers_options *o = offers_options(x->plan->offers);
	const char *out = "";

	if (cut_demand(&t->from).kind == DEMAND_KEEP)
		return "hone is to keep another node of the same kernel";
	if (c->foreign_why)
		return c->foreign_why;
	add_region_why(x, b, &out);
	for (int i = 0; i < o->n; i++) {
		const struct hone_generator *g = o->backends[i].generator;

		if (g->grain != HONE_KERNELS || !demand_lets(b->origin->demand, g->name))
			continue;
		const char *why = t->dag ? offer_refusal(x->scratch, x->plan->offers, t, i) : t->reason;

		add_why(x, &out, g->name, why ? why : "its kernel could not be made ready, or failed");
	}
	return out;
}

/* B is computed BY a generator, or by hone. */
static int check_call(const struct checking *x, const struct model_task *t, const struct choice *c,
		      const struct binding *b, const struct hone_generator *by)
{
	const struct demand d = b->origin->demand;

	if (b->kind != BIND_CALL || d.kind != DEMAND_OFFLOAD || (by && demand_lets(d, by->name)) || binding_is_view(b))
		return 0;
	return demand_unmet(b, by ? arena_printf(x->scratch, "%s computes another node of the same kernel", by->name)
				  : why_unmet(x, t, c, b));
}

static int check_use(const struct checking *x, int task, const struct model_use *use)
{
	const struct model_task *t = &x->m->tasks->at[task];
	const struct choice *c = &x->m->choices[task];
	const struct graph *g = x->m->graph;
	const struct function *f = g->functions.at[use->function];
	const struct binding *at = function_at(f, use->value);
	const struct hone_generator *by = computed_by(c, use);

	if (at->kind == BIND_CALL)
		return check_call(x, t, c, at, by);
	const struct cut_from from = cut_from_apply(x->scratch, g, f, use->value);

	for (int v = from.function->nparams; v < from.function->bindings.n; v++)
		if (check_call(x, t, c, function_at(from.function, v), by) < 0)
			return -1;
	return 0;
}

int demanded_check(const struct opened *m, const struct choice_plan *plan)
{
	const struct checking x = { arena_new(), m, plan };
	int rc = 0;

	for (int i = 0; i < m->tasks->n; i++)
		for (int k = 0; k < m->tasks->at[i].uses.n && rc == 0; k++)
			rc = check_use(&x, i, &m->tasks->at[i].uses.at[k]);
	arena_free(x.scratch);
	return rc;
}
