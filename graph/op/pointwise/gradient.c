/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/gradient.c - derivatives of formulas, and formulas as calls. */
#include "base/err.h"
#include "graph/op/gradient.h"
#include "graph/op/pointwise/pointwise.h"

static const struct formula *binary(struct arena *a, enum primitive p, const struct formula *x,
				    const struct formula *y)
{
	return formula_call(a, p, (const struct formula *[PRIMITIVE_ARITY]){ x, y });
}

const struct formula *formula_derive(struct arena *a, const struct formula *f, int which)
{
	if (f->kind != FORMULA_CALL)
		return formula_number(a, f->kind == FORMULA_OPERAND && f->operand == which);
	const struct primitive_info *info = primitive_info(f->primitive);
	const struct formula *sum = formula_number(a, 0);

	for (int i = 0; i < info->arity; i++) {
		if (info->smooth && !*info->derivative[i])
			continue;
		const struct formula *inner = formula_derive(a, f->arg[i], which);

		if (!inner)
			return NULL;
		if (formula_is(inner, 0))
			continue;
		if (!info->smooth)
			return NULL;
		const struct formula *outer =
			formula_parse(a, info->derivative[i], NULL, f->arg, f);

		sum = binary(a, PRIMITIVE_add, sum, binary(a, PRIMITIVE_mul, outer, inner));
	}
	return sum;
}

/* --- as calls */

struct emission {
	struct gradient *g;
	enum element element;	/* of numbers, and of operands that are no bool */
	const struct formula *whole;	/* the formula of the call: its value is there */
};

static int emit(struct emission *e, const struct formula *f)
{
	struct builder *b = e->g->builder;
	int arg[PRIMITIVE_ARITY];

	if (f == e->whole)
		return e->g->result;
	if (f->kind == FORMULA_NUMBER)
		return build_scalar(b, e->element, f->number);
	if (f->kind == FORMULA_OPERAND) {
		int value = e->g->call->args[f->operand];
		enum element own = build_type(b, value)->element;
		struct attr_vec to = { 0 };

		if (own == e->element || own == ELEMENT_BOOL)
			return value;
		attrs_element(b->arena, &to, "to", e->element);
		return build_with(b, &core_cast, &to, value);
	}
	const struct primitive_info *info = primitive_info(f->primitive);

	for (int i = 0; i < info->arity; i++)
		arg[i] = emit(e, f->arg[i]);
	return build_call(b, info->op, info->arity, arg, NULL);
}

int pointwise_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	struct arena *a = b->arena;
	const struct type *type = build_type(b, x->result);
	const struct formula *f = formula_of_call(a, x->call);
	struct emission e = { x, type->element, f };

	if (!element_is_float(type->element) || x->of_result[0] == VALUE_NONE)
		return 0;
	for (int i = 0; i < x->call->nargs; i++) {
		int arg = x->call->args[i];

		if (arg == VALUE_NONE || !element_is_float(build_type(b, arg)->element))
			continue;
		const struct formula *derivative = formula_derive(a, f, i);

		if (!derivative)
			return err_set("%s: it has no derivative", x->call->op->name);
		if (formula_is(derivative, 0))
			continue;
		int by = x->of_result[0];

		if (!formula_is(derivative, 1))
			by = build(b, &core_mul, by, emit(&e, derivative));
		x->of_arg[i] = gradient_unbroadcast(b, by, arg);
	}
	return 0;
}
