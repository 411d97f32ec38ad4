/* SPDX-License-Identifier: Apache-2.0 */
/* tests/diff_fixture.h - gradients and tangents of functions in text form, against differences. */
#ifndef HONE_TESTS_DIFF_FIXTURE_H
#define HONE_TESTS_DIFF_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "graph/build/check.h"
#include "graph/diff/diff.h"
#include "graph/eval/interp.h"
#include "graph/text/text.h"

/* Of the step of central differences: their error is about its square, and rounding adds 1e-16 / STEP;
 * what is compared may be off by TOLERANCE of the larger of 1 and the value. */
#define DIFF_STEP      1e-4
#define DIFF_TOLERANCE 1e-6

enum { DIFF_MOST = 16 };	/* parameters, results */

/* A list of arrays: arguments, results, directions. */
struct arrays {
	int n;
	struct array *at[DIFF_MOST];
};

struct diff_case {
	const char *name;	/* for messages */
	struct arena *arena;
	struct graph *graph;
	int function, gradient, tangent;
	struct rng rng;
};

static inline bool is_float(const struct array *x)
{
	return element_is_float(x->element);
}

/* FUNCTIONS in text form, of which @main is differentiated. */
static inline struct diff_case diff_parse(const char *name, const char *functions)
{
	struct arena *a = arena_new();
	const char *text = arena_printf(a, "graph \"test\"\n%s", functions);
	struct diff_case c = { .name = name, .arena = a, .graph = graph_parse(a, name, text),
			       .rng = rng_seed(1) };

	if (!c.graph)
		fail_msg("%s", err_get());
	c.function = c.graph->main;
	return c;
}

static inline void diff_make(struct diff_case *c)
{
	c->gradient = graph_gradient(c->graph, c->function);
	if (c->gradient == FUNCTION_NONE)
		fail_msg("%s: gradient: %s", c->name, err_get());
	c->tangent = graph_tangent(c->graph, c->function);
	if (c->tangent == FUNCTION_NONE)
		fail_msg("%s: tangent: %s", c->name, err_get());
	if (graph_check(c->graph) < 0)
		fail_msg("%s: %s", c->name, err_get());
}

static inline void append(struct diff_case *c, struct arrays *list, struct value v)
{
	if (v.kind != VALUE_ARRAY) {
		for (int i = 0; i < v.items->n; i++)
			append(c, list, v.items->at[i]);
		return;
	}
	assert_true(list->n < DIFF_MOST);
	list->at[list->n++] = (struct array *)(uintptr_t)array_keep(c->arena, v.array);
}

/* A value of type T of the arrays from LIST's *NEXT on. */
static inline struct value packed(const struct type *t, struct arrays list, int *next)
{
	struct value fields[DIFF_MOST];

	if (t->kind != TYPE_TUPLE)
		return value_of_array(list.at[(*next)++]);
	for (int i = 0; i < t->nfields; i++)
		fields[i] = packed(t->field[i], list, next);
	return value_of_items(VALUE_TUPLE, t->nfields, fields);
}

/* What FUNCTION gives of ARGS; tuples are flat in both. */
static inline struct arrays diff_run(struct diff_case *c, int function, struct arrays args)
{
	struct interp x = interp_begin(c->arena, c->graph, interp_usual_limits);
	struct value given[DIFF_MOST], v;
	const struct function *f = c->graph->functions.at[function];
	struct arrays out = { 0 };
	int next = 0;

	for (int i = 0; i < f->nparams; i++)
		given[i] = packed(f->bindings.at[i].type, args, &next);
	assert_int_equal(next, args.n);
	if (interp_run(&x, function, given, f->nparams, &v) < 0)
		fail_msg("%s: %s: %s", c->name, f->name, err_get());
	interp_end(&x);
	append(c, &out, v);
	value_release(v);
	return out;
}

static inline struct array *random_like(struct diff_case *c, enum element e, int rank,
					const int64_t *dim, double low, double high)
{
	struct array *x = array_in(c->arena, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, low + (high - low) * rng_unit(&c->rng));
	return x;
}

/* Of the floats in LIST, arrays of the same shapes with elements in [-1, 1). */
static inline struct arrays random_floats(struct diff_case *c, struct arrays list)
{
	struct arrays out = { 0 };

	for (int i = 0; i < list.n; i++)
		if (is_float(list.at[i]))
			out.at[out.n++] = random_like(c, list.at[i]->element, list.at[i]->rank,
						      list.at[i]->dim, -1, 1);
	return out;
}

static inline struct arrays joined(struct arrays x, struct arrays y)
{
	for (int i = 0; i < y.n; i++)
		x.at[x.n++] = y.at[i];
	return x;
}

static inline struct arrays floats_of(struct arrays list)
{
	struct arrays out = { 0 };

	for (int i = 0; i < list.n; i++)
		if (is_float(list.at[i]))
			out.at[out.n++] = list.at[i];
	return out;
}

/* ARGS, the floats among them moved by STEP along DIRECTION. */
static inline struct arrays moved(struct diff_case *c, struct arrays args, struct arrays direction,
				  double step)
{
	int next = 0;

	for (int i = 0; i < args.n; i++) {
		if (!is_float(args.at[i]))
			continue;
		struct array *u = direction.at[next++];
		struct array *x = array_in(c->arena, u->element, u->rank, u->dim);

		for (int64_t k = 0; k < x->count; k++)
			element_store(x->element, x->data, k, array_float(args.at[i], k) +
							      step * array_float(u, k));
		args.at[i] = x;
	}
	return args;
}

/* The sum of products of what is at the same place. */
static inline double inner(struct diff_case *c, struct arrays x, struct arrays y)
{
	double sum = 0;

	assert_int_equal(x.n, y.n);
	for (int i = 0; i < x.n; i++) {
		if (!array_same_shape(x.at[i], y.at[i]))
			fail_msg("%s: derivative %d has another shape", c->name, i);
		for (int64_t k = 0; k < x.at[i]->count; k++)
			sum += array_float(x.at[i], k) * array_float(y.at[i], k);
	}
	return sum;
}

static inline void assert_near(const struct diff_case *c, const char *what, double got, double want,
			       double tolerance)
{
	if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
		fail_msg("%s: %s: %.12g, not %.12g", c->name, what, got, want);
}

/* <WEIGHTS, results> of ARGS. */
static inline double weighted(struct diff_case *c, struct arrays args, struct arrays weights)
{
	return inner(c, floats_of(diff_run(c, c->function, args)), weights);
}

/* The gradient by each element of ARGS is the central difference. */
static inline void check_elements(struct diff_case *c, struct arrays args, struct arrays weights,
				  struct arrays gradients)
{
	struct arrays direction = floats_of(args);

	for (int i = 0; i < direction.n; i++)
		direction.at[i] = array_in(c->arena, direction.at[i]->element,
					   direction.at[i]->rank, direction.at[i]->dim);
	for (int i = 0; i < direction.n; i++)
		for (int64_t k = 0; k < direction.at[i]->count; k++) {
			struct array *u = direction.at[i];

			element_store(u->element, u->data, k, 1);
			double up = weighted(c, moved(c, args, direction, DIFF_STEP), weights);
			double down = weighted(c, moved(c, args, direction, -DIFF_STEP), weights);

			element_store(u->element, u->data, k, 0);
			assert_near(c, "gradient", array_float(gradients.at[i], k),
				    (up - down) / (2 * DIFF_STEP), DIFF_TOLERANCE);
		}
}

/* At ARGS, in f64: the gradient is that of central differences, and the tangent its transpose. */
static inline void diff_check_at(struct diff_case *c, struct arrays args)
{
	struct arrays results = diff_run(c, c->function, args);
	struct arrays weights = random_floats(c, results);
	struct arrays along = random_floats(c, args);
	struct arrays all = diff_run(c, c->gradient, joined(args, weights));
	struct arrays pushed = diff_run(c, c->tangent, joined(args, along));
	struct arrays gradients = { .n = all.n - results.n };
	struct arrays tangents = { .n = pushed.n - results.n };

	assert_int_equal(gradients.n, along.n);
	assert_int_equal(tangents.n, weights.n);
	for (int i = 0; i < results.n; i++) {
		assert_true(array_equal(all.at[i], results.at[i]));
		assert_true(array_equal(pushed.at[i], results.at[i]));
	}
	for (int i = 0; i < gradients.n; i++)
		gradients.at[i] = all.at[results.n + i];
	for (int i = 0; i < tangents.n; i++)
		tangents.at[i] = pushed.at[results.n + i];
	assert_near(c, "tangent", inner(c, tangents, weights), inner(c, gradients, along), 1e-10);
	check_elements(c, args, weights, gradients);
}

static inline void diff_free(struct diff_case *c)
{
	arena_free(c->arena);
}

/* Arguments of type T, appended to ARGS. */
static inline void add_arguments(struct diff_case *c, const struct type *t, double low, double high,
				 struct arrays *args)
{
	int64_t dim[GRAPH_MAX_RANK];

	for (int i = 0; t->kind == TYPE_TUPLE && i < t->nfields; i++)
		add_arguments(c, t->field[i], low, high, args);
	if (t->kind == TYPE_TUPLE)
		return;
	for (int d = 0; d < t->rank; d++)
		dim[d] = t->dim[d].n >= 0 ? t->dim[d].n : 3;
	struct array *x = random_like(c, t->element, t->rank, dim, low, high);

	for (int64_t k = 0; !is_float(x) && k < x->count; k++)
		element_store_int(t->element, x->data, k, k);
	args->at[args->n++] = x;
}

/* Arguments for the case's function: floats from [LOW, HIGH), integers 0, 1, 2, ..., dims that are
 * symbols 3. */
static inline struct arrays diff_arguments(struct diff_case *c, double low, double high)
{
	const struct function *f = c->graph->functions.at[c->function];
	struct arrays args = { 0 };

	for (int i = 0; i < f->nparams; i++)
		add_arguments(c, f->bindings.at[i].type, low, high, &args);
	return args;
}

#endif
