/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/rules/derive.c - a convolution as products of transformed tiles, beside the direct sum.
 *
 * What comes of it are stages like others, for the rules behind: transforms of a constant are placed
 * offline, the product is tiled, the transforms around it are loops that are computed somewhere around. */
#include <math.h>

#include "search/space/sketch.h"
#include "te/derive/winograd.h"

/* Outputs of a tile along a dim that are weighed, and how many of them become sketches: the fastest by what products
 * and transformed weights cost, of which small tiles have fewer. 3x3 takes 4, 2.8, 2.25, 1.96 and 1.78 products an
 * output (Lavin and Gray 2015, section 4) and more where tiles reach beyond the image. Beyond 6 errors are too large.
 * As many again are ragged, whose kernels are longer, where they cost less than all that are not. */
enum { LEAST_TILE = WINOGRAD_LEAST, MOST_TILE = 6, SKETCHES = 2 };

/* What an element costs that is stored in between and read again, in operations at the peak: a 7x7 with stride 2 of three channels, as
 * 4x4 over 12, took 1026 to 1215 us by F(5, 4) in 64 + 40 + 2 of them an output of 26, and 294 us of products (a Xeon with AVX-512). */
#define ELEMENT_FLOP 30.0
/* With few channels to sum over that is more than what products in two dims spare beside one. Tiles of one dim are tried where they
 * do not cost so much more: estimates are no better. */
#define ONE_DIM_LIMIT 1.05

/* Narrow floats are f32 between the transforms: conversions for each product that is spared. */
static bool is_wide(enum dtype t)
{
	return t == DTYPE_F32 || t == DTYPE_F64;
}

static double products(const struct derived *d)
{
	const struct op *op = d->op[d->product];
	double n = d->share * (double)tensor_count(&op->tensor);

	for (int i = 0; i < op->nreduce; i++)
		n *= (double)op->reduce[i]->hi;
	return n;
}

/* Elements that are stored in between and read again. */
static double elements(const struct derived *d)
{
	double n = 0;

	for (int i = d->weights; i < d->n - 1; i++)
		n += (double)tensor_count(&d->op[i]->tensor);
	return n;
}

/* Nanoseconds of D's products at the peak, of what is in between, and to read its weights from memory where caches do not hold them. */
static double cost(const struct derived *d, const struct aim *aim)
{
	double ns = (2 * products(d) + ELEMENT_FLOP * elements(d)) / (aim->peak * aim->threads);
	double weights = d->weights ? (double)tensor_bytes(&d->op[d->weights - 1]->tensor) : 0;

	bool far = aim->cold_weights || weights > aim_last_cache(aim);

	return ns + (far ? weights / aim->mem_gbs : 0);
}

/* OP by tiles BY of SIZE, in A; false where there are none. */
static bool tile(struct arena *a, const struct op *op, enum derivation by, int64_t size, struct derived *out)
{
	/* Without channels to sum over each transform would be for one product an element. */
	return winograd_derive(a, op, derivation_tiles(by, size), out, NULL) && op_is_reduction(out->op[out->product]);
}

static bool has_tiles(const struct op *op)
{
	struct arena *a = arena_new();
	struct derived d;
	bool has = tile(a, op, DERIVATION_WINOGRAD, LEAST_TILE, &d);

	arena_free(a);
	return has;
}

/* INFINITY where there are no such tiles. */
static double cost_of(const struct op *op, enum derivation by, int64_t size, const struct aim *aim)
{
	struct arena *a = arena_new();
	struct derived d;
	double ns = tile(a, op, by, size, &d) ? cost(&d, aim) : INFINITY;

	arena_free(a);
	return ns;
}

static bool applies(const struct sketch *s, int stage)
{
	const struct stage *g = s->state->stages.at[stage];

	return sketch_may_derive(s, stage) && !g->is_of_tiles && is_wide(g->op.tensor.dtype) && has_tiles(&g->op);
}

/* Nothing where a step is refused. */
static void add(struct sketcher *k, const struct sketch *s, int stage, enum derivation by, int64_t size)
{
	struct sketch *next = sketch_copy(k->arena, s);
	struct derived d;
	int first = s->state->stages.n;

	if (!tile(k->arena, &s->state->stages.at[stage]->op, by, size, &d) ||
	    !sketch_add(next, step_derive(stage, by, size), ROLE_FIXED))
		return;
	sketch_add(next, step_place(first + d.weights - 1), ROLE_FIXED);	/* refused: no constant */
	sketch_emit_derived(k, next, stage);
}

/* The fastest sizes of tiles BY, at most MOST of those that cost less than LIMIT; returns what the fastest of all costs. */
static double add_fastest(struct sketcher *k, const struct sketch *s, int stage, enum derivation by, int most, double limit)
{
	double ns[MOST_TILE + 1], least = INFINITY;

	for (int64_t size = LEAST_TILE; size <= MOST_TILE; size++) {
		ns[size] = cost_of(&s->state->stages.at[stage]->op, by, size, &k->aim);
		least = fmin(least, ns[size]);
	}
	for (int i = 0; i < most; i++) {
		int best = LEAST_TILE;

		for (int size = LEAST_TILE; size <= MOST_TILE; size++)
			if (ns[size] < ns[best])
				best = size;
		if (!(ns[best] < limit))
			break;
		add(k, s, stage, by, best);
		ns[best] = INFINITY;
	}
	return least;
}

static void apply(struct sketcher *k, const struct sketch *s, int stage)
{
	double whole = add_fastest(k, s, stage, DERIVATION_WINOGRAD, SKETCHES, INFINITY);
	double ragged = add_fastest(k, s, stage, DERIVATION_RAGGED, SKETCHES, whole);
	double limit = ONE_DIM_LIMIT * fmin(whole, ragged);

	add_fastest(k, s, stage, DERIVATION_RAGGED_1D, 1, fmin(limit, add_fastest(k, s, stage, DERIVATION_WINOGRAD_1D, 1, limit)));
}

const struct rule rule_derive = {
	.name = "derive",
	.derives = true,
	.applies = applies,
	.apply = apply,
};
