/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/choose.c - the choice as a sum of small tables (base/minsum.h).
 *
 * A node is a variable, whose value is its state. An image is one, too: the storage that it is made
 * in, its home, and the set of those that it is transformed to. */
#include "graph/layout/choose.h"

#include <math.h>

#include "base/minsum.h"
#include "graph/layout/sum.h"

struct layout_chooser {
	struct layout_sum of;
	int *var_of_value;	/* -1: its form is not open */
	struct minsum sum;
};

/* --- the tables */

static void add_node(struct layout_chooser *c, int node)
{
	const struct layout_state_vec *states = &c->of.space->nodes.at[node].states;
	struct minsum_table *t = minsum_table(&c->sum, 1, &node);

	for (int k = 0; k < states->n; k++)
		t->cost[k] = layout_state_us(&c->of, &states->at[k]);
}

static void add_image(struct layout_chooser *c, int value)
{
	int var = c->var_of_value[value];
	struct minsum_table *t = minsum_table(&c->sum, 1, &var);

	for (int k = 0; k < c->of.forms[value].n; k++) {
		struct form f = c->of.forms[value].at[k];
		bool fits = !c->of.plain[value] || f.set & 1u;

		t->cost[k] = fits ? layout_form_us(&c->of, value, f) : INFINITY;
	}
}

/* The form of VALUE, which NODE reads or, where GIVES, makes, is as its states want it. */
static void tie(struct layout_chooser *c, int node, int value, bool gives)
{
	const struct layout_state_vec *states = &c->of.space->nodes.at[node].states;
	int vars[] = { node, c->var_of_value[value] };

	if (vars[1] < 0)
		return;
	struct minsum_table *t = minsum_table(&c->sum, 2, vars);
	double *cost = t->cost;

	for (int k = 0; k < states->n; k++) {
		unsigned set = layout_wanted(&c->of, &states->at[k], value);
		int home = layout_home(&c->of, &states->at[k], value);

		for (int j = 0; j < c->of.forms[value].n; j++) {
			struct form f = c->of.forms[value].at[j];
			bool fits = gives ? f.home == home : (f.set & set) == set;

			*cost++ = fits ? 0 : INFINITY;
		}
	}
}

/* Nodes I and J of pact P are in it both, or neither. */
static void bind(struct layout_chooser *c, int p, int i, int j)
{
	int vars[] = { i < j ? i : j, i < j ? j : i };
	const struct layout_state_vec *first = &c->of.space->nodes.at[vars[0]].states;
	const struct layout_state_vec *second = &c->of.space->nodes.at[vars[1]].states;
	struct minsum_table *t = minsum_table(&c->sum, 2, vars);
	double *cost = t->cost;

	for (int k = 0; k < first->n; k++)
		for (int l = 0; l < second->n; l++)
			*cost++ = (first->at[k].pact == p) == (second->at[l].pact == p) ? 0 : INFINITY;
}

/* Nodes come first, so that their number is their variable's. */
static void state_problem(struct layout_chooser *c)
{
	const struct layout_space *x = c->of.space;
	int *size = arena_many(c->of.arena, int, x->nodes.n + c->of.main->bindings.n);
	int n = x->nodes.n;

	for (int i = 0; i < n; i++)
		size[i] = x->nodes.at[i].states.n;
	for (int v = 0; v < c->of.main->bindings.n; v++) {
		c->var_of_value[v] = x->images[v].n > 1 ? n : -1;
		if (x->images[v].n > 1)
			size[n++] = c->of.forms[v].n;
	}
	c->sum = (struct minsum){ .arena = c->of.arena, .n = n, .size = size };
	for (int i = 0; i < x->nodes.n; i++)
		add_node(c, i);
	for (int v = 0; v < c->of.main->bindings.n; v++)
		if (c->var_of_value[v] >= 0)
			add_image(c, v);
	for (int i = 0; i < x->nodes.n; i++) {
		for (int r = 0; r < c->of.reads[i].n; r++)
			tie(c, i, c->of.reads[i].at[r], false);
		tie(c, i, x->nodes.at[i].value, true);
	}
	for (int p = 0; p < x->pacts.n; p++)
		for (int i = 1; i < x->pacts.at[p].n; i++)
			bind(c, p, x->pacts.at[p].at[i - 1], x->pacts.at[p].at[i]);
}

/* --- starts, and descent where elimination was not exact */

/* Each node in its usual state of manner M, or where it has none the plain one. */
static void start_uniform(const struct layout_chooser *c, enum layout_manner m, int *state)
{
	for (int i = 0; i < c->of.space->nodes.n; i++) {
		const struct layout_state_vec *states = &c->of.space->nodes.at[i].states;

		state[i] = 0;
		for (int k = 0; k < states->n; k++)
			if (states->at[k].usual && states->at[k].manner == m)
				state[i] = k;
	}
}

/* Each node in the fastest of its usual states. */
static void start_greedy(const struct layout_chooser *c, int *state)
{
	for (int i = 0; i < c->of.space->nodes.n; i++) {
		const struct layout_state_vec *states = &c->of.space->nodes.at[i].states;
		double least = INFINITY;

		for (int k = 0; k < states->n; k++) {
			double us = layout_state_us(&c->of, &states->at[k]);

			if (states->at[k].usual && us < least) {
				least = us;
				state[i] = k;
			}
		}
	}
}

/* One node at a time to its best state, until none gets better. What it comes to. */
static double descend(const struct layout_chooser *c, int *state)
{
	double us = layout_choice_us(&c->of, state);

	for (bool better = true; better;) {
		better = false;
		for (int i = 0; i < c->of.space->nodes.n; i++)
			for (int k = 0; k < c->of.space->nodes.at[i].states.n; k++) {
				int before = state[i];

				state[i] = k;
				double now = layout_choice_us(&c->of, state);

				better |= now < us;
				state[i] = now < us ? k : before;
				us = now < us ? now : us;
			}
	}
	return us;
}

static void keep_better(struct layout_chooser *c, struct layout_choice *best, int *state)
{
	double us = best->exact ? layout_choice_us(&c->of, state) : descend(c, state);

	if (us < best->us) {
		best->us = us;
		memcpy(best->state, state, sizeof(*state) * (size_t)c->of.space->nodes.n);
	}
}

struct layout_choice layout_choose(struct arena *a, const struct layout_space *x, const double *us)
{
	struct arena *scratch = arena_new();
	struct layout_chooser c = {
		.of = layout_sum_new(scratch, x, us),
		.var_of_value = arena_many(scratch, int, graph_main(x->graph)->bindings.n),
	};
	struct layout_choice out = { .state = arena_many(a, int, x->nodes.n), .us = INFINITY };
	int *state = arena_many(scratch, int, x->nodes.n);

	state_problem(&c);
	struct minsum_answer least = minsum_solve_once(&c.sum);

	out.bound = least.bound;
	out.exact = least.exact;
	keep_better(&c, &out, least.value);
	start_greedy(&c, state);
	out.greedy_us = layout_choice_us(&c.of, state);
	keep_better(&c, &out, state);
	for (int m = 0; m < MANNER_COUNT; m++) {
		start_uniform(&c, (enum layout_manner)m, state);
		out.uniform_us[m] = layout_choice_us(&c.of, state);
		keep_better(&c, &out, state);
	}
	for (int i = 0; i < x->nodes.n; i++)
		out.alternatives += !x->nodes.at[i].states.at[out.state[i]].usual;
	arena_free(scratch);
	return out;
}
