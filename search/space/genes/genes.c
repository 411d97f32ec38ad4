/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/genes.c - decisions told from steps. */
#include "search/space/genes/genes.h"

#include "base/hash.h"

/* Decisions that tell niches apart: register tiles of two reductions with six dims each, and what they derive. */
enum { NICHE_SIZES = 16 };

/* STEP is O with what it leaves open decided. */
static bool decides(const struct open_step *o, const struct step *step)
{
	if (step->kind != o->step.kind)
		return false;
	if (o->role == ROLE_PREFETCH)	/* in any stage's loop */
		return step->target == o->step.target;
	if (step->stage != o->step.stage)
		return false;
	switch (o->role) {
	case ROLE_FIXED:
		return step_equal(step, &o->step);
	case ROLE_PLACE:
		return step->target == o->step.target;
	case ROLE_LOCATION:
	case ROLE_STRIP:
	case ROLE_SCRATCH:
	case ROLE_OPTIONAL:
	case ROLE_PIPELINE:
	case ROLE_PERMUTE:
	case ROLE_BODY_ORDER:
	case ROLE_PANEL:
		return true;
	default:
		return step->iter == o->step.iter;
	}
}

static bool may_be_missing(const struct open_step *o)
{
	return is_location(o->role) || o->role == ROLE_OPTIONAL || o->role == ROLE_PANEL ||
	       o->role == ROLE_PREFETCH || o->role == ROLE_PIPELINE || o->step.kind == STEP_BORDER;
}

static bool is_of(const struct step_vec *steps, int at, enum step_kind kind, int stage)
{
	return at < steps->n && steps->at[at].kind == kind && steps->at[at].stage == stage;
}

/* Sharing one loop is one step, sharing several takes two. How many of STEPS, from AT on, do that. */
static int tell_shared(const struct step_vec *steps, int at, struct gene *g)
{
	int fuses = is_of(steps, at, STEP_FUSE, g->step.stage);

	g->left_out = !is_of(steps, at + fuses, STEP_PARALLEL, g->step.stage);
	if (g->left_out)
		return 0;
	g->step.size = fuses ? steps->at[at].n : 1;
	return fuses + 1;
}

bool genes_of(struct arena *a, const struct sketch *sketch, const struct step_vec *steps,
	      struct genes *out)
{
	int at = 0;

	*out = (struct genes){ .n = sketch->steps.n,
			       .at = arena_many(a, struct gene, sketch->steps.n) };
	for (int i = 0; i < sketch->steps.n; i++) {
		const struct open_step *o = &sketch->steps.at[i];
		struct gene *g = &out->at[i];

		*g = (struct gene){ .set = true, .step = o->step };
		if (o->role == ROLE_PARALLEL) {
			at += tell_shared(steps, at, g);
		} else if (at < steps->n && decides(o, &steps->at[at])) {
			if (o->role != ROLE_PLACE && o->role != ROLE_PANEL)
				g->step = steps->at[at];
			at++;
		} else if (may_be_missing(o)) {
			g->left_out = true;
		} else {
			return false;
		}
	}
	return at == steps->n;
}

struct genes genes_copy(struct arena *a, const struct genes *g)
{
	struct genes c = *g;

	c.at = arena_memdup(a, g->at, (size_t)g->n * sizeof(*g->at));
	return c;
}

uint64_t genes_niche(const struct genes *g, const struct sketch *sketch)
{
	int64_t sizes[2 * NICHE_SIZES];
	bool has_tiles = false;
	int n = 0;

	for (int i = 0; i < g->n && n < 2 * NICHE_SIZES; i++) {
		const struct open_step *o = &sketch->steps.at[i];
		bool tiles = o->role == ROLE_TILE || o->role == ROLE_TILE_VECTOR || o->role == ROLE_MATRIX;

		if (!tiles && o->step.kind != STEP_DERIVE && o->step.kind != STEP_WIDEN)
			continue;
		has_tiles |= tiles;
		sizes[n++] = tiles ? i : o->step.derivation;
		sizes[n++] = tiles ? g->at[i].step.size : o->step.size;
	}
	return has_tiles ? hash_bytes(sizes, (size_t)n * sizeof(*sizes)).lo : 0;
}

int genes_distance(const struct genes *x, const struct genes *y)
{
	int n = 0;

	if (x->sketch != y->sketch)
		return INT32_MAX;
	for (int i = 0; i < x->n; i++)
		n += x->at[i].left_out != y->at[i].left_out ||
		     !step_equal(&x->at[i].step, &y->at[i].step);
	return n;
}
