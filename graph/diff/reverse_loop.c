/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/reverse_loop.c - loops that keep the states before each iteration, and loops that run
 * backwards over them. */
#include "base/err.h"
#include "graph/diff/reverse.h"

int reverse_keeping(struct diff *d, int function, int nstate)
{
	const struct function *f = diff_function(d, function);
	int index = diff_find(d, "keeping", function, nstate);
	int carried = reverse_carried(d, function);
	struct type_vec params = { 0 }, types = { 0 };
	struct value_vec args = { 0 }, results = { 0 };

	if (index != FUNCTION_NONE || carried == FUNCTION_NONE)
		return index;
	reverse_params(d, f, &params);
	for (int i = 0; i < f->nresults; i++)
		vec_push(d->arena, &types,
			 space_dual(d, function_at(f, f->results[i])->type));
	for (int i = 0; i < 1 + nstate; i++) {
		if (params.at[i]->kind != TYPE_TENSOR) {
			err_set("%s: state %d is no tensor; its loop is not differentiated",
				f->name, i - 1);
			return FUNCTION_NONE;
		}
		vec_push(d->arena, &types, params.at[i]);
	}
	index = diff_declare(d, "keeping", function, nstate, &params, space_results(d, &types));
	struct builder b = builder_resume(d->graph, index);

	for (int i = 0; i < params.n; i++)
		vec_push(d->arena, &args, i);
	int all = build_apply(&b, carried, args.n, args.at);

	for (int i = 0; i < f->nresults; i++)
		vec_push(d->arena, &results, reverse_result(&b, all, i, f->nresults));
	for (int i = 0; i < 1 + nstate; i++)
		vec_push(d->arena, &results, i);
	return builder_end(&b, results.n, results.at);
}

/* A loop whose steps back are being made. */
struct backward {
	struct sweep *s;
	struct binding loop;
	int value;			/* the loop's */
	const struct function *f;	/* the loop's body as it was written */
	int function;			/* its index */
	int nscans, nextra;		/* of the loop as it was written */
	const int *extra;
	/* In the body that is made: its parameters in turn. */
	struct value_vec first;		/* states' first values, outside */
	struct value_vec others;	/* and what does not change, outside */
};

/* Whether parameter I of the body has a gradient. */
static bool by_param(const struct backward *w, int i)
{
	return space_of(w->s->d, w->f->bindings.at[i].type) != NULL;
}

/* Whether scan I has one. */
static bool by_scan(const struct backward *w, int i)
{
	int result = w->f->results[1 + w->loop.nstate + i];

	return space_of(w->s->d, function_at(w->f, result)->type) != NULL;
}

/* The gradient by field I of the loop; zeros where there is none. */
static int by_field(struct backward *w, int i)
{
	int gradient = w->s->adjoint[w->value - w->s->from].field[i];

	return gradient != VALUE_NONE
		       ? gradient
		       : space_zero(w->s->d, w->s->builder, build_field(w->s->builder, w->value, i));
}

/* What the loop backwards begins with and what it reads: the gradients by the states and by what does
 * not change; the number of iterations, the states kept, the gradients by the scans. */
static void collect_operands(struct backward *w)
{
	struct sweep *s = w->s;
	struct builder *b = s->builder;
	struct arena *a = s->d->arena;
	int nstate = w->loop.nstate;
	int kept = nstate + w->nscans;
	int iterations = build_field(b, w->value, kept);

	for (int i = 0; i < nstate; i++)
		if (by_param(w, 1 + i))
			vec_push(a, &w->first, by_field(w, i));
	for (int i = 0; i < w->nextra; i++)
		if (by_param(w, 1 + nstate + i))
			vec_push(a, &w->first, space_zero(s->d, b, w->extra[i]));
	vec_push(a, &w->others, build(b, &core_reshape, build(b, &core_shape_of, iterations),
				      build_ints(b, 0, NULL)));
	for (int i = 0; i < nstate; i++)
		vec_push(a, &w->others, build_field(b, w->value, kept + 1 + i));
	for (int i = 0; i < w->nscans; i++)
		if (by_scan(w, i))
			vec_push(a, &w->others, by_field(w, nstate + i));
	for (int i = 0; i < w->nextra; i++)
		vec_push(a, &w->others, w->extra[i]);
}

/* Row I of STACKED. */
static int row(struct builder *b, int stacked, int i)
{
	return build(b, &core_gather, stacked, i);
}

/* The gradient by what iteration I gave, of the gradients by the states and rows of those by scans. */
static int seed_of(struct backward *w, struct builder *b, int i, int states, int scans)
{
	struct arena *a = w->s->d->arena;
	struct value_vec fields = { 0 };

	for (int k = 0; k < w->loop.nstate; k++)
		if (by_param(w, 1 + k))
			vec_push(a, &fields, states++);
	for (int k = 0; k < w->nscans; k++)
		if (by_scan(w, k))
			vec_push(a, &fields, row(b, scans++, i));
	return build_tuple(b, fields.n, fields.at);
}

/* (iteration, gradients by the states, sums of those by the others; number of iterations, states
 * kept, gradients by scans, others) -> (true, gradients by the states before, sums). */
static int make_body(struct backward *w)
{
	struct diff *d = w->s->d;
	struct arena *a = d->arena;
	int gradient = reverse_gradient(d, w->function);
	int nstate = w->loop.nstate, nfirst = w->first.n;
	int nby = reverse_count(d, w->f, 1, 1 + nstate);
	struct value_vec args = { 0 }, results = { 0 };

	if (gradient == FUNCTION_NONE)
		return FUNCTION_NONE;
	struct builder b = builder_begin(d->graph, arena_printf(a, "%s.backward", w->f->name));

	build_param(&b, "step", type_shaped(a, ELEMENT_I64, 0, NULL));
	for (int i = 0; i < nfirst; i++)
		build_param(&b, "", build_type(w->s->builder, w->first.at[i]));
	int count = 1 + nfirst;

	for (int i = 0; i < w->others.n; i++)
		build_param(&b, "", build_type(w->s->builder, w->others.at[i]));
	int scans = count + 1 + nstate;
	int extra = count + w->others.n - w->nextra;
	int i = build(&b, &core_sub, build(&b, &core_sub, count, build_int(&b, 1)), 0);

	vec_push(a, &args, i);
	for (int k = 0; k < nstate; k++)
		vec_push(a, &args, row(&b, count + 1 + k, i));
	for (int k = 0; k < w->nextra; k++)
		vec_push(a, &args, extra + k);
	vec_push(a, &args, seed_of(w, &b, i, 1, scans));
	int all = build_apply(&b, gradient, args.n, args.at);

	vec_push(a, &results, build_scalar(&b, ELEMENT_BOOL, 1));
	for (int k = 0; k < nfirst; k++) {
		int by = reverse_result(&b, all, k, nfirst);

		if (k >= nby)
			by = space_plus(d, &b, build_type(&b, 1 + k), 1 + k, by);
		vec_push(a, &results, by);
	}
	return builder_end(&b, results.n, results.at);
}

int reverse_loop(struct sweep *s, int value)
{
	struct backward w = { .s = s, .loop = *build_at(s->builder, value), .value = value };
	int nstate = w.loop.nstate, known = 0;

	w.function = diff_origin(s->d, w.loop.function);
	w.f = diff_function(s->d, w.function);
	w.nscans = w.f->nresults - 1 - nstate;
	w.nextra = w.loop.nargs - 2 - nstate;
	w.extra = w.loop.args + 2 + nstate;
	for (int i = 0; i < w.f->nparams; i++)
		if (space_check(w.f->bindings.at[i].type, "a state") < 0)
			return err_prefix("%s", w.f->name);
	collect_operands(&w);
	int body = make_body(&w);

	if (body == FUNCTION_NONE)
		return -1;
	int all = build_loop(s->builder, body, w.others.at[0], VALUE_NONE, w.first.n, w.first.at,
			     w.others.n, w.others.at);

	for (int i = 0; i < nstate + w.nextra; i++)
		if (by_param(&w, 1 + i) &&
		    sweep_add(s, w.loop.args[2 + i], build_field(s->builder, all, known++)) < 0)
			return -1;
	return 0;
}
