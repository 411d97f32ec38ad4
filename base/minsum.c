/* SPDX-License-Identifier: Apache-2.0 */
/* base/minsum.c - elimination of variables, and the choice read back from what it left. */
#include "base/minsum.h"

#include <math.h>
#include <stdlib.h>

/* An elimination on its way. */
struct elimination {
	struct minsum *m;
	struct arena *arena;
	struct minsum_table_vec live;		/* tables over variables that are left */
	struct minsum_table_vec *bucket;	/* by variable, those that it was eliminated from */
	int *order;
	bool *gone;
	int *other;				/* room for a scope */
	double bound;
	bool exact;
};

static int64_t table_size(const struct minsum *m, int n, const int *vars)
{
	int64_t size = 1;

	for (int i = 0; i < n && size <= INT32_MAX; i++)
		size *= m->size[vars[i]];
	return size;
}

struct minsum_table *minsum_table(struct minsum *m, int n, const int *vars)
{
	struct minsum_table t = { .n = n,
				  .vars = arena_memdup(m->arena, vars, sizeof(*vars) * (size_t)n),
				  .cost = arena_many(m->arena, double, table_size(m, n, vars)) };

	vec_push(m->arena, &m->tables, t);
	return &m->tables.at[m->tables.n - 1];
}

double *minsum_entry(const struct minsum *m, const struct minsum_table *t, const int *value)
{
	int64_t at = 0;

	for (int i = 0; i < t->n; i++)
		at = at * m->size[t->vars[i]] + value[t->vars[i]];
	return &t->cost[at];
}

int64_t minsum_entries(const struct minsum *m, const struct minsum_table *t)
{
	return table_size(m, t->n, t->vars);
}

double minsum_cost(const struct minsum *m, const int *value)
{
	double sum = 0;

	for (int i = 0; i < m->tables.n; i++)
		sum += *minsum_entry(m, &m->tables.at[i], value);
	return sum;
}

static bool has(const struct minsum_table *t, int var)
{
	for (int i = 0; i < t->n; i++)
		if (t->vars[i] == var)
			return true;
	return false;
}

/* The variables of X and Y, ascending, in OUT; their number. */
static int scope_union(int nx, const int *x, int ny, const int *y, int *out)
{
	int n = 0;

	for (int i = 0, j = 0; i < nx || j < ny;) {
		if (j == ny || (i < nx && x[i] <= y[j])) {
			j += j < ny && x[i] == y[j];
			out[n++] = x[i++];
		} else {
			out[n++] = y[j++];
		}
	}
	return n;
}

/* The variables that share a live table with VAR, itself among them, in OUT; their number. */
static int neighbours(const struct elimination *e, int var, int *out)
{
	int n = 0;

	for (int i = 0; i < e->live.n; i++) {
		const struct minsum_table *t = &e->live.at[i];

		if (!has(t, var))
			continue;
		memcpy(e->other, out, sizeof(*out) * (size_t)n);
		n = scope_union(n, e->other, t->n, t->vars, out);
	}
	return n;
}

/* The variable left whose elimination makes the smallest table. */
static int cheapest(const struct elimination *e, int *scope)
{
	int best = -1;
	int64_t least = INT64_MAX;

	for (int v = 0; v < e->m->n; v++) {
		if (e->gone[v])
			continue;
		int64_t size = table_size(e->m, neighbours(e, v, scope), scope);

		if (size < least) {
			least = size;
			best = v;
		}
	}
	return best;
}

/* To the next combination of values of the N VARS; false behind the last. */
static bool next_choice(const struct minsum *m, int n, const int *vars, int *value)
{
	for (int i = n - 1; i >= 0; i--) {
		if (++value[vars[i]] < m->size[vars[i]])
			return true;
		value[vars[i]] = 0;
	}
	return false;
}

static double sum_of(const struct minsum *m, const struct minsum_table *tables, int n,
		     const int *value)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += *minsum_entry(m, &tables[i], value);
	return sum;
}

/* The value of VAR at which the tables come to least, the others being chosen. */
static double least_value(const struct minsum *m, const struct minsum_table *tables, int n,
			  int var, int *value)
{
	double least = INFINITY;
	int best = 0;

	for (int k = 0; k < m->size[var]; k++) {
		value[var] = k;
		double sum = sum_of(m, tables, n, value);

		if (sum < least) {
			least = sum;
			best = k;
		}
	}
	value[var] = best;
	return least;
}

/* The sum of N tables over SCOPE (NSCOPE variables, VAR among them) with VAR minimised away becomes a
 * live table, or a part of the bound where nothing else is in it. */
static void eliminate_from(struct elimination *e, int var, const struct minsum_table *tables, int n,
			   const int *scope, int nscope)
{
	struct minsum *m = e->m;
	int *rest = arena_many(e->arena, int, nscope + 1);
	int *value = arena_many(e->arena, int, m->n);
	int nrest = 0;

	for (int i = 0; i < nscope; i++)
		if (scope[i] != var)
			rest[nrest++] = scope[i];
	struct minsum_table out = { nrest, rest,
				    arena_many(e->arena, double, table_size(m, nrest, rest)) };
	int64_t at = 0;

	do
		out.cost[at++] = least_value(m, tables, n, var, value);
	while (next_choice(m, nrest, rest, value));
	if (nrest == 0)
		e->bound += out.cost[0];
	else
		vec_push(e->arena, &e->live, out);
}

/* Takes VAR's bucket apart into parts whose tables are small enough. */
static void eliminate(struct elimination *e, int var)
{
	struct minsum_table_vec *bucket = &e->bucket[var];
	int *scope = arena_many(e->arena, int, e->m->n);
	int *wider = arena_many(e->arena, int, e->m->n);

	for (int first = 0; first < bucket->n;) {
		int n = 0, taken = 0;

		for (; first + taken < bucket->n; taken++) {
			const struct minsum_table *t = &bucket->at[first + taken];
			int both = scope_union(n, scope, t->n, t->vars, wider);

			if (taken > 0 && table_size(e->m, both, wider) > MINSUM_TABLE)
				break;
			memcpy(scope, wider, sizeof(*scope) * (size_t)both);
			n = both;
		}
		e->exact &= first == 0 && taken == bucket->n;
		eliminate_from(e, var, bucket->at + first, taken, scope, n);
		first += taken;
	}
}

static void take_bucket(struct elimination *e, int var)
{
	int kept = 0;

	for (int i = 0; i < e->live.n; i++)
		if (has(&e->live.at[i], var))
			vec_push(e->arena, &e->bucket[var], e->live.at[i]);
		else
			e->live.at[kept++] = e->live.at[i];
	e->live.n = kept;
}

struct minsum_answer minsum_solve(struct minsum *m)
{
	struct elimination e = { .m = m, .arena = arena_new(), .exact = true };
	struct minsum_answer out = { .value = arena_many(m->arena, int, m->n) };
	int *scope = arena_many(e.arena, int, m->n);

	e.bucket = arena_many(e.arena, struct minsum_table_vec, m->n);
	e.order = arena_many(e.arena, int, m->n);
	e.gone = arena_many(e.arena, bool, m->n);
	e.other = arena_many(e.arena, int, m->n);
	for (int i = 0; i < m->tables.n; i++)
		if (m->tables.at[i].n == 0)
			e.bound += m->tables.at[i].cost[0];
		else
			vec_push(e.arena, &e.live, m->tables.at[i]);
	for (int i = 0; i < m->n; i++) {
		int var = cheapest(&e, scope);

		e.order[i] = var;
		e.gone[var] = true;
		take_bucket(&e, var);
		eliminate(&e, var);
	}
	for (int i = m->n - 1; i >= 0; i--) {
		const struct minsum_table_vec *bucket = &e.bucket[e.order[i]];

		least_value(m, bucket->at, bucket->n, e.order[i], out.value);
	}
	out.cost = minsum_cost(m, out.value);
	out.bound = e.bound;
	out.exact = e.exact;
	arena_free(e.arena);
	return out;
}
