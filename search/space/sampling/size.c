/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/size.c - random sizes of tiles, and the budgets that they share.
 *
 * Sizes need not divide. What is sampled is what may be fast: a register tile that the registers
 * hold, lanes that the machine has, tails that waste little. */
#include "search/space/sampling/sampler.h"

#include "base/integer.h"
#include "schedule/lane_form.h"
#include "search/space/expression/group.h"
#include "search/space/sampling/tile_speed.h"
#include "target/matrix.h"

/* Those without another origin are chosen, not measured. */
enum {
	SPARE_REGISTERS = 2,	/* that a tile leaves: a vector that was read, and a value for all lanes */
	MAX_UNROLLED = 128,	/* statements of a body; more lengthen the text, which is bounded (schedule/pass/size.c) */
	MAX_OUTER = 64,		/* sizes of a tile that are weighed */
	MAX_VECTORS = 6,	/* of a tile, side by side */
	FILTER = 7,		/* reduced turns, at most, that a filter's dim has */
};
#define ONE_TILE 0.35	/* a register tile is a cache tile; so often again all of them are one */
#define ONE_THREAD 0.5	/* tiles along a dim are not interleaved */
#define WHOLE_FILTER 0.6	/* the turns of a filter are all written out */
#define WHOLE_ROW 0.5	/* sums in a cache are all that there are */
enum { SUMS = 8 };	/* vectors of them, and multiples of that */

static int lanes_of(const struct sampler *p, int stage)
{
	const struct stage *g = p->s->stages.at[stage];
	const struct op *op = &g->op;

	if (p->aim->target->operands)	/* in scratchpads all vectors are of what sums are */
		return target_lanes(p->aim->target, dtype_bytes(DTYPE_I32));
	size_t computed = lane_form_bytes(op->body, op->tensor.dtype);
	size_t stored = dtype_bytes(op->tensor.dtype) * (size_t)group_stored(g).block;

	return target_lanes(p->aim->target, computed > stored ? computed : stored);
}

/* SIZE of O multiplies what U has. */
static void multiply(const struct sampler *p, const struct open_step *o, int64_t size, struct tile_use *u)
{
	int64_t lanes = lanes_of(p, o->step.stage);

	if (o->role == ROLE_TILE || o->role == ROLE_MATRIX || o->role == ROLE_PERIOD || o->role == ROLE_VTHREAD)
		u->vectors *= size;
	if (o->role == ROLE_VTHREAD)
		u->vthreads *= size;
	if (o->role == ROLE_TILE_VECTOR && size > lanes) {
		u->vectors *= ceil_div(size, lanes);
		u->side *= ceil_div(size, lanes);
	}
	if (o->role == ROLE_REDUCE)
		u->unrolled *= size;
}

static bool is_of_tile(enum role role)
{
	return role == ROLE_TILE || role == ROLE_TILE_VECTOR || role == ROLE_MATRIX || role == ROLE_PERIOD;
}

static const struct tile_use none = { 1, 1, 1, 1 };

void size_begin(struct sampler *p, const struct open_step *o)
{
	if (!is_of_tile(o->role))
		return;
	if (o->step.stage != p->tiled) {
		p->taken = none;
		p->copies = p->kinds = 1;
	}
	p->tiled = o->step.stage;
}

/* What the tile is to have of steps behind O: sizes that are decided. */
static struct tile_use taken_behind(const struct sampler *p, const struct open_step *o)
{
	const struct open_vec *steps = &p->sketch->steps;
	struct tile_use behind = none;

	for (int i = (int)(o - steps->at) + 1; i < steps->n; i++) {
		const struct open_step *other = &steps->at[i];

		if (other->step.stage != p->tiled) {
			if (is_of_tile(other->role))
				break;
			continue;
		}
		if (other->role == ROLE_PERIOD)
			multiply(p, other, other->step.size, &behind);
		else if (p->from && p->from->at[i].set)
			multiply(p, other, p->from->at[i].step.size, &behind);
	}
	return behind;
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

/* Statements that a vector of the tile takes in one of its terms. */
static int64_t term_statements(const struct sampler *p)
{
	return p->tiled >= 0 ? most(p->sketch->writing[p->tiled].term, 1) : 1;
}

/* Statements that set a vector of the tile, and store it. */
static int64_t other_statements(const struct sampler *p)
{
	return 1 + (p->tiled >= 0 ? most(p->sketch->writing[p->tiled].result, 1) : 1);
}

/* Terms that a kernel may have of a tile of VECTORS, COPIES of it with so many KINDS of terms in each; each kind is under
 * a condition. */
static int64_t free_terms(const struct sampler *p, int64_t copies, int64_t kinds, int64_t vectors)
{
	int64_t each = p->aim->target->statements / (copies * vectors) - other_statements(p);

	return each > 0 ? (each / kinds - 1) / term_statements(p) : 0;
}

/* Units that have operands of their own take whole tiles: their loops stay loops. */
static bool is_written(const struct sampler *p, int64_t copies, int64_t kinds, int64_t vectors)
{
	return p->aim->target->operands || free_terms(p, copies, kinds, vectors) > 0;
}

bool size_fits(const struct sampler *p, int64_t times)
{
	return is_written(p, times * p->copies, p->kinds, p->taken.vectors);
}

/* Where along the loop that O splits what is computed changes: so many places. */
static int cuts_of(const struct sampler *p, const struct open_step *o)
{
	int root = stage_root_of(p->s->stages.at[o->step.stage], o->step.iter);

	return root >= 0 ? p->sketch->writing[o->step.stage].cuts[root] : 0;
}

/* N times UNIT; the whole of EXTENT where the last unit has fewer. */
static int64_t size_of(int64_t extent, int64_t n, int64_t unit)
{
	return least(n * unit, extent);
}

/* A size in [1, limit] times UNIT, or all of EXTENT, efficient ones more often than others. O is of a register tile, or NULL. */
static int64_t pick_tile(struct sampler *p, const struct open_step *o, int64_t extent, int64_t limit, int64_t unit)
{
	struct tile_speed speed = { 0 };
	double weight[MAX_OUTER + 1];
	double sum = 0;

	if (limit > MAX_OUTER)
		limit = MAX_OUTER;
	if (o)
		tile_speed_begin(&speed, p, o, lanes_of(p, o->step.stage));
	for (int64_t n = 1; n <= limit; n++) {
		double e = (n - 1) * unit < extent ? efficiency(extent, n * unit) * tile_speed(&speed, n) : 0;

		weight[n] = e * e * e * e * (extent % (n * unit) == 0 ? 1 : TAIL_WEIGHT);
		sum += weight[n];
	}
	double at = rng_unit(p->rng) * sum;

	for (int64_t n = 1; n <= limit; n++) {
		at -= weight[n];
		if (at < 0)
			return size_of(extent, n, unit);
	}
	return unit;
}

static int64_t max_accumulators(const struct sampler *p)
{
	return p->aim->target->vector_registers - SPARE_REGISTERS;
}

/* How much larger the tile may become. */
static int64_t free_accumulators(const struct sampler *p)
{
	return max_accumulators(p) / (p->taken.vectors * p->behind.vectors);
}

/* The same, of tiles of that many times UNIT along a loop of EXTENT, no more than MOST, that a kernel's text holds. */
static int64_t free_text(const struct sampler *p, const struct open_step *o, int64_t extent, int64_t most, int64_t unit)
{
	int64_t vectors = p->taken.vectors * p->behind.vectors;
	int64_t n = least(most, ceil_div(extent, unit));
	int cuts = cuts_of(p, o);

	while (n > 1 && !is_written(p, p->copies, p->kinds * writing_kinds(extent, size_of(extent, n, unit), cuts), vectors * n))
		n--;
	return n;
}

static int64_t pick_register_tile(struct sampler *p, const struct open_step *o, int64_t extent)
{
	return pick_tile(p, o, extent, free_text(p, o, extent, free_accumulators(p), 1), 1);
}

static int64_t pick_vector_tile(struct sampler *p, const struct open_step *o, int64_t extent)
{
	int64_t lanes = lanes_of(p, o->step.stage);

	if (extent <= lanes)
		return extent;
	return pick_tile(p, o, extent, free_text(p, o, extent, least(free_accumulators(p), MAX_VECTORS), lanes), lanes);
}

/* So many that divide: all tiles are of one shape. */
static int64_t pick_matrices(struct sampler *p, int64_t extent)
{
	return divisor_up_to(extent, pick_tile(p, NULL, extent, MATRIX_SUMS / (p->taken.vectors * p->behind.vectors), 1));
}

/* As many as the kernel may have threads; all have sums of their own. */
static int64_t pick_vthreads(struct sampler *p, int64_t extent)
{
	int64_t room = least(p->aim->threads / (p->taken.vthreads * p->behind.vthreads), free_accumulators(p));

	return rng_chance(p->rng, ONE_THREAD) ? 1 : divisor_up_to(extent, most(room, 1));
}

/* How many register tiles share a cache tile: one, all of them, or a size in between. */
static int64_t pick_outer(struct sampler *p, int64_t extent)
{
	if (extent == 1 || rng_chance(p->rng, ONE_TILE))
		return 1;
	if (rng_chance(p->rng, ONE_TILE))
		return extent;
	return pick_tile(p, NULL, extent, extent, 1);
}

int size_variants(const struct sampler *p, int stage)
{
	return 1 + p->sketch->writing[stage].comparisons;
}

static int64_t pick_reduce(struct sampler *p, int64_t extent, int stage)
{
	static const int64_t sizes[] = { 1, 2, 4, 8, 16 };
	int64_t vectors = p->taken.vectors * p->behind.vectors;
	/* Copies for edges count where they are of lanes one by one or under masks: of whole vectors they are often fewer, and short. */
	int64_t copies = term_statements(p) > 1 ? p->copies : 1;
	int64_t most = least(MAX_UNROLLED / (vectors * size_variants(p, stage)), free_terms(p, copies, p->kinds, vectors));
	int64_t room = most / (p->taken.unrolled * p->behind.unrolled);
	bool whole = extent <= FILTER && rng_chance(p->rng, WHOLE_FILTER);
	int64_t size = whole ? extent : sizes[rng_below(p->rng, 5)];

	if (size > extent)
		size = extent;
	return size > room ? 1 : size;
}

/* Sums are loaded and stored once for so many rows: fewer were slower by up to a third (docs/performance.md). */
static int64_t pick_rows(struct sampler *p, int64_t extent)
{
	return least(extent, INT64_C(4) << rng_below(p->rng, 3));
}

static int64_t pick_sums(struct sampler *p, int64_t extent)
{
	if (extent <= SUMS || rng_chance(p->rng, WHOLE_ROW))
		return extent;
	return pick_tile(p, NULL, extent, extent / SUMS, SUMS);
}

static int64_t pick_unroll(struct sampler *p, int64_t extent, int stage)
{
	int64_t size = INT64_C(1) << rng_below(p->rng, size_variants(p, stage) > 1 ? 1 : 4);

	return size < extent ? size : extent;
}

static int64_t pick_lanes(struct sampler *p, int64_t extent, int stage)
{
	int64_t lanes = lanes_of(p, stage);

	return extent < lanes ? extent : lanes;
}

int64_t size_pick(struct sampler *p, const struct open_step *o)
{
	int64_t extent = p->s->stages.at[o->step.stage]->iters.at[o->step.iter].extent;

	p->behind = taken_behind(p, o);
	switch (o->role) {
	case ROLE_TILE:
		return pick_register_tile(p, o, extent);
	case ROLE_TILE_VECTOR:
		return pick_vector_tile(p, o, extent);
	case ROLE_MATRIX:
		return pick_matrices(p, extent);
	case ROLE_OUTER:
		return pick_outer(p, extent);
	case ROLE_VTHREAD:
		return pick_vthreads(p, extent);
	case ROLE_REDUCE:
		return pick_reduce(p, extent, o->step.stage);
	case ROLE_ROWS:
		return pick_rows(p, extent);
	case ROLE_SUMS:
		return pick_sums(p, extent);
	case ROLE_UNROLL:
		return pick_unroll(p, extent, o->step.stage);
	default:
		return pick_lanes(p, extent, o->step.stage);
	}
}

bool size_take(struct sampler *p, const struct open_step *o, int64_t size)
{
	if (o->role == ROLE_TILE || o->role == ROLE_TILE_VECTOR)
		p->kinds *= writing_kinds(p->s->stages.at[o->step.stage]->iters.at[o->step.iter].extent, size, cuts_of(p, o));
	multiply(p, o, size, &p->taken);
	return p->taken.vthreads <= p->aim->threads &&
	       p->taken.vectors <= (o->role == ROLE_MATRIX ? MATRIX_SUMS : max_accumulators(p)) &&
	       (o->role != ROLE_REDUCE || p->taken.vectors * p->taken.unrolled <= 2 * MAX_UNROLLED);
}
