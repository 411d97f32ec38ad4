/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region.c - levels, and what hangs together in one. */
#include "partition/region.h"

#include <stdlib.h>

struct region_finder {
	struct arena *a;
	const struct flow *flow;
	const int *generator, *unit;
	struct call_regions out;
	int *parent;		/* by value: of its set; a root is its own */
};

static const struct binding *at(const struct region_finder *x, int value)
{
	return function_at(x->flow->function, value);
}

/* Is VALUE computed at all, by whomever? */
static bool is_computed(const struct region_finder *x, int value)
{
	return at(x, value)->kind != BIND_PARAM && at(x, value)->kind != BIND_CONST;
}

/* --- levels */

/* The least level at which VALUE can be, as far as its own operands go. */
static int level_of(const struct region_finder *x, int value)
{
	const struct binding *b = at(x, value);
	int level = 0;

	for (int i = 0; i < b->nargs; i++) {
		int v = b->args[i];

		if (v < 0 || !is_computed(x, v) || x->unit[v] == x->unit[value])
			continue;
		int least = x->out.level[x->unit[v]] + (x->generator[v] != x->generator[value]);

		level = least > level ? least : level;
	}
	return level;
}

/* A unit has the level that the last of its operands leaves it. Its last member comes behind all of
 * them, and before all that reads it. */
static void find_levels(struct region_finder *x)
{
	const struct function *f = x->flow->function;
	struct call_regions *out = &x->out;

	for (int v = f->nparams; v < f->bindings.n; v++) {
		if (!x->flow->needed[v] || !is_computed(x, v))
			continue;
		int last = x->unit[v], level = level_of(x, v);

		out->level[last] = level > out->level[last] ? level : out->level[last];
		if (out->level[last] >= out->levels)
			out->levels = out->level[last] + 1;
	}
	for (int v = f->nparams; v < f->bindings.n; v++)
		out->level[v] = out->level[x->unit[v]];
}

/* --- what hangs together */

static int find(struct region_finder *x, int v)
{
	while (x->parent[v] != v) {
		x->parent[v] = x->parent[x->parent[v]];
		v = x->parent[v];
	}
	return v;
}

static bool same_region(const struct region_finder *x, int u, int v)
{
	return is_computed(x, u) && x->generator[u] == x->generator[v] &&
	       x->out.level[u] == x->out.level[v];
}

static bool is_member(const struct region_finder *x, int v)
{
	return x->flow->needed[v] && is_computed(x, v) && x->generator[v] != REGION_HOST;
}

static void connect(struct region_finder *x)
{
	const struct function *f = x->flow->function;

	for (int v = 0; v < f->bindings.n; v++)
		x->parent[v] = v;
	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = at(x, v);

		for (int i = 0; is_member(x, v) && i < b->nargs; i++)
			if (b->args[i] >= 0 && same_region(x, b->args[i], v))
				x->parent[find(x, b->args[i])] = find(x, v);
	}
}

/* --- regions */

static int by_level(const void *p, const void *q)
{
	const struct call_region *x = p, *y = q;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->members.at[0] < y->members.at[0] ? -1 : 1;
}

static void gather(struct region_finder *x)
{
	const struct function *f = x->flow->function;
	struct call_regions *out = &x->out;
	int *of_root = arena_many(x->a, int, f->bindings.n);	/* region, and one more */

	for (int v = f->nparams; v < f->bindings.n; v++) {
		if (!is_member(x, v))
			continue;
		int root = find(x, v);

		if (!of_root[root]) {
			vec_push(x->a, &out->at, (struct call_region){ .generator = x->generator[v],
								  .level = out->level[v] });
			of_root[root] = out->at.n;
		}
		vec_push(x->a, &out->at.at[of_root[root] - 1].members, v);
	}
	if (out->at.n)
		qsort(out->at.at, (size_t)out->at.n, sizeof(*out->at.at), by_level);
	for (int i = 0; i < out->at.n; i++)
		for (int j = 0; j < out->at.at[i].members.n; j++)
			out->of[out->at.at[i].members.at[j]] = i;
}

struct call_regions regions_find(struct arena *a, const struct flow *flow, const int *generator,
			    const int *unit)
{
	int n = flow->function->bindings.n;
	struct region_finder x = {
		.a = a, .flow = flow, .generator = generator, .unit = unit,
		.out = { .of = arena_many(a, int, n), .level = arena_many(a, int, n) },
		.parent = arena_many(a, int, n),
	};

	for (int v = 0; v < n; v++)
		x.out.of[v] = REGION_HOST;
	find_levels(&x);
	connect(&x);
	gather(&x);
	return x.out;
}
