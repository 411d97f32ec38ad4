/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse_value.c - the types of what is read: literals take theirs from what stands beside them. */
#include "te/text/parse_value.h"

#include "te/scalar.h"

/* V becomes E, whose children are DEPTH deep. */
int parsed_grow(struct parser *p, struct parsed_value *v, const struct expr *e, int depth)
{
	v->e = e;
	v->depth = depth + 1;
	if (++p->nodes > NODES_MAX)
		return parse_error(p, v->at, "the equation has more than %d parts; split it",
				   NODES_MAX);
	if (v->depth > DEPTH_MAX)
		return parse_error(p, v->at, "the equation is more than %d levels deep; split it",
				   DEPTH_MAX);
	return 0;
}

/* Gives V the type T if it is a literal. */
int parsed_settle(struct parser *p, struct parsed_value *v, enum dtype t)
{
	const struct literal *l = &v->literal;

	if (v->e)
		return 0;
	if (dtype_is_float(t))
		return parsed_grow(p, v, expr_const(p->a, t, l->f), 0);
	if (t == DTYPE_BOOL)
		return parse_error(p, v->at,
				   "a number where a bool is needed; write true or false");
	if (!l->is_int)
		return parse_error(p, v->at, "%g is no %s", l->f, dtype_name(t));
	if (t == DTYPE_I64)
		return parsed_grow(p, v, expr_int(p->a, l->i), 0);
	double d = (double)l->i;

	if (dtype_round(t, d) < d || dtype_round(t, d) > d)
		return parse_error(p, v->at, "%jd does not fit %s", (intmax_t)l->i, dtype_name(t));
	return parsed_grow(p, v, expr_const(p->a, t, d), 0);
}

int parsed_need_type(struct parser *p, const struct parsed_value *v)
{
	if (v->e)
		return 0;
	return parse_error(p, v->at, "the type of this constant does not follow; write f32(%g)",
			   v->literal.f);
}

/* One type for both; at least one has it already. */
int parsed_unify(struct parser *p, struct parsed_value *x, struct parsed_value *y)
{
	if (!x->e && !y->e)
		return parsed_need_type(p, x);
	if ((!x->e && parsed_settle(p, x, y->e->dtype) < 0) || parsed_settle(p, y, x->e->dtype) < 0)
		return -1;
	if (x->e->dtype == y->e->dtype)
		return 0;
	return parse_error(p, y->at, "%s beside %s; cast one, as in %s(x)",
			   dtype_name(y->e->dtype), dtype_name(x->e->dtype),
			   dtype_name(x->e->dtype));
}

/* What kinds of elements an operation takes. */
int parsed_check(struct parser *p, enum expr_kind k, const struct parsed_value *x,
			 const struct parsed_value *y)
{
	enum dtype t = x->e->dtype;
	const char *need = NULL;

	switch (k) {
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_NOT:
		need = t == DTYPE_BOOL ? NULL : "bool";
		break;
	case EXPR_EQ:
	case EXPR_NE:
		break;
	case EXPR_MOD:
		need = dtype_is_float(t) || t == DTYPE_BOOL ? "integers" : NULL;
		break;
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_DIV:
	case EXPR_LT:
	case EXPR_LE:
	case EXPR_NEG:
	case EXPR_MIN:
	case EXPR_MAX:
	case EXPR_ABS:
		need = t == DTYPE_BOOL ? "numbers" : NULL;
		break;
	default:
		need = dtype_is_float(t) ? NULL : "floats";
		break;
	}
	if (need)
		return parse_error(p, x->at, "'%s' needs %s, not %s", expr_kind_text(k), need,
				   dtype_name(t));
	if ((k == EXPR_DIV || k == EXPR_MOD) && !dtype_is_float(t) &&
	    (y->e->kind != EXPR_INT || y->e->i <= 0))
		return parse_error(p, y->at, "'%s' of integers needs a positive constant",
				   expr_kind_text(k));
	return 0;
}

/* Arithmetic on two literals gives a literal, a comparison gives a bool. */
static int fold(struct parser *p, enum expr_kind k, struct parsed_value *x,
		const struct parsed_value *y)
{
	bool ints = x->literal.is_int && y->literal.is_int;
	enum dtype t = ints ? DTYPE_I64 : DTYPE_F64;
	struct parsed_value left = *x, right = *y;

	if (parsed_settle(p, &left, t) < 0 || parsed_settle(p, &right, t) < 0 ||
	    parsed_check(p, k, &left, &right) < 0)
		return -1;
	const struct expr *e = ints ? expr_binary(p->a, k, left.e, right.e) : NULL;

	if (ints && e->kind != EXPR_INT)
		return parse_error(p, x->at, "the constant overflows");
	union scalar v = ints ? (union scalar){ .i = e->i }
			      : scalar_binary(k, t, scalar_const(left.e), scalar_const(right.e));

	if (k >= EXPR_LT && k <= EXPR_NE)
		return parsed_grow(p, x, expr_const(p->a, DTYPE_BOOL, v.i != 0), 0);
	x->literal = (struct literal){ ints, ints ? v.i : 0, ints ? (double)v.i : v.f };
	return 0;
}

/* X = X K Y */
int parsed_combine(struct parser *p, enum expr_kind k, struct parsed_value *x,
		   struct parsed_value *y)
{
	if (!x->e && !y->e)
		return fold(p, k, x, y);
	if (parsed_unify(p, x, y) < 0 || parsed_check(p, k, x, y) < 0)
		return -1;
	return parsed_grow(p, x, expr_binary(p->a, k, x->e, y->e),
		    x->depth > y->depth ? x->depth : y->depth);
}
