/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/forward.c - the forward form of a function, and its tangent. */
#include "base/err.h"
#include "graph/diff/diff.h"
#include "graph/diff/dual.h"
#include "graph/diff/forms.h"

int forward_function(struct diff *d, int function)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "tangent", function, 0);
	struct type_vec params = { 0 }, types = { 0 };
	struct value_vec results = { 0 };
	struct dualizer z = { .d = d, .f = f };
	int next = 0;

	if (index != FUNCTION_NONE)
		return index;
	for (int i = 0; i < f->nparams; i++) {
		const struct type *t = f->bindings.at[i].type;

		if (space_check(t, "a parameter") < 0)
			return err_prefix("%s", f->name), FUNCTION_NONE;
		vec_push(d->arena, &params, space_dual(d, t));
		if (space_of(d, t))
			vec_push(d->arena, &params, space_of(d, t));
	}
	vec_push(d->arena, &types, space_dual(d, f->result));
	if (space_of(d, f->result))
		vec_push(d->arena, &types, space_of(d, f->result));
	index = diff_declare(d, "tangent", function, 0, &params, space_results(d, &types));
	struct builder b = builder_resume(d->graph, index);

	z.builder = &b;
	z.dual = arena_many(d->arena, struct dual, f->bindings.n);
	for (int i = 0; i < f->nparams; i++) {
		z.dual[i] = (struct dual){ next++, VALUE_NONE };
		if (space_of(d, f->bindings.at[i].type))
			z.dual[i].tangent = next++;
	}
	if (dual_body(&z) < 0)
		return FUNCTION_NONE;
	dual_push(d, &b, f->result, dual_result(&z), &results);
	build_prune(&b, results.n, results.at);
	return builder_end(&b, results.n, results.at);
}

/* The results of a call of FUNCTION's tangent, and then their tangents, as single ones. */
static int flatten(struct diff *d, struct builder *b, const struct function *f, int given)
{
	struct dual all = dual_take(d, b, f->result, given);
	struct value_vec results = { 0 };
	int n = f->nresults;

	for (int i = 0; i < n; i++)
		vec_push(d->arena, &results, n == 1 ? all.value : build_field(b, all.value, i));
	for (int i = 0; n == 1 && i < n; i++)
		if (space_of(d, f->result))
			vec_push(d->arena, &results, all.tangent);
	for (int i = 0, known = 0; n != 1 && i < n; i++)
		if (space_of(d, f->result->field[i]))
			vec_push(d->arena, &results, build_field(b, all.tangent, known++));
	build_prune(b, results.n, results.at);
	return builder_end(b, results.n, results.at);
}

int graph_tangent(struct graph *g, int function)
{
	struct diff d = { .graph = g, .arena = g->arena, .forward = true };
	const struct function *f = g->functions.at[function];
	struct dual *params = arena_many(g->arena, struct dual, f->nparams);
	struct value_vec args = { 0 };
	int tangent;

	if (diff_check(f) < 0 || (tangent = forward_function(&d, function)) == FUNCTION_NONE)
		return FUNCTION_NONE;
	struct builder b = builder_begin(g, arena_printf(g->arena, "%s.tangent", f->name));

	for (int i = 0; i < f->nparams; i++) {
		const struct binding *p = &f->bindings.at[i];

		params[i] = (struct dual){ build_param(&b, p->name, p->type), VALUE_NONE };
	}
	for (int i = 0; i < f->nparams; i++) {
		const struct binding *p = &f->bindings.at[i];
		const struct type *t = space_of(&d, p->type);

		if (t)
			params[i].tangent =
				build_param(&b, arena_printf(g->arena, "d %s", p->name), t);
	}
	for (int i = 0; i < f->nparams; i++)
		dual_push(&d, &b, f->bindings.at[i].type, params[i], &args);
	return flatten(&d, &b, f, build_inline(&b, tangent, args.n, args.at));
}
