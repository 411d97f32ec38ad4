/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/tile_speed.c - how fast a register tile would be with one more of its sizes, as it was measured. */
#include "search/space/sampling/tile_speed.h"

#include "base/integer.h"

static enum register_kind kind_of(const struct sampler *p)
{
	for (int i = 0; i < p->sketch->steps.n; i++) {
		const struct step *step = &p->sketch->steps.at[i].step;

		for (int k = 0; step->kind == STEP_TENSORIZE && k < REGISTER_KIND_COUNT; k++)
			if (register_products(k)->a == intrinsic_at(step->intrinsic)->a)
				return k;
	}
	return REGISTER_F32;
}

/* The next step behind O that is to draw a size of ROLE for the same tile; NULL: none. */
static const struct open_step *open_behind(const struct sampler *p, const struct open_step *o, enum role role)
{
	const struct open_vec *steps = &p->sketch->steps;

	for (int i = (int)(o - steps->at) + 1; i < steps->n; i++)
		if (steps->at[i].role == role && steps->at[i].step.stage == o->step.stage && !(p->from && p->from->at[i].set))
			return &steps->at[i];
	return NULL;
}

/* Along the dim that STEP splits, in registers that ROWS share; at least 1. */
static int64_t most_vectors(const struct sampler *p, int64_t rows, const struct open_step *step, int64_t lanes)
{
	int64_t most = least(ceil_div(step->extent, lanes), least(REGISTER_VECTORS, p->aim->target->vector_registers / rows));

	return most > 1 ? most : 1;
}

void tile_speed_begin(struct tile_speed *t, const struct sampler *p, const struct open_step *o, int64_t lanes)
{
	const struct register_kernels *k = p->aim->kernels;
	const struct open_step *vectors = o->role == ROLE_TILE ? open_behind(p, o, ROLE_TILE_VECTOR) : NULL;
	bool of_tile = o->role == ROLE_TILE || o->role == ROLE_TILE_VECTOR;

	*t = (struct tile_speed){ 0 };
	if (!k || !of_tile || open_behind(p, o, ROLE_TILE))
		return;
	t->kernels = k;
	t->kind = kind_of(p);
	t->vectors = p->taken.side * p->behind.side;
	t->rows = p->taken.vectors * p->behind.vectors / t->vectors;
	t->more_vectors = vectors ? most_vectors(p, t->rows, vectors, lanes) : 1;
	t->along_rows = o->role == ROLE_TILE;
}

double tile_speed(const struct tile_speed *t, int64_t n)
{
	double best = 0;

	if (!t->kernels)
		return 1;
	for (int64_t more = 1; more <= t->more_vectors; more++) {
		double rate = register_rate(t->kernels, t->kind, t->along_rows ? t->rows * n : t->rows,
					    t->along_rows ? t->vectors * more : t->vectors * n);

		best = rate > best ? rate : best;
	}
	return best > 0 ? best : 1;	/* nothing like it was measured */
}
