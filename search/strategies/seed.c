/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/seed.c - seeds as candidates, and others around one. */
#include "search/strategies/seed.h"

#include "base/integer.h"
#include "search/strategies/pick.h"

/* At most a half of a batch are seeds; strips come where these are less than a quarter, and are tried so often. Chosen,
 * not measured. */
enum { SEEDS = 2, STRIPS = 4, TRIES = 64 };
/* How often the seed's cache tiles and loop orders are decided anew, for a strip is one of these. */
#define RESHAPED 0.5

/* Takes back where reductions are computed and, now and then, what tells which strips there are. */
static struct genes take_back(struct arena *a, const struct genes *seed, const struct sketch *sketch,
			      struct rng *rng)
{
	struct genes g = genes_copy(a, seed);

	for (int i = 0; i < g.n; i++) {
		enum role role = sketch->steps.at[i].role;
		bool shapes = role == ROLE_OUTER || role == ROLE_SUMS || role == ROLE_PERMUTE || role == ROLE_EDGE;

		if (role == ROLE_STRIP || (shapes && rng_chance(rng, RESHAPED)))
			g.at[i] = (struct gene){ 0 };
	}
	return g;
}

static bool has_strip(const struct genes *g, const struct sketch *sketch)
{
	for (int i = 0; i < g->n; i++)
		if (sketch->steps.at[i].role == ROLE_STRIP && !g->at[i].left_out)
			return true;
	return false;
}

/* False where it was tried before. */
static bool add(const struct problem *p, struct arena *a, struct batch *b, struct candidate *c)
{
	pick_score(p, a, c, 1);
	return batch_add(p, a, b, c);
}

static void add_strips(const struct problem *p, struct arena *a, struct rng *rng, const struct genes *seed,
		       struct batch *b)
{
	const struct sketch *sketch = p->sketches.at[seed->sketch];
	struct candidate c;

	for (int i = 0; i < TRIES && b->n < b->cap / STRIPS; i++) {
		struct genes g = take_back(a, seed, sketch, rng);

		if (candidate_grow(p, a, rng, seed->sketch, &g, &c) && has_strip(&c.genes, sketch))
			add(p, a, b, &c);
	}
}

/* False where it is not new, or its steps give no kernel. */
static bool add_seed(const struct problem *p, struct arena *a, const char *steps, struct batch *b, struct candidate *c)
{
	if (!candidate_recall(p, a, steps, c))
		return false;
	candidate_tell_genes(p, a, c);
	return add(p, a, b, c);
}

void seed_propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	struct genes composed = { 0 };

	for (int i = 0; i < p->seeds.n && b->n < ceil_div(b->cap, SEEDS); i++) {
		struct candidate c;

		if (add_seed(p, a, p->seeds.at[i].steps, b, &c) && p->seeds.at[i].composed)
			composed = c.genes;
	}
	if (composed.n > 0)
		add_strips(p, a, rng, &composed, b);
}
