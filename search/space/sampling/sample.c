/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/sample.c - random sizes (search/space/sampling/size.c), orders and places for a sketch. */
#include "search/space/sampling/sample.h"

#include "base/integer.h"
#include "search/space/sampling/body_order.h"
#include "search/space/sampling/location.h"
#include "search/space/panel.h"
#include "search/space/sampling/pipeline.h"
#include "search/space/sampling/prefetch.h"
#include "search/space/sampling/sampler.h"
#include "search/space/sampling/share.h"
#include "te/index/index.h"

/* How often what is proposed. Those without another origin are chosen, not measured. */
enum {
	EVEN_COPIES = 2,	/* tiles of two sizes are two bodies */
	TAIL_COPIES = 2,
};
#define LEFT_OUT 0.1	/* an optional step is */
#define EVEN 0.4	/* a tail is shared among tiles */
#define SHIFTED 0.5	/* one that is not, is */
#define GUARDED 0.25	/* an edge is */
#define AS_WRITTEN 0.5	/* the order of a tile's loops stays */
/* So often the order of a body is left to chance, for what the rule does not know of. */
#define ODD_ORDER 0.1

static void shuffle(struct sampler *p, struct step *step)
{
	if (rng_chance(p->rng, AS_WRITTEN))
		return;		/* the order as written is a good one */
	for (int i = step->n - 1; i > 0; i--) {
		int j = (int)rng_below(p->rng, i + 1);
		int16_t other = step->list[j];

		step->list[j] = step->list[i];
		step->list[i] = other;
	}
}

/* A tail is shared among tiles, or shifted, in kernels of one thread: two might write where tiles overlap. */
static void settle_tail(struct sampler *p, struct gene *g)
{
	const struct stage *stage = p->s->stages.at[g->step.stage];
	bool tail = stage_has_tail(stage, g->step.iter);
	bool lanes = stage_leaf(stage, g->step.iter) < 0;

	if (tail && !lanes && size_fits(p, EVEN_COPIES) && rng_chance(p->rng, EVEN))
		g->step.border = BORDER_EVEN;
	else if (tail && p->aim->threads == 1 && rng_chance(p->rng, SHIFTED))
		g->step.border = BORDER_SHIFT;
	g->left_out = g->step.border == BORDER_OPEN;
}

/* Does what is computed inside the loops of STAGE have conditions? */
static bool has_edges(const struct sampler *p, int stage)
{
	const struct state *s = p->sketch->state;	/* with all that is inlined */

	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == stage &&
		    size_variants(p, i) > 1)
			return true;
	return false;
}

/* Edges are in each copy of a tile that a tail makes; without them a tail is short. */
static void count_tail(struct sampler *p, const struct gene *g)
{
	if (g->step.border == BORDER_EVEN)
		p->copies *= EVEN_COPIES;
	else if (g->left_out && stage_has_tail(p->s->stages.at[g->step.stage], g->step.iter) && has_edges(p, g->step.stage))
		p->copies *= TAIL_COPIES;
}

/* The copies of a tile that a loop is split into at its edges: the first, the last and those between. */
static int64_t copies_of(const struct sampler *p, const struct step *border)
{
	const struct stage *g = p->s->stages.at[border->stage];

	return has_edges(p, border->stage) ? least(g->iters.at[border->iter].extent, 3) : 1;
}

/* An edge is a guard now and then, and where copies would be more than a kernel may have. */
static void settle_edge(struct sampler *p, struct gene *g)
{
	int64_t copies = copies_of(p, &g->step);

	g->step.border = BORDER_GUARD;
	g->left_out = copies == 1 || (size_fits(p, copies) && !rng_chance(p->rng, GUARDED));
	p->copies *= g->left_out ? copies : 1;
}

/* Threads share so many outer loops; 0: none. */
static void settle_sharing(struct gene *g, int loops)
{
	g->step.size = loops;
	g->left_out = loops == 0;
}

/* Decides what O leaves open; a location is taken at once. */
static void decide(struct sampler *p, const struct open_step *o, struct gene *g)
{
	g->step = o->step;
	switch (o->role) {
	case ROLE_FIXED:
	case ROLE_PLACE:
	case ROLE_PERIOD:
		break;
	case ROLE_PANEL:
		g->left_out = !panel_is_whole(p->s, &g->step);
		break;
	case ROLE_LOCATION:
	case ROLE_STRIP:
	case ROLE_SCRATCH:
		location_draw(p->a, &p->s, g, o->role, p->aim, p->rng);
		break;
	case ROLE_PERMUTE:
		shuffle(p, &g->step);
		break;
	case ROLE_BODY_ORDER:
		if (!rng_chance(p->rng, ODD_ORDER))
			body_order(p->s->stages.at[o->step.stage], p->rng, &g->step);
		else
			shuffle(p, &g->step);
		break;
	case ROLE_TAIL:
		settle_tail(p, g);
		count_tail(p, g);
		break;
	case ROLE_EDGE:
		settle_edge(p, g);
		break;
	case ROLE_PIPELINE:
		pipeline_draw(p->a, p->s, g, p->aim->target, p->rng);
		break;
	case ROLE_PREFETCH:
		prefetch_draw(p->a, p->s, g, p->aim, p->rng);
		break;
	case ROLE_OPTIONAL:
		g->left_out = rng_chance(p->rng, LEFT_OUT);
		break;
	case ROLE_PARALLEL:
		settle_sharing(g, share_draw(p->s, o->step.stage, p->aim->threads, p->rng));
		break;
	default:
		g->step.size = size_pick(p, o);
		break;
	}
}

/* As steps tell it that lack O. */
static void leave_out(const struct open_step *o, struct gene *g)
{
	g->step = o->step;
	g->left_out = true;
}

/* An earlier decision, made to fit where it can. */
static void follow(struct sampler *p, const struct open_step *o, struct gene *g)
{
	if (is_location(o->role))
		location_follow(p->a, &p->s, g, o->role, p->aim);
	if (o->role == ROLE_PARALLEL)
		settle_sharing(g, share_fit(p->s, o->step.stage, p->aim->threads, (int)g->step.size));
	if (o->role == ROLE_EDGE && g->left_out)
		p->copies *= copies_of(p, &o->step);
	if (o->role == ROLE_PANEL)
		g->left_out = !panel_is_whole(p->s, &g->step);
	if (o->role == ROLE_PIPELINE && !pipeline_fits(p->a, p->s, &g->step, p->aim->target))
		leave_out(o, g);
	if (o->role == ROLE_PREFETCH && !prefetch_fits(p->a, p->s, &g->step, p->aim->target))
		leave_out(o, g);
	if (o->role == ROLE_TAIL) {
		g->left_out |= !stage_has_tail(p->s->stages.at[o->step.stage], o->step.iter);
		count_tail(p, g);
	}
}

/* One of the steps that none leaves open, which the sketch has taken already. */
static void keep(struct sampler *p, int i)
{
	if (p->out)
		p->out->at[i] = (struct gene){ .set = true, .step = p->sketch->steps.at[i].step };
}

static bool fill(struct sampler *p, int i)
{
	const struct open_step *o = &p->sketch->steps.at[i];
	struct gene g = { 0 };

	size_begin(p, o);
	if (p->from && p->from->at[i].set)
		g = p->from->at[i];
	if (g.set)
		follow(p, o, &g);
	else
		decide(p, o, &g);
	if (o->step.kind == STEP_SPLIT && o->role != ROLE_FIXED && !size_take(p, o, g.step.size))
		return false;
	g.set = true;
	if (p->out)
		p->out->at[i] = g;
	if (g.left_out || is_location(o->role))
		return true;
	if (o->role == ROLE_PLACE) {	/* whatever loop is at that place now */
		g.step.iter = p->s->stages.at[o->step.target]->leaves.at[o->step.size];
		g.step.size = 0;
	}
	if (o->role == ROLE_PANEL)
		panel_fit(p->s, &g.step);
	if (o->role == ROLE_PARALLEL)
		return share_out(p->s, g.step.stage, (int)g.step.size);
	return state_apply(p->s, g.step, NULL);
}

struct state *sample(struct arena *a, const struct dag *dag, const struct sketch *sketch,
		     const struct aim *aim, struct rng *rng, const struct genes *from,
		     struct genes *out)
{
	struct state *begun = sketch->begun ? state_copy(a, sketch->begun) : state_new(a, dag);
	struct sampler p = { .a = a, .s = begun, .sketch = sketch, .aim = aim, .rng = rng,
			     .tiled = -1, .taken = { 1, 1, 1, 1 }, .copies = 1, .kinds = 1, .from = from, .out = out };

	if (out)
		*out = (struct genes){ .n = sketch->steps.n,
				       .at = arena_many(a, struct gene, sketch->steps.n) };
	for (int i = 0; i < sketch->n_begun; i++)
		keep(&p, i);
	for (int i = sketch->n_begun; i < sketch->steps.n; i++)
		if (!fill(&p, i))
			return NULL;
	return p.s;
}
