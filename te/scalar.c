/* SPDX-License-Identifier: Apache-2.0 */
/* te/scalar.c - arithmetic on single values, by element type. */
#include "te/scalar.h"

#include <math.h>

#include "base/err.h"
#include "base/integer.h"

static union scalar of_int(int64_t i)
{
	return (union scalar){ .i = i };
}

static union scalar of_double(double f)
{
	return (union scalar){ .f = f };
}

/* V wrapped to the width of integer type T. */
static int64_t wrap(enum dtype t, int64_t v)
{
	switch (t) {
	case DTYPE_I8:
		return (int8_t)v;
	case DTYPE_U8:
		return (uint8_t)v;
	case DTYPE_I32:
		return (int32_t)v;
	case DTYPE_BOOL:
		return v != 0;
	default:
		return v;
	}
}

/* The type that arithmetic on T rounds to. */
static double arithmetic_round(enum dtype t, double v)
{
	return t == DTYPE_F64 ? v : (double)(float)v;
}

static double float_unary(enum expr_kind k, double x)
{
	switch (k) {
	case EXPR_NEG:
		return -x;
	case EXPR_ABS:
		return fabs(x);
	case EXPR_EXP:
		return exp(x);
	case EXPR_LOG:
		return log(x);
	case EXPR_SIN:
		return sin(x);
	case EXPR_COS:
		return cos(x);
	case EXPR_SQRT:
		return sqrt(x);
	case EXPR_TANH:
		return tanh(x);
	case EXPR_ERF:
		return erf(x);
	case EXPR_FLOOR:
		return floor(x);
	case EXPR_CEIL:
		return ceil(x);
	case EXPR_ROUND:
		return rint(x);
	default:
		die("'%s' is no operation on one float", expr_kind_text(k));
	}
}

union scalar scalar_unary(enum expr_kind k, enum dtype t, union scalar x)
{
	if (dtype_is_float(t))
		return of_double(arithmetic_round(t, float_unary(k, x.f)));
	if (k == EXPR_NOT)
		return of_int(!x.i);
	if (k == EXPR_NEG || (k == EXPR_ABS && x.i < 0))
		return of_int(wrap(t, (int64_t)(0 - (uint64_t)x.i)));
	if (k == EXPR_ABS)
		return x;
	die("'%s' is no operation on one integer", expr_kind_text(k));
}

/* What no quotient can be is 0. */
static int64_t divide(int64_t x, int64_t y)
{
	if (y == 0)
		return 0;
	if (y == -1)	/* the one quotient that overflows */
		return (int64_t)(0 - (uint64_t)x);
	return floor_div(x, y);
}

static int64_t int_binary(enum expr_kind k, int64_t x, int64_t y)
{
	uint64_t u = (uint64_t)x;
	uint64_t v = (uint64_t)y;

	switch (k) {
	case EXPR_ADD:
		return (int64_t)(u + v);
	case EXPR_SUB:
		return (int64_t)(u - v);
	case EXPR_MUL:
		return (int64_t)(u * v);
	case EXPR_DIV:
		return divide(x, y);
	case EXPR_MOD:
		return y == 0 ? 0 : (int64_t)(u - (uint64_t)divide(x, y) * v);
	case EXPR_MIN:
		return x < y ? x : y;
	case EXPR_MAX:
		return x > y ? x : y;
	case EXPR_LT:
		return x < y;
	case EXPR_LE:
		return x <= y;
	case EXPR_EQ:
		return x == y;
	case EXPR_NE:
		return x != y;
	case EXPR_AND:
		return x && y;
	case EXPR_OR:
		return x || y;
	default:
		die("'%s' is no operation on two integers", expr_kind_text(k));
	}
}

static double float_binary(enum expr_kind k, double x, double y)
{
	switch (k) {
	case EXPR_ADD:
		return x + y;
	case EXPR_SUB:
		return x - y;
	case EXPR_MUL:
		return x * y;
	case EXPR_DIV:
		return x / y;
	case EXPR_MIN:
		return x < y || isnan(x) ? x : y;
	case EXPR_MAX:
		return x > y || isnan(x) ? x : y;
	case EXPR_POW:
		return pow(x, y);
	default:
		die("'%s' is no operation on two floats", expr_kind_text(k));
	}
}

union scalar scalar_binary(enum expr_kind k, enum dtype t, union scalar x, union scalar y)
{
	if (!dtype_is_float(t)) {
		int64_t v = int_binary(k, x.i, y.i);

		return of_int(k >= EXPR_LT && k <= EXPR_OR ? v : wrap(t, v));
	}
	switch (k) {
	case EXPR_LT:
		return of_int(x.f < y.f);
	case EXPR_LE:
		return of_int(x.f <= y.f);
	case EXPR_EQ:
		return of_int(x.f == y.f);
	case EXPR_NE:
		return of_int(x.f != y.f);
	default:
		return of_double(arithmetic_round(t, float_binary(k, x.f, y.f)));
	}
}

union scalar scalar_cast(enum dtype to, enum dtype from, union scalar x)
{
	bool from_float = dtype_is_float(from);

	if (to == DTYPE_BOOL)
		return of_int(from_float ? x.f != 0 : x.i != 0);
	if (!dtype_is_float(to))
		return of_int(wrap(to, from_float ? truncated(x.f) : x.i));
	if (from_float)
		return of_double(dtype_round(to, x.f));
	if (to == DTYPE_F64)
		return of_double((double)x.i);
	return of_double(dtype_round(to, (double)(float)x.i));	/* one rounding for f32 */
}

union scalar scalar_stored(enum dtype t, union scalar x)
{
	return dtype_is_float(t) ? of_double(dtype_round(t, x.f)) : x;
}

union scalar scalar_const(const struct expr *e)
{
	return e->kind == EXPR_INT ? of_int(e->i) : of_double(e->f);
}

union scalar scalar_load(enum dtype t, const void *data, int64_t i)
{
	if (t == DTYPE_I64)
		return of_int(((const int64_t *)data)[i]);
	double v = dtype_load(t, data, i);

	return dtype_is_float(t) ? of_double(v) : of_int((int64_t)v);
}

void scalar_store(enum dtype t, void *data, int64_t i, union scalar v)
{
	if (t == DTYPE_I64)
		((int64_t *)data)[i] = v.i;
	else
		dtype_store(t, data, i, dtype_is_float(t) ? v.f : (double)v.i);
}
