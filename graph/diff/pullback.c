/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/pullback.c - backwards over applications, branches and closures. */
#include "base/err.h"
#include "graph/diff/reverse.h"

int reverse_spread(struct sweep *s, const struct function *f, const int *args, int gradients,
		   int first, int nall)
{
	if (gradients == VALUE_FAILED)
		return -1;
	for (int i = 0; i < f->nparams; i++)
		if (space_of(s->d, f->bindings.at[i].type) &&
		    sweep_add(s, args[i],
			      reverse_result(s->builder, gradients, first++, nall)) < 0)
			return -1;
	return 0;
}

/* -1 and a message where an argument that is differentiated is one of which F's parameter says too
 * little, or of a kind that has no gradient. */
static int check_params(const struct function *f)
{
	for (int i = 0; i < f->nparams; i++)
		if (space_check(f->bindings.at[i].type, "a parameter") < 0)
			return err_prefix("%s", f->name);
	return 0;
}

/* ARGS and the gradient by VALUE. */
static int *with_seed(struct sweep *s, int nargs, const int *args, int value)
{
	int *all = arena_many(s->d->arena, int, nargs + 1);

	if (nargs)
		memcpy(all, args, (size_t)nargs * sizeof(*args));
	all[nargs] = sweep_gradient(s, value);
	return all;
}

static int pull_apply(struct sweep *s, int value)
{
	const struct binding of = *build_at(s->builder, value);
	int function = diff_origin(s->d, of.function);
	const struct function *f = diff_function(s->d, function);
	int n = reverse_count(s->d, f, 0, f->nparams);

	if (check_params(f) < 0)
		return -1;
	int gradient = reverse_gradient(s->d, function);

	if (gradient == FUNCTION_NONE)
		return -1;
	int all = build_apply(s->builder, gradient, of.nargs + 1,
			      with_seed(s, of.nargs, of.args, value));

	return reverse_spread(s, f, of.args, all, 0, n);
}

/* VALUE is what a function that is a value gave: (result, pullback). */
static int pull_value(struct sweep *s, int value)
{
	const struct binding of = *build_at(s->builder, value);
	int pullback = build_field(s->builder, value, 1);
	int seed = s->adjoint[value - s->from].field[0];
	int n = 1, next = 1;

	for (int i = 1; i < of.nargs; i++) {
		const struct type *t = build_type(s->builder, of.args[i]);

		if (space_check(t, "an argument of a function that is a value") < 0)
			return -1;
		n += space_of(s->d, t) != NULL;
	}
	int all = build_apply(s->builder, FUNCTION_NONE, 2, (int[]){ pullback, seed });

	if (sweep_add(s, of.args[0], reverse_result(s->builder, all, 0, n)) < 0)
		return -1;
	for (int i = 1; i < of.nargs; i++)
		if (space_of(s->d, build_type(s->builder, of.args[i])) &&
		    sweep_add(s, of.args[i],
			      reverse_result(s->builder, all, next++, n)) < 0)
			return -1;
	return 0;
}

static int pull_if(struct sweep *s, int value)
{
	const struct binding of = *build_at(s->builder, value);
	int function = diff_origin(s->d, of.function), otherwise = diff_origin(s->d, of.otherwise);
	const struct function *f = diff_function(s->d, function), *g = diff_function(s->d, otherwise);
	int n = reverse_count(s->d, f, 0, f->nparams);

	if (check_params(f) < 0 || check_params(g) < 0)
		return -1;
	if (space_check(of.type, "the result of a branch") < 0)
		return -1;
	int then = reverse_gradient(s->d, function), or_else = reverse_gradient(s->d, otherwise);

	if (then == FUNCTION_NONE || or_else == FUNCTION_NONE)
		return -1;
	int all = build_if(s->builder, of.args[0], then, or_else, of.nargs,
			   with_seed(s, of.nargs - 1, of.args + 1, value));

	return reverse_spread(s, f, of.args + 1, all, 0, n);
}

static int pull_closure(struct sweep *s, int value)
{
	const struct binding of = *build_at(s->builder, value);
	const struct function *f = diff_function(s->d, diff_origin(s->d, of.function));
	struct value_vec zeros = { 0 };
	struct type_vec types = { 0 };
	int adder = sweep_gradient(s, value);

	if (reverse_count(s->d, f, 0, of.nargs) == 0)
		return 0;
	for (int i = 0; i < of.nargs; i++) {
		const struct type *t = space_of(s->d, f->bindings.at[i].type);

		if (space_check(f->bindings.at[i].type, "what a closure has captured") < 0)
			return -1;
		if (!t)
			continue;
		vec_push(s->d->arena, &zeros, space_zero(s->d, s->builder, of.args[i]));
		vec_push(s->d->arena, &types, t);
	}
	int zero = build_tuple(s->builder, zeros.n, zeros.at);
	int sum = build_apply(s->builder, FUNCTION_NONE, 2, (int[]){ adder, zero });
	int known = 0;

	/* an adder does not say of what type its sum is: that of what it adds to */
	if (sum == VALUE_FAILED ||
	    build_retype(s->builder, sum, type_tuple(s->d->arena, types.n, types.at)) < 0)
		return -1;
	for (int i = 0; i < of.nargs; i++)
		if (space_of(s->d, f->bindings.at[i].type) &&
		    sweep_add(s, of.args[i], build_field(s->builder, sum, known++)) < 0)
			return -1;
	return 0;
}

int reverse_control(struct sweep *s, int value)
{
	const struct binding *of = build_at(s->builder, value);

	if (of->kind == BIND_CLOSURE)
		return pull_closure(s, value);
	if (of->kind == BIND_IF)
		return pull_if(s, value);
	if (of->kind == BIND_LOOP)
		return reverse_loop(s, value);
	return of->function == FUNCTION_NONE ? pull_value(s, value) : pull_apply(s, value);
}
