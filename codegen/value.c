/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/value.c - scalar expressions as C text. */
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "base/integer.h"
#include "codegen/emitter.h"

const struct bound_axis *binding_of(const struct emitter *e, const struct axis *axis)
{
	for (int i = e->bindings.n - 1; i >= 0; i--)
		if (e->bindings.at[i].axis == axis)
			return &e->bindings.at[i];
	die("axis %s is not bound", axis->name);
}

struct place_name *place_of(struct emitter *e, const struct tensor *t)
{
	for (int i = e->places.n - 1; i >= 0; i--)
		if (e->places.at[i].buffer == buffer_of(t))
			return &e->places.at[i];
	die("buffer %s has no place", t->name);
}

void use_helper(struct emitter *e, enum helper h)
{
	e->used_helper[h] = true;
}

int64_t variables_along(const struct tensor *t, const struct lane_layout *l)
{
	int64_t block = l->lanes * l->stride;

	return (t->shape[l->dim] + block - 1) / block * l->stride;
}

struct slot slot_of(struct emitter *e, const struct place_name *p, const struct expr *const *index)
{
	const struct tensor *t = &p->buffer->tensor;
	const struct lane_layout *l = p->layout;
	int64_t variable = 0;
	struct slot s = { .uniform = true, .within = true };
	int64_t stride = 0;
	bool runs = true;	/* lanes move along the dim of the variables' lanes only */

	for (int d = 0; d < t->ndim; d++) {
		struct offset o = offset_of(e, &(struct tensor){ .ndim = 1, .shape = { 1 } },
					    index + d);
		int64_t size = t->shape[d];

		s.uniform &= o.stride == 0 && !o.per_lane;
		runs &= !o.per_lane && (d == l->dim || o.stride == 0);
		s.within &= o.constant >= 0 && o.constant < size;
		if (d == l->dim) {
			stride = o.stride;
			s.lane = (int)(o.constant / l->stride % l->lanes);
			o.constant = o.constant / (l->lanes * l->stride) * l->stride +
				     o.constant % l->stride;
			size = variables_along(t, l);
		}
		variable = variable * size + o.constant;
	}
	s.variable = arena_printf(e->a, "%s_%" PRId64, p->name, variable);
	s.cell = !s.within ? "0" : l->lanes == 1 ? s.variable : arena_printf(e->a, "%s[%d]", s.variable, s.lane);
	s.whole = runs && stride == l->stride && s.lane == 0 && l->lanes == e->lanes;
	return s;
}

/* --- scalars */

/* The bits of a narrow constant, which stands only where it is stored. */
static const char *narrow_text(struct emitter *e, const struct expr *x)
{
	uint16_t bits;

	dtype_store(x->dtype, &bits, 0, x->f);
	return arena_printf(e->a, "0x%04x", bits);
}

static const char *float_text(struct emitter *e, const struct expr *x)
{
	bool narrow = x->dtype != DTYPE_F64;

	if (dtype_is_narrow(x->dtype))
		return narrow_text(e, x);
	if (isnan(x->f))
		return narrow ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
	if (isinf(x->f))
		return arena_printf(e->a, "(%s__builtin_inf%s())", x->f < 0 ? "-" : "",
				    narrow ? "f" : "");
	char *s = arena_printf(e->a, narrow ? "%.9g" : "%.17g", x->f);

	return arena_printf(e->a, "%s%s%s%s%s", x->f < 0 ? "(" : "", s,
			    strpbrk(s, ".e") ? "" : ".0", narrow ? "f" : "", x->f < 0 ? ")" : "");
}

static const char *load_text(struct emitter *e, const struct expr *x)
{
	struct place_name *p = place_of(e, x->tensor);
	struct offset o = offset_of(e, x->tensor, x->index);

	if (e->why)
		return "0";
	if (p->buffer->registers)
		return slot_of(e, p, x->index).cell;
	return element_text(e, p, &o);
}

static const char *cast_text(struct emitter *e, const struct expr *x)
{
	const char *arg = scalar_text(e, x->arg[0]);

	if (x->dtype == DTYPE_BOOL)
		return arena_printf(e->a, "(%s != 0)", arg);
	bool widens = dtype_is_narrow(x->arg[0]->dtype);
	enum dtype narrow = widens ? x->arg[0]->dtype : x->dtype;

	if (!dtype_is_narrow(narrow)) {
		/* truncated, then wrapped: C leaves open what a float beyond a byte becomes, and machines differ */
		bool wraps = dtype_is_float(x->arg[0]->dtype) && dtype_bytes(x->dtype) == 1;

		return arena_printf(e->a, "(%s)%s%s", dtype_c(x->dtype), wraps ? "(int32_t)" : "", arg);
	}
	return arena_printf(e->a, widens ? "wide_%s(%s)" : "narrow_%s((float)%s)",
			    dtype_name(narrow), arg);
}

static const char *minmax_text(struct emitter *e, const struct expr *x)
{
	const struct expr *first, *second;
	struct minmax c = minmax_of(x, 1, &first, &second);
	const char *u = scalar_text(e, first);

	return minmax_call(e, c, u, scalar_text(e, second));
}

const char *const c_function[EXPR_KIND_COUNT] = {
	[EXPR_POW] = "pow",   [EXPR_ABS] = "fabs",   [EXPR_EXP] = "exp",
	[EXPR_LOG] = "log",   [EXPR_SIN] = "sin",    [EXPR_COS] = "cos",
	[EXPR_SQRT] = "sqrt", [EXPR_TANH] = "tanh",  [EXPR_ERF] = "erf",
	[EXPR_FLOOR] = "floor", [EXPR_CEIL] = "ceil", [EXPR_ROUND] = "rint",
};

static const char *call_text(struct emitter *e, const struct expr *x)
{
	const char *u = scalar_text(e, x->arg[0]);
	bool narrow = x->dtype != DTYPE_F64;

	if (x->kind == EXPR_ABS && !dtype_is_float(x->dtype))
		return arena_printf(e->a, "(%s)__builtin_llabs(%s)", dtype_c(x->dtype), u);
	if (x->kind == EXPR_EXP && narrow)
		return arena_printf(e->a, "hone_exp_f32(%s)", u);
	const char *name = arena_printf(e->a, "__builtin_%s%s", c_function[x->kind],
					narrow ? "f" : "");

	if (expr_kind_arity(x->kind) == 1)
		return arena_printf(e->a, "%s(%s)", name, u);
	return arena_printf(e->a, "%s(%s, %s)", name, u, scalar_text(e, x->arg[1]));
}

/* Arithmetic on integers wraps: C leaves the overflow of signed ones open, so it is done on
 * unsigned ones. */
static const char *infix_text(struct emitter *e, const struct expr *x)
{
	const char *u = scalar_text(e, x->arg[0]);
	const char *v = scalar_text(e, x->arg[1]);
	const char *op = expr_kind_text(x->kind);

	if (x->dtype == DTYPE_BOOL || dtype_is_float(x->dtype))
		return arena_printf(e->a, "(%s %s %s)", u, op, v);
	if (x->kind != EXPR_DIV && x->kind != EXPR_MOD)
		return arena_printf(e->a, "(%s)((uint64_t)%s %s (uint64_t)%s)",
				    dtype_c(x->dtype), u, op, v);
	if (x->dtype == DTYPE_I64 && expr_range(x->arg[0]).lo >= 0 && expr_range(x->arg[1]).lo > 0)
		return arena_printf(e->a, "(%s %s %s)", u, op, v);
	use_helper(e, x->kind == EXPR_DIV ? HELPER_FLOOR_DIV : HELPER_FLOOR_MOD);
	return arena_printf(e->a, "(%s)hone_floor_%s(%s, %s)", dtype_c(x->dtype),
			    x->kind == EXPR_DIV ? "div" : "mod", u, v);
}

static bool has_load(const struct expr *x, void *user)
{
	*(bool *)user |= x->kind == EXPR_LOAD;
	return true;
}

/* An i64 expression of axes alone is index arithmetic. */
static bool is_index(const struct expr *x)
{
	bool loads = false;

	if (x->dtype != DTYPE_I64 || x->kind < EXPR_ADD || x->kind > EXPR_MUL)
		return x->kind == EXPR_AXIS;
	expr_visit(x, has_load, &loads);
	return !loads;
}

static const char *select_text(struct emitter *e, const struct expr *x)
{
	int64_t known;

	if (index_known(e, x->arg[0], &known))
		return scalar_text(e, known ? x->arg[1] : x->arg[2]);
	return arena_printf(e->a, "(%s ? %s : %s)", scalar_text(e, x->arg[0]),
			    scalar_text(e, x->arg[1]), scalar_text(e, x->arg[2]));
}

const char *scalar_text(struct emitter *e, const struct expr *x)
{
	if (is_index(x))
		return index_text(e, x);
	switch (x->kind) {
	case EXPR_INT:
		return arena_printf(e->a, x->i < 0 ? "(%" PRId64 ")" : "%" PRId64, x->i);
	case EXPR_FLOAT:
		return float_text(e, x);
	case EXPR_LOAD:
		return load_text(e, x);
	case EXPR_SELECT:
		return select_text(e, x);
	case EXPR_CAST:
		return cast_text(e, x);
	case EXPR_NOT:
		return arena_printf(e->a, "!%s", scalar_text(e, x->arg[0]));
	case EXPR_NEG:
		if (dtype_is_float(x->dtype))
			return arena_printf(e->a, "(-%s)", scalar_text(e, x->arg[0]));
		return arena_printf(e->a, "(%s)(0 - (uint64_t)%s)", dtype_c(x->dtype),
				    scalar_text(e, x->arg[0]));
	case EXPR_MIN:
	case EXPR_MAX:
		return minmax_text(e, x);
	default:
		return expr_kind_form(x->kind) == FORM_INFIX ? infix_text(e, x) : call_text(e, x);
	}
}
