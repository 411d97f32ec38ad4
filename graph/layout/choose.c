/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/choose.c - the choice as a sum of small tables (base/minsum.h).
 *
 * A node is a variable, whose value is its state. An image is one, too: the storage that it is made
 * in, its home, and the set of those that it is transformed to. */
#include "graph/layout/choose.h"

#include <math.h>

#include "base/minsum.h"
#include "graph/ir/reach.h"

/* An image's value as a variable. */
struct form {
	int home;	/* place among its storages */
	unsigned set;	/* of places, home among them */
};

enum { MAX_FORMS = MANNER_COUNT << (MANNER_COUNT - 1) };

struct forms {
	int n;
	struct form at[MAX_FORMS];
};

struct layout_chooser {
	struct arena *arena;
	const struct layout_space *space;
	const struct function *main;
	const double *us;
	struct forms *forms;	/* by value of main */
	bool *plain;		/* by value: somebody reads it who is no node */
	int *var_of_value;	/* -1: its form is not open */
	struct minsum sum;
};

static struct forms forms_of(const struct layout_space *x, int value)
{
	int n = x->images[value].n;
	struct forms f = { 0 };

	for (int home = 0; home < (x->node_of[value] < 0 ? 1 : n); home++)
		for (unsigned set = 0; set < 1u << n; set++)
			if (set & 1u << home)
				f.at[f.n++] = (struct form){ home, set };
	return f;
}

/* By value: does something read it that takes plain images only? */
static bool *plain_readers(struct arena *a, const struct layout_space *x)
{
	const struct function *main = graph_main(x->graph);
	const bool *needed = function_needed(a, main);
	bool *plain = arena_many(a, bool, main->bindings.n);

	for (int v = main->nparams; v < main->bindings.n; v++)
		for (int i = 0; needed[v] && x->node_of[v] < 0 && i < function_at(main, v)->nargs; i++)
			if (function_at(main, v)->args[i] >= 0)
				plain[function_at(main, v)->args[i]] = true;
	for (int i = 0; i < main->nresults; i++)
		plain[main->results[i]] = true;
	return plain;
}

/* What making the storages SET of an image from HOME takes. */
static double form_us(const struct layout_chooser *c, int value, struct form f)
{
	const struct layout_image *x = &c->space->images[value];
	double us = 0;

	for (int i = 0; i < x->n; i++)
		if (f.set & 1u << i && x->transform[f.home][i] >= 0)
			us += c->us[x->transform[f.home][i]];
	return us;
}

/* --- what a choice comes to */

/* The storages of VALUE that the nodes in STATE and other readers want, and that it is made in. */
static void note_wanted(const struct layout_chooser *c, const int *state, struct form *form)
{
	const struct layout_space *x = c->space;

	for (int v = 0; v < c->main->bindings.n; v++)
		form[v] = (struct form){ 0, c->plain[v] };
	for (int i = 0; i < x->nodes.n; i++) {
		const struct layout_node *n = &x->nodes.at[i];
		const struct binding *b = function_at(c->main, n->value);
		const int64_t *stored = n->state[state[i]].stored;

		for (int j = 0; j < b->nargs; j++)
			if (b->args[j] >= 0)
				form[b->args[j]].set |=
					1u << layout_image_place(&x->images[b->args[j]], stored[j]);
		form[n->value].home = layout_image_place(&x->images[n->value], stored[b->nargs]);
	}
}

static double choice_us(const struct layout_chooser *c, const int *state)
{
	struct form *form = arena_many(c->arena, struct form, c->main->bindings.n);
	double us = 0;

	note_wanted(c, state, form);
	for (int i = 0; i < c->space->nodes.n; i++)
		us += c->us[c->space->nodes.at[i].state[state[i]].task];
	for (int v = 0; v < c->main->bindings.n; v++)
		us += form_us(c, v, form[v]);
	return us;
}

int *layout_weights(struct arena *a, const struct layout_space *x, const int *state)
{
	struct layout_chooser c = { .arena = a, .space = x, .main = graph_main(x->graph),
			      .plain = plain_readers(a, x) };
	struct form *form = arena_many(a, struct form, c.main->bindings.n);
	int *weight = arena_many(a, int, x->tasks.n);

	note_wanted(&c, state, form);
	for (int i = 0; i < x->nodes.n; i++)
		weight[x->nodes.at[i].state[state[i]].task]++;
	for (int v = 0; v < c.main->bindings.n; v++)
		for (int i = 0; i < x->images[v].n; i++)
			if (form[v].set & 1u << i && x->images[v].transform[form[v].home][i] >= 0)
				weight[x->images[v].transform[form[v].home][i]]++;
	return weight;
}

/* --- the tables */

static void add_node(struct layout_chooser *c, int node)
{
	const struct layout_node *n = &c->space->nodes.at[node];
	struct minsum_table *t = minsum_table(&c->sum, 1, &node);

	for (int k = 0; k < n->nstates; k++)
		t->cost[k] = c->us[n->state[k].task];
}

static void add_image(struct layout_chooser *c, int value)
{
	int var = c->var_of_value[value];
	struct minsum_table *t = minsum_table(&c->sum, 1, &var);

	for (int k = 0; k < c->forms[value].n; k++) {
		struct form f = c->forms[value].at[k];

		t->cost[k] = c->plain[value] && !(f.set & 1u) ? INFINITY : form_us(c, value, f);
	}
}

/* The node wants VALUE as its states have operand (or, where it is nargs, result) I stored. */
static void tie(struct layout_chooser *c, int node, int i, int value)
{
	const struct layout_node *n = &c->space->nodes.at[node];
	bool result = i == function_at(c->main, n->value)->nargs;
	int vars[] = { node, value < 0 ? -1 : c->var_of_value[value] };

	if (vars[1] < 0)
		return;
	struct minsum_table *t = minsum_table(&c->sum, 2, vars);
	double *cost = t->cost;

	for (int k = 0; k < n->nstates; k++) {
		int place = layout_image_place(&c->space->images[value], n->state[k].stored[i]);

		for (int j = 0; j < c->forms[value].n; j++) {
			struct form f = c->forms[value].at[j];
			bool fits = result ? f.home == place : (f.set & 1u << place) != 0;

			*cost++ = fits ? 0 : INFINITY;
		}
	}
}

/* Nodes come first, so that their number is their variable's. */
static void state_problem(struct layout_chooser *c)
{
	const struct layout_space *x = c->space;
	int *size = arena_many(c->arena, int, x->nodes.n + c->main->bindings.n);
	int n = x->nodes.n;

	for (int i = 0; i < n; i++)
		size[i] = x->nodes.at[i].nstates;
	for (int v = 0; v < c->main->bindings.n; v++) {
		c->forms[v] = forms_of(x, v);
		c->var_of_value[v] = x->images[v].n > 1 ? n : -1;
		if (x->images[v].n > 1)
			size[n++] = c->forms[v].n;
	}
	c->sum = (struct minsum){ .arena = c->arena, .n = n, .size = size };
	for (int i = 0; i < x->nodes.n; i++)
		add_node(c, i);
	for (int v = 0; v < c->main->bindings.n; v++)
		if (c->var_of_value[v] >= 0)
			add_image(c, v);
	for (int i = 0; i < x->nodes.n; i++) {
		const struct binding *b = function_at(c->main, x->nodes.at[i].value);

		for (int j = 0; j < b->nargs; j++)
			tie(c, i, j, b->args[j]);
		tie(c, i, b->nargs, x->nodes.at[i].value);
	}
}

/* --- starts, and descent where elimination was not exact */

static void start_uniform(const struct layout_space *x, enum layout_manner m, int *state)
{
	for (int i = 0; i < x->nodes.n; i++) {
		state[i] = 0;
		for (int k = 0; k < x->nodes.at[i].nstates; k++)
			if (x->nodes.at[i].state[k].manner == m)
				state[i] = k;
	}
}

static void start_greedy(const struct layout_chooser *c, int *state)
{
	for (int i = 0; i < c->space->nodes.n; i++) {
		const struct layout_node *n = &c->space->nodes.at[i];

		state[i] = 0;
		for (int k = 1; k < n->nstates; k++)
			if (c->us[n->state[k].task] < c->us[n->state[state[i]].task])
				state[i] = k;
	}
}

/* One node at a time to its best state, until none gets better. What it comes to. */
static double descend(const struct layout_chooser *c, int *state)
{
	double us = choice_us(c, state);

	for (bool better = true; better;) {
		better = false;
		for (int i = 0; i < c->space->nodes.n; i++)
			for (int k = 0; k < c->space->nodes.at[i].nstates; k++) {
				int before = state[i];

				state[i] = k;
				double now = choice_us(c, state);

				better |= now < us;
				state[i] = now < us ? k : before;
				us = now < us ? now : us;
			}
	}
	return us;
}

static void keep_better(struct layout_chooser *c, struct layout_choice *best, int *state)
{
	double us = best->exact ? choice_us(c, state) : descend(c, state);

	if (us < best->us) {
		best->us = us;
		memcpy(best->state, state, sizeof(*state) * (size_t)c->space->nodes.n);
	}
}

struct layout_choice layout_choose(struct arena *a, const struct layout_space *x, const double *us)
{
	struct arena *scratch = arena_new();
	const struct function *main = graph_main(x->graph);
	struct layout_chooser c = {
		.arena = scratch, .space = x, .main = main, .us = us,
		.forms = arena_many(scratch, struct forms, main->bindings.n),
		.plain = plain_readers(scratch, x),
		.var_of_value = arena_many(scratch, int, main->bindings.n),
	};
	struct layout_choice out = { .state = arena_many(a, int, x->nodes.n), .us = INFINITY };
	int *state = arena_many(scratch, int, x->nodes.n);

	state_problem(&c);
	struct minsum_answer least = minsum_solve_once(&c.sum);

	out.bound = least.bound;
	out.exact = least.exact;
	keep_better(&c, &out, least.value);
	start_greedy(&c, state);
	out.greedy_us = choice_us(&c, state);
	keep_better(&c, &out, state);
	for (int m = 0; m < MANNER_COUNT; m++) {
		start_uniform(x, (enum layout_manner)m, state);
		out.uniform_us[m] = choice_us(&c, state);
		keep_better(&c, &out, state);
	}
	arena_free(scratch);
	return out;
}
