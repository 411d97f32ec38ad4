/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vector.c - expressions over the lanes of a vector loop.
 *
 * What has no vector form is written lane by lane, which is always right. A value that is the same
 * in all lanes stays a scalar: C broadcasts it where it meets a vector, and the instruction set
 * does so for free when it comes from memory. */
#include <inttypes.h>
#include <math.h>

#include "base/integer.h"
#include "codegen/emitter.h"
#include "schedule/lane_form.h"
#include "schedule/mask.h"

static int log2_of(int lanes)
{
	int n = 0;

	while (1 << n < lanes)
		n++;
	return n;
}

const char *vector_type(struct emitter *e, enum dtype t, int lanes)
{
	e->used_vector[t][log2_of(lanes)] = true;
	e->used_vector[dtype_arithmetic(t)][log2_of(lanes)] = true;	/* to convert it */
	return arena_printf(e->a, "%sx%d", dtype_name(t), lanes);
}

const char *vector_memory_type(struct emitter *e, enum dtype t, int lanes)
{
	return arena_printf(e->a, "%s_u", vector_type(e, t, lanes));
}

/* A piece of C text. */
struct piece {
	const char *text;
	bool vector;
};

static struct piece value_of(struct emitter *e, const struct expr *x);

/* X for the lane that the loop's axis is bound to; 0 where that may not be touched. */
static const char *lane_text(struct emitter *e, const struct expr *x)
{
	int64_t touched;

	if (!e->under)
		return scalar_text(e, x);
	if (index_known(e, e->under, &touched))
		return touched ? scalar_text(e, x) : "0";
	return arena_printf(e->a, "(%s ? %s : 0)", scalar_text(e, e->under), scalar_text(e, x));
}

/* The values of the lanes one by one. */
static const char *by_lane(struct emitter *e, const struct expr *x)
{
	const struct axis *axis = e->vector_axis;
	int turns = (int)least(e->lanes, axis->hi - axis->lo);	/* lanes behind them are 0 */
	struct text t = { 0 };

	text_printf(&t, "(%s){", vector_type(e, x->dtype, e->lanes));
	e->vector_axis = NULL;
	for (int i = 0; i < turns && !e->why; i++) {
		vec_push(e->a, &e->bindings,
			 (struct bound_axis){ axis, true, e->vector_start + i, NULL });
		text_printf(&t, "%s%s", i ? ", " : "", lane_text(e, x));
		e->bindings.n--;
	}
	e->vector_axis = axis;
	text_puts(&t, "}");
	return take_text(e, &t);
}

/* A scalar in all lanes. Subtracting zero keeps every value as it is, -0 too. */
static const char *splat(struct emitter *e, enum dtype t, struct piece v)
{
	if (v.vector)
		return v.text;
	/* C promotes integers, and GNU C broadcasts none to narrower lanes. */
	const char *cast = t == DTYPE_F32 || t == DTYPE_F64 ? "" : arena_printf(e->a, "(%s)", dtype_c(t));

	return arena_printf(e->a, "(%s%s - (%s){0})", cast, v.text,
			    vector_type(e, t, e->lanes));
}

/* All lanes of X, at O in P. */
static const char *whole_load(struct emitter *e, const struct expr *x, const struct place_name *p,
			      const struct offset *o)
{
	if (o->stride != 1)
		return apart_text(e, x, p, *o);
	return arena_printf(e->a, "*(const %s *)(%s)", vector_memory_type(e, x->dtype, e->lanes),
			    address_text(e, p, o));
}

/* The lanes of X, at O in P, that may be read; 0 in the others. */
static const char *masked_load(struct emitter *e, const struct expr *x, const struct place_name *p,
			       const struct offset *o)
{
	const char *type = vector_type(e, x->dtype, e->lanes);
	struct lane_run r = lane_run(e);

	if (r.all)
		return whole_load(e, x, p, o);
	if (o->stride != 1 && !masks_apart(e, x->dtype, o->stride))	/* at the end of a loop */
		return by_lane(e, x);
	if (o->stride != 1)
		return apart_masked_text(e, x, p, *o, &r);
	return arena_printf(e->a, "load_%s(%s, %s, %s)", type, address_text(e, p, o), r.lo, r.hi);
}

static struct piece load_value(struct emitter *e, const struct expr *x)
{
	struct place_name *p = place_of(e, x->tensor);

	if (p->buffer->registers) {
		struct slot slot = slot_of(e, p, x->index);

		if (slot.whole)
			return (struct piece){ slot.variable, true };
		if (slot.uniform)
			return (struct piece){ slot.cell, false };
		const char *picked = picked_text(e, x, p);

		return (struct piece){ picked ? picked : by_lane(e, x), true };
	}
	struct offset o = offset_of(e, x->tensor, x->index);
	const char *pieces = pieces_text(e, x, p, &o);

	if (pieces)
		return (struct piece){ pieces, true };
	if (o.per_lane || o.stride == 0 || e->why)
		return (struct piece){ by_lane(e, x), true };
	if (!reads_all_lanes(e, x->tensor, o.stride))
		return (struct piece){ masked_load(e, x, p, &o), true };
	return (struct piece){ whole_load(e, x, p, &o), true };
}

static struct piece infix_value(struct emitter *e, const struct expr *x)
{
	struct piece u = value_of(e, x->arg[0]);
	struct piece v = value_of(e, x->arg[1]);

	if (!dtype_is_float(x->dtype)) {	/* wraps */
		const char *type = vector_type(e, x->dtype, e->lanes);

		return (struct piece){ arena_printf(e->a, "(%s)((%s_bits)%s %s (%s_bits)%s)", type, type,
						    splat(e, x->arg[0]->dtype, u), expr_kind_text(x->kind), type,
						    splat(e, x->arg[1]->dtype, v)),
				       true };
	}
	return (struct piece){
		arena_printf(e->a, "(%s %s %s)", u.text, expr_kind_text(x->kind), v.text),
		u.vector || v.vector	/* a select that is decided may have left none */
	};
}

static struct piece minmax_value(struct emitter *e, const struct expr *x)
{
	const struct expr *first, *second;
	struct minmax c = minmax_of(x, e->lanes, &first, &second);
	const char *u = splat(e, first->dtype, value_of(e, first));

	return (struct piece){ minmax_call(e, c, u, splat(e, second->dtype, value_of(e, second))), true };
}

/* A function of each lane of one vector, by a function of the prelude. */
static struct piece map_value(struct emitter *e, const struct expr *x)
{
	const char *type = vector_type(e, x->dtype, e->lanes);
	struct piece arg = value_of(e, x->arg[0]);

	if (x->kind == EXPR_NEG)
		return (struct piece){ arena_printf(e->a, "(-%s)", arg.text), arg.vector };
	return (struct piece){ arena_printf(e->a, "%s_%s(%s)", c_function[x->kind], type,
					    splat(e, x->arg[0]->dtype, arg)),
			       true };
}

/* Between f32 and a narrow type, by a function of the prelude. */
static struct piece convert_value(struct emitter *e, const struct expr *x)
{
	bool widens = dtype_is_narrow(x->arg[0]->dtype);
	const char *narrow = vector_type(e, widens ? x->arg[0]->dtype : x->dtype, e->lanes);

	return (struct piece){ arena_printf(e->a, "%s_%s(%s)", widens ? "wide" : "narrow", narrow,
					    vector_text(e, x->arg[0])),
			       true };
}

/* VALUE, a vector, as one of T, by the compiler. */
static const char *converted(struct emitter *e, const char *value, enum dtype t)
{
	return arena_printf(e->a, "__builtin_convertvector(%s, %s)", value, vector_type(e, t, e->lanes));
}

/* X as a vector of i32: a float is truncated. */
static const char *as_words(struct emitter *e, const struct expr *x)
{
	const char *type = vector_type(e, DTYPE_I32, e->lanes);
	bool rounds = x->kind == EXPR_ROUND && x->dtype == DTYPE_F32 && uses_vector(e, x);
	const char *value = vector_text(e, rounds ? x->arg[0] : x);

	if (dtype_bytes(x->dtype) == 1)
		return arena_printf(e->a, "of_%s_%s(%s)", dtype_name(x->dtype), type, value);
	if (rounds)
		return arena_printf(e->a, "nearest_%s(%s)", type, value);
	return x->dtype == DTYPE_I32 ? value : converted(e, value, DTYPE_I32);
}

/* The numbers of the lanes. */
static const char *lane_numbers(struct emitter *e)
{
	struct text t = { 0 };

	text_printf(&t, "(%s){", vector_type(e, DTYPE_I32, e->lanes));
	for (int i = 0; i < e->lanes; i++)
		text_printf(&t, "%s%" PRId64, i ? ", " : "", e->vector_start + i);
	text_puts(&t, "}");
	return take_text(e, &t);
}

/* Index X in words, of which nothing on the way to it is beyond (schedule/lane_form.h). */
static struct piece index_words(struct emitter *e, const struct expr *x)
{
	if (!uses_vector(e, x))
		return (struct piece){ scalar_text(e, x), false };
	if (x->kind == EXPR_AXIS)
		return (struct piece){ lane_numbers(e), true };
	struct piece u = index_words(e, x->arg[0]), v = index_words(e, x->arg[1]);

	if (x->kind == EXPR_ADD || x->kind == EXPR_SUB || x->kind == EXPR_MUL)
		return (struct piece){ arena_printf(e->a, "(%s%s %s %s%s)", u.vector ? "" : "(int32_t)", u.text,
						    expr_kind_text(x->kind), v.vector ? "" : "(int32_t)", v.text),
				       true };
	struct minmax c = { x->kind == EXPR_MAX, DTYPE_I32, e->lanes, false };

	return (struct piece){ minmax_call(e, c, splat(e, DTYPE_I32, u), splat(e, DTYPE_I32, v)), true };
}

static struct piece cast_value(struct emitter *e, const struct expr *x)
{
	enum dtype from = x->arg[0]->dtype;

	if (dtype_is_narrow(from) || (dtype_is_narrow(x->dtype) && from == DTYPE_F32))
		return convert_value(e, x);
	if (!lane_form(x))
		return (struct piece){ by_lane(e, x), true };
	if (from == DTYPE_I64) {
		const char *index = index_words(e, x->arg[0]).text;

		return (struct piece){ x->dtype == DTYPE_I32 ? index : converted(e, index, x->dtype), true };
	}
	bool from_byte = dtype_bytes(from) == 1, to_byte = dtype_bytes(x->dtype) == 1;

	if (from_byte ? to_byte : dtype_is_float(x->dtype))
		return (struct piece){ converted(e, vector_text(e, x->arg[0]), x->dtype), true };
	const char *words = as_words(e, x->arg[0]);

	if (to_byte)	/* what is beyond a byte wraps */
		words = arena_printf(e->a, "%s_of_%s(%s)", dtype_name(x->dtype), vector_type(e, DTYPE_I32, e->lanes), words);
	else if (dtype_is_float(x->dtype))
		words = converted(e, words, x->dtype);
	vector_type(e, x->dtype, e->lanes);
	return (struct piece){ words, true };
}

static bool compares_plain(const struct expr *c, enum dtype t)
{
	return (c->kind >= EXPR_LT && c->kind <= EXPR_NE) && c->arg[0]->dtype == t;
}

static bool is_memory(const struct expr *e)
{
	return e->kind == EXPR_LOAD && !buffer_of(e->tensor)->registers;
}

/* All bits 0, as what a masked load leaves out. */
static bool is_zero(const struct expr *e)
{
	return e->kind == EXPR_FLOAT ? e->f == 0 && !signbit(e->f) : e->kind == EXPR_INT && e->i == 0;
}

/* Select X, whose condition is a mask. */
static struct piece masked_select(struct emitter *e, const struct expr *x)
{
	const char *when = lanes_when(e, x->arg[0]);
	const struct expr *before = emit_under(e, x->arg[0]);
	struct lane_run r = lane_run(e);
	/* what a masked load leaves out is 0; what is the same in all lanes is none */
	bool zero = is_memory(x->arg[1]) && uses_vector(e, x->arg[1]) && is_zero(x->arg[2]);
	bool none = r.none || (when && strcmp(when, "0") == 0);
	const char *u = none ? NULL : splat(e, x->arg[1]->dtype, value_of(e, x->arg[1]));

	e->under = before;
	const char *type = vector_type(e, x->dtype, e->lanes);
	const char *v = splat(e, x->arg[2]->dtype, value_of(e, x->arg[2]));

	if (none)
		return (struct piece){ v, true };
	if (!r.all && !zero)
		u = arena_printf(e->a, "select_%s(lanes_%s(%s, %s), %s, %s)", type, type, r.lo,
				 r.hi, u, v);
	if (when)
		u = arena_printf(e->a, "(%s ? (%s)%s : (%s)%s)", when, type, u, type, v);
	return (struct piece){ u, true };
}

static struct piece select_value(struct emitter *e, const struct expr *x)
{
	const struct expr *c = x->arg[0];
	struct mask m;
	int64_t known;

	if (index_known(e, c, &known))
		return value_of(e, x->arg[known ? 1 : 2]);
	if (uses_vector(e, c) &&
	    mask_of_select(e->a, e->p->target, x, e->vector_axis, &m))
		return masked_select(e, x);
	if (uses_vector(e, c) && !compares_plain(c, x->dtype))
		return (struct piece){ by_lane(e, x), true };
	const char *u = splat(e, x->arg[1]->dtype, value_of(e, x->arg[1]));
	const char *v = splat(e, x->arg[2]->dtype, value_of(e, x->arg[2]));

	const char *type = vector_type(e, x->dtype, e->lanes);

	if (!uses_vector(e, c))	/* the branch not taken is not read; in memory its type is another */
		return (struct piece){ arena_printf(e->a, "(%s ? (%s)%s : (%s)%s)",
						    scalar_text(e, c), type, u, type, v),
				       true };
	const char *left = splat(e, c->arg[0]->dtype, value_of(e, c->arg[0]));
	const char *right = splat(e, c->arg[1]->dtype, value_of(e, c->arg[1]));

	return (struct piece){ arena_printf(e->a, "select_%s(%s %s %s, %s, %s)",
					    vector_type(e, x->dtype, e->lanes), left,
					    expr_kind_text(c->kind), right, u, v),
			       true };
}

static struct piece value_of(struct emitter *e, const struct expr *x)
{
	if (!uses_vector(e, x))
		return (struct piece){ scalar_text(e, x), false };
	if (x->kind == EXPR_LOAD)
		return load_value(e, x);
	if (x->kind == EXPR_CAST)
		return cast_value(e, x);
	if (!lane_form(x))
		return (struct piece){ by_lane(e, x), true };
	switch (x->kind) {
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_DIV:
		return infix_value(e, x);
	case EXPR_MIN:
	case EXPR_MAX:
		return minmax_value(e, x);
	case EXPR_SELECT:
		return select_value(e, x);
	default:
		return map_value(e, x);
	}
}

const char *vector_text(struct emitter *e, const struct expr *x)
{
	return splat(e, x->dtype, value_of(e, x));
}

const char *combine_text(struct emitter *e, enum reducer r, enum dtype t, int lanes, const char *x,
			 const char *y)
{
	enum expr_kind k = reducer_combine(r);

	if (k == EXPR_MAX || k == EXPR_MIN)
		/* that Y is no number is known before X is: it costs a chain of maxima nothing */
		return minmax_call(e, (struct minmax){ k == EXPR_MAX, t, lanes, false }, y, x);
	if (dtype_is_float(t))
		return arena_printf(e->a, "%s %s %s", x, expr_kind_text(k), y);
	if (lanes == 1)
		return arena_printf(e->a, "(%s)((uint64_t)%s %s (uint64_t)%s)", dtype_c(t), x,
				    expr_kind_text(k), y);
	const char *bits = arena_printf(e->a, "%s_bits", vector_type(e, t, lanes));

	return arena_printf(e->a, "(%s)((%s)%s %s (%s)%s)", vector_type(e, t, lanes), bits, x,
			    expr_kind_text(k), bits, y);
}
