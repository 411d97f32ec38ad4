/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sample.c - random sizes, orders and places for a sketch.
 *
 * Sizes need not divide. What is sampled is what may be fast: a register tile that the registers
 * hold, lanes that the machine has, tails that waste little. */
#include "search/space/sample.h"

#include "base/integer.h"
#include "search/space/body_order.h"
#include "search/space/location.h"
#include "search/space/panel.h"
#include "search/space/share.h"
#include "te/index/index.h"

/* How often what is proposed. Those without another origin are chosen, not measured. */
enum {
	SPARE_REGISTERS = 2,	/* that a tile leaves: a vector that was read, and a value for all lanes */
	MAX_UNROLLED = 128,	/* statements of a body; more lengthen the text, which is bounded (schedule/pass/size.c) */
	TILE_STATEMENTS = 4,	/* for each vector of a tile with edges: its terms, what they are under */
	MAX_OUTER = 64,		/* sizes of a tile that are weighed */
	MAX_VECTORS = 6,	/* of a tile, side by side */
	FILTER = 7,		/* reduced turns, at most, that a filter's dim has */
};
#define ONE_TILE 0.35	/* a register tile is a cache tile; so often again all of them are one */
#define WHOLE_FILTER 0.6	/* the turns of a filter are all written out */
#define LEFT_OUT 0.1	/* an optional step is */
#define SHIFTED 0.5	/* a tail is */
#define GUARDED 0.25	/* an edge is */
#define AS_WRITTEN 0.5	/* the order of a tile's loops stays */
/* So often the order of a body is left to chance, for what the rule does not know of. */
#define ODD_ORDER 0.1

struct sampler {
	struct arena *a;
	struct state *s;
	const struct sketch *sketch;
	const struct aim *aim;
	struct rng *rng;
	int tiled;		/* the stage whose loops make the tile; -1: none yet */
	int64_t tile;		/* vectors of its accumulators so far */
	int64_t copies;		/* of it, for edges */
	int64_t unrolled;	/* statements of its reduction that are written out so far */
	const struct genes *from;	/* decisions to follow; NULL: none */
	struct genes *out;
};

static int lanes_of(const struct sampler *p, int stage)
{
	enum dtype t = p->s->stages.at[stage]->op.tensor.dtype;

	return target_lanes(p->aim->target, dtype_bytes(dtype_arithmetic(t)));
}

/* The share of the work that is not done twice or for nothing when EXTENT is cut by SIZE. */
static double efficiency(int64_t extent, int64_t size)
{
	int64_t tiles = ceil_div(extent, size);

	return (double)extent / (double)(tiles * size);
}

/* A tail is code of its own, for each level and axis that has one: sizes that divide are taken so
 * much more often, where there are any. */
#define TAIL_WEIGHT 0.05

/* A size in [1, limit] times UNIT, efficient ones more often than others. */
static int64_t pick_tile(struct sampler *p, int64_t extent, int64_t limit, int64_t unit)
{
	double weight[MAX_OUTER + 1];
	double sum = 0;

	if (limit > MAX_OUTER)
		limit = MAX_OUTER;
	for (int64_t n = 1; n <= limit; n++) {
		double e = n * unit <= extent || n == 1 ? efficiency(extent, n * unit) : 0;

		weight[n] = e * e * e * e * (extent % (n * unit) == 0 ? 1 : TAIL_WEIGHT);
		sum += weight[n];
	}
	double at = rng_unit(p->rng) * sum;

	for (int64_t n = 1; n <= limit; n++) {
		at -= weight[n];
		if (at < 0)
			return n * unit;
	}
	return unit;
}

static int64_t max_accumulators(const struct sampler *p)
{
	return p->aim->target->vector_registers - SPARE_REGISTERS;
}

static int64_t pick_vector_tile(struct sampler *p, int64_t extent, int stage)
{
	int64_t lanes = lanes_of(p, stage);
	int64_t budget = max_accumulators(p) / p->tile;

	if (extent <= lanes)
		return extent;
	int64_t size = pick_tile(p, extent, least(budget, MAX_VECTORS), lanes);

	p->tile *= size / lanes;
	return size;
}

static int64_t pick_scalar_tile(struct sampler *p, int64_t extent)
{
	int64_t size = pick_tile(p, extent, max_accumulators(p) / p->tile, 1);

	p->tile *= size;
	return size;
}

/* How many register tiles share a cache tile: one, all of them, or a size in between. */
static int64_t pick_outer(struct sampler *p, int64_t extent)
{
	if (extent == 1 || rng_chance(p->rng, ONE_TILE))
		return 1;
	if (rng_chance(p->rng, ONE_TILE))
		return extent;
	return pick_tile(p, extent, extent, 1);
}

static bool count_comparison(const struct expr *e, void *user)
{
	*(int *)user += e->kind == EXPR_LT || e->kind == EXPR_LE;
	return true;
}

/* Borders become loops of their own: about so many copies of a stage's body are written. */
static int variants(const struct sampler *p, int stage)
{
	int n = 1;

	expr_visit(p->sketch->state->stages.at[stage]->op.body, count_comparison, &n);
	return n;
}

static int64_t pick_reduce(struct sampler *p, int64_t extent, int stage)
{
	static const int64_t sizes[] = { 1, 2, 4, 8, 16 };
	int64_t room = MAX_UNROLLED / (p->tile * p->unrolled * variants(p, stage));
	bool whole = extent <= FILTER && rng_chance(p->rng, WHOLE_FILTER);
	int64_t size = whole ? extent : sizes[rng_below(p->rng, 5)];

	if (size > extent)
		size = extent;
	if (size > room)
		size = 1;
	p->unrolled *= size;
	return size;
}

static int64_t pick_unroll(struct sampler *p, int64_t extent, int stage)
{
	int64_t size = INT64_C(1) << rng_below(p->rng, variants(p, stage) > 1 ? 1 : 4);

	return size < extent ? size : extent;
}

static int64_t pick_lanes(struct sampler *p, int64_t extent, int stage)
{
	int64_t lanes = lanes_of(p, stage);

	return extent < lanes ? extent : lanes;
}

static int64_t pick_size(struct sampler *p, const struct open_step *o)
{
	int64_t extent = p->s->stages.at[o->step.stage]->iters.at[o->step.iter].extent;

	switch (o->role) {
	case ROLE_TILE:
		return pick_scalar_tile(p, extent);
	case ROLE_TILE_VECTOR:
		return pick_vector_tile(p, extent, o->step.stage);
	case ROLE_OUTER:
		return pick_outer(p, extent);
	case ROLE_REDUCE:
		return pick_reduce(p, extent, o->step.stage);
	case ROLE_UNROLL:
		return pick_unroll(p, extent, o->step.stage);
	default:
		return pick_lanes(p, extent, o->step.stage);
	}
}

/* A size that was decided before counts like one that is picked. False where it is too much now. */
static bool take_size(struct sampler *p, const struct open_step *o, int64_t size)
{
	int64_t lanes = lanes_of(p, o->step.stage);

	if (o->role == ROLE_TILE || o->role == ROLE_PERIOD)
		p->tile *= size;
	if (o->role == ROLE_TILE_VECTOR && size > lanes)
		p->tile *= size / lanes;
	if (o->role == ROLE_REDUCE)
		p->unrolled *= size;
	return p->tile <= max_accumulators(p) && p->tile * p->unrolled <= 2 * MAX_UNROLLED;
}

static void shuffle(struct sampler *p, struct step *step)
{
	if (rng_chance(p->rng, AS_WRITTEN))
		return;		/* the order as written is a good one */
	for (int i = step->n - 1; i > 0; i--) {
		int j = (int)rng_below(p->rng, i + 1);
		int other = step->list[j];

		step->list[j] = step->list[i];
		step->list[i] = other;
	}
}

/* Computes a stage in a loop around its reader, which STEP names, or at the root. */
static void locate(struct sampler *p, struct gene *g)
{
	struct location around[MAX_LOCATIONS];
	size_t most = p->aim->target->scope_bytes[SCOPE_WORKSPACE];
	int n = locations_around(p->s, g->step.target, around);

	for (;;) {
		int pick = (int)rng_below(p->rng, n + 1);

		g->left_out = pick == n;
		if (g->left_out || location_take(p->a, &p->s, &g->step, around[pick], most))
			return;
		around[pick] = around[--n];
	}
}

/* In the loop that was decided before, or at the root where that is not there any more. */
static void relocate(struct sampler *p, struct gene *g)
{
	const struct location at = { g->step.target, g->step.iter };
	size_t most = p->aim->target->scope_bytes[SCOPE_WORKSPACE];

	g->left_out = g->left_out || !location_take(p->a, &p->s, &g->step, at, most);
}

/* A tile with a tail is shifted, in kernels of one thread: two might write where tiles overlap. */
static void settle_tail(struct sampler *p, struct gene *g)
{
	g->step.border = BORDER_SHIFT;
	g->left_out = p->aim->threads > 1 ||
		      !stage_has_tail(p->s->stages.at[g->step.stage], g->step.iter) ||
		      !rng_chance(p->rng, SHIFTED);
}

/* Does what is computed inside the loops of STAGE have conditions? */
static bool has_edges(const struct sampler *p, int stage)
{
	const struct state *s = p->sketch->state;	/* with all that is inlined */

	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->place == PLACE_AT && s->stages.at[i]->at_stage == stage &&
		    variants(p, i) > 1)
			return true;
	return false;
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
	int64_t copies = copies_of(p, &g->step) * p->copies;
	bool fits = copies * p->tile * TILE_STATEMENTS <= p->aim->target->statements;

	g->step.border = BORDER_GUARD;
	g->left_out = copies == p->copies || (fits && !rng_chance(p->rng, GUARDED));
	p->copies = g->left_out ? copies : p->copies;
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
	case ROLE_PANEL:
		break;
	case ROLE_LOCATION:
		locate(p, g);
		break;
	case ROLE_PERIOD:
		p->tile *= g->step.size;
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
		break;
	case ROLE_EDGE:
		settle_edge(p, g);
		break;
	case ROLE_OPTIONAL:
		g->left_out = rng_chance(p->rng, LEFT_OUT);
		break;
	case ROLE_PARALLEL:
		settle_sharing(g, share_draw(p->s, o->step.stage, p->aim->threads, p->rng));
		break;
	default:
		g->step.size = pick_size(p, o);
		break;
	}
}

/* False where an earlier decision does not fit to the others. */
static bool follow(struct sampler *p, const struct open_step *o, struct gene *g)
{
	bool sized = o->step.kind == STEP_SPLIT && o->role != ROLE_FIXED;

	if (o->role == ROLE_LOCATION)
		relocate(p, g);
	if (o->role == ROLE_PARALLEL)
		settle_sharing(g, share_fit(p->s, o->step.stage, p->aim->threads, (int)g->step.size));
	if (o->role == ROLE_EDGE && g->left_out)
		p->copies *= copies_of(p, &o->step);
	if (o->role == ROLE_TAIL && !stage_has_tail(p->s->stages.at[o->step.stage], o->step.iter))
		g->left_out = true;
	return !sized || take_size(p, o, g->step.size);
}

/* The registers hold one tile at a time: that of another stage has all of them. */
static void begin_tile(struct sampler *p, const struct open_step *o)
{
	if (o->role != ROLE_TILE && o->role != ROLE_TILE_VECTOR && o->role != ROLE_PERIOD)
		return;
	if (o->step.stage != p->tiled)
		p->tile = p->copies = p->unrolled = 1;
	p->tiled = o->step.stage;
}

static bool fill(struct sampler *p, int i)
{
	const struct open_step *o = &p->sketch->steps.at[i];
	struct gene g = { 0 };

	begin_tile(p, o);
	if (p->from && p->from->at[i].set)
		g = p->from->at[i];
	if (!g.set)
		decide(p, o, &g);
	else if (!follow(p, o, &g))
		return false;
	g.set = true;
	if (p->out)
		p->out->at[i] = g;
	if (g.left_out || o->role == ROLE_LOCATION)
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
	struct sampler p = { .a = a, .s = state_new(a, dag), .sketch = sketch, .aim = aim, .rng = rng,
			     .tiled = -1, .tile = 1, .copies = 1, .unrolled = 1, .from = from, .out = out };

	if (out)
		*out = (struct genes){ .n = sketch->steps.n,
				       .at = arena_many(a, struct gene, sketch->steps.n) };
	for (int i = 0; i < sketch->steps.n; i++)
		if (!fill(&p, i))
			return NULL;
	return p.s;
}
