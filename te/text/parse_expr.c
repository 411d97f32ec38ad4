/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse_expr.c - reads the body of an equation: precedence climbing, types from the leaves up.
 */
#include <math.h>

#include "te/limits.h"
#include "te/scalar.h"
#include "te/text/infix.h"
#include "te/text/parse.h"
#include "te/text/parse_value.h"

static int any(struct parser *p, struct parsed_value *out);
static int prefix(struct parser *p, struct parsed_value *out);

/* --- names */

static int axis_or_constant(struct parser *p, const char *name, struct parsed_value *out)
{
	for (int i = p->axes.n - 1; i >= 0; i--)
		if (strcmp(p->axes.at[i].axis->name, name) == 0)
			return parsed_grow(p, out, expr_axis(p->a, p->axes.at[i].axis), 0);
	if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
		return parsed_grow(p, out, expr_const(p->a, DTYPE_BOOL, *name == 't'), 0);
	out->literal = (struct literal){ .f = strcmp(name, "inf") == 0 ? INFINITY : NAN };
	if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
		return 0;
	if (p->tensor(p, name))
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

int parse_index(struct parser *p, const struct tensor *t, const struct expr **index, int *depth)
{
	int n = 0;

	*depth = 0;
	while (!scan_token(&p->s, "]")) {
		struct parsed_value v;

		if (n > 0 && parse_expect(p, ",") < 0)
			return -1;
		if (any(p, &v) < 0 || parsed_settle(p, &v, DTYPE_I64) < 0)
			return -1;
		if (v.e->dtype != DTYPE_I64)
			return parse_error(p, v.at, "an index is an i64, not %s",
					   dtype_name(v.e->dtype));
		if (n == t->ndim)
			return parse_error(p, v.at, "%s has %d dimensions", t->name, n);
		if (infer(p, &v, t, n) < 0)
			return -1;
		*depth = v.depth > *depth ? v.depth : *depth;
		index[n++] = v.e;
	}
	if (n < t->ndim)
		return parse_error(p, p->s.at - 1, "%s has %d dimensions, here are %d", t->name,
				   t->ndim, n);
	return 0;
}

static int load(struct parser *p, const char *name, struct parsed_value *out)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct tensor *t = p->tensor(p, name);
	int depth;

	if (!t)
		return parse_error(p, out->at, "there is no tensor %s above", name);
	if (parse_index(p, t, index, &depth) < 0)
		return -1;
	return parsed_grow(p, out, expr_load(p->a, t, index), depth);
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
	if (parsed_need_type(p, &arg[0]) < 0 || parsed_unify(p, &arg[1], &arg[2]) < 0)
		return -1;
	if (arg[0].e->dtype != DTYPE_BOOL)
		return parse_error(p, arg[0].at, "select needs a bool, not %s",
				   dtype_name(arg[0].e->dtype));
	int depth = 0;

	for (int i = 0; i < 3; i++)
		depth = arg[i].depth > depth ? arg[i].depth : depth;
	return parsed_grow(p, out, expr_select(p->a, arg[0].e, arg[1].e, arg[2].e), depth);
}

static int unary_call(struct parser *p, enum expr_kind k, struct parsed_value *out,
		      struct parsed_value *arg)
{
	if (parsed_need_type(p, arg) < 0 || parsed_check(p, k, arg, NULL) < 0)
		return -1;
	return parsed_grow(p, out, expr_unary(p->a, k, arg->e), arg->depth);
}

static int call(struct parser *p, const char *name, struct parsed_value *out)
{
	struct parsed_value arg[3];
	enum dtype t;

	if (dtype_parse(name, &t)) {
		if (arguments(p, arg, 1) < 0)
			return -1;
		if (!arg->e && t != DTYPE_BOOL)
			return parsed_settle(p, arg, t) < 0 ? -1 : parsed_grow(p, out, arg->e, 0);
		if (parsed_need_type(p, arg) < 0)
			return -1;
		return parsed_grow(p, out, expr_cast(p->a, t, arg->e), arg->depth);
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
		if (parsed_combine(p, k, &arg[0], &arg[1]) < 0)
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
		return parsed_check(p, EXPR_NEG, v, NULL) < 0
		     ? -1 : parsed_grow(p, v, expr_unary(p->a, EXPR_NEG, v->e), v->depth);
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

/* Operators that bind at least as tight as LEVEL, all of them to the left. */
static int climb(struct parser *p, int level, struct parsed_value *out)
{
	const struct infix *op;

	if (prefix(p, out) < 0)
		return -1;
	while ((op = infix_scan(&p->s, level)) != NULL) {
		const char *at = out->at;
		struct parsed_value right;

		if (climb(p, op->level + 1, &right) < 0)
			return -1;
		if (op->swapped) {
			struct parsed_value left = *out;

			*out = right;
			right = left;
		}
		if (parsed_combine(p, op->kind, out, &right) < 0)
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

	if (any(p, &v) < 0 || parsed_need_type(p, &v) < 0)
		return NULL;
	return v.e;
}
