/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/flow.c - readers, and post-dominators as in Cooper, Harvey and Kennedy, "A simple,
 * fast dominance algorithm": one sweep is enough, for a function has no cycles. */
#include "graph/pass/flow.h"

#include "graph/ir/reach.h"

/* Steps towards the meeting of two ways. What joins has no more members than this; a dominator
 * further away is of no use. */
enum { MAX_CLIMB = 64 };

static void add_readers(struct arena *a, struct flow *x)
{
	const struct function *f = x->function;
	int n = f->bindings.n;
	int *next;

	x->first = arena_many(a, int, n + 2);
	for (int v = 0; v < n; v++)
		for (int i = 0; x->needed[v] && i < function_at(f, v)->nargs; i++)
			if (function_at(f, v)->args[i] >= 0)
				x->first[function_at(f, v)->args[i] + 1]++;
	for (int v = 0; v < n; v++)
		x->first[v + 1] += x->first[v];
	x->reader = arena_many(a, int, x->first[n] + 1);
	next = arena_memdup(a, x->first, (size_t)(n + 1) * sizeof(int));
	for (int v = 0; v < n; v++)
		for (int i = 0; x->needed[v] && i < function_at(f, v)->nargs; i++)
			if (function_at(f, v)->args[i] >= 0)
				x->reader[next[function_at(f, v)->args[i]]++] = v;
}

/* Where the ways from P and Q meet. A dominator comes after what it dominates. */
static int meet(const struct flow *x, int p, int q)
{
	int end = x->function->bindings.n;

	for (int step = 0; step < MAX_CLIMB; step++) {
		if (p == q)
			return p;
		if (p < q)
			p = x->dominator[p];
		else
			q = x->dominator[q];
	}
	return end;
}

struct flow flow_new(struct arena *a, const struct function *f)
{
	struct flow x = { .function = f, .needed = function_needed(a, f) };
	int n = f->bindings.n;

	add_readers(a, &x);
	x.dominator = arena_many(a, int, n + 1);
	for (int v = 0; v < n; v++)
		x.dominator[v] = -1;
	for (int i = 0; i < f->nresults; i++)
		x.dominator[f->results[i]] = n;
	for (int v = n - 1; v >= 0; v--) {
		int at = x.dominator[v];

		for (int i = x.first[v]; i < x.first[v + 1]; i++)
			at = at < 0 ? x.reader[i] : meet(&x, at, x.reader[i]);
		x.dominator[v] = at < 0 ? n : at;
	}
	return x;
}

static bool contains(const int *set, int n, int v)
{
	for (int i = 0; i < n; i++)
		if (set[i] == v)
			return true;
	return false;
}

static void insert(int *set, int *n, int v)
{
	int i = (*n)++;

	for (; i > 0 && set[i - 1] > v; i--)
		set[i] = set[i - 1];
	set[i] = v;
}

int flow_region(const struct flow *x, int from, int most, int *out)
{
	int end = x->dominator[from];
	int stack[MAX_CLIMB + 1] = { from };
	int open = 1, n = 0;

	if (end == x->function->bindings.n || most > MAX_CLIMB)
		return 0;
	while (open > 0) {
		int v = stack[--open];

		for (int i = x->first[v]; v != end && i < x->first[v + 1]; i++) {
			int r = x->reader[i];

			if (contains(out, n, r))
				continue;
			if (n == most)
				return 0;
			insert(out, &n, r);
			stack[open++] = r;
		}
	}
	return n;
}
