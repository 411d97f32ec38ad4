/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lane_form.c - nodes and types that C's vectors have. */
#include "schedule/lane_form.h"

#include "te/index/index.h"

bool lane_form_of(enum dtype t)
{
	return t == DTYPE_F32 || t == DTYPE_F64 || t == DTYPE_I32;
}

static bool is_byte(enum dtype t)
{
	return t == DTYPE_I8 || t == DTYPE_U8;
}

bool lane_form_converts(enum dtype from, enum dtype to)
{
	if (dtype_is_narrow(from) || (dtype_is_narrow(to) && from == DTYPE_F32))
		return true;
	switch (to) {
	case DTYPE_F32:
	case DTYPE_F64:
		return lane_form_of(from) || is_byte(from);
	case DTYPE_I32:
		return is_byte(from) || from == DTYPE_F32;
	case DTYPE_I8:
	case DTYPE_U8:
		return is_byte(from) || from == DTYPE_I32 || from == DTYPE_F32;
	default:
		return false;
	}
}

/* Is index E a word in each lane? So are sums, products and extremes of axes, where all on the way to it are. */
static bool is_word(const struct expr *e)
{
	struct range r = expr_range(e);

	if (r.lo < INT32_MIN || r.hi > INT32_MAX)
		return false;
	switch (e->kind) {
	case EXPR_INT:
	case EXPR_AXIS:
		return true;
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_MIN:
	case EXPR_MAX:
		return is_word(e->arg[0]) && is_word(e->arg[1]);
	default:
		return false;
	}
}

static bool cast_form(const struct expr *e)
{
	if (e->arg[0]->dtype == DTYPE_I64)
		return lane_form_of(e->dtype) && is_word(e->arg[0]);
	return lane_form_converts(e->arg[0]->dtype, e->dtype);
}

bool lane_form(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_LOAD:
		return true;
	case EXPR_CAST:
		return cast_form(e);
	case EXPR_MIN:
	case EXPR_MAX:
	case EXPR_SELECT:
		return lane_form_of(e->dtype) || is_byte(e->dtype);
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
		return lane_form_of(e->dtype);
	case EXPR_DIV:
		return dtype_is_float(e->dtype) && lane_form_of(e->dtype);
	default:
		return dtype_is_float(e->dtype) && lane_form_of(e->dtype) && expr_kind_arity(e->kind) == 1;
	}
}

/* What has no form for all lanes is of one element at a time, whatever its type; conditions are masks. */
static bool note_widest(const struct expr *e, void *user)
{
	size_t *widest = user, bytes = dtype_bytes(dtype_arithmetic(e->dtype));

	if (e->dtype == DTYPE_BOOL || e->dtype == DTYPE_I64)
		return false;
	*widest = bytes > *widest ? bytes : *widest;
	return e->kind != EXPR_LOAD && e->casts;	/* indices are no vectors */
}

size_t lane_form_bytes(const struct expr *value, enum dtype t)
{
	size_t widest = dtype_bytes(dtype_arithmetic(t));

	expr_visit_once(value, note_widest, &widest);
	return widest;
}
