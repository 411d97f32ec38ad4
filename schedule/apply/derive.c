/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/derive.c - a stage computed in another way: stages before it, and another expression of its own. */
#include "schedule/apply/stages.h"

#include <math.h>

#include "base/integer.h"
#include "schedule/mask.h"
#include "te/derive/decimated.h"
#include "te/derive/deinterleaved.h"
#include "te/derive/padded_sum.h"
#include "te/derive/phases.h"
#include "te/derive/reciprocal.h"
#include "te/derive/separable.h"
#include "te/derive/space_to_depth.h"
#include "te/derive/unblocked.h"
#include "te/derive/winograd.h"

typedef bool derive_fn(struct arena *a, const struct op *op, int64_t size, struct derived *out, const char **why);

static derive_fn *const derive_by[] = {
	[DERIVATION_RECIPROCAL] = reciprocal_derive,
	[DERIVATION_PHASES] = phases_derive,
	[DERIVATION_SPACE_TO_DEPTH] = space_to_depth_derive,
	[DERIVATION_DEINTERLEAVED] = deinterleaved_derive,
	[DERIVATION_SEPARABLE] = separable_derive,
	[DERIVATION_UNBLOCKED] = unblocked_derive,
	[DERIVATION_PADDED] = padded_sum_derive,
};

/* The others are in the table, but for one that asks what is known of its data. */
static bool is_of_tiles(enum derivation by)
{
	return !derive_by[by] && by != DERIVATION_DECIMATED;
}

/* For struct known_zeros; USER is the state. */
static struct range nonzero(const struct tensor *t, int d, const void *user)
{
	const struct state *s = user;
	const struct op *op = &s->stages.at[state_stage_of(s, t)]->op;
	const struct expr *e = op->kind == OP_COMPUTE && op->nreduce == 0 ? op->body : NULL;
	struct range all = { 0, t->shape[d] - 1 };
	struct mask m;

	if (!e || e->kind != EXPR_SELECT || !expr_is_zero(e->arg[2]) || !mask_of(s->arena, e->arg[0], op->space[d], &m))
		return all;
	struct range lo = expr_range(m.lo), hi = expr_range(m.hi);

	return (struct range){ most(lo.lo, all.lo), least(hi.hi - 1, all.hi) };
}

static bool derive(const struct state *s, const struct op *op, const struct step *step, struct derived *out, const char **why)
{
	struct arena *a = s->arena;

	if (is_of_tiles(step->derivation))
		return winograd_derive(a, op, derivation_tiles(step->derivation, step->size), out, why);
	if (step->derivation == DERIVATION_DECIMATED)
		return decimated_derive(a, op, step->size, &(struct known_zeros){ nonzero, s }, out, why);
	return derive_by[step->derivation](a, op, step->size, out, why);
}

bool apply_derive(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct derived d;

	if (!stage_is_untouched(g) || g->is_cache || g->is_partial)
		REFUSE("it has been scheduled already");
	if (!derive(s, &g->op, step, &d, why))
		return false;
	touch_sources(s, g);	/* those that it reads no more, too */
	for (int i = 0; i < d.n - 1; i++) {
		d.op[i]->tensor.name = unused_name(s, d.op[i]->tensor.name);
		int made = insert_stage(s, d.op[i], &d.op[i]->tensor, step->stage, false);

		stage_at(s, made)->is_of_tiles = is_of_tiles(step->derivation);
	}
	rebuild_stage(s->arena, g, d.op[d.n - 1]);
	s->amplification = fmax(s->amplification, d.amplification);
	for (int i = s->stages.n - (d.n - 1); i < s->stages.n; i++)
		touch_sources(s, stage_at(s, i));
	touch_sources(s, g);
	return true;
}
