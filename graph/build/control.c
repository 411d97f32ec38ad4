/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/control.c - tuples, closures, applications, branches and loops. */
#include <assert.h>

#include "base/err.h"
#include "graph/build/fold.h"
#include "graph/build/push.h"

static int *copy(struct builder *b, int n, const int *values)
{
	return arena_memdup(b->arena, values, (size_t)n * sizeof(*values));
}

int build_tuple(struct builder *b, int n, const int *fields)
{
	const struct type **types = arena_many(b->arena, const struct type *, n);

	if (check_args(b, "tuple", n, fields) < 0)
		return VALUE_FAILED;
	for (int i = 0; i < n; i++)
		types[i] = build_type(b, fields[i]);
	return push(b, (struct binding){ .kind = BIND_TUPLE, .args = copy(b, n, fields), .nargs = n,
					 .type = type_tuple(b->arena, n, types) });
}

int build_field(struct builder *b, int tuple, int field)
{
	if (tuple == VALUE_FAILED)
		return VALUE_FAILED;
	const struct binding *of = build_at(b, tuple);
	const struct type *t = of->type;

	if (of->kind == BIND_TUPLE && field < of->nargs)
		return of->args[field];
	if (t->kind != TYPE_UNKNOWN && (t->kind != TYPE_TUPLE || field >= t->nfields)) {
		err_set("field %d of what has no such field", field);
		return VALUE_FAILED;
	}
	return push(b, (struct binding){
		.kind = BIND_FIELD, .args = copy(b, 1, &tuple), .nargs = 1, .field = field,
		.type = t->kind == TYPE_TUPLE ? t->field[field] : &type_unknown });
}

/* -1 and a message where ARGS do not fit the parameters of F from the FIRST on, all of them where
 * WHOLE. */
static int check_params(const struct builder *b, const struct function *f, int nargs,
			const int *args, bool whole)
{
	if (check_args(b, f->name, nargs, args) < 0)
		return -1;
	if (whole ? nargs != f->nparams : nargs > f->nparams)
		return err_set("%s: %d arguments for %d parameters", f->name, nargs, f->nparams);
	for (int i = 0; i < nargs; i++)
		if (args[i] != VALUE_NONE &&
		    !type_fits(build_type(b, args[i]), f->bindings.at[i].type))
			return err_set("%s: argument %d is %s, the parameter %s", f->name, i,
				       type_string(b->arena, build_type(b, args[i])),
				       type_string(b->arena, f->bindings.at[i].type));
	return 0;
}

static const struct function *function_of(const struct builder *b, int function)
{
	return b->graph->functions.at[function];
}

int build_closure(struct builder *b, int function, int n, const int *captured)
{
	const struct function *f = function_of(b, function);

	if (check_params(b, f, n, captured, false) < 0)
		return VALUE_FAILED;
	const struct type **params = arena_many(b->arena, const struct type *, f->nparams - n);

	for (int i = n; i < f->nparams; i++)
		params[i - n] = f->bindings.at[i].type;
	return push(b, (struct binding){
		.kind = BIND_CLOSURE, .args = copy(b, n, captured), .nargs = n,
		.function = function, .otherwise = FUNCTION_NONE,
		.type = type_function(b->arena, f->nparams - n, params, f->result) });
}

static int apply_value(struct builder *b, int nargs, const int *args)
{
	if (check_args(b, "apply", nargs, args) < 0)
		return VALUE_FAILED;
	const struct type *t = build_type(b, args[0]);

	if (t->kind != TYPE_UNKNOWN && (t->kind != TYPE_FUNCTION || t->nfields != nargs - 1)) {
		err_set("apply: %d arguments for what is no function of as many", nargs - 1);
		return VALUE_FAILED;
	}
	for (int i = 1; t->kind == TYPE_FUNCTION && i < nargs; i++)
		if (!type_fits(build_type(b, args[i]), t->field[i - 1])) {
			err_set("apply: argument %d is not of the parameter's type", i - 1);
			return VALUE_FAILED;
		}
	return push(b, (struct binding){
		.kind = BIND_APPLY, .args = copy(b, nargs, args), .nargs = nargs,
		.function = FUNCTION_NONE, .otherwise = FUNCTION_NONE,
		.type = t->kind == TYPE_FUNCTION ? t->result : &type_unknown });
}

static int fold_or_push(struct builder *b, struct binding of)
{
	int folded = fold_function(b, &of);

	return folded != VALUE_NONE ? folded : push(b, of);
}

int build_apply(struct builder *b, int function, int nargs, const int *args)
{
	if (function == FUNCTION_NONE)
		return apply_value(b, nargs, args);
	if (check_params(b, function_of(b, function), nargs, args, true) < 0)
		return VALUE_FAILED;
	return fold_or_push(b, (struct binding){
		.kind = BIND_APPLY, .args = copy(b, nargs, args), .nargs = nargs,
		.function = function, .otherwise = FUNCTION_NONE,
		.type = function_of(b, function)->result });
}

/* -1 and a message where VALUE, which is WHAT, cannot be a number by its type. */
static int check_number(const struct builder *b, const char *what, int value)
{
	const struct type *t = build_type(b, value);

	if (t->kind == TYPE_UNKNOWN || t->kind == TYPE_OPTIONAL ||
	    (t->kind == TYPE_TENSOR && t->element != ELEMENT_STRING))
		return 0;
	return err_set("%s is %s", what, type_string(b->arena, t));
}

int build_if(struct builder *b, int condition, int function, int otherwise, int nargs,
	     const int *args)
{
	if (condition == VALUE_FAILED || check_args(b, "if", nargs, args) < 0)
		return VALUE_FAILED;
	const struct array *known = build_array(b, condition);

	if (check_args(b, "if", 1, &condition) < 0 || check_number(b, "a condition", condition) < 0)
		return VALUE_FAILED;
	if (known && known->count == 1 && !b->plain)
		return build_inline(b, array_int(known, 0) ? function : otherwise, nargs, args);
	if (check_params(b, function_of(b, function), nargs, args, true) < 0 ||
	    check_params(b, function_of(b, otherwise), nargs, args, true) < 0)
		return VALUE_FAILED;
	int *all = arena_many(b->arena, int, 1 + nargs);

	all[0] = condition;
	if (nargs)
		memcpy(all + 1, args, (size_t)nargs * sizeof(*args));
	return push(b, (struct binding){
		.kind = BIND_IF, .args = all, .nargs = 1 + nargs, .function = function,
		.otherwise = otherwise,
		.type = type_join(b->arena, function_of(b, function)->result,
				  function_of(b, otherwise)->result) });
}

/* The type of a scan: values of type T along a new first dim. */
static const struct type *scan_type(struct arena *a, const struct type *t, struct dim trips)
{
	struct dim dims[GRAPH_MAX_RANK] = { trips };

	if (!type_is_ranked(t) || t->rank == GRAPH_MAX_RANK)
		return type_unranked(a, t->element);
	for (int i = 0; i < t->rank; i++)
		dims[i + 1] = t->dim[i];
	return type_tensor(a, t->element, t->rank + 1, dims);
}

static const struct type *result_of(const struct function *f, int i)
{
	return f->result->kind == TYPE_TUPLE && f->nresults != 1
		       ? f->result->field[i]
		       : f->nresults == 1 ? f->result : &type_unknown;
}

static const struct type *loop_type(const struct builder *b, const struct function *f, int nstate,
				    const int *state, struct dim trips)
{
	const struct type **types = arena_many(b->arena, const struct type *, f->nresults);

	for (int i = 0; i < nstate; i++)
		types[i] = type_join(b->arena, build_type(b, state[i]), result_of(f, 1 + i));
	for (int i = nstate; i < f->nresults - 1; i++)
		types[i] = scan_type(b->arena, result_of(f, 1 + i), trips);
	return type_tuple(b->arena, f->nresults - 1, types);
}

/* Do the results of an iteration fit the parameters of the next? */
static int check_loop(const struct function *f, int nstate, int nextra)
{
	if (f->nparams != 1 + nstate + nextra || f->nresults < 1 + nstate)
		return err_set("%s: a loop's body takes the iteration, %d states and %d others, and "
			       "gives a condition, the states and scans", f->name, nstate, nextra);
	for (int i = 0; i < nstate; i++)
		if (!type_fits(result_of(f, 1 + i), f->bindings.at[1 + i].type))
			return err_set("%s: state %d changes its type from iteration to iteration",
				       f->name, i);
	return 0;
}

int build_loop(struct builder *b, int function, int trips, int condition, int nstate,
	       const int *state, int nextra, const int *extra)
{
	const struct function *f = function_of(b, function);
	int n = 2 + nstate + nextra;
	int *all = arena_many(b->arena, int, n);
	const struct array *count = trips < 0 ? NULL : build_array(b, trips);

	all[0] = trips;
	all[1] = condition;
	for (int i = 0; i < nstate; i++)
		all[2 + i] = state[i];
	for (int i = 0; i < nextra; i++)
		all[2 + nstate + i] = extra[i];
	if (check_args(b, "loop", n, all) < 0 || check_loop(f, nstate, nextra) < 0 ||
	    check_number(b, "how often a loop runs", trips) < 0 ||
	    check_number(b, "a loop's condition", condition) < 0)
		return VALUE_FAILED;
	/* How many iterations there are is known only where nothing but the count ends it. */
	bool counted = count && count->count == 1 && condition == VALUE_NONE && f->nresults > 0 &&
		       function_const(f, f->results[0]) &&
		       array_int(function_const(f, f->results[0]), 0);
	int64_t most = counted ? array_int(count, 0) : -1;

	return fold_or_push(b, (struct binding){
		.kind = BIND_LOOP, .args = all, .nargs = n, .function = function,
		.otherwise = FUNCTION_NONE, .nstate = nstate,
		.type = loop_type(b, f, nstate, state,
				  !counted ? dim_unknown() : dim_number(most > 0 ? most : 0)) });
}

int build_copy(struct builder *b, const struct binding *of, const int *args, const int *through)
{
	const struct origin *origin = b->origin;
	int function = of->function >= 0 && through ? through[of->function] : of->function;
	int otherwise = of->otherwise >= 0 && through ? through[of->otherwise] : of->otherwise;
	struct attr_vec attrs = { (struct attr *)(uintptr_t)of->attrs, of->nattrs, of->nattrs };
	int value = VALUE_FAILED;

	b->origin = of->origin;
	switch (of->kind) {
	case BIND_PARAM:
		die("a parameter is not copied");
	case BIND_CONST:
		value = build_const(b, of->array);
		break;
	case BIND_CALL:
		value = build_call(b, of->op, of->nargs, args, &attrs);
		break;
	case BIND_TUPLE:
		value = build_tuple(b, of->nargs, args);
		break;
	case BIND_FIELD:
		value = build_field(b, args[0], of->field);
		break;
	case BIND_CLOSURE:
		value = build_closure(b, function, of->nargs, args);
		break;
	case BIND_APPLY:
		value = build_apply(b, function, of->nargs, args);
		break;
	case BIND_IF:
		value = build_if(b, args[0], function, otherwise, of->nargs - 1, args + 1);
		break;
	case BIND_LOOP:
		value = build_loop(b, function, args[0], args[1], of->nstate, args + 2,
				   of->nargs - 2 - of->nstate, args + 2 + of->nstate);
		break;
	}
	b->origin = origin;
	if (*of->name)
		build_name(b, value, of->name);
	return value;
}

int build_inline(struct builder *b, int function, int nargs, const int *args)
{
	const struct function *f = function_of(b, function);

	if (check_params(b, f, nargs, args, true) < 0)
		return VALUE_FAILED;
	int *value = arena_many(b->arena, int, f->bindings.n);

	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *of = &f->bindings.at[i];
		int *operands = arena_many(b->arena, int, of->nargs);

		if (i < f->nparams) {
			value[i] = args[i];
			continue;
		}
		for (int j = 0; j < of->nargs; j++)
			operands[j] = of->args[j] < 0 ? of->args[j] : value[of->args[j]];
		value[i] = build_copy(b, of, operands, NULL);
		if (value[i] == VALUE_FAILED)
			return VALUE_FAILED;
	}
	int *results = arena_many(b->arena, int, f->nresults);

	for (int i = 0; i < f->nresults; i++)
		results[i] = value[f->results[i]];
	return f->nresults == 1 ? results[0] : build_tuple(b, f->nresults, results);
}
