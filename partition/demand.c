/* SPDX-License-Identifier: Apache-2.0 */
/* partition/demand.c - labels become demands; demands that nobody meets. */
#include "partition/demand.h"

#include <string.h>

#include "base/err.h"
#include "graph/ir/op.h"
#include "graph/task/cut.h"

/* Puts DEMAND on the calls labelled LABEL; how many there are. */
static int set_label(struct graph *g, const char *label, struct demand demand)
{
	const struct origin *origin = origin_new(g->arena, label, demand);
	int n = 0;

	for (int i = 0; i < g->functions.n; i++) {
		struct binding_vec *all = &g->functions.at[i]->bindings;

		for (int v = 0; v < all->n; v++)
			if (all->at[v].kind == BIND_CALL && strcmp(all->at[v].origin->label, label) == 0) {
				all->at[v].origin = origin;
				n++;
			}
	}
	return n;
}

static int set_labels(struct graph *g, int n, const char *const *labels, enum demand_kind kind)
{
	for (int i = 0; i < n; i++)
		if (!*labels[i] || set_label(g, labels[i], (struct demand){ kind, NULL }) == 0)
			return err_set("the model has no operator labelled '%s'", labels[i]);
	return 0;
}

int demands_set(struct graph *g, const struct demand_labels *l)
{
	g->shared = true;
	for (int i = 0; i < l->nkeep; i++)
		for (int k = 0; k < l->noffload; k++)
			if (strcmp(l->keep[i], l->offload[k]) == 0)
				return err_set("node '%s' cannot be kept and offloaded", l->keep[i]);
	return set_labels(g, l->nkeep, l->keep, DEMAND_KEEP) < 0
		       ? -1 : set_labels(g, l->noffload, l->offload, DEMAND_OFFLOAD);
}

/* --- demands that nobody meets */

int demand_unmet(const struct binding *b, const char *why)
{
	const char *label = b->origin->label, *generator = b->origin->demand.generator;
	bool named = generator != NULL;

	if (!*label)
		return err_set("a %s without a label has to go to %s%s: %s", b->op->name,
			       named ? "generator " : "a generator", named ? generator : "", why);
	return err_set("node '%s' (%s) has to go to %s%s: %s", label, b->op->name,
		       named ? "generator " : "a generator", named ? generator : "", why);
}

int demands_check_names(const struct graph *g, const struct backend *backends, int n)
{
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		for (int v = f->nparams; v < f->bindings.n; v++) {
			const struct binding *b = function_at(f, v);
			const char *name = b->origin->demand.generator;

			if (b->kind == BIND_CALL && name && !backend_find(backends, n, name))
				return demand_unmet(b, "it was not asked for by --backend");
		}
	}
	return 0;
}

int demands_check_cut(const struct graph *from, const struct offload *cut)
{
	for (int i = 0; i < cut->calls.n; i++) {
		const struct offload_call *c = &cut->calls.at[i];
		const struct binding *b = function_at(from->functions.at[c->function], c->value);

		if (b->origin->demand.kind == DEMAND_OFFLOAD && c->backend == REGION_HOST && !binding_is_view(b))
			return demand_unmet(b, c->why);
	}
	return 0;
}
