/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/pieces.c - vectors whose halves lie apart in memory: those of two places, of which each has fewer elements than a vector lanes;
 * and those that are a few elements again and again. */
#include "base/integer.h"
#include "codegen/emitter.h"
#include "schedule/lane_form.h"
#include "schedule/mask.h"

bool offset_add_piece(const struct emitter *e, const struct expr *x, int64_t coef, struct offset *o)
{
	int64_t piece;

	if ((x->kind != EXPR_DIV && x->kind != EXPR_MOD) || x->arg[0]->kind != EXPR_AXIS || x->arg[0]->axis != e->vector_axis ||
	    !expr_is_int(x->arg[1], &piece) || piece < 2 || piece >= e->lanes || e->lanes % piece != 0 || e->vector_start % piece != 0 ||
	    (o->piece > 0 && o->piece != piece))
		return false;
	o->piece = (int)piece;
	if (x->kind == EXPR_MOD) {	/* lane - piece * (lane / piece) */
		o->stride += coef;
		o->jump -= coef * piece;
	} else {
		o->jump += coef;
		o->constant += coef * (e->vector_start / piece);
	}
	return true;
}

/* Those of the lanes R that are in half I, of PIECE lanes. */
static struct lane_run half_run(struct emitter *e, const struct lane_run *r, int i, int piece)
{
	int64_t from = most(r->from - i * piece, 0), to = least(r->to - i * piece, piece);

	return (struct lane_run){
		.known = r->known,
		.all = r->all || (r->known && from == 0 && to == piece),
		.none = r->known && from >= to,
		.lo = arena_printf(e->a, "(%s) - %d", r->lo, i * piece),
		.hi = arena_printf(e->a, "(%s) - %d", r->hi, i * piece),
	};
}

/* The half of X that begins at O in P, those of its lanes in R; 0 in the others. */
static const char *half_load(struct emitter *e, const struct expr *x, const struct place_name *p, const struct offset *o, const struct lane_run *r)
{
	const char *type = vector_type(e, x->dtype, o->piece);

	if (r->none)
		return arena_printf(e->a, "(%s){0}", type);
	if (!r->all)
		return arena_printf(e->a, "load_%s(%s, %s, %s)", type, address_text(e, p, o), r->lo, r->hi);
	return arena_printf(e->a, "*(const %s *)(%s)", vector_memory_type(e, x->dtype, o->piece), address_text(e, p, o));
}

/* All lanes of X are what is at O in P. */
static const char *everywhere(struct emitter *e, const struct expr *x, const struct place_name *p, const struct offset *o)
{
	return arena_printf(e->a, "(*(%s) - (%s){0})", address_text(e, p, o), vector_type(e, x->dtype, e->lanes));
}

static size_t piece_bytes(const struct expr *x, const struct offset *o)
{
	return (size_t)o->piece * dtype_bytes(x->dtype);
}

/* Are the lanes of X at O the same few elements again and again, which are there and of the size of an integer? */
static bool repeats(const struct emitter *e, const struct expr *x, const struct offset *o)
{
	return o->piece > 0 && o->stride == 1 && o->jump == -o->piece && !e->under && e->vector_axis->hi - e->vector_start >= o->piece &&
	       (piece_bytes(x, o) == dtype_bytes(DTYPE_I32) || piece_bytes(x, o) == dtype_bytes(DTYPE_I64));
}

/* Those of P, as an integer that all lanes are: one instruction, where gcc joins vectors in memory. */
static const char *repeated_text(struct emitter *e, const struct expr *x, const struct place_name *p, const struct offset *o)
{
	enum dtype t = piece_bytes(x, o) == dtype_bytes(DTYPE_I64) ? DTYPE_I64 : DTYPE_I32;

	return arena_printf(e->a, "(%s)((*(const %s *)(%s))[0] - (%s){0})", vector_type(e, x->dtype, e->lanes), vector_memory_type(e, t, 1),
			    address_text(e, p, o), vector_type(e, t, e->lanes / o->piece));
}

const char *pieces_text(struct emitter *e, const struct expr *x, const struct place_name *p, const struct offset *o)
{
	struct offset next = *o;
	struct text numbers = { 0 };
	bool same = o->stride == 0;
	struct lane_run r = lane_run(e);

	if (repeats(e, x, o))
		return repeated_text(e, x, p, o);
	if (o->piece == 0 || 2 * o->piece != e->lanes || o->stride < 0 || o->stride > 1 || !lane_form_of(x->dtype) ||
	    (!r.all && (same || !mask_takes(x->dtype))))
		return NULL;
	next.constant += o->stride * o->piece + o->jump;
	for (int i = 0; i < e->lanes; i++)
		text_printf(&numbers, ", %d", same && i >= o->piece ? e->lanes + i : i);
	const char *type = vector_type(e, x->dtype, e->lanes), *lanes = take_text(e, &numbers);

	if (same)
		return arena_printf(e->a, "PICK(%s_mask, %s, %s%s)", type, everywhere(e, x, p, o), everywhere(e, x, p, &next), lanes);
	struct lane_run first = half_run(e, &r, 0, o->piece), second = half_run(e, &r, 1, o->piece);

	return arena_printf(e->a, "JOIN(%s, %s, %s%s)", type, half_load(e, x, p, o, &first), half_load(e, x, p, &next, &second), lanes);
}
