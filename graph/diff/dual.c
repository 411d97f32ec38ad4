/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/dual.c - each binding of a function with its tangent beside it. */
#include "graph/diff/dual.h"

#include "base/err.h"
#include "graph/diff/transpose.h"

void dual_push(struct diff *d, struct builder *b, const struct type *t, struct dual x,
		      struct value_vec *v)
{
	vec_push(d->arena, v, x.value);
	if (space_of(d, t) && x.value != VALUE_NONE)
		vec_push(d->arena, v,
			 x.tangent != VALUE_NONE ? x.tangent : space_zero(d, b, x.value));
}

struct dual dual_take(struct diff *d, struct builder *b, const struct type *t, int given)
{
	if (given == VALUE_FAILED || !space_of(d, t))
		return (struct dual){ given, VALUE_NONE };
	return (struct dual){ build_field(b, given, 0), build_field(b, given, 1) };
}

/* The arguments of F from the FIRST on, from those of a call. */
static struct value_vec push_args(struct dualizer *z, const struct function *f, int n,
				  const struct dual *args)
{
	struct value_vec all = { 0 };

	for (int i = 0; i < n; i++)
		dual_push(z->d, z->builder, f->bindings.at[i].type, args[i], &all);
	return all;
}

static struct dual failed(void)
{
	return (struct dual){ VALUE_FAILED, VALUE_NONE };
}

static bool any_tangent(const struct binding *of, const struct dual *args)
{
	for (int i = 0; i < of->nargs; i++)
		if (args[i].tangent != VALUE_NONE)
			return true;
	return false;
}

/* --- calls and tuples */

static struct dual dual_call(struct dualizer *z, const struct binding *of, const int *values,
			     const struct dual *args)
{
	struct dual y = { build_copy(z->builder, of, values, NULL), VALUE_NONE };
	const struct type *t = build_type(z->builder, y.value);
	int *tangents = arena_many(z->d->arena, int, of->nargs);

	if (!any_tangent(of, args) || y.value == VALUE_FAILED || space_is_inert(t))
		return y;
	if (space_check(t, of->op->name) < 0)
		return failed();
	for (int i = 0; i < of->nargs; i++)
		tangents[i] = args[i].tangent;
	struct binding call = *of;

	call.args = values;
	call.type = t;
	y.tangent = transpose_pullback(z->d, z->builder, &call, y.value, tangents);
	return y;
}

static struct dual dual_tuple(struct dualizer *z, const struct binding *of, const int *values,
			      const struct dual *args)
{
	struct dual y = { build_tuple(z->builder, of->nargs, values), VALUE_NONE };
	struct value_vec tangents = { 0 };
	bool any = any_tangent(of, args);

	for (int i = 0; any && i < of->nargs; i++)
		if (space_of(z->d, build_type(z->builder, values[i])))
			vec_push(z->d->arena, &tangents,
				 args[i].tangent != VALUE_NONE
					 ? args[i].tangent
					 : space_zero(z->d, z->builder, values[i]));
	if (any)
		y.tangent = build_tuple(z->builder, tangents.n, tangents.at);
	return y;
}

static struct dual dual_field(struct dualizer *z, const struct binding *of,
			      const struct dual *args)
{
	const struct type *t = build_type(z->builder, args[0].value);
	struct dual y = { build_field(z->builder, args[0].value, of->field), VALUE_NONE };
	int known = 0;

	if (args[0].tangent == VALUE_NONE || t->kind != TYPE_TUPLE ||
	    !space_of(z->d, t->field[of->field]))
		return y;
	for (int i = 0; i < of->field; i++)
		known += space_of(z->d, t->field[i]) != NULL;
	y.tangent = build_field(z->builder, args[0].tangent, known);
	return y;
}

/* --- functions */

static struct dual dual_closure(struct dualizer *z, const struct binding *of,
				const struct dual *args)
{
	int function = forward_function(z->d, of->function);
	struct value_vec all = push_args(z, diff_function(z->d, of->function), of->nargs, args);

	if (function == FUNCTION_NONE)
		return failed();
	return (struct dual){ build_closure(z->builder, function, all.n, all.at), VALUE_NONE };
}

static struct dual dual_apply(struct dualizer *z, const struct binding *of,
			      const struct dual *args)
{
	const struct function *f = diff_function(z->d, of->function);
	int function = forward_function(z->d, of->function);
	struct value_vec all = push_args(z, f, of->nargs, args);

	if (function == FUNCTION_NONE)
		return failed();
	return dual_take(z->d, z->builder, f->result,
			 build_apply(z->builder, function, all.n, all.at));
}

static struct dual dual_apply_value(struct dualizer *z, const struct binding *of,
				    const struct dual *args)
{
	const struct type *t = function_at(z->f, of->args[0])->type;
	struct value_vec all = { 0 };

	if (t->kind != TYPE_FUNCTION) {
		err_set("%s: what is applied is of no known type", z->f->name);
		return failed();
	}
	vec_push(z->d->arena, &all, args[0].value);
	for (int i = 1; i < of->nargs; i++)
		dual_push(z->d, z->builder, t->field[i - 1], args[i], &all);
	return dual_take(z->d, z->builder, t->result,
			 build_apply(z->builder, FUNCTION_NONE, all.n, all.at));
}

static struct dual dual_if(struct dualizer *z, const struct binding *of, const struct dual *args)
{
	const struct function *f = diff_function(z->d, of->function);
	int function = forward_function(z->d, of->function);
	int otherwise = forward_function(z->d, of->otherwise);
	struct value_vec all = push_args(z, f, of->nargs - 1, args + 1);

	if (function == FUNCTION_NONE || otherwise == FUNCTION_NONE ||
	    space_check(of->type, "the result of a branch") < 0)
		return failed();
	return dual_take(z->d, z->builder, of->type,
			 build_if(z->builder, args[0].value, function, otherwise, all.n, all.at));
}

/* --- loops */

/* The body of a loop in which each state and each scan has its tangent behind it. */
static int tangent_body(struct diff *d, int function)
{
	const struct function *f = diff_function(d, function);
	int tangent = forward_function(d, function);
	struct value_vec args = { 0 }, results = { 0 };
	int known = 0;

	if (tangent == FUNCTION_NONE)
		return FUNCTION_NONE;
	const struct function *of = diff_function(d, tangent);
	struct builder b = builder_begin(d->graph, arena_printf(d->arena, "%s.tangents", f->name));

	for (int i = 0; i < of->nparams; i++)
		vec_push(d->arena, &args, build_param(&b, "", of->bindings.at[i].type));
	struct dual all = dual_take(d, &b, f->result,
				    build_apply(&b, tangent, args.n, args.at));

	for (int i = 0; i < f->nresults; i++) {
		const struct type *t = f->nresults == 1 ? f->result : f->result->field[i];
		struct dual y = { f->nresults == 1 ? all.value : build_field(&b, all.value, i),
				  VALUE_NONE };

		if (space_of(d, t))
			y.tangent = build_field(&b, all.tangent, known++);
		dual_push(d, &b, t, y, &results);
	}
	return builder_end(&b, results.n, results.at);
}

/* Field *NEXT of LOOP and, where one of type T has one, the tangent behind it. */
static struct dual take_field(struct dualizer *z, const struct type *t, int loop, int *next)
{
	struct dual y = { build_field(z->builder, loop, (*next)++), VALUE_NONE };

	if (space_of(z->d, t))
		y.tangent = build_field(z->builder, loop, (*next)++);
	return y;
}

static struct dual dual_loop(struct dualizer *z, const struct binding *of, const struct dual *args)
{
	const struct function *f = diff_function(z->d, of->function);
	int body = tangent_body(z->d, of->function);
	struct value_vec all = { 0 }, fields = { 0 }, tangents = { 0 };
	int nstate = 0, next = 0;

	if (body == FUNCTION_NONE)
		return failed();
	for (int i = 2; i < of->nargs; i++) {
		dual_push(z->d, z->builder, f->bindings.at[i - 1].type, args[i], &all);
		nstate = i - 2 < of->nstate ? all.n : nstate;
	}
	int loop = build_loop(z->builder, body, args[0].value, args[1].value, nstate, all.at,
			      all.n - nstate, all.at + nstate);

	for (int i = 1; i < f->nresults; i++) {
		struct dual y = take_field(z, f->result->field[i], loop, &next);

		vec_push(z->d->arena, &fields, y.value);
		if (y.tangent != VALUE_NONE)
			vec_push(z->d->arena, &tangents, y.tangent);
	}
	struct dual y = { build_tuple(z->builder, fields.n, fields.at), VALUE_NONE };

	if (tangents.n)
		y.tangent = build_tuple(z->builder, tangents.n, tangents.at);
	return y;
}

static struct dual dual_binding(struct dualizer *z, const struct binding *of, const int *values,
				const struct dual *args)
{
	switch (of->kind) {
	case BIND_PARAM:
	case BIND_CONST:
		break;
	case BIND_CALL:
		return dual_call(z, of, values, args);
	case BIND_TUPLE:
		return dual_tuple(z, of, values, args);
	case BIND_FIELD:
		return dual_field(z, of, args);
	case BIND_CLOSURE:
		return dual_closure(z, of, args);
	case BIND_APPLY:
		return of->function == FUNCTION_NONE ? dual_apply_value(z, of, args)
						     : dual_apply(z, of, args);
	case BIND_IF:
		return dual_if(z, of, args);
	case BIND_LOOP:
		return dual_loop(z, of, args);
	}
	return (struct dual){ build_copy(z->builder, of, values, NULL), VALUE_NONE };
}

int dual_body(struct dualizer *z)
{
	struct arena *a = z->d->arena;

	for (int i = z->f->nparams; i < z->f->bindings.n; i++) {
		const struct binding *of = &z->f->bindings.at[i];
		struct dual *args = arena_many(a, struct dual, of->nargs);
		int *values = arena_many(a, int, of->nargs);

		for (int j = 0; j < of->nargs; j++) {
			args[j] = of->args[j] < 0 ? (struct dual){ VALUE_NONE, VALUE_NONE }
						  : z->dual[of->args[j]];
			values[j] = args[j].value;
		}
		z->builder->origin = of->origin;
		z->dual[i] = dual_binding(z, of, values, args);
		if (z->dual[i].value == VALUE_FAILED || z->dual[i].tangent == VALUE_FAILED)
			return *of->origin->label ? err_prefix("tangent of node '%s'", of->origin->label) : -1;
	}
	z->builder->origin = &origin_none;
	return 0;
}

struct dual dual_result(struct dualizer *z)
{
	struct binding tuple = { .kind = BIND_TUPLE, .nargs = z->f->nresults };
	struct dual *results = arena_many(z->d->arena, struct dual, tuple.nargs);
	int *values = arena_many(z->d->arena, int, tuple.nargs);

	for (int i = 0; i < tuple.nargs; i++) {
		results[i] = z->dual[z->f->results[i]];
		values[i] = results[i].value;
	}
	return tuple.nargs == 1 ? results[0] : dual_tuple(z, &tuple, values, results);
}
