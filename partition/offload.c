/* SPDX-License-Identifier: Apache-2.0 */
/* partition/offload.c - claims, regions, and functions of these. */
#include "partition/offload.h"

#include <string.h>

#include "graph/pass/outline.h"
#include "partition/piece.h"

struct offloader {
	struct arena *a;
	const struct offload_options *o;
	struct offload *out;
	const struct function *done;	/* the function that was made last */
};

/* A function that is being cut. */
struct offloading {
	struct offloader *of;
	struct rewrite *x;
	int index;			/* of the function in the graph that is cut */
	struct flow flow;
	int *generator, *unit;		/* by value, as regions_find() has them */
	const struct claim **claim;	/* by value: that it is in; NULL */
	const char **why;		/* by value */
	struct call_regions regions;
	int first_region;		/* of all */
};

/* --- who computes what */

/* Why demands have the host compute what no generator is found for; NULL: they do not. */
static const char *why_demanded(struct offloading *s, struct demand d)
{
	const struct offload_options *o = s->of->o;

	if (d.kind == DEMAND_KEEP)
		return "the user keeps it";
	for (int i = 0; i < o->n; i++)
		if (demand_lets(d, o->backends[i].generator->name))
			return NULL;
	return d.generator ? arena_printf(s->of->a, "it is for %s alone", d.generator) : NULL;
}

/* By value, what B's generator is not asked about; why stands in s->why. */
static bool *held_back(struct offloading *s, const struct backend *b)
{
	const struct function *f = s->x->function;
	const struct offload_refusal_vec *refusals = &s->of->o->refusals;
	bool *held = arena_many(s->x->scratch, bool, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++)
		held[v] = !demand_lets(function_at(f, v)->origin->demand, b->generator->name);
	for (int i = 0; i < refusals->n; i++)
		if (refusals->at[i].function == s->index) {
			held[refusals->at[i].value] = true;
			s->why[refusals->at[i].value] = refusals->at[i].why;
		}
	return held;
}

static void give_back(struct offloading *s, const struct claim *c)
{
	for (int i = 0; i < c->members.n; i++) {
		int v = c->members.at[i];

		s->generator[v] = REGION_HOST;
		s->unit[v] = v;
		s->claim[v] = NULL;
	}
}

/* C takes the place of claims that others have made of its calls, where it has more calls than each. */
static void take(struct offloading *s, int backend, const struct claim *c)
{
	for (int i = 0; i < c->members.n; i++) {
		const struct claim *other = s->claim[c->members.at[i]];

		if (other && other->members.n >= c->members.n)
			return;
	}
	for (int i = 0; i < c->members.n; i++) {
		int v = c->members.at[i];

		if (s->claim[v])
			give_back(s, s->claim[v]);
		s->claim[v] = c;
		s->generator[v] = backend;
		s->unit[v] = c->members.at[c->members.n - 1];
	}
}

static void find_claims(struct offloading *s)
{
	const struct function *f = s->x->function;

	for (int v = 0; v < f->bindings.n; v++) {
		s->generator[v] = REGION_HOST;
		s->unit[v] = v;
		s->why[v] = why_demanded(s, function_at(f, v)->origin->demand);
	}
	for (int b = 0; b < s->of->o->n; b++) {
		const struct backend *by = &s->of->o->backends[b];
		struct claims c = claims_find(s->of->a, by, &s->flow, held_back(s, by));

		for (int i = 0; i < c.at.n; i++)
			take(s, b, &c.at.at[i]);
		for (int v = 0; v < f->bindings.n; v++)
			if (c.why[v])
				s->why[v] = c.why[v];
	}
}

/* --- the function anew */

static int make_region(struct offloading *s, struct outliner *o, int region)
{
	struct graph *g = s->x->builder->graph;
	const struct call_region *r = &s->regions.at.at[region];
	const char *name = s->of->o->backends[r->generator].generator->name;
	struct attr_vec attrs = { 0 };

	attrs_string(g->arena, &attrs, "generator", name);
	name = arena_printf(g->arena, "%s_%d", name, g->functions.n);
	s->of->out->regions.at[s->first_region + region] =
		(struct offload_region){ name, r->generator };
	return outline_function(o, name, r->members.n, r->members.at, &attrs);
}

/* What hangs together, in pieces that each generator takes. */
static struct call_regions find_regions(struct offloading *s)
{
	const struct offload_options *o = s->of->o;
	struct arena *scratch = s->x->scratch;
	struct call_regions regions = regions_find(scratch, &s->flow, s->generator, s->unit);
	struct piece_limit *limits = arena_many(scratch, struct piece_limit, o->n);

	for (int i = 0; i < o->n; i++)
		limits[i] = piece_limit_of(o->backends[i].generator);
	regions_cut(scratch, s->flow.function, &regions, s->unit, limits);
	return regions;
}

/* The values of each level in their order. */
static struct value_vec *levels_of(const struct offloading *s)
{
	const struct function *f = s->x->function;
	struct value_vec *at = arena_many(s->x->scratch, struct value_vec, s->regions.levels + 1);

	for (int v = f->nparams; v < f->bindings.n; v++)
		if (s->x->needed[v] && function_at(f, v)->kind != BIND_CONST)
			vec_push(s->x->scratch, &at[s->regions.level[v]], v);
	return at;
}

/* Is V the last member of REGION? Of pieces on one level, the last members are in their order. */
static bool ends_region(const struct offloading *s, int region, int v)
{
	const struct value_vec *members = &s->regions.at.at[region].members;

	return members->at[members->n - 1] == v;
}

static int make_function(struct offloading *s)
{
	const struct value_vec *at = levels_of(s);
	struct outliner o = outline_begin(s->x);

	for (int level = 0; level <= s->regions.levels; level++)
		for (int i = 0; i < at[level].n; i++) {
			int v = at[level].at[i], region = s->regions.of[v];

			if (region != REGION_HOST && !ends_region(s, region, v))
				continue;
			if ((region == REGION_HOST ? outline_keep(&o, v) : make_region(s, &o, region)) < 0)
				return -1;
		}
	outline_end(&o);
	return 0;
}

/* --- what became of each call */

static void tell_calls(struct offloading *s)
{
	const struct function *f = s->x->function;
	struct offload *out = s->of->out;

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);
		int region = s->regions.of[v];

		if (b->kind != BIND_CALL || !s->x->needed[v])
			continue;
		vec_push(s->of->a, &out->calls, (struct offload_call){
			.function = s->index, .value = v,
			.backend = s->generator[v], .pattern = s->claim[v] ? s->claim[v]->pattern : NULL,
			.region = region == REGION_HOST ? -1 : s->first_region + region,
			.why = s->generator[v] != REGION_HOST ? NULL
			       : s->why[v] ? s->why[v] : "no pattern matches" });
	}
	for (int i = 0; i < s->regions.at.n; i++)
		vec_push(s->of->a, &out->regions, (struct offload_region){ 0 });
}

static bool has_to_go(const struct offloading *s, const struct value_vec *members)
{
	for (int i = 0; i < members->n; i++)
		if (function_at(s->x->function, members->at[i])->origin->demand.kind == DEMAND_OFFLOAD)
			return true;
	return false;
}

/* Regions of fewer calls than the least go back to the host, but for what has to go. */
static void drop_small(struct offloading *s)
{
	for (int i = 0; i < s->regions.at.n; i++) {
		const struct value_vec *members = &s->regions.at.at[i].members;
		bool small = members->n < s->of->o->least && !has_to_go(s, members);

		for (int k = 0; k < members->n && small; k++) {
			int v = members->at[k];

			s->generator[v] = REGION_HOST;
			s->unit[v] = v;
			s->claim[v] = NULL;
			s->why[v] = "its region is too small";
		}
	}
}

static int cut_function(struct offloader *of, struct rewrite *x)
{
	int n = x->function->bindings.n;
	struct offloading s = {
		.of = of, .x = x, .index = graph_find_function(x->from, x->function->name),
		.flow = flow_new(x->scratch, x->function), .first_region = of->out->regions.n,
		.generator = arena_many(x->scratch, int, n), .unit = arena_many(x->scratch, int, n),
		.claim = arena_many(x->scratch, const struct claim *, n),
		.why = arena_many(x->scratch, const char *, n),
	};

	find_claims(&s);
	s.regions = find_regions(&s);
	if (of->o->least > 1) {
		drop_small(&s);
		s.regions = find_regions(&s);
	}
	tell_calls(&s);
	return make_function(&s);
}

/* The first binding has the whole function made; the others are there then. */
static int cut(struct rewrite *x, int value, const int *args)
{
	struct offloader *of = x->user;

	(void)args;
	if (of->done != x->function && cut_function(of, x) < 0)
		return VALUE_FAILED;
	of->done = x->function;
	return x->value[value];
}

int offload_all(struct arena *a, struct graph *g, const struct offload_options *o, struct offload *out)
{
	struct offloader of = { .a = a, .o = o, .out = out };

	*out = (struct offload){ 0 };
	out->graph = rewrite_graph(a, g, &(struct rewriter){ .binding = cut, .user = &of });
	if (out->graph && out->regions.n == 0)
		out->graph = g;		/* constants and functions stay where they were */
	return out->graph ? 0 : -1;
}
