/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/sweep.c - adjoints of values, and the step of a call, a tuple, a field. */
#include "graph/diff/sweep.h"

#include "base/err.h"
#include "graph/op/gradient.h"

static bool in_range(const struct sweep *s, int value)
{
	return value >= s->from && value < s->to;
}

static bool is_active(const struct sweep *s, int value)
{
	return in_range(s, value) && s->active[value - s->from];
}

struct sweep sweep_begin(struct diff *d, struct builder *b, int from, int to, const bool *by)
{
	int n = to - from;
	struct sweep s = { d, b, from, to, arena_many(d->arena, struct adjoint, n),
			   arena_many(d->arena, bool, n), NULL };

	for (int i = 0; i < n; i++) {
		const struct binding *of = build_at(b, from + i);

		s.adjoint[i].whole = VALUE_NONE;
		s.active[i] = by[i];
		for (int j = 0; j < of->nargs && !s.active[i]; j++)
			s.active[i] = is_active(&s, of->args[j]) && !space_is_inert(of->type);
		if (of->type->kind != TYPE_TUPLE || !s.active[i])
			continue;
		s.adjoint[i].field = arena_many(d->arena, int, of->type->nfields);
		for (int j = 0; j < of->type->nfields; j++)
			s.adjoint[i].field[j] = VALUE_NONE;
	}
	return s;
}

/* *SUM, of type T, and GRADIENT. */
static int accumulate(struct sweep *s, const struct type *t, int *sum, int gradient)
{
	const struct type *space = space_of(s->d, t);

	if (gradient == VALUE_FAILED)
		return -1;
	if (!space)
		return space_check(t, "a value");
	*sum = *sum == VALUE_NONE ? gradient
				  : space_plus(s->d, s->builder, space, *sum, gradient);
	return *sum == VALUE_FAILED ? -1 : 0;
}

int sweep_add_field(struct sweep *s, int value, int field, int gradient)
{
	if (gradient == VALUE_NONE || !is_active(s, value))
		return 0;
	const struct type *t = build_type(s->builder, value);

	if (t->kind != TYPE_TUPLE)
		return space_check(t, "a tuple");
	return accumulate(s, t->field[field], &s->adjoint[value - s->from].field[field], gradient);
}

int sweep_add(struct sweep *s, int value, int gradient)
{
	const struct type *t = build_type(s->builder, value);
	int known = 0;

	if (gradient == VALUE_FAILED)
		return -1;
	if (gradient == VALUE_NONE || !is_active(s, value))
		return 0;
	if (t->kind != TYPE_TUPLE)
		return accumulate(s, t, &s->adjoint[value - s->from].whole, gradient);
	for (int i = 0; i < t->nfields; i++)
		if (space_of(s->d, t->field[i]) &&
		    sweep_add_field(s, value, i, build_field(s->builder, gradient, known++)) < 0)
			return -1;
	return 0;
}

static bool is_zero(const struct sweep *s, int value)
{
	const struct adjoint *a = &s->adjoint[value - s->from];
	const struct type *t = build_type(s->builder, value);

	for (int i = 0; a->field && i < t->nfields; i++)
		if (a->field[i] != VALUE_NONE)
			return false;
	return a->whole == VALUE_NONE;
}

int sweep_gradient(struct sweep *s, int value)
{
	const struct adjoint *a = &s->adjoint[value - s->from];
	const struct type *t = build_type(s->builder, value);
	struct value_vec fields = { 0 };

	if (!a->field || is_zero(s, value))
		return a->whole;
	for (int i = 0; i < t->nfields; i++) {
		if (!space_of(s->d, t->field[i]))
			continue;
		int field = a->field[i];

		if (field == VALUE_NONE)
			field = space_zero(s->d, s->builder, build_field(s->builder, value, i));
		vec_push(s->d->arena, &fields, field);
	}
	return build_tuple(s->builder, fields.n, fields.at);
}

int sweep_gradient_or_zero(struct sweep *s, int value)
{
	int gradient = sweep_gradient(s, value);

	return gradient == VALUE_NONE ? space_zero(s->d, s->builder, value) : gradient;
}

static int pull_call(struct sweep *s, int value)
{
	const struct adjoint *a = &s->adjoint[value - s->from];
	const struct binding call = *build_at(s->builder, value);	/* they move as more are made */
	int *of_arg = arena_many(s->d->arena, int, call.nargs);
	struct gradient g = { .builder = s->builder, .call = &call, .result = value,
			      .of_result = a->field ? a->field : &a->whole, .of_arg = of_arg };

	if (!call.op->gradient)
		return err_set("%s: it is not differentiable", call.op->name);
	for (int i = 0; i < call.nargs; i++)
		of_arg[i] = VALUE_NONE;
	if (call.op->gradient(&g) < 0)
		return -1;
	for (int i = 0; i < call.nargs; i++)
		if (sweep_add(s, call.args[i], of_arg[i]) < 0)
			return -1;
	return 0;
}

static int pull_tuple(struct sweep *s, int value)
{
	const struct binding tuple = *build_at(s->builder, value);
	const int *field = s->adjoint[value - s->from].field;

	for (int i = 0; i < tuple.nargs; i++)
		if (sweep_add(s, tuple.args[i], field[i]) < 0)
			return -1;
	return 0;
}

static int pull(struct sweep *s, int value)
{
	const struct binding *of = build_at(s->builder, value);

	switch (of->kind) {
	case BIND_PARAM:
	case BIND_CONST:
		return 0;
	case BIND_CALL:
		return pull_call(s, value);
	case BIND_TUPLE:
		return pull_tuple(s, value);
	case BIND_FIELD:
		return sweep_add_field(s, of->args[0], of->field, sweep_gradient(s, value));
	case BIND_CLOSURE:
	case BIND_APPLY:
	case BIND_IF:
	case BIND_LOOP:
		return s->control(s, value);
	}
	return 0;
}

int sweep_run(struct sweep *s)
{
	const struct origin *origin = s->builder->origin;

	for (int value = s->to - 1; value >= s->from; value--) {
		if (!is_active(s, value) || is_zero(s, value))
			continue;
		s->builder->origin = build_at(s->builder, value)->origin;
		if (pull(s, value) < 0)
			return *s->builder->origin->label
				       ? err_prefix("gradient of node '%s'", s->builder->origin->label)
				       : -1;
	}
	s->builder->origin = origin;
	return 0;
}
