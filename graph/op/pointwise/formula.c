/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/formula.c - makes formulas, folding their constants, and reads them. */
#include "graph/op/pointwise/formula.h"

#include <math.h>

#include "base/err.h"
#include "graph/op/pointwise/block.h"
#include "te/text/infix.h"

#define D(...) true, { __VA_ARGS__ }
#define NONE   false, { NULL }

static const struct primitive_info primitives[] = {
#define PRIMITIVE(name, signature, te, real, integer, derivatives, ...)                            \
	{ #name, &core_##name, sizeof(signature) - sizeof(">n"), EXPR_##te, derivatives },
#define FORMULA(...)
#include "graph/op/pointwise/pointwise.def"
#undef PRIMITIVE
#undef FORMULA
};

const struct primitive_info *primitive_info(enum primitive p)
{
	return &primitives[p];
}

static struct formula *make(struct arena *a, enum formula_kind kind)
{
	struct formula *f = arena_one(a, struct formula);

	f->kind = kind;
	return f;
}

const struct formula *formula_number(struct arena *a, double v)
{
	struct formula *f = make(a, FORMULA_NUMBER);

	f->number = v;
	return f;
}

const struct formula *formula_operand(struct arena *a, int which)
{
	struct formula *f = make(a, FORMULA_OPERAND);

	f->operand = which;
	return f;
}

bool formula_is(const struct formula *f, double v)
{
	return f->kind == FORMULA_NUMBER && !(f->number < v) && !(f->number > v);
}

/* What P of ARG is without computing anything; NULL where it is nothing simpler. */
static const struct formula *neutral(enum primitive p, const struct formula *const *arg)
{
	const struct formula *x = arg[0], *y = arg[1];

	switch (p) {
	case PRIMITIVE_add:
		return formula_is(x, 0) ? y : formula_is(y, 0) ? x : NULL;
	case PRIMITIVE_sub:
		return formula_is(y, 0) ? x : NULL;
	case PRIMITIVE_mul:
		return formula_is(x, 1) ? y : formula_is(y, 1) ? x : NULL;
	case PRIMITIVE_div:
		return formula_is(y, 1) ? x : NULL;
	case PRIMITIVE_and:
		return formula_is(y, 1) ? x : formula_is(y, 0) ? y : NULL;
	case PRIMITIVE_or:
		return formula_is(y, 0) ? x : formula_is(x, 0) ? y : NULL;
	case PRIMITIVE_max:
		return formula_is(y, -INFINITY) ? x : NULL;
	case PRIMITIVE_min:
		return formula_is(y, INFINITY) ? x : NULL;
	default:
		return NULL;
	}
}

const struct formula *formula_call(struct arena *a, enum primitive p,
				   const struct formula *const *arg)
{
	int arity = primitives[p].arity;
	double v[PRIMITIVE_ARITY] = { 0 };
	bool constant = true;

	for (int i = 0; i < arity; i++)
		if (!arg[i])
			return arg[i ? 0 : 1];
	const struct formula *simple = neutral(p, arg);

	if (simple)
		return simple;
	for (int i = 0; i < arity; i++) {
		constant &= arg[i]->kind == FORMULA_NUMBER;
		v[i] = arg[i]->number;
	}
	if (constant)
		return formula_number(a, primitive_apply(p, v[0], v[1], v[2]));
	struct formula *f = make(a, FORMULA_CALL);

	f->primitive = p;
	memcpy(f->arg, arg, (size_t)arity * sizeof(*arg));
	return f;
}

/* --- reading */

struct reader {
	struct arena *a;
	struct scan scan;
	const struct binding *call;
	const struct formula *const *arg;
	const struct formula *result;
};

static const struct formula *climb(struct reader *r, int level);

/* The formulas are ours: one that cannot be read is a bug. */
static _Noreturn void wrong(const struct reader *r, const char *what)
{
	die("formula '%s': %s at '%s'", r->scan.begin, what, r->scan.at);
}

static const struct formula *read_call(struct reader *r, const char *name)
{
	const struct formula *arg[PRIMITIVE_ARITY] = { NULL };

	for (enum primitive p = 0; p < PRIMITIVE_COUNT; p++) {
		if (strcmp(primitives[p].name, name) != 0)
			continue;
		for (int i = 0; i < primitives[p].arity; i++) {
			arg[i] = climb(r, 1);
			if (!scan_token(&r->scan, i + 1 < primitives[p].arity ? "," : ")"))
				wrong(r, "another argument");
		}
		return formula_call(r->a, p, arg);
	}
	wrong(r, "no such function");
}

static const struct formula *read_name(struct reader *r, const char *name)
{
	if (strcmp(name, "inf") == 0)
		return formula_number(r->a, INFINITY);
	if (strcmp(name, "r") == 0)
		return r->result;
	if (name[0] >= 'x' && name[0] <= 'z' && !name[1])
		return r->arg[name[0] - 'x'];
	const struct attr_spec *spec = core_op_attr(r->call->op, name);

	return formula_number(r->a, spec->kind == ATTR_FLOAT ? call_float(r->call, name)
							     : (double)call_int(r->call, name));
}

static const struct formula *read_prefix(struct reader *r)
{
	double v;

	if (scan_token(&r->scan, "(")) {
		const struct formula *f = climb(r, 1);

		if (!scan_token(&r->scan, ")"))
			wrong(r, "no ')'");
		return f;
	}
	bool minus = scan_token(&r->scan, "-");

	if (minus || scan_token(&r->scan, "!")) {
		const struct formula *arg[PRIMITIVE_ARITY] = { read_prefix(r) };

		return formula_call(r->a, minus ? PRIMITIVE_neg : PRIMITIVE_not, arg);
	}
	char *name = scan_name(&r->scan, r->a);

	if (name)
		return scan_token(&r->scan, "(") ? read_call(r, name) : read_name(r, name);
	if (!scan_double(&r->scan, &v))
		wrong(r, "no number");
	return formula_number(r->a, v);
}

static enum primitive primitive_of(const struct reader *r, enum expr_kind kind)
{
	for (enum primitive p = 0; p < PRIMITIVE_COUNT; p++)
		if (primitives[p].te == kind)
			return p;
	wrong(r, "an operator that is no primitive");
}

/* Operators that bind at least as tight as LEVEL, all of them to the left. */
static const struct formula *climb(struct reader *r, int level)
{
	const struct formula *left = read_prefix(r);
	const struct infix *infix;

	while ((infix = infix_scan(&r->scan, level)) != NULL) {
		const struct formula *right = climb(r, infix->level + 1);
		const struct formula *arg[PRIMITIVE_ARITY] = { left, right };

		if (infix->swapped) {
			arg[0] = right;
			arg[1] = left;
		}
		left = formula_call(r->a, primitive_of(r, infix->kind), arg);
	}
	return left;
}

const struct formula *formula_parse(struct arena *a, const char *text, const struct binding *call,
				    const struct formula *const *arg,
				    const struct formula *result)
{
	struct reader r = { a, scan_text("formula", text), call, arg, result };
	const struct formula *f = climb(&r, 1);

	if (!scan_at_end(&r.scan))
		wrong(&r, "the end was expected");
	return f;
}
