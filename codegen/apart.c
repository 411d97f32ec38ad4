/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/apart.c - vectors whose lanes lie apart in memory.
 *
 * A few elements apart (stride_is_near()), they are picked out of whole vectors: one load and less than one shuffle
 * for as many lanes as that takes one by one. Further apart they are read one by one. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "schedule/mask.h"

/* An element that is the first of PHASE: how far it is behind one that the stride divides. */
static int64_t phase_of(const struct offset *o)
{
	return ((o->constant % o->stride) + o->stride) % o->stride;
}

/* May vectors be read from the element before O that the stride divides, as many as one would, to their end? Then
 * neighbours, taps of a window, pick from the same ones. */
static bool reads_around(const struct offset *o, const struct tensor *t)
{
	return o->unit % o->stride == 0 &&
	       (mask_is_needless(t, o->stride) ||
		o->last + o->stride - 1 - phase_of(o) < tensor_count(t));
}

/* Moves O back to where vectors are read, where they may be; what the functions for that end in. */
static const char *taken_around(struct emitter *e, const struct tensor *t, struct offset *o)
{
	if (!reads_around(o, t))
		return "";
	int64_t phase = phase_of(o);

	o->constant -= phase;
	return arena_printf(e->a, "_%" PRId64, phase);
}

const char *apart_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o)
{
	const char *type = vector_type(e, x->dtype, e->lanes);

	if (!stride_is_near(o.stride) || 2 * o.stride > e->lanes)
		return arena_printf(e->a, "gather_%s(%s, %" PRId64 ")", type, address_text(e, p, &o), o.stride);
	const char *phase = taken_around(e, x->tensor, &o);

	return arena_printf(e->a, "every%" PRId64 "_%s%s(%s)", o.stride, type, phase, address_text(e, p, &o));
}

bool masks_apart(const struct emitter *e, enum dtype t, int64_t stride)
{
	return e->p->target->masked_loads && mask_takes(t) && stride_is_near(stride);
}

const char *apart_masked_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o,
			      const struct lane_run *r)
{
	const char *phase = taken_around(e, x->tensor, &o);

	return arena_printf(e->a, "some%" PRId64 "_%s%s(%s, %s, %s)", o.stride, vector_type(e, x->dtype, e->lanes), phase,
			    address_text(e, p, &o), r->lo, r->hi);
}
