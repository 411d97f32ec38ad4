/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/apart.c - vectors whose lanes lie apart in memory.
 *
 * A few elements apart (stride_is_near()), they are picked out of whole vectors: one load and less than one shuffle
 * for as many lanes as that takes one by one. Further apart they are read one by one. */
#include <inttypes.h>
#include <stdio.h>

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

const char *apart_text(struct emitter *e, const struct expr *x, const struct place_name *p, struct offset o)
{
	const char *type = vector_type(e, x->dtype, e->lanes);

	if (!stride_is_near(o.stride) || 2 * o.stride > e->lanes)
		return arena_printf(e->a, "gather_%s(%s, %" PRId64 ")", type, address_text(e, p, &o), o.stride);
	e->used_picks = true;
	if (!reads_around(&o, x->tensor))
		return arena_printf(e->a, "every%" PRId64 "_%s(%s)", o.stride, type, address_text(e, p, &o));
	int64_t phase = phase_of(&o);

	o.constant -= phase;
	return arena_printf(e->a, "every%" PRId64 "_%s_%" PRId64 "(%s)", o.stride, type, phase,
			    address_text(e, p, &o));
}

bool masks_apart(const struct emitter *e, enum dtype t, int64_t stride)
{
	return e->p->target->masked_loads && mask_takes(t) && stride_is_near(stride);
}

const char *apart_masked_text(struct emitter *e, const struct expr *x, const char *address,
			      int64_t stride, const struct lane_run *r)
{
	e->used_picks = e->used_masks = true;
	return arena_printf(e->a, "some%" PRId64 "_%s(%s, %s, %s)", stride,
			    vector_type(e, x->dtype, e->lanes), address, r->lo, r->hi);
}

/* --- the prelude */

/* Lanes of two vectors by their numbers, those of the second behind those of the first. */
const char pick_text[] =
	"#ifdef __clang__\n"
	"#define PICK(mask, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)\n"
	"#else\n"
	"#define PICK(mask, x, y, ...) __builtin_shuffle(x, y, (mask){__VA_ARGS__})\n"
	"#endif\n";

struct picked {
	const char *type;
	int lanes, stride;
	int phase;	/* of the first lane in the vectors; -1: it is the first, and the last lane ends them */
};

/* The first element of vector K of V, the last of which ends with the last lane. */
static int start_of(const struct picked *v, int k)
{
	bool back = v->phase < 0 && k == v->stride - 1;

	return back ? (v->lanes - 1) * (v->stride - 1) : k * v->lanes;
}

/* Into R, which has what the vectors before K hold, those lanes that vector K holds. */
static void put_pick(struct text *out, const struct picked *v, int k)
{
	text_printf(out, "\tr = PICK(%s_mask, r, v%d", v->type, k);
	for (int i = 0; i < v->lanes; i++) {
		int at = i * v->stride + (v->phase > 0 ? v->phase : 0);
		int from = at - start_of(v, k);
		bool before = at < k * v->lanes || from >= v->lanes;

		text_printf(out, ", %d", !before ? v->lanes + from : k == 1 && at < v->lanes ? at : i);
	}
	text_puts(out, ");\n");
}

static void put_picks(struct text *out, const struct picked *v)
{
	text_printf(out, "\t%s r = v0;\n\n", v->type);
	for (int k = 1; k < v->stride; k++)
		put_pick(out, v, k);
	text_puts(out, "\treturn r;\n}\n");
}

static void whole_function(struct text *out, const struct picked *v, enum dtype t)
{
	text_printf(out, "static inline %s every%d_%s", v->type, v->stride, v->type);
	if (v->phase >= 0)
		text_printf(out, "_%d", v->phase);
	text_printf(out, "(const %s *p)\n{\n", dtype_c(t));
	for (int k = 0; k < v->stride; k++)
		text_printf(out, "\tconst %s v%d = *(const %s_u *)(p + %d);\n", v->type, k, v->type,
			    start_of(v, k));
	put_picks(out, v);
}

/* The lanes [lo, hi): of elements, all up to the last of them. Those that are not read are 0. */
static void some_function(struct text *out, const struct picked *v, enum dtype t)
{
	text_printf(out, "static inline %s some%d_%s(const %s *p, int64_t lo, int64_t hi)\n{\n", v->type,
		    v->stride, v->type, dtype_c(t));
	text_printf(out, "\tlo = %d * lo;\n\thi = %d * hi - %d;\n", v->stride, v->stride, v->stride - 1);
	for (int k = 0; k < v->stride; k++)
		text_printf(out, "\tconst %s v%d = load_%s(p + %d, lo - %d, hi - %d);\n", v->type, k,
			    v->type, start_of(v, k), start_of(v, k), start_of(v, k));
	put_picks(out, v);
}

static void gather_function(struct text *out, const char *v, enum dtype t, int lanes)
{
	text_printf(out, "static inline %s gather_%s(const %s *p, int64_t stride)\n{\n\treturn (%s){",
		    v, v, dtype_c(t), v);
	for (int i = 0; i < lanes; i++)
		text_printf(out, "%sp[%d * stride]", i ? ", " : "", i);
	text_puts(out, "};\n}\n");
}

static bool calls(const struct text *body, const char *type, const char *name, int stride, const char *rest)
{
	char call[64];

	snprintf(call, sizeof(call), "%s%d_%s%s(", name, stride, type, rest);
	return strstr(text_str(body), call);
}

bool calls_some_apart(const struct text *body, const char *type)
{
	for (int stride = 2; stride_is_near(stride); stride++)
		if (calls(body, type, "some", stride, ""))
			return true;
	return false;
}

void apart_functions(struct text *out, const struct text *body, const char *type, enum dtype t, int lanes)
{
	if (strstr(text_str(body), "gather_"))
		gather_function(out, type, t, lanes);
	for (int stride = 2; stride_is_near(stride); stride++) {
		struct picked v = { type, lanes, stride, -1 };

		if (calls(body, type, "every", stride, ""))
			whole_function(out, &v, t);
		if (calls(body, type, "some", stride, ""))
			some_function(out, &v, t);
		for (v.phase = 0; v.phase < stride; v.phase++) {
			const char rest[] = { '_', (char)('0' + v.phase), '\0' };

			if (calls(body, type, "every", stride, rest))
				whole_function(out, &v, t);
		}
	}
}
