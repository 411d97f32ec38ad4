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
	int64_t *size;				/* by variable: of the table that it would leave */
	int *scope, *other;			/* room for scopes */
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

/* What eliminating VAR, which is left, would make, now that its neighbours are other ones. */
static void resize(struct elimination *e, int var)
{
	e->size[var] = table_size(e->m, neighbours(e, var, e->scope), e->scope);
}

/* The variable left whose elimination makes the smallest table. */
static int cheapest(const struct elimination *e)
{
	int best = -1;

	for (int v = 0; v < e->m->n; v++)
		if (!e->gone[v] && (best < 0 || e->size[v] < e->size[best]))
			best = v;
	return best;
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

/* Tables that are read along the combinations of some variables: where each of them is. */
struct table_walk {
	const struct minsum *m;
	int n, nvars;
	const double **at;	/* by table */
	const int *vars;	/* the last one's value changes fastest */
	int64_t *stride;	/* by variable, then by table: to the variable's next value */
	int *value;		/* by variable */
};

/* How far apart the entries of T for two values of VAR are that follow each other; 0 where it does not
 * have VAR. */
static int64_t stride_of(const struct minsum *m, const struct minsum_table *t, int var)
{
	int64_t stride = 1;

	for (int i = t->n - 1; i >= 0; i--) {
		if (t->vars[i] == var)
			return stride;
		stride *= m->size[t->vars[i]];
	}
	return 0;
}

static struct table_walk walk_new(struct arena *a, const struct minsum *m, const struct minsum_table *tables,
			    int n, const int *vars, int nvars)
{
	struct table_walk w = { .m = m, .n = n, .nvars = nvars, .vars = vars,
			  .at = arena_many(a, const double *, n),
			  .stride = arena_many(a, int64_t, (int64_t)nvars * n + 1),
			  .value = arena_many(a, int, nvars + 1) };

	for (int t = 0; t < n; t++) {
		w.at[t] = tables[t].cost;
		for (int i = 0; i < nvars; i++)
			w.stride[i * n + t] = stride_of(m, &tables[t], vars[i]);
	}
	return w;
}

/* To the next combination; false behind the last. */
static bool walk_on(struct table_walk *w)
{
	for (int i = w->nvars - 1; i >= 0; i--) {
		const int64_t *stride = &w->stride[i * w->n];
		int last = w->m->size[w->vars[i]] - 1;
		bool carries = w->value[i] == last;

		for (int t = 0; t < w->n; t++)
			w->at[t] += carries ? -last * stride[t] : stride[t];
		w->value[i] = carries ? 0 : w->value[i] + 1;
		if (!carries)
			return true;
	}
	return false;
}

/* The sum of N tables over SCOPE (NSCOPE variables, VAR among them) with VAR minimised away becomes a
 * live table, or a part of the bound where nothing else is in it. */
static void eliminate_from(struct elimination *e, int var, const struct minsum_table *tables, int n,
			   const int *scope, int nscope)
{
	struct minsum *m = e->m;
	int *rest = arena_many(e->arena, int, nscope + 1);
	int64_t *step = arena_many(e->arena, int64_t, n);
	int nrest = 0;

	for (int i = 0; i < nscope; i++)
		if (scope[i] != var)
			rest[nrest++] = scope[i];
	for (int t = 0; t < n; t++)
		step[t] = stride_of(m, &tables[t], var);
	struct minsum_table out = { nrest, rest,
				    arena_many(e->arena, double, table_size(m, nrest, rest)) };
	struct table_walk w = walk_new(e->arena, m, tables, n, rest, nrest);
	int64_t at = 0;

	do {
		double least = INFINITY;

		for (int k = 0; k < m->size[var]; k++) {
			double sum = 0;

			for (int t = 0; t < n; t++)
				sum += w.at[t][k * step[t]];
			least = sum < least ? sum : least;
		}
		out.cost[at++] = least;
	} while (walk_on(&w));
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

static struct elimination elimination_new(struct minsum *m)
{
	struct arena *a = arena_new();
	struct elimination e = {
		.m = m, .arena = a, .exact = true,
		.bucket = arena_many(a, struct minsum_table_vec, m->n),
		.order = arena_many(a, int, m->n), .gone = arena_many(a, bool, m->n),
		.size = arena_many(a, int64_t, m->n),
		.scope = arena_many(a, int, m->n), .other = arena_many(a, int, m->n),
	};

	for (int i = 0; i < m->tables.n; i++)
		if (m->tables.at[i].n == 0)
			e.bound += m->tables.at[i].cost[0];
		else
			vec_push(a, &e.live, m->tables.at[i]);
	for (int v = 0; v < m->n; v++)
		resize(&e, v);
	return e;
}

struct minsum_answer minsum_solve(struct minsum *m)
{
	struct elimination e = elimination_new(m);
	struct minsum_answer out = { .value = arena_many(m->arena, int, m->n) };
	int *around = arena_many(e.arena, int, m->n);

	for (int i = 0; i < m->n; i++) {
		int var = cheapest(&e), n = neighbours(&e, var, around);

		e.order[i] = var;
		e.gone[var] = true;
		take_bucket(&e, var);
		eliminate(&e, var);
		for (int j = 0; j < n; j++)
			if (!e.gone[around[j]])
				resize(&e, around[j]);
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
