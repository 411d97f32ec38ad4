/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/derive.c - a stage computed in another way: stages before it, and another expression of its own. */
#include "schedule/apply/stages.h"

#include <math.h>

#include "te/derive/padded_sum.h"
#include "te/derive/phases.h"
#include "te/derive/reciprocal.h"
#include "te/derive/separable.h"
#include "te/derive/strides/decimated.h"
#include "te/derive/strides/deinterleaved.h"
#include "te/derive/strides/polyphase.h"
#include "te/derive/strides/space_to_depth.h"
#include "te/derive/unblocked.h"
#include "te/derive/winograd.h"

typedef bool derive_fn(struct arena *a, const struct op *op, int64_t size, struct derived *out, const char **why);

static derive_fn *const derive_by[] = {
	[DERIVATION_RECIPROCAL] = reciprocal_derive,
	[DERIVATION_PHASES] = phases_derive,
	[DERIVATION_SPACE_TO_DEPTH] = space_to_depth_derive,
	[DERIVATION_DEINTERLEAVED] = deinterleaved_derive,
	[DERIVATION_DECIMATED] = decimated_derive,
	[DERIVATION_POLYPHASE] = polyphase_derive,
	[DERIVATION_SEPARABLE] = separable_derive,
	[DERIVATION_UNBLOCKED] = unblocked_derive,
	[DERIVATION_PADDED] = padded_sum_derive,
};

static bool derive(struct arena *a, const struct op *op, const struct step *step, struct derived *out, const char **why)
{
	derive_fn *by = derive_by[step->derivation];

	return by ? by(a, op, step->size, out, why)
		  : winograd_derive(a, op, derivation_tiles(step->derivation, step->size), out, why);
}

bool apply_derive(struct state *s, const struct step *step, const char **why)
{
	struct stage *g = stage_at(s, step->stage);
	struct derived d;

	if (!stage_is_untouched(g) || g->is_cache || g->is_partial)
		REFUSE("it has been scheduled already");
	if (!derive(s->arena, &g->op, step, &d, why))
		return false;
	touch_sources(s, g);	/* those that it reads no more, too */
	for (int i = 0; i < d.n - 1; i++) {
		d.op[i]->tensor.name = unused_name(s, d.op[i]->tensor.name);
		int made = insert_stage(s, d.op[i], &d.op[i]->tensor, step->stage, false);

		stage_at(s, made)->is_of_tiles = !derive_by[step->derivation];
	}
	rebuild_stage(s->arena, g, d.op[d.n - 1]);
	s->amplification = fmax(s->amplification, d.amplification);
	for (int i = s->stages.n - (d.n - 1); i < s->stages.n; i++)
		touch_sources(s, stage_at(s, i));
	touch_sources(s, g);
	return true;
}
