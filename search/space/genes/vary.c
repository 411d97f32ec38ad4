/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/vary.c - mutation and crossover of decisions. */
#include "search/space/genes/vary.h"

#include "search/space/genes/exchange.h"

static const struct {
	int weight;
	unsigned roles;
} mutators[] = {
#define X(name, weight, roles, meaning) { weight, roles },
#include "search/space/genes/mutators.def"
#undef X
};

/* How often a mutation takes back all of a stage: derived kernels are 0.93 to 0.97 by the prior, others as they were
 * (docs/performance.md, What evolution finds). */
#define WHOLE_STAGE 0.5

/* How often axes change places, and how often, then, two of them again: those of a window as those of its image. Chosen, not measured. */
#define EXCHANGED 0.1
#define EXCHANGED_AGAIN 0.5

static unsigned pick_roles(struct rng *rng)
{
	int total = 0;

	for (int i = 0; i < MUTATOR_COUNT; i++)
		total += mutators[i].weight;
	int64_t at = rng_below(rng, total);

	for (int i = 0; i < MUTATOR_COUNT; i++) {
		at -= mutators[i].weight;
		if (at < 0)
			return mutators[i].roles;
	}
	return mutators[0].roles;
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

/* Takes back all decisions about the stage of one of them: tiles and what is computed in them suit each other, and to change one
 * alone makes both worse. */
static void take_back_stage(struct genes *g, const struct sketch *sketch, struct rng *rng)
{
	int stage = -1, n = 0;

	for (int i = 0; i < g->n; i++)
		if (sketch->steps.at[i].role != ROLE_FIXED && rng_below(rng, ++n) == 0)
			stage = sketch->steps.at[i].step.stage;
	for (int i = 0; i < g->n; i++)
		if (is_about(&sketch->steps.at[i], stage))
			g->at[i] = (struct gene){ 0 };
}

struct genes mutate(struct arena *a, const struct genes *g, const struct sketch *sketch,
		    struct rng *rng)
{
	struct genes c = genes_copy(a, g);
	int changes = 1 + (int)rng_below(rng, 2);

	if (rng_chance(rng, EXCHANGED) && exchange_axes(&c, sketch, rng)) {
		if (rng_chance(rng, EXCHANGED_AGAIN))
			exchange_axes(&c, sketch, rng);
		return c;
	}
	if (rng_chance(rng, WHOLE_STAGE)) {
		take_back_stage(&c, sketch, rng);
		return c;
	}
	for (int i = 0, tries = 0; i < changes && tries < 20; tries++)
		i += take_back(&c, sketch, pick_roles(rng), rng);
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

	/* The splits of an axis come one after the other. */
	for (int i = 0; i < 64; i++)
		other[i] = rng_chance(rng, 0.5);
	int run = 0;

	for (int i = 0; i < c.n; i++) {
		if (sketch->steps.at[i].step.kind != STEP_SPLIT || splits_axis(sketch, i))
			run++;
		if (other[run % 64])
			c.at[i] = y->at[i];
	}
	return c;
}
