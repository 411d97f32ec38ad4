/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/assign.c - task by task, place by place. */
#include "runtime/offload/assign.h"

#include "base/err.h"
#include "graph/task/variant.h"
#include "runtime/kernel/task_times.h"

struct assigning {
	struct arena *a;
	const struct graph *graph;
	const struct offers_options *options;
};

/* BACKEND's kernel for FROM. NULL: hone computes it, and *WHY. */
static struct foreign *make(const struct assigning *x, const struct cut_from *from, int backend,
			    const char **why)
{
	const struct backend *b = &x->options->backends[backend];
	const struct kernel_region *r = kernel_region_new(x->a, from);
	struct foreign *made = NULL;

	if (!r)
		*why = "its shapes are not known";
	else if (kernel_claimed(x->a, b, r, why) &&
		 !(made = foreign_kernel(x->a, r, b, x->options->threads, NULL)))
		*why = arena_strdup(x->a, err_get());
	if (made && x->options->fall_back)
		foreign_fall_back(made);
	return made;
}

/* Gives OFFER the places of T, where it wins against HOST_US. */
static void assign(const struct assigning *x, const struct offers *offers, const struct model_task *t,
		   const struct offer *offer, double host_us, struct choice *c)
{
	struct choice_foreign *places = arena_many(x->a, struct choice_foreign, t->uses.n);

	for (int i = 0; i < t->uses.n; i++) {
		const struct model_use *use = &t->uses.at[i];
		const struct function *f = x->graph->functions.at[use->function];
		const struct cut_from from = cut_from_apply(x->a, x->graph, f, use->value);
		const char *why = NULL;
		struct foreign *made = offer_wins(offers, &from, offer, host_us)
					       ? make(x, &from, offer->backend, &why) : NULL;

		if (made)
			places[c->nforeign++] = (struct choice_foreign){ use->function, use->value, made };
		else if (why)
			c->foreign_why = why;
	}
	if (c->nforeign == t->uses.n)
		c->origin = CHOICE_GENERATOR;
	c->foreign = places;
	c->foreign_us = offer_cost_us(offers, offer);
	c->foreign_in_model = offer->in_model;
}

int offload_assign(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		   const struct choice_plan *plan, struct choice *choices)
{
	const struct task_times times = { .db = plan->db, .device = plan->device, .now = plan->now,
					  .threads = plan->threads, .offers = plan->offers };
	const struct assigning x = { a, g, offers_options(plan->offers) };
	struct model_task_vec open = { 0 };
	struct value_vec at = { 0 };

	for (int i = 0; i < tasks->n; i++)
		if (tasks->at[i].dag) {
			vec_push(a, &open, tasks->at[i]);
			vec_push(a, &at, i);
		}
	const double *us = task_times_of_host(&times, a, &open, open.n);

	if (!us)
		return -1;
	for (int i = 0; i < open.n; i++) {
		struct offer offer;

		struct choice *c = &choices[at.at[i]];
		const struct demand demand = cut_demand(&open.at[i].from);

		if (offers_best(plan->offers, open.at[i].key, demand, &offer))
			assign(&x, plan->offers, &open.at[i], &offer, us[i], c);
		else if (demand.kind == DEMAND_KEEP)
			c->foreign_why = "the user keeps it";
	}
	return 0;
}
