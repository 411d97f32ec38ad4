/* SPDX-License-Identifier: Apache-2.0 */
/* tests/op_call.h - one call of a core operator with data: evaluated by the interpreter, by its
 * tensor expression, and differentiated. */
#ifndef HONE_TESTS_OP_CALL_H
#define HONE_TESTS_OP_CALL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "graph/build/build.h"
#include "graph/eval/interp.h"
#include "graph/op/express.h"
#include "te/eval.h"

enum { CALL_ARGS = 8 };

struct op_call {
	struct arena *a;
	struct rng rng;
	const struct core_op *op;
	struct attr_vec attrs;
	const struct array *args[CALL_ARGS];	/* NULL: left out */
	int nargs;
};

static inline struct op_call call_new(const struct core_op *op, uint64_t seed)
{
	return (struct op_call){ .a = arena_new(), .op = op, .rng = rng_seed(seed) };
}

static inline void call_free(struct op_call *c)
{
	arena_free(c->a);
}

static inline void call_arg_add(struct op_call *c, const struct array *x)
{
	assert_true(c->nargs < CALL_ARGS);
	c->args[c->nargs++] = x;
}

/* An operand of multiples of 1/8 from [-2, 2], integers below 8: sums of products are exact. */
static inline struct array *call_random(struct op_call *c, enum element e, int rank,
					const int64_t *dim)
{
	struct array *x = array_in(c->a, e, rank, dim);
	bool whole = !element_is_float(e);

	for (int64_t i = 0; i < x->count; i++) {
		double v = floor(rng_unit(&c->rng) * 33) - 16;

		element_store(e, x->data, i, !whole ? v / 8 : element_min(e) ? v / 2 : (v + 16) / 4);
	}
	call_arg_add(c, x);
	return x;
}

#define DIMS(...) (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), \
		  (const int64_t[]){ __VA_ARGS__ }

static inline struct array *call_ints_arg(struct op_call *c, int n, const int64_t *v)
{
	struct array *x = array_in(c->a, ELEMENT_I64, 1, &(int64_t){ n });

	memcpy(x->data, v, (size_t)n * sizeof(*v));
	call_arg_add(c, x);
	return x;
}

/* Operands of which the types of results follow are constants where types are to be known. */
static inline bool call_is_shape(const struct op_call *c, int i)
{
	return i > 0 && c->args[i]->element == ELEMENT_I64 && c->args[i]->rank < 2;
}

/* A graph whose main function is the call; the operands' types known or not. NULL and a message. */
static inline struct graph *call_graph(struct op_call *c, bool known)
{
	struct graph *g = graph_new(c->a, "call");
	struct builder b = builder_begin(g, "main");
	int args[CALL_ARGS];

	for (int i = 0; i < c->nargs; i++)
		args[i] = !c->args[i]			  ? VALUE_NONE
			: !known			  ? build_param(&b, "", &type_unknown)
			: call_is_shape(c, i)		  ? build_const(&b, c->args[i])
						: build_param(&b, "", type_of_array(c->a, c->args[i]));
	int y = build_call(&b, c->op, c->nargs, args, &c->attrs);

	g->main = builder_end(&b, 1, &y);
	return g->main == FUNCTION_NONE ? NULL : g;
}

static inline int call_run(struct op_call *c, const struct graph *g, struct value *result)
{
	struct interp x = interp_begin(c->a, g, interp_usual_limits);
	struct value args[CALL_ARGS];
	int n = 0, given = 0;

	for (int i = 0; i < c->nargs; i++)
		given += c->args[i] != NULL;
	bool known = graph_main(g)->nparams < given;

	for (int i = 0; i < c->nargs; i++)
		if (c->args[i] && !(known && call_is_shape(c, i)))
			args[n++] = value_of_array(c->args[i]);
	int rc = interp_run(&x, g->main, args, n, result);

	interp_end(&x);
	return rc;
}

/* Field I of a result, kept in C's arena. */
static inline const struct array *call_field(struct op_call *c, struct value v, int i)
{
	const struct array *x = v.kind == VALUE_TUPLE ? v.items->at[i].array : v.array;

	return array_keep(c->a, x);
}

/* Result I of the call. The type relation must have said its type, and it must be the same where no
 * types are known beforehand. */
static inline const struct array *call_eval(struct op_call *c, int i)
{
	const struct array *y[2];

	for (int known = 0; known < 2; known++) {
		struct graph *g = call_graph(c, known);
		struct value v = value_empty();

		if (!g || call_run(c, g, &v) < 0)
			fail_msg("%s", err_get());
		if (known)
			assert_true(type_equal(graph_main(g)->result, value_type(c->a, v)));
		y[known] = call_field(c, v, i);
		value_release(v);
	}
	assert_true(array_equal(y[0], y[1]));
	return y[1];
}

/* The call is refused: by the type relation, and by the evaluation where no types are known. */
static inline void call_refused(struct op_call *c)
{
	struct value v;

	assert_null(call_graph(c, true));
	struct graph *g = call_graph(c, false);

	if (g)
		assert_int_equal(call_run(c, g, &v), -1);
}

static inline void assert_arrays_close(const struct array *x, const struct array *y, double tolerance)
{
	double scale = 1;

	assert_true(array_same_shape(x, y));
	assert_int_equal(x->element, y->element);
	for (int64_t i = 0; i < y->count; i++)
		scale = fmax(scale, fabs(array_float(y, i)));
	for (int64_t i = 0; i < x->count; i++)
		if (!(fabs(array_float(x, i) - array_float(y, i)) <= tolerance * scale))
			fail_msg("element %lld is %g, not %g", (long long)i, array_float(x, i),
				 array_float(y, i));
}

/* What the naive evaluation of the call's tensor expression gives; NULL and a message where it has
 * none. */
static inline const struct array *call_express(struct op_call *c, bool weights)
{
	struct graph *g = call_graph(c, true);
	struct function *f = graph_main(g);
	struct dag *d = dag_new(c->a, "call");
	const struct type *types[CALL_ARGS];
	struct op *ops[CALL_ARGS], *views[CALL_ARGS] = { NULL };
	void *args[CALL_ARGS + 1];

	for (int i = 0; i < c->nargs; i++) {
		types[i] = type_of_array(c->a, c->args[i]);
		ops[i] = dag_input(d, arena_printf(c->a, "A%d", i), element_dtype(types[i]->element),
				   types[i]->rank, c->args[i]->dim, weights && i > 0);
	}
	struct express x = { .dag = d, .types = types, .ops = ops, .consts = NULL, .views = views,
			     .call = function_at(f, f->results[0]) };
	struct op *y = c->op->express(&x);

	if (!y)
		return NULL;
	assert_int_equal(y->tensor.dtype, element_dtype(x.call->type->element));
	struct op_vec used = { 0 };

	for (int i = 0; i < d->ops.n; i++)	/* a view takes the place of its operand */
		if (dag_consumers(d, &d->ops.at[i]->tensor) || d->ops.at[i] == y)
			vec_push(c->a, &used, d->ops.at[i]);
	d->ops = used;
	if (dag_freeze(d) < 0)
		return NULL;
	struct array *out = array_in(c->a, x.call->type->element, y->tensor.ndim,
				     y->tensor.shape);

	for (int i = 0; i < c->nargs; i++) {
		int at = dag_arg(d, views[i] ? views[i] : ops[i]);

		if (at >= 0)
			args[at] = c->args[i]->data;
	}
	args[dag_arg(d, y)] = out->data;
	dag_eval(d, args);
	return out;
}

#endif
