/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/check.c - the invariants of a graph: first what a builder takes for granted, then each
 * binding made once more. */
#include "graph/build/check.h"

#include "base/err.h"
#include "graph/build/build.h"

/* Is VALUE one of the FIRST values of a function, or left out where it MAY be? */
static bool is_value(int value, int first, bool may)
{
	return value >= (may ? VALUE_NONE : 0) && value < first;
}

static bool is_function(const struct graph *g, int function)
{
	return function >= 0 && function < g->functions.n;
}

/* Operands that stand before the list of a binding, and may not be left out where REQUIRED. */
static int leading_args(const struct binding *b, bool *required)
{
	bool function_value = b->kind == BIND_APPLY && b->function == FUNCTION_NONE;

	*required = b->kind == BIND_FIELD || b->kind == BIND_IF || function_value;
	return b->kind == BIND_LOOP ? 2 + b->nstate : *required;
}

static const char *fault_of_functions(const struct graph *g, const struct binding *b)
{
	bool uses = b->kind == BIND_CLOSURE || b->kind == BIND_IF || b->kind == BIND_LOOP ||
		    (b->kind == BIND_APPLY && b->function != FUNCTION_NONE);

	if (uses ? !is_function(g, b->function) : b->function != FUNCTION_NONE)
		return "its function is none of the graph";
	if (b->kind == BIND_IF ? !is_function(g, b->otherwise) : b->otherwise != FUNCTION_NONE)
		return "its other function is none of the graph";
	return NULL;
}

static const char *fault_of_attrs(const struct binding *b)
{
	for (int i = 0; i < b->nattrs; i++) {
		const struct attr_spec *spec = core_op_attr(b->op, b->attrs[i].name);

		if (!spec || spec->kind != b->attrs[i].kind)
			return "it has an attribute that its operator has not";
		if (attrs_find(b->attrs, i, b->attrs[i].name))
			return "it has an attribute twice";
	}
	return NULL;
}

/* What is wrong with value I of F; NULL where nothing is. */
static const char *fault_of(const struct graph *g, const struct function *f, int i)
{
	const struct binding *b = &f->bindings.at[i];
	bool required;
	int leading = leading_args(b, &required);
	const char *fault = fault_of_functions(g, b);

	if (!b->type || !b->name || !b->origin)
		return "it has no type, name or origin";
	if (b->kind != BIND_CALL && b->origin->demand.kind != DEMAND_NONE)
		return "it is no call, and somebody has to compute it";
	if ((b->kind == BIND_PARAM) != (i < f->nparams))
		return "parameters come first";
	if ((b->kind == BIND_CONST) != (b->array != NULL) ||
	    (b->kind == BIND_CALL) != (b->op != NULL))
		return "it has not what its kind has";
	if (b->nargs < leading)
		return "it has too few operands";
	for (int j = 0; j < b->nargs; j++)
		if (!is_value(b->args[j], i, !(required && j == 0)))
			return "an operand is no value before it";
	return fault ? fault : fault_of_attrs(b);
}

static int check_function(const struct graph *g, const struct function *f)
{
	if (f->nparams > f->bindings.n)
		return err_set("%s: it has fewer bindings than parameters", f->name);
	for (int i = 0; i < f->bindings.n; i++) {
		const char *fault = fault_of(g, f, i);

		if (fault)
			return err_set("%s: value %%%d: %s", f->name, i, fault);
	}
	for (int i = 0; i < f->nresults; i++)
		if (!is_value(f->results[i], f->bindings.n, false))
			return err_set("%s: result %d is no value", f->name, i);
	return 0;
}

/* --- types */

static int differ(const struct function *f, int value, const struct type *has,
		  const struct type *given)
{
	struct text x = { 0 }, y = { 0 };

	type_print(&x, has);
	type_print(&y, given);
	err_set("%s: value %%%d is of type %s, but its relation gives %s", f->name, value,
		text_str(&x), text_str(&y));
	text_free(&x);
	text_free(&y);
	return -1;
}

/* Makes F's bindings again, with the types that they have, in B's function. */
static int check_types(struct builder *b, const struct function *f)
{
	int *value = arena_many(b->arena, int, f->bindings.n);

	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *of = &f->bindings.at[i];
		int *args = arena_many(b->arena, int, of->nargs);

		value[i] = i;
		if (of->kind == BIND_PARAM)
			continue;
		for (int j = 0; j < of->nargs; j++)
			args[j] = of->args[j] < 0 ? of->args[j] : value[of->args[j]];
		int before = b->function->bindings.n;

		value[i] = build_copy(b, of, args, NULL);
		if (value[i] == VALUE_FAILED)
			return err_prefix("%s: value %%%d", f->name, i);
		if (value[i] < before ? !type_fits(build_type(b, value[i]), of->type)
				      : build_retype(b, value[i], of->type) < 0)
			return differ(f, i, of->type, build_type(b, value[i]));
	}
	return 0;
}

static int check_all_types(struct arena *a, const struct graph *g)
{
	struct graph *copy = graph_new(a, g->name);

	/* The functions themselves stand for what is called: their results are known. */
	for (int i = 0; i < g->functions.n; i++)
		vec_push(a, &copy->functions, g->functions.at[i]);
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];
		struct builder b = builder_begin(copy, f->name);

		b.plain = true;
		for (int j = 0; j < f->nparams; j++)
			build_param(&b, f->bindings.at[j].name, f->bindings.at[j].type);
		if (check_types(&b, f) < 0)
			return -1;
		copy->functions.n--;
	}
	return 0;
}

int graph_check(const struct graph *g)
{
	struct arena *a = arena_new();
	int rc = 0;

	for (int i = 0; i < g->functions.n && rc == 0; i++)
		rc = check_function(g, g->functions.at[i]);
	if (rc == 0)
		rc = check_all_types(a, g);
	arena_free(a);
	return rc;
}
