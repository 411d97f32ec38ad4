/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/transpose.c - the transpose of a pullback is the tangent.
 *
 * The operator's gradient function gives the pullback of a gradient that stands for any. It is linear
 * in that gradient; so the gradient by it of <pullback, tangents> no longer depends on it, and is the
 * tangent of the result. What of the pullback is not needed is dropped when the function is pruned. */
#include "graph/diff/transpose.h"

#include "base/err.h"
#include "graph/diff/sweep.h"
#include "graph/op/gradient.h"

/* For each result that has a space, in BY, a gradient that stands for any; their number. */
static int stand_ins(struct diff *d, struct builder *b, int value, int *by)
{
	const struct type *t = build_type(b, value);
	int n = t->kind == TYPE_TUPLE ? t->nfields : 1;

	for (int i = 0; i < n; i++) {
		int field = t->kind == TYPE_TUPLE ? build_field(b, value, i) : value;

		by[i] = space_of(d, build_type(b, field)) ? build(b, &core_identity, field)
							  : VALUE_NONE;
	}
	return n;
}

/* Sweeps back over the pullback, bindings [FROM, TO), from the TANGENTS of its results OF_ARG. */
static int sweep_pullback(struct sweep *s, int nargs, const int *of_arg, const int *tangents)
{
	for (int i = 0; i < nargs; i++)
		if (of_arg[i] == VALUE_FAILED || sweep_add(s, of_arg[i], tangents[i]) < 0)
			return -1;
	return sweep_run(s);
}

int transpose_pullback(struct diff *d, struct builder *b, const struct binding *call, int value,
		       const int *tangents)
{
	bool tuple = build_type(b, value)->kind == TYPE_TUPLE;
	int *by = arena_many(d->arena, int, tuple ? build_type(b, value)->nfields : 1);
	int *of_arg = arena_many(d->arena, int, call->nargs);
	int from = b->function->bindings.n;
	int n = stand_ins(d, b, value, by);
	struct gradient g = { b, call, value, by, of_arg };
	struct value_vec results = { 0 };

	if (!call->op->gradient) {
		err_set("%s: it is not differentiable", call->op->name);
		return VALUE_FAILED;
	}
	for (int i = 0; i < call->nargs; i++)
		of_arg[i] = VALUE_NONE;
	if (call->op->gradient(&g) < 0)
		return VALUE_FAILED;
	bool *seeds = arena_many(d->arena, bool, b->function->bindings.n - from);

	for (int i = 0; i < n; i++)
		if (by[i] >= 0)
			seeds[by[i] - from] = true;
	struct sweep s = sweep_begin(d, b, from, b->function->bindings.n, seeds);

	if (sweep_pullback(&s, call->nargs, of_arg, tangents) < 0)
		return VALUE_FAILED;
	if (!tuple)
		return by[0] == VALUE_NONE ? VALUE_NONE : sweep_gradient(&s, by[0]);
	for (int i = 0; i < n; i++)
		if (by[i] >= 0)
			vec_push(d->arena, &results, sweep_gradient_or_zero(&s, by[i]));
	return build_tuple(b, results.n, results.at);
}
