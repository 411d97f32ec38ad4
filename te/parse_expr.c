/* SPDX-License-Identifier: Apache-2.0 */
/* te/parse_expr.c - reads the body of an equation: precedence climbing, types from the leaves up.
 */
#include <math.h>

#include "te/limits.h"
#include "te/parse.h"
#include "te/scalar.h"

/* A body of a real operator has some tens of nodes; walking one is recursive, and proving its
 * indices in bounds quadratic. */
enum { NODES_MAX = 4096, DEPTH_MAX = 200 };

/* An expression, or a literal that takes its type from what stands beside it. */
struct parsed_value {
	const struct expr *e;	/* NULL: literal */
	struct literal literal;
	const char *at;		/* where it begins */
	int depth;		/* of the tree below e */
};

static const struct infix {
	const char *token;
	enum expr_kind kind;
	int level;
	bool swapped;
} infixes[] = {
#define X(token, kind, level, swapped) { token, EXPR_##kind, level, swapped },
#include "te/infix.def"
#undef X
};

static int any(struct parser *p, struct parsed_value *out);
static int prefix(struct parser *p, struct parsed_value *out);

/* V becomes E, whose children are DEPTH deep. */
static int grow(struct parser *p, struct parsed_value *v, const struct expr *e, int depth)
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
static int settle(struct parser *p, struct parsed_value *v, enum dtype t)
{
	const struct literal *l = &v->literal;

	if (v->e)
		return 0;
	if (dtype_is_float(t))
		return grow(p, v, expr_const(p->a, t, l->f), 0);
	if (t == DTYPE_BOOL)
		return parse_error(p, v->at,
				   "a number where a bool is needed; write true or false");
	if (!l->is_int)
		return parse_error(p, v->at, "%g is no %s", l->f, dtype_name(t));
	if (t == DTYPE_I64)
		return grow(p, v, expr_int(p->a, l->i), 0);
	double d = (double)l->i;

	if (dtype_round(t, d) < d || dtype_round(t, d) > d)
		return parse_error(p, v->at, "%jd does not fit %s", (intmax_t)l->i, dtype_name(t));
	return grow(p, v, expr_const(p->a, t, d), 0);
}

static int need_type(struct parser *p, const struct parsed_value *v)
{
	if (v->e)
		return 0;
	return parse_error(p, v->at, "the type of this constant does not follow; write f32(%g)",
			   v->literal.f);
}

/* One type for both; at least one has it already. */
static int unify(struct parser *p, struct parsed_value *x, struct parsed_value *y)
{
	if (!x->e && !y->e)
		return need_type(p, x);
	if ((!x->e && settle(p, x, y->e->dtype) < 0) || settle(p, y, x->e->dtype) < 0)
		return -1;
	if (x->e->dtype == y->e->dtype)
		return 0;
	return parse_error(p, y->at, "%s beside %s; cast one, as in %s(x)",
			   dtype_name(y->e->dtype), dtype_name(x->e->dtype),
			   dtype_name(x->e->dtype));
}

/* What kinds of elements an operation takes. */
static int check_operand(struct parser *p, enum expr_kind k, const struct parsed_value *x,
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

	if (settle(p, &left, t) < 0 || settle(p, &right, t) < 0 ||
	    check_operand(p, k, &left, &right) < 0)
		return -1;
	const struct expr *e = ints ? expr_binary(p->a, k, left.e, right.e) : NULL;

	if (ints && e->kind != EXPR_INT)
		return parse_error(p, x->at, "the constant overflows");
	union scalar v = ints ? (union scalar){ .i = e->i }
			      : scalar_binary(k, t, scalar_const(left.e), scalar_const(right.e));

	if (k >= EXPR_LT && k <= EXPR_NE)
		return grow(p, x, expr_const(p->a, DTYPE_BOOL, v.i != 0), 0);
	x->literal = (struct literal){ ints, ints ? v.i : 0, ints ? (double)v.i : v.f };
	return 0;
}

/* X = X K Y */
static int combine(struct parser *p, enum expr_kind k, struct parsed_value *x,
		   struct parsed_value *y)
{
	if (!x->e && !y->e)
		return fold(p, k, x, y);
	if (unify(p, x, y) < 0 || check_operand(p, k, x, y) < 0)
		return -1;
	return grow(p, x, expr_binary(p->a, k, x->e, y->e),
		    x->depth > y->depth ? x->depth : y->depth);
}

/* --- names */

static int axis_or_constant(struct parser *p, const char *name, struct parsed_value *out)
{
	for (int i = 0; i < p->axes.n; i++)
		if (strcmp(p->axes.at[i].axis->name, name) == 0)
			return grow(p, out, expr_axis(p->a, p->axes.at[i].axis), 0);
	if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
		return grow(p, out, expr_const(p->a, DTYPE_BOOL, *name == 't'), 0);
	out->literal = (struct literal){ .f = strcmp(name, "inf") == 0 ? INFINITY : NAN };
	if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
		return 0;
	if (dag_find(p->d, name))
		return parse_error(p, out->at, "%s is a tensor; write its index, as in %s[i]", name,
				   name);
	return parse_error(p, out->at, "there is no axis %s", name);
}

/* Dimension I of TENSOR is indexed by E: that gives an axis its extent. */
static int infer(struct parser *p, const struct parsed_value *index, const struct tensor *tensor,
		 int i)
{
	for (int j = 0; j < p->axes.n && index->e->kind == EXPR_AXIS; j++) {
		struct parse_axis *known = &p->axes.at[j];

		if (known->axis != index->e->axis || known->declared)
			continue;
		if (known->axis->hi == 0)
			known->axis->hi = tensor->shape[i];
		if (known->axis->hi != tensor->shape[i])
			return parse_error(p, index->at, "axis %s is %jd elsewhere and %jd in %s; "
					   "write its extent, as in %s < %jd", known->axis->name,
					   (intmax_t)known->axis->hi, (intmax_t)tensor->shape[i],
					   tensor->name, known->axis->name,
					   (intmax_t)known->axis->hi);
	}
	return 0;
}

static int load(struct parser *p, const char *name, struct parsed_value *out)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct op *op = dag_find(p->d, name);
	int depth = 0;
	int n = 0;

	if (!op)
		return parse_error(p, out->at, "there is no tensor %s above", name);
	while (!scan_token(&p->s, "]")) {
		struct parsed_value v;

		if (n > 0 && parse_expect(p, ",") < 0)
			return -1;
		if (any(p, &v) < 0 || settle(p, &v, DTYPE_I64) < 0)
			return -1;
		if (v.e->dtype != DTYPE_I64)
			return parse_error(p, v.at, "an index is an i64, not %s",
					   dtype_name(v.e->dtype));
		if (n == op->tensor.ndim)
			return parse_error(p, v.at, "%s has %d dimensions", name, n);
		if (infer(p, &v, &op->tensor, n) < 0)
			return -1;
		depth = v.depth > depth ? v.depth : depth;
		index[n++] = v.e;
	}
	if (n < op->tensor.ndim)
		return parse_error(p, p->s.at - 1, "%s has %d dimensions, here are %d", name,
				   op->tensor.ndim, n);
	return grow(p, out, expr_load(p->a, &op->tensor, index), depth);
}

static int arguments(struct parser *p, struct parsed_value *arg, int n)
{
	for (int i = 0; i < n; i++)
		if ((i > 0 && parse_expect(p, ",") < 0) || any(p, &arg[i]) < 0)
			return -1;
	return parse_expect(p, ")");
}

static int select_call(struct parser *p, struct parsed_value *out, struct parsed_value *arg)
{
	if (need_type(p, &arg[0]) < 0 || unify(p, &arg[1], &arg[2]) < 0)
		return -1;
	if (arg[0].e->dtype != DTYPE_BOOL)
		return parse_error(p, arg[0].at, "select needs a bool, not %s",
				   dtype_name(arg[0].e->dtype));
	int depth = 0;

	for (int i = 0; i < 3; i++)
		depth = arg[i].depth > depth ? arg[i].depth : depth;
	return grow(p, out, expr_select(p->a, arg[0].e, arg[1].e, arg[2].e), depth);
}

static int unary_call(struct parser *p, enum expr_kind k, struct parsed_value *out,
		      struct parsed_value *arg)
{
	if (need_type(p, arg) < 0 || check_operand(p, k, arg, NULL) < 0)
		return -1;
	return grow(p, out, expr_unary(p->a, k, arg->e), arg->depth);
}

static int call(struct parser *p, const char *name, struct parsed_value *out)
{
	struct parsed_value arg[3];
	enum dtype t;

	if (dtype_parse(name, &t)) {
		if (arguments(p, arg, 1) < 0)
			return -1;
		if (!arg->e && t != DTYPE_BOOL)
			return settle(p, arg, t) < 0 ? -1 : grow(p, out, arg->e, 0);
		if (need_type(p, arg) < 0)
			return -1;
		return grow(p, out, expr_cast(p->a, t, arg->e), arg->depth);
	}
	for (enum expr_kind k = 0; k < EXPR_KIND_COUNT; k++) {
		if (expr_kind_form(k) != FORM_CALL || strcmp(expr_kind_text(k), name) != 0)
			continue;
		if (arguments(p, arg, expr_kind_arity(k)) < 0)
			return -1;
		if (k == EXPR_SELECT)
			return select_call(p, out, arg);
		if (expr_kind_arity(k) == 1)
			return unary_call(p, k, out, arg);
		arg[0].at = out->at;
		if (combine(p, k, &arg[0], &arg[1]) < 0)
			return -1;
		*out = arg[0];
		return 0;
	}
	for (enum reducer r = REDUCE_SUM; r <= REDUCE_PROD; r++)
		if (strcmp(reducer_name(r), name) == 0)
			return parse_error(p, out->at, "%s(k < N) stands only in front of a whole "
					   "body; give it an equation of its own", name);
	return parse_error(p, out->at, "there is no function %s", name);
}

/* --- operators */

static int primary(struct parser *p, struct parsed_value *out)
{
	char *name = scan_name(&p->s, p->a);

	if (name && scan_token(&p->s, "["))
		return load(p, name, out);
	if (name && scan_token(&p->s, "("))
		return call(p, name, out);
	if (name)
		return axis_or_constant(p, name, out);
	if (scan_token(&p->s, "(")) {
		const char *at = out->at;

		if (any(p, out) < 0)
			return -1;
		out->at = at;
		return parse_expect(p, ")");
	}
	if (*p->s.at >= '0' && *p->s.at <= '9')
		return parse_number(p, &out->literal);
	return parse_error(p, out->at, "expected a number, an axis, a tensor's element, a function "
			   "or '('");
}

static int negate(struct parser *p, struct parsed_value *v)
{
	struct literal *l = &v->literal;

	if (v->e)
		return check_operand(p, EXPR_NEG, v, NULL) < 0
		     ? -1 : grow(p, v, expr_unary(p->a, EXPR_NEG, v->e), v->depth);
	l->f = -l->f;
	if (l->is_int && l->i == INT64_MIN)
		return parse_error(p, v->at, "the constant overflows");
	l->i = -l->i;
	if (l->f == -0x1p63)	/* the one i64 whose digits alone do not fit */
		*l = (struct literal){ true, INT64_MIN, -0x1p63 };
	if (l->is_int && l->i == 0)
		l->f = 0;
	return 0;
}

static int prefix(struct parser *p, struct parsed_value *out)
{
	*out = (struct parsed_value){ .at = parse_at(p) };
	if (++p->depth > DEPTH_MAX)
		return parse_error(p, out->at, "the equation is more than %d levels deep; split it",
				   DEPTH_MAX);
	const char *at = out->at;
	bool minus = scan_token(&p->s, "-");
	bool not = !minus && scan_token(&p->s, "!");
	int rc = minus || not ? prefix(p, out) : primary(p, out);

	p->depth--;
	out->at = at;
	if (rc < 0 || minus)
		return rc < 0 ? -1 : negate(p, out);
	if (!not)
		return 0;
	struct parsed_value arg = *out;

	return unary_call(p, EXPR_NOT, out, &arg);
}

static const struct infix *next_infix(struct parser *p, int level)
{
	for (size_t i = 0; i < sizeof(infixes) / sizeof(*infixes); i++) {
		const char *at = p->s.at;

		if (!scan_token(&p->s, infixes[i].token))
			continue;
		if (infixes[i].level >= level)
			return &infixes[i];
		p->s.at = at;
		return NULL;
	}
	return NULL;
}

/* Operators that bind at least as tight as LEVEL, all of them to the left. */
static int climb(struct parser *p, int level, struct parsed_value *out)
{
	const struct infix *op;

	if (prefix(p, out) < 0)
		return -1;
	while ((op = next_infix(p, level)) != NULL) {
		const char *at = out->at;
		struct parsed_value right;

		if (climb(p, op->level + 1, &right) < 0)
			return -1;
		if (op->swapped) {
			struct parsed_value left = *out;

			*out = right;
			right = left;
		}
		if (combine(p, op->kind, out, &right) < 0)
			return -1;
		out->at = at;
	}
	return 0;
}

static int any(struct parser *p, struct parsed_value *out)
{
	return climb(p, 1, out);
}

const struct expr *parse_body(struct parser *p)
{
	struct parsed_value v;

	if (any(p, &v) < 0 || need_type(p, &v) < 0)
		return NULL;
	return v.e;
}
