/* SPDX-License-Identifier: Apache-2.0 */
/* te/expr.c - building and walking scalar expressions. */
#include "te/expr.h"

#include <assert.h>
#include <math.h>

#include "base/integer.h"
#include "te/scalar.h"

static const struct {
	const char *text;
	enum expr_form form;
} table[] = {
#define X(name, text, arity, form) { text, FORM_##form },
#include "te/expr.def"
#undef X
};

const signed char expr_arity[EXPR_KIND_COUNT] = {
#define X(name, text, arity, form) arity,
#include "te/expr.def"
#undef X
};

const char *expr_kind_text(enum expr_kind k)
{
	return table[k].text;
}

enum expr_form expr_kind_form(enum expr_kind k)
{
	return table[k].form;
}

static struct expr *node(struct arena *a, enum expr_kind kind, enum dtype dtype)
{
	struct expr *e = arena_raw(a, sizeof(*e));

	e->kind = kind;
	e->dtype = dtype;
	e->simple = true;
	e->compares = false;
	e->loads = kind == EXPR_LOAD;
	e->casts = kind == EXPR_CAST;
	e->axes = 0;
	return e;
}

/* Takes over what is known of an argument. */
static void adopt(struct expr *e, const struct expr *arg)
{
	e->simple &= arg->simple;
	e->compares |= arg->compares;
	e->loads |= arg->loads;
	e->casts |= arg->casts;
	e->axes |= arg->axes;
}

const struct expr *expr_int(struct arena *a, int64_t v)
{
	struct expr *e = node(a, EXPR_INT, DTYPE_I64);

	e->i = v;
	return e;
}

const struct expr *expr_const(struct arena *a, enum dtype t, double v)
{
	struct expr *e = node(a, dtype_is_float(t) ? EXPR_FLOAT : EXPR_INT, t);

	if (dtype_is_float(t))
		e->f = dtype_round(t, v);
	else
		e->i = scalar_cast(t, DTYPE_F64, (union scalar){ .f = v }).i;
	return e;
}

const struct axis *axis_part(struct arena *a, const struct axis *axis, int64_t lo, int64_t hi)
{
	struct axis *part = arena_memdup(a, axis, sizeof(*part));

	part->lo = lo;
	part->hi = hi;
	return part;
}

const struct expr *expr_axis(struct arena *a, const struct axis *axis)
{
	struct expr *e = node(a, EXPR_AXIS, DTYPE_I64);

	e->axis = axis;
	e->axes = axis_bit(axis);
	e->simple = axis->hi - axis->lo > 1;	/* the parser learns some extents later */
	return e;
}

const struct expr *expr_load(struct arena *a, const struct tensor *t,
			     const struct expr *const *index)
{
	struct expr *e = node(a, EXPR_LOAD, t->dtype);

	e->tensor = t;
	e->index = arena_memdup(a, index, (size_t)t->ndim * sizeof(*index));
	for (int i = 0; i < t->ndim; i++)
		adopt(e, index[i]);
	return e;
}

bool expr_is_int(const struct expr *e, int64_t *v)
{
	if (e->kind != EXPR_INT)
		return false;
	if (v)
		*v = e->i;
	return true;
}

bool expr_is_zero(const struct expr *e)
{
	return (e->kind == EXPR_INT && e->i == 0) || (e->kind == EXPR_FLOAT && e->f == 0);
}

/* The value of an operation on two i64 or bool constants; false where it overflows. */
static bool fold(enum expr_kind k, int64_t x, int64_t y, int64_t *v)
{
	switch (k) {
	case EXPR_ADD:
		return !__builtin_add_overflow(x, y, v);
	case EXPR_SUB:
		return !__builtin_sub_overflow(x, y, v);
	case EXPR_MUL:
		return !__builtin_mul_overflow(x, y, v);
	case EXPR_DIV:
		*v = y > 0 ? floor_div(x, y) : 0;
		return y > 0;
	case EXPR_MOD:
		*v = y > 0 ? floor_mod(x, y) : 0;
		return y > 0;
	case EXPR_MIN:
		*v = x < y ? x : y;
		return true;
	case EXPR_MAX:
		*v = x > y ? x : y;
		return true;
	case EXPR_LT:
		*v = x < y;
		return true;
	case EXPR_LE:
		*v = x <= y;
		return true;
	case EXPR_EQ:
		*v = x == y;
		return true;
	case EXPR_NE:
		*v = x != y;
		return true;
	case EXPR_AND:
		*v = x && y;
		return true;
	case EXPR_OR:
		*v = x || y;
		return true;
	default:
		return false;
	}
}

static bool gives_bool(enum expr_kind k)
{
	return k >= EXPR_LT && k <= EXPR_NOT;
}

/* x+0, x-0, x*1, x/1 on i64, and logic with one constant; NULL where none of them. */
static const struct expr *fold_neutral(enum expr_kind k, const struct expr *x,
				       const struct expr *y)
{
	int64_t v;

	if (expr_is_int(y, &v)) {
		if (v == 0 && (k == EXPR_ADD || k == EXPR_SUB || k == EXPR_OR))
			return x;
		if (v == 1 && (k == EXPR_MUL || k == EXPR_DIV || k == EXPR_AND))
			return x;
		if ((v == 0 && k == EXPR_AND) || (v == 1 && k == EXPR_OR))
			return y;
	}
	if (expr_is_int(x, &v)) {
		if (v == 0 && (k == EXPR_ADD || k == EXPR_OR))
			return y;
		if (v == 1 && (k == EXPR_MUL || k == EXPR_AND))
			return y;
		if ((v == 0 && k == EXPR_AND) || (v == 1 && k == EXPR_OR))
			return x;
	}
	return NULL;
}

/* Constants folded; NULL where the operation needs a node. */
static const struct expr *fold_binary(struct arena *a, enum expr_kind k, const struct expr *x,
				      const struct expr *y)
{
	const struct expr *same = fold_neutral(k, x, y);
	int64_t v;

	if (same)
		return same;
	if (x->kind != EXPR_INT || y->kind != EXPR_INT || !fold(k, x->i, y->i, &v))
		return NULL;
	struct expr *e = node(a, EXPR_INT, gives_bool(k) ? DTYPE_BOOL : x->dtype);

	e->i = v;
	return e;
}

/* Simplifying works on the arithmetic and the comparisons of indices; all else it passes by. */
static bool is_index_arithmetic(enum expr_kind k, enum dtype argument)
{
	return argument == DTYPE_I64 && (k <= EXPR_NE || (k >= EXPR_NEG && k <= EXPR_MAX));
}

static const struct expr *binary(struct arena *a, enum expr_kind k, const struct expr *x,
				 const struct expr *y, bool simple)
{
	assert(expr_kind_arity(k) == 2 && x->dtype == y->dtype);
	if (x->dtype == DTYPE_I64 || x->dtype == DTYPE_BOOL) {
		const struct expr *folded = fold_binary(a, k, x, y);

		if (folded)
			return folded;
	}
	struct expr *e = node(a, k, gives_bool(k) ? DTYPE_BOOL : x->dtype);

	e->arg[0] = x;
	e->arg[1] = y;
	adopt(e, x);
	adopt(e, y);
	e->compares |= k == EXPR_LT || k == EXPR_LE;
	e->simple = simple || (e->simple && !is_index_arithmetic(k, x->dtype));
	return e;
}

const struct expr *expr_binary(struct arena *a, enum expr_kind k, const struct expr *x,
			       const struct expr *y)
{
	return binary(a, k, x, y, false);
}

const struct expr *expr_simple(struct arena *a, enum expr_kind k, const struct expr *x,
			       const struct expr *y)
{
	return binary(a, k, x, y, true);
}

const struct expr *expr_unary(struct arena *a, enum expr_kind k, const struct expr *x)
{
	assert(expr_kind_arity(k) == 1 && k != EXPR_CAST);
	if (x->kind == EXPR_INT && k == EXPR_NOT)
		return expr_const(a, DTYPE_BOOL, !x->i);
	if (x->kind == EXPR_INT && k == EXPR_NEG)
		return expr_const(a, x->dtype, -(double)x->i);
	if (x->kind == EXPR_FLOAT && k == EXPR_NEG)
		return expr_const(a, x->dtype, -x->f);
	struct expr *e = node(a, k, gives_bool(k) ? DTYPE_BOOL : x->dtype);

	e->arg[0] = x;
	adopt(e, x);
	e->simple &= !is_index_arithmetic(k, x->dtype);
	return e;
}

const struct expr *expr_select(struct arena *a, const struct expr *cond, const struct expr *x,
			       const struct expr *y)
{
	assert(cond->dtype == DTYPE_BOOL && x->dtype == y->dtype);
	if (cond->kind == EXPR_INT)
		return cond->i ? x : y;
	struct expr *e = node(a, EXPR_SELECT, x->dtype);

	e->arg[0] = cond;
	e->arg[1] = x;
	e->arg[2] = y;
	for (int i = 0; i < 3; i++)
		adopt(e, e->arg[i]);
	return e;
}

const struct expr *expr_cast(struct arena *a, enum dtype t, const struct expr *x)
{
	if (x->dtype == t)
		return x;
	if (x->kind == EXPR_INT)
		return expr_const(a, t, (double)x->i);
	if (x->kind == EXPR_FLOAT)
		return expr_const(a, t, x->f);
	if (dtype_is_narrow(t) && x->kind == EXPR_CAST && x->dtype == DTYPE_F32 &&
	    x->arg[0]->kind == EXPR_LOAD && x->arg[0]->dtype == t)
		return x->arg[0];	/* was widened */
	struct expr *e = node(a, EXPR_CAST, t);

	e->arg[0] = x;
	adopt(e, x);
	return e;
}

const struct expr *expr_add(struct arena *a, const struct expr *x, const struct expr *y)
{
	return expr_binary(a, EXPR_ADD, x, y);
}

const struct expr *expr_mul(struct arena *a, const struct expr *x, int64_t factor)
{
	return expr_binary(a, EXPR_MUL, x, expr_int(a, factor));
}

const struct expr *expr_and(struct arena *a, const struct expr *x, const struct expr *y)
{
	return x ? expr_binary(a, EXPR_AND, x, y) : y;
}
