/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/derive.c - a convolution as products of transformed tiles, beside the direct sum.
 *
 * What comes of it are stages like others, for the rules behind: transforms of a constant are placed
 * offline, the product is tiled, the transforms around it are loops that are computed somewhere around. */
#include <math.h>

#include "search/space/sketch.h"
#include "te/derive/winograd.h"

/* Outputs of a tile along a dim that are weighed, and how many of them become sketches: those with the fewest
 * products, of which 3x3 takes 4, 2.8, 2.25, 1.96 and 1.78 an output (Lavin and Gray 2015, section 4) and more where
 * tiles reach beyond the image. Beyond 6 errors are too large. */
enum { LEAST_TILE = WINOGRAD_LEAST, MOST_TILE = 6, SKETCHES = 2 };

/* Narrow floats are f32 between the transforms: conversions for each product that is spared. */
static bool is_wide(enum dtype t)
{
	return t == DTYPE_F32 || t == DTYPE_F64;
}

/* The products that OP takes with tiles of SIZE; INFINITY where there are no such tiles, or no channels
 * to sum over: each transform would be for one product an element. */
static double products(const struct op *op, int64_t size)
{
	struct arena *a = arena_new();
	double n = INFINITY;
	struct derived d;

	if (winograd_derive(a, op, size, &d, NULL) && op_is_reduction(d.op[d.product])) {
		const struct op *p = d.op[d.product];

		n = (double)tensor_count(&p->tensor);
		for (int i = 0; i < p->nreduce; i++)
			n *= (double)p->reduce[i]->hi;
	}
	arena_free(a);
	return n;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return stage_computes(g) && stage_is_untouched(g) && !g->is_cache && !g->is_partial &&
	       is_wide(g->op.tensor.dtype) && isfinite(products(&g->op, LEAST_TILE));
}

/* Tiles of SIZE; nothing where a step is refused. */
static void add(struct sketcher *k, const struct sketch *s, int stage, int64_t size)
{
	struct sketch *next = sketch_copy(k->arena, s);
	struct derived d;
	int first = s->state->stages.n;

	if (!winograd_derive(k->arena, &s->state->stages.at[stage]->op, size, &d, NULL) ||
	    !sketch_add(next, step_derive(stage, DERIVATION_WINOGRAD, size), ROLE_FIXED))
		return;
	sketch_add(next, step_place(first + d.weights - 1), ROLE_FIXED);	/* refused: no constant */
	sketch_emit(k, next, sketch_place(next, stage) + 1);
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	double n[MOST_TILE + 1];

	for (int64_t size = LEAST_TILE; size <= MOST_TILE; size++)
		n[size] = products(&s->state->stages.at[stage]->op, size);
	for (int i = 0; i < SKETCHES; i++) {
		int best = LEAST_TILE;

		for (int size = LEAST_TILE; size <= MOST_TILE; size++)
			if (n[size] < n[best])
				best = size;
		if (isinf(n[best]))
			return;
		add(k, s, stage, best);
		n[best] = INFINITY;
	}
}

const struct rule rule_derive = {
	.name = "derive",
	.derives = true,
	.applies = applies,
	.apply = apply,
};
