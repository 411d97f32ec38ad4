/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/closure.c - what becomes of a function that a closure makes a value, in reverse.
 *
 * Its first NCAPTURED parameters are bound; its maker and those who apply it do not know each other.
 * Three functions: (parameters) -> (result, pullback); the pullback, over the same parameters; and
 * the adder that the pullback gives, over the gradients by what was captured. */
#include "graph/diff/reverse.h"

/* (gradients by what was captured, their sums so far: a tuple) -> (sums). */
static int make_adder(struct diff *d, int function, int ncaptured)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "adder", function, ncaptured);
	struct type_vec params = { 0 };
	struct value_vec sums = { 0 };

	if (index != FUNCTION_NONE)
		return index;
	for (int i = 0; i < ncaptured; i++) {
		const struct type *t = space_of(d, f->bindings.at[i].type);

		if (t)
			vec_push(d->arena, &params, t);
	}
	int n = params.n;
	const struct type *sum = type_tuple(d->arena, n, params.at);

	vec_push(d->arena, &params, sum);
	index = diff_declare(d, "adder", function, ncaptured, &params, sum);
	struct builder b = builder_resume(d->graph, index);

	for (int i = 0; i < n; i++)
		vec_push(d->arena, &sums,
			 space_plus(d, &b, sum->field[i], build_field(&b, n, i), i));
	return builder_end(&b, 1, (int[]){ build_tuple(&b, n, sums.at) });
}

/* The type of the pullback of what is left of F's parameters. */
static const struct type *pullback_type(const struct diff *d, const struct function *f,
					int ncaptured)
{
	struct type_vec params = { 0 };

	for (int i = ncaptured; i < f->nparams; i++)
		vec_push(d->arena, &params, f->bindings.at[i].type);
	const struct type *t = type_function(d->arena, params.n, params.at, f->result);

	return space_dual(d, t)->result->field[1];
}

/* (parameters, gradient by the result) -> (adder, gradients by the other parameters). */
static int make_pullback(struct diff *d, int function, int ncaptured)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "pullback", function, ncaptured);
	int captured = reverse_count(d, f, 0, ncaptured);
	int n = reverse_count(d, f, 0, f->nparams);
	struct type_vec params = { 0 };
	struct value_vec args = { 0 }, gradients = { 0 }, results = { 0 };

	if (index != FUNCTION_NONE)
		return index;
	reverse_params(d, f, &params);
	vec_push(d->arena, &params, space_of(d, f->result));
	index = diff_declare(d, "pullback", function, ncaptured, &params,
			     pullback_type(d, f, ncaptured)->result);
	struct builder b = builder_resume(d->graph, index);
	int gradient = reverse_gradient(d, function);

	if (gradient == FUNCTION_NONE)
		return FUNCTION_NONE;
	for (int i = 0; i < params.n; i++)
		vec_push(d->arena, &args, i);
	int all = build_apply(&b, gradient, args.n, args.at);

	for (int i = 0; i < n; i++)
		vec_push(d->arena, &gradients, reverse_result(&b, all, i, n));
	vec_push(d->arena, &results,
		 captured ? build_closure(&b, make_adder(d, function, ncaptured), captured,
					  gradients.at)
			  : space_no_adder(d, &b));
	for (int i = captured; i < n; i++)
		vec_push(d->arena, &results, gradients.at[i]);
	return builder_end(&b, results.n, results.at);
}

int reverse_closure(struct diff *d, int function, int ncaptured)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "closure", function, ncaptured);
	int carried = reverse_carried(d, function);
	struct type_vec params = { 0 }, results = { 0 };
	struct value_vec args = { 0 };

	if (!reverse_pulls(d, f) || carried == FUNCTION_NONE)
		return carried;
	if (index != FUNCTION_NONE)
		return index;
	reverse_params(d, f, &params);
	vec_push(d->arena, &results, space_dual(d, f->result));
	vec_push(d->arena, &results, pullback_type(d, f, ncaptured));
	index = diff_declare(d, "closure", function, ncaptured, &params, space_results(d, &results));
	struct builder b = builder_resume(d->graph, index);
	int pullback = make_pullback(d, function, ncaptured);

	if (pullback == FUNCTION_NONE)
		return FUNCTION_NONE;
	for (int i = 0; i < params.n; i++)
		vec_push(d->arena, &args, i);
	return builder_end(&b, 2, (int[]){ build_apply(&b, carried, args.n, args.at),
					   build_closure(&b, pullback, args.n, args.at) });
}
