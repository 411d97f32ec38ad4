/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/apart.c - vectors whose lanes lie apart in memory.
 *
 * A few elements apart (stride_is_near()), they are picked out of whole vectors: one load and less than one shuffle
 * for as many lanes as that takes one by one. Further apart they are read one by one. */
#include <inttypes.h>

#include "base/integer.h"
#include "codegen/emitter.h"
#include "schedule/mask.h"
#include "target/vectors/pattern.h"

/* An element that is the first of PHASE: how far it is behind one that the stride divides. */
static int64_t phase_of(const struct offset *o)
{
	return ((o->constant % o->stride) + o->stride) % o->stride;
}

/* May vectors be read from the element before O that the stride divides, as many as one would and so many MORE, to their
 * end? Then neighbours, taps of a window, pick from the same ones. */
static bool reads_around(const struct offset *o, const struct tensor *t, int64_t more)
{
	return o->unit % o->stride == 0 &&
	       (mask_is_needless(t, o->stride) ||
		o->last + o->stride - 1 - phase_of(o) + more < tensor_count(t));
}

/* Moves O back to where vectors are read, where they may be; what the functions for that end in. */
static const char *taken_around(struct emitter *e, const struct tensor *t, struct offset *o)
{
	if (!reads_around(o, t, 0))
		return "";
	int64_t phase = phase_of(o);

	o->constant -= phase;
	return arena_printf(e->a, "_%" PRId64, phase);
}

bool masks_apart(const struct emitter *e, enum dtype t, int64_t stride)
{
	return e->p->target->masked_loads && mask_takes(t) && stride_is_near(stride);
}

/* Vector K of ROW, the first element of which is at O in P. */
static const char *row_load(struct emitter *e, const char *type, const struct place_name *p, struct offset o,
			    const struct picked_row *row, int64_t k)
{
	o.constant += row_start(row, k);
	const char *address = address_text(e, p, &o);

	if (row->elements < row->lanes)
		return arena_printf(e->a, "load_%s(%s, 0, %" PRId64 ")", type, address, row->elements);
	return arena_printf(e->a, "*(const %s_u *)(%s)", type, address);
}

/* The lanes of ROW, and 0 for the others; whatever there is in lanes that are no turns of the loop. */
static const char *row_text(struct emitter *e, const char *type, const struct place_name *p, const struct offset *o,
			    const struct picked_row *row)
{
	const char *zeros = arena_printf(e->a, "(%s){0}", type), *r = row_load(e, type, p, *o, row, 0);
	bool one = row_loads(row) == 1;

	for (int64_t k = !one; k < row_loads(row); k++) {
		struct text numbers = { 0 };

		for (int64_t lane = 0; lane < row->lanes; lane++)
			text_printf(&numbers, ", %" PRId64, row_pick(row, k, lane));
		r = arena_printf(e->a, "PICK(%s_mask, %s, %s%s)", type, r, one ? zeros : row_load(e, type, p, *o, row, k),
				 take_text(e, &numbers));
	}
	if (one || (row->from == 0 && row->to >= least(row->lanes, e->vector_axis->hi - e->vector_start)))
		return r;
	return arena_printf(e->a, "select_%s(lanes_%s(%" PRId64 ", %" PRId64 "), %s, %s)", type, type, row->from, row->to, r, zeros);
}

/* Lanes of a local buffer by its vectors of so many: from the first of them that has one on. */
static struct picked_row row_within(const struct emitter *e, const struct offset *o, int64_t lanes)
{
	int64_t turns = least(e->lanes, e->vector_axis->hi - e->vector_start), phase = o->constant % lanes;

	return (struct picked_row){ .to = turns, .stride = o->stride, .phase = phase, .lanes = lanes,
				    .elements = ceil_div(phase + (turns - 1) * o->stride + 1, lanes) * lanes };
}

/* Do vectors of so many begin where O's do, and are they all there? */
static bool has_vectors(const struct place_name *p, const struct offset *o, int64_t lanes)
{
	return p->buffer->kind == BUFFER_LOCAL && o->constant >= 0 && o->unit % lanes == 0 &&
	       o->last / lanes * lanes + lanes <= tensor_count(&p->buffer->tensor);
}

/* Lanes of a local buffer, by whole vectors where these are no more than those from the first lane on; NULL where they are not. What was just
 * stored is not there yet for a load that takes a part of it or reaches into the next: clang makes registers of it, or the processor waits for
 * the cache (docs/performance.md). */
static const char *stored_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o)
{
	int64_t widest = target_lanes(e->p->target, dtype_bytes(x->dtype));
	struct picked_row one = row_within(e, &o, widest), some = row_within(e, &o, e->lanes);
	const char *type = vector_type(e, x->dtype, e->lanes);
	struct text numbers = { 0 };

	if (has_vectors(p, &o, widest) && one.elements == widest) {
		const char *whole = vector_type(e, x->dtype, (int)widest);

		o.constant -= one.phase;
		for (int64_t lane = 0; lane < e->lanes; lane++)
			text_printf(&numbers, ", %" PRId64, lane < one.to ? row_pick(&one, 0, lane) : 0);
		const char *from = arena_printf(e->a, "*(const %s_u *)(%s)", whole, address_text(e, p, &o));

		return arena_printf(e->a, "PICK_FEWER(%s, %s_mask, %s, %s%s)", type, whole, from, from, take_text(e, &numbers));
	}
	if (!has_vectors(p, &o, e->lanes) || some.elements > e->lanes * o.stride)
		return NULL;
	o.constant -= some.phase;
	return row_text(e, type, p, &o, &some);
}

const char *apart_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o)
{
	const char *type = vector_type(e, x->dtype, e->lanes);

	if (!stride_is_near(o.stride) || 2 * o.stride > e->lanes)
		return arena_printf(e->a, "gather_%s(%s, %" PRId64 ")", type, address_text(e, p, &o), o.stride);
	const char *stored = stored_text(e, x, p, o);

	if (stored)
		return stored;
	const char *phase = taken_around(e, x->tensor, &o);

	return arena_printf(e->a, "every%" PRId64 "_%s%s(%s)", o.stride, type, phase, address_text(e, p, &o));
}

/* Lanes that are known: as many elements as the vectors of a tap in the middle take, under no mask, but from the first
 * of these lanes on. So a tap at a border picks from what those beside it read (docs/performance.md). */
static const char *known_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o,
			      const struct lane_run *r)
{
	bool around = reads_around(&o, x->tensor, 0);
	int64_t before = r->from * o.stride;	/* elements of lanes that are none of these */
	struct picked_row row = {
		.from = r->from, .to = r->to, .stride = o.stride, .phase = around ? phase_of(&o) : 0, .lanes = e->lanes,
		.elements = (r->to - r->from - !around) * o.stride + !around,
	};

	if (around && reads_around(&o, x->tensor, before))
		row.elements += before;
	o.constant += before - row.phase;
	return row_text(e, vector_type(e, x->dtype, e->lanes), p, &o, &row);
}

const char *apart_masked_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o,
			      const struct lane_run *r)
{
	if (r->known && !r->none)
		return known_text(e, x, p, o, r);
	const char *phase = taken_around(e, x->tensor, &o);

	return arena_printf(e->a, "some%" PRId64 "_%s%s(%s, %s, %s)", o.stride, vector_type(e, x->dtype, e->lanes), phase,
			    address_text(e, p, &o), r->lo, r->hi);
}
