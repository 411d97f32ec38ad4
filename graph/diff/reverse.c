/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/reverse.c - a function with its gradient behind it. */
#include "graph/diff/reverse.h"

#include "base/err.h"
#include "graph/diff/diff.h"

/* A function being made whose bindings are those of another, in dual form. */
struct carrier {
	struct diff *d;
	struct builder *builder;
	bool keep;	/* loops keep their states */
};

static int carry_body(struct carrier *c, int function, const int *args, int *results);

/* The branch that is known to be taken, here. */
static int carry_branch(struct carrier *c, int function, const int *args)
{
	int n = diff_function(c->d, function)->nresults;
	int *results = arena_many(c->d->arena, int, n);

	if (carry_body(c, function, args, results) < 0)
		return VALUE_FAILED;
	return n == 1 ? results[0] : build_tuple(c->builder, n, results);
}

static int carry_if(struct carrier *c, const struct binding *of, const int *args)
{
	const struct array *known = build_array(c->builder, args[0]);

	if (known && known->count == 1)
		return carry_branch(c, array_int(known, 0) ? of->function : of->otherwise,
				    args + 1);
	int function = reverse_carried(c->d, of->function);
	int otherwise = reverse_carried(c->d, of->otherwise);

	if (function == FUNCTION_NONE || otherwise == FUNCTION_NONE)
		return VALUE_FAILED;
	return build_if(c->builder, args[0], function, otherwise, of->nargs - 1, args + 1);
}

static int carry_loop(struct carrier *c, const struct binding *of, const int *args)
{
	int body = c->keep ? reverse_keeping(c->d, of->function, of->nstate)
			   : reverse_carried(c->d, of->function);

	if (body == FUNCTION_NONE)
		return VALUE_FAILED;
	return build_loop(c->builder, body, args[0], args[1], of->nstate, args + 2,
			  of->nargs - 2 - of->nstate, args + 2 + of->nstate);
}

static int carry_apply(struct carrier *c, const struct function *f, const struct binding *of,
		       const int *args)
{
	struct builder *b = c->builder;

	if (of->function != FUNCTION_NONE) {
		int function = reverse_carried(c->d, of->function);

		return function == FUNCTION_NONE ? VALUE_FAILED
						 : build_apply(b, function, of->nargs, args);
	}
	const struct type *t = function_at(f, of->args[0])->type;

	if (t->kind != TYPE_FUNCTION) {
		err_set("%s: what is applied is of no known type", f->name);
		return VALUE_FAILED;
	}
	int both = build_apply(b, FUNCTION_NONE, of->nargs, args);

	return space_of(c->d, t->result) ? build_field(b, both, 0) : both;
}

static int carry(struct carrier *c, const struct function *f, const struct binding *of,
		 const int *args)
{
	int function;

	switch (of->kind) {
	case BIND_PARAM:
	case BIND_CONST:
	case BIND_CALL:
	case BIND_TUPLE:
	case BIND_FIELD:
		break;
	case BIND_CLOSURE:
		function = reverse_closure(c->d, of->function, of->nargs);
		return function == FUNCTION_NONE
			       ? VALUE_FAILED
			       : build_closure(c->builder, function, of->nargs, args);
	case BIND_APPLY:
		return carry_apply(c, f, of, args);
	case BIND_IF:
		return carry_if(c, of, args);
	case BIND_LOOP:
		return carry_loop(c, of, args);
	}
	return build_copy(c->builder, of, args, NULL);
}

/* FUNCTION of ARGS here. */
static int carry_body(struct carrier *c, int function, const int *args, int *results)
{
	const struct function *f = diff_function(c->d, function);
	int *value = arena_many(c->d->arena, int, f->bindings.n);
	const struct origin *origin = c->builder->origin;

	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *of = &f->bindings.at[i];
		int *operands = arena_many(c->d->arena, int, of->nargs);

		for (int j = 0; j < of->nargs; j++)
			operands[j] = of->args[j] < 0 ? of->args[j] : value[of->args[j]];
		c->builder->origin = of->origin;
		value[i] = i < f->nparams ? args[i] : carry(c, f, of, operands);
		if (value[i] == VALUE_FAILED)
			return *of->origin->label ? err_prefix("node '%s'", of->origin->label) : -1;
	}
	c->builder->origin = origin;
	for (int i = 0; i < f->nresults; i++)
		results[i] = value[f->results[i]];
	return 0;
}

/* The numbers from 0 on: the parameters of a function. */
static int *count_up(const struct diff *d, int n)
{
	int *v = arena_many(d->arena, int, n);

	for (int i = 0; i < n; i++)
		v[i] = i;
	return v;
}

void reverse_params(const struct diff *d, const struct function *f, struct type_vec *types)
{
	for (int i = 0; i < f->nparams; i++)
		vec_push(d->arena, types, space_dual(d, f->bindings.at[i].type));
}

bool reverse_pulls(const struct diff *d, const struct function *f)
{
	return space_of(d, f->result) != NULL;
}

int reverse_count(const struct diff *d, const struct function *f, int from, int to)
{
	int n = 0;

	for (int i = from; i < to; i++)
		n += space_of(d, f->bindings.at[i].type) != NULL;
	return n;
}

int reverse_result(struct builder *b, int results, int i, int n)
{
	return n == 1 ? results : build_field(b, results, i);
}

int reverse_carried(struct diff *d, int function)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "carried", function, 0);
	bool functions = space_has_functions(f->result);
	struct type_vec params = { 0 };

	for (int i = 0; i < f->nparams; i++)
		functions |= space_has_functions(f->bindings.at[i].type);
	if (!functions)
		return function;
	if (index != FUNCTION_NONE)
		return index;
	reverse_params(d, f, &params);
	index = diff_declare(d, "carried", function, 0, &params, space_dual(d, f->result));
	struct builder b = builder_resume(d->graph, index);
	struct carrier c = { d, &b, false };
	int *results = arena_many(d->arena, int, f->nresults);

	if (carry_body(&c, function, count_up(d, f->nparams), results) < 0)
		return FUNCTION_NONE;
	return builder_end(&b, f->nresults, results);
}

/* The gradients by F's parameters, behind F's body in B, from those by its results, into OUT. */
static int pull_body(struct diff *d, struct builder *b, const struct function *f,
		     const int *results, const int *seeds, struct value_vec *out)
{
	bool *by = arena_many(d->arena, bool, b->function->bindings.n);

	for (int i = 0; i < f->nparams; i++)
		by[i] = space_of(d, f->bindings.at[i].type) != NULL;
	struct sweep s = sweep_begin(d, b, 0, b->function->bindings.n, by);

	s.control = reverse_control;
	for (int i = 0; i < f->nresults; i++)
		if (sweep_add(&s, results[i], seeds[i]) < 0)
			return -1;
	if (sweep_run(&s) < 0)
		return -1;
	for (int i = 0; i < f->nparams; i++)
		if (by[i])
			vec_push(d->arena, out, sweep_gradient_or_zero(&s, i));
	return 0;
}

/* SEED, the gradient by a function's whole result, as one for each of its results. */
static int *split_seed(struct diff *d, struct builder *b, const struct function *f, int seed)
{
	int *seeds = arena_many(d->arena, int, f->nresults);
	int n = 0;

	for (int i = 0; i < f->nresults; i++) {
		const struct type *t = f->nresults == 1 ? f->result : f->result->field[i];

		seeds[i] = VALUE_NONE;
		if (space_of(d, t))
			seeds[i] = f->nresults == 1 ? seed : build_field(b, seed, n++);
	}
	return seeds;
}

/* What is made of FUNCTION's body with its gradient behind it, by the SEEDS, appended to OUT. */
static int make_gradient(struct diff *d, struct builder *b, int function, const int *seeds,
			 bool results_too)
{
	const struct function *f = diff_function(d, function);
	struct carrier c = { d, b, true };
	int *results = arena_many(d->arena, int, f->nresults);
	struct value_vec out = { 0 };

	if (carry_body(&c, function, count_up(d, f->nparams), results) < 0)
		return FUNCTION_NONE;
	for (int i = 0; results_too && i < f->nresults; i++)
		vec_push(d->arena, &out, results[i]);
	if (pull_body(d, b, f, results, seeds, &out) < 0)
		return FUNCTION_NONE;
	build_prune(b, out.n, out.at);
	return builder_end(b, out.n, out.at);
}

int reverse_gradient(struct diff *d, int function)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "gradient", function, 0);
	struct type_vec params = { 0 }, results = { 0 };

	if (index != FUNCTION_NONE)
		return index;
	if (d->impure[function]) {
		err_set("%s: it draws random numbers, and would draw others where it is computed "
			"again for its gradient", f->name);
		return FUNCTION_NONE;
	}
	reverse_params(d, f, &params);
	vec_push(d->arena, &params, space_of(d, f->result));
	for (int i = 0; i < f->nparams; i++) {
		const struct type *t = f->bindings.at[i].type;

		if (space_of(d, t))
			vec_push(d->arena, &results, space_of(d, t));
	}
	index = diff_declare(d, "gradient", function, 0, &params, space_results(d, &results));
	struct builder b = builder_resume(d->graph, index);

	return make_gradient(d, &b, function, split_seed(d, &b, f, f->nparams), false);
}

int graph_gradient(struct graph *g, int function)
{
	struct diff d = { .graph = g, .arena = g->arena, .impure = diff_impure(g->arena, g) };
	const struct function *f = g->functions.at[function];
	int *seeds = arena_many(g->arena, int, f->nresults);

	if (diff_check(f) < 0)
		return FUNCTION_NONE;
	struct builder b = builder_begin(g, arena_printf(g->arena, "%s.gradient", f->name));

	for (int i = 0; i < f->nparams; i++)
		build_param(&b, f->bindings.at[i].name, f->bindings.at[i].type);
	for (int i = 0; i < f->nresults; i++) {
		const struct binding *result = function_at(f, f->results[i]);
		const struct type *t = space_of(&d, result->type);

		seeds[i] = VALUE_NONE;
		if (t)
			seeds[i] = build_param(&b, arena_printf(g->arena, "by %s", result->name), t);
	}
	return make_gradient(&d, &b, function, seeds, true);
}
