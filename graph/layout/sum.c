/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/sum.c - who wants an image how, and what that takes. */
#include "graph/layout/sum.h"

#include <math.h>

#include "graph/ir/reach.h"
#include "graph/layout/choose.h"

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

static const struct layout_state *state_at(const struct layout_sum *c, int node, int state)
{
	return &c->space->nodes.at[node].states.at[state];
}

unsigned layout_wanted(const struct layout_sum *c, const struct layout_state *s, int value)
{
	unsigned set = 0;

	for (int i = 0; i < s->nkernels; i++) {
		const struct layout_kernel *k = &layout_kernels(c->space, s)[i];

		for (int j = 0; j < k->nargs && k->function != FUNCTION_NONE; j++)
			if (k->args[j] == value)
				set |= 1u << layout_image_place(&c->space->images[value], k->stored[j]);
	}
	return set;
}

int layout_home(const struct layout_sum *c, const struct layout_state *s, int value)
{
	return s->nkernels == 0 ? 0
				: layout_image_place(&c->space->images[value],
						     layout_result(c->space, s));
}

/* The values of main that some state of NODE reads, each once; in A. */
static struct value_vec reads_of(struct arena *a, const struct layout_space *x, int node)
{
	const struct layout_state_vec *states = &x->nodes.at[node].states;
	int values = graph_main(x->graph)->bindings.n;
	struct value_vec reads = { 0 };

	for (int i = 0; i < states->n; i++)
		for (int j = 0; j < states->at[i].nkernels; j++) {
			const struct layout_kernel *k = &layout_kernels(x, &states->at[i])[j];

			for (int n = 0; n < k->nargs && k->function != FUNCTION_NONE; n++) {
				int v = k->args[n];

				if (v >= 0 && v < values && value_vec_find(&reads, v) < 0)
					vec_push(a, &reads, v);
			}
		}
	return reads;
}

struct layout_sum layout_sum_new(struct arena *a, const struct layout_space *x, const double *us)
{
	const struct function *main = graph_main(x->graph);
	struct layout_sum c = {
		.arena = a, .space = x, .main = main, .us = us,
		.forms = arena_many(a, struct forms, main->bindings.n),
		.plain = plain_readers(a, x),
		.reads = arena_many(a, struct value_vec, x->nodes.n),
	};

	for (int v = 0; v < main->bindings.n; v++)
		c.forms[v] = forms_of(x, v);
	for (int i = 0; i < x->nodes.n; i++)
		c.reads[i] = reads_of(a, x, i);
	return c;
}

double layout_form_us(const struct layout_sum *c, int value, struct form f)
{
	const struct layout_image *x = &c->space->images[value];
	double us = 0;

	for (int i = 0; i < x->n; i++)
		if (f.set & 1u << i && x->transform[f.home][i] >= 0)
			us += c->us[x->transform[f.home][i]];
	return us;
}

/* The storages of each value that the nodes in STATE and other readers want, and that it is made in. */
static void note_wanted(const struct layout_sum *c, const int *state, struct form *form)
{
	const struct layout_space *x = c->space;

	for (int v = 0; v < c->main->bindings.n; v++)
		form[v] = (struct form){ 0, c->plain[v] };
	for (int i = 0; i < x->nodes.n; i++) {
		const struct layout_state *s = state_at(c, i, state[i]);
		int value = x->nodes.at[i].value;

		for (int r = 0; r < c->reads[i].n; r++)
			form[c->reads[i].at[r]].set |= layout_wanted(c, s, c->reads[i].at[r]);
		form[value].home = layout_home(c, s, value);
	}
}

double layout_state_us(const struct layout_sum *c, const struct layout_state *s)
{
	double us = 0;

	for (int i = 0; i < s->nkernels; i++) {
		int task = layout_kernels(c->space, s)[i].task;

		us += task < 0 ? 0 : c->us[task];
	}
	return us;
}

double layout_choice_us(const struct layout_sum *c, const int *state)
{
	struct form *form = arena_many(c->arena, struct form, c->main->bindings.n);
	double us = layout_holds(c->space, state) ? 0 : INFINITY;

	note_wanted(c, state, form);
	for (int i = 0; i < c->space->nodes.n; i++)
		us += layout_state_us(c, state_at(c, i, state[i]));
	for (int v = 0; v < c->main->bindings.n; v++)
		us += layout_form_us(c, v, form[v]);
	return us;
}

int *layout_weights(struct arena *a, const struct layout_space *x, const int *state)
{
	struct layout_sum c = layout_sum_new(a, x, NULL);
	struct form *form = arena_many(a, struct form, c.main->bindings.n);
	int *weight = arena_many(a, int, x->tasks.n);

	note_wanted(&c, state, form);
	for (int i = 0; i < x->nodes.n; i++) {
		const struct layout_state *s = state_at(&c, i, state[i]);

		for (int k = 0; k < s->nkernels; k++)
			if (layout_kernels(x, s)[k].task >= 0)
				weight[layout_kernels(x, s)[k].task]++;
	}
	for (int v = 0; v < c.main->bindings.n; v++)
		for (int i = 0; i < x->images[v].n; i++)
			if (form[v].set & 1u << i && x->images[v].transform[form[v].home][i] >= 0)
				weight[x->images[v].transform[form[v].home][i]]++;
	return weight;
}
