/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/vary.c - mutation and crossover of decisions. */
#include "search/space/genes/vary.h"

enum change { TAKE_BACK, EXCHANGE };

struct mutator_entry {
	int weight;
	enum change change;
	unsigned roles;
};

static const struct mutator_entry mutators[] = {
#define X(name, weight, change, roles, meaning) { weight, change, roles },
#include "search/space/genes/mutators.def"
#undef X
};

static const struct mutator_entry *pick_mutator(struct rng *rng)
{
	int total = 0;

	for (int i = 0; i < MUTATOR_COUNT; i++)
		total += mutators[i].weight;
	int64_t at = rng_below(rng, total);

	for (int i = 0; i < MUTATOR_COUNT; i++) {
		at -= mutators[i].weight;
		if (at < 0)
			return &mutators[i];
	}
	return &mutators[0];
}

/* Takes back one decision of these roles; false where there is none. */
static bool take_back(struct genes *g, const struct sketch *sketch, unsigned roles,
		      struct rng *rng)
{
	int chosen = -1;
	int n = 0;

	for (int i = 0; i < g->n; i++)
		if (roles >> sketch->steps.at[i].role & 1 && rng_below(rng, ++n) == 0)
			chosen = i;
	if (chosen >= 0)
		g->at[chosen] = (struct gene){ 0 };
	return chosen >= 0;
}

/* Sizes of one tile that differ, each no larger than what the other cuts. */
static bool may_change_places(const struct genes *g, const struct sketch *sketch, int i, int j)
{
	const struct open_step *x = &sketch->steps.at[i], *y = &sketch->steps.at[j];
	int64_t of_x = g->at[i].step.size, of_y = g->at[j].step.size;

	return x->role == y->role && x->step.stage == y->step.stage && g->at[i].set && g->at[j].set && of_x != of_y &&
	       of_x <= y->extent && of_y <= x->extent;
}

/* Lets two sizes of these roles change places; false where none can. A tile that lies the other way takes as many
 * registers: taking back both would seldom come to that. */
static bool exchange(struct genes *g, const struct sketch *sketch, unsigned roles, struct rng *rng)
{
	int one = -1, other = -1;
	int n = 0;

	for (int i = 0; i < g->n; i++)
		for (int j = i + 1; j < g->n && roles >> sketch->steps.at[i].role & 1; j++)
			if (may_change_places(g, sketch, i, j) && rng_below(rng, ++n) == 0) {
				one = i;
				other = j;
			}
	if (n == 0)
		return false;
	int64_t size = g->at[one].step.size;

	g->at[one].step.size = g->at[other].step.size;
	g->at[other].step.size = size;
	return true;
}

static bool change(struct genes *g, const struct sketch *sketch, struct rng *rng)
{
	const struct mutator_entry *m = pick_mutator(rng);

	return m->change == EXCHANGE ? exchange(g, sketch, m->roles, rng) : take_back(g, sketch, m->roles, rng);
}

struct genes mutate(struct arena *a, const struct genes *g, const struct sketch *sketch,
		    struct rng *rng)
{
	struct genes c = genes_copy(a, g);
	int changes = 1 + (int)rng_below(rng, 2);

	for (int i = 0, tries = 0; i < changes && tries < 20; tries++)
		i += change(&c, sketch, rng);
	return c;
}

struct genes genes_without(struct arena *a, const struct genes *g, int i)
{
	struct genes c = genes_copy(a, g);

	c.at[i] = (struct gene){ 0 };
	return c;
}

struct genes cross(struct arena *a, const struct genes *x, const struct genes *y,
		   const struct sketch *sketch, struct rng *rng)
{
	struct genes c = genes_copy(a, x);
	bool other[64];

	/* The splits of an axis come one after the other: an axis is a run of splits of a stage
	 * that starts at an iter of its op. */
	for (int i = 0; i < 64; i++)
		other[i] = rng_chance(rng, 0.5);
	int run = 0;

	for (int i = 0; i < c.n; i++) {
		const struct step *step = &sketch->steps.at[i].step;
		const struct op *op = &sketch->state->stages.at[step->stage]->op;

		if (step->kind != STEP_SPLIT || step->iter < op->tensor.ndim + op->nreduce)
			run++;
		if (other[run % 64])
			c.at[i] = y->at[i];
	}
	return c;
}
