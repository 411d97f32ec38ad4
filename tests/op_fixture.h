/* SPDX-License-Identifier: Apache-2.0 */
/* tests/op_fixture.h - single calls of core operators, in every way in which they come to be computed.
 *
 * What is expected is written as types and elements are: "f32[2] 0 1", tuples in parentheses. */
#ifndef HONE_TESTS_OP_FIXTURE_H
#define HONE_TESTS_OP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "graph/build/build.h"
#include "graph/eval/interp.h"
#include "graph/op/express.h"
#include "te/eval.h"

struct op_case {
	struct arena *arena;
	struct graph *graph;
	struct builder builder;	/* operands are constants of its function */
	struct rng rng;
};

static inline struct op_case op_case_new(void)
{
	struct arena *a = arena_new();
	struct graph *g = graph_new(a, "test");

	g->budget = (struct fold_budget){ INT64_C(1) << 30, 1e9 };
	return (struct op_case){ a, g, builder_begin(g, "f"), rng_seed(1) };
}

static inline void op_case_free(struct op_case *c)
{
	arena_free(c->arena);
}

/* --- operands */

/* 0, 1, 2, ... */
static inline int iota_of(struct op_case *c, enum element e, int rank, const int64_t *dim)
{
	struct array *x = array_in(c->arena, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, (double)i);
	return build_const(&c->builder, x);
}

static inline int numbers_of(struct op_case *c, enum element e, int rank, const int64_t *dim,
			     const double *v)
{
	struct array *x = array_in(c->arena, e, rank, dim);

	element_put_f64(e, x->data, 0, x->count, v);
	return build_const(&c->builder, x);
}

static inline int strings_of(struct op_case *c, int rank, const int64_t *dim, const char *const *v)
{
	struct array *x = array_in(c->arena, ELEMENT_STRING, rank, dim);

	memcpy(x->data, v, array_bytes(x));
	return build_const(&c->builder, x);
}

#define SHAPE(...)                                                                                 \
	(int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define LIST(...)	  (const double[]){ __VA_ARGS__ }
#define iota(c, e, ...)	  iota_of(c, e, SHAPE(__VA_ARGS__))
#define ints(c, ...)	  build_ints(&(c)->builder, SHAPE(__VA_ARGS__))

/* --- what comes out */

static inline void print_array(struct text *out, const struct array *x)
{
	struct arena *a = arena_new();

	type_print(out, type_of_array(a, x));
	arena_free(a);
	for (int64_t i = 0; i < x->count; i++) {
		if (x->element == ELEMENT_STRING)
			text_printf(out, " '%s'", array_string(x, i));
		else if (element_is_float(x->element))
			text_printf(out, " %.6g", array_float(x, i));
		else
			text_printf(out, " %lld", (long long)array_int(x, i));
	}
}

static inline void print_value(struct text *out, struct value v)
{
	const char *const brackets = v.kind == VALUE_SEQUENCE ? "[]" : "()";

	if (v.kind == VALUE_ARRAY) {
		print_array(out, v.array);
		return;
	}
	text_putn(out, brackets, 1);
	for (int i = 0; v.kind != VALUE_EMPTY && i < v.items->n; i++) {
		text_puts(out, i ? ", " : "");
		print_value(out, v.items->at[i]);
	}
	text_puts(out, brackets + 1);
}

/* How an operand is known to the type relation. */
enum op_known { KNOWN_CONST, KNOWN_TYPE, KNOWN_RANK, KNOWN_NOTHING, KNOWN_WAYS };

static inline const struct type *less_known(struct arena *a, const struct type *t, enum op_known how)
{
	struct dim dim[GRAPH_MAX_RANK];

	for (int i = 0; i < GRAPH_MAX_RANK; i++)
		dim[i] = dim_unknown();
	if (how == KNOWN_NOTHING || !type_is_ranked(t))
		return &type_unknown;
	return how == KNOWN_RANK ? type_tensor(a, t->element, t->rank, dim) : t;
}

/* Runs the call in a function of its own, whose operands are known as HOW says. -1 and a message. */
static inline int run_known(struct op_case *c, const struct core_op *op,
			    const struct attr_vec *attrs, int n, const int *args,
			    const enum op_known *how, struct value *result)
{
	struct builder b = builder_begin(c->graph, "known");
	int operand[64], nparams = 0;
	struct value given[64];

	b.plain = true;
	assert_true(n <= 64);
	for (int i = 0; i < n; i++) {
		const struct array *x = build_array(&c->builder, args[i]);

		operand[i] = VALUE_NONE;
		if (args[i] == VALUE_NONE || how[i] == KNOWN_CONST)
			continue;
		operand[i] = build_param(&b, "", less_known(c->arena, type_of_array(c->arena, x),
							    how[i]));
		given[nparams++] = value_of_array(x);
	}
	for (int i = 0; i < n; i++)
		if (args[i] != VALUE_NONE && how[i] == KNOWN_CONST)
			operand[i] = build_const(&b, build_array(&c->builder, args[i]));
	int y = build_call(&b, op, n, operand, attrs);
	int f = builder_end(&b, 1, &y);

	if (f == FUNCTION_NONE)
		return -1;
	struct interp interp = interp_begin(c->arena, c->graph, interp_usual_limits);
	int rc = interp_run(&interp, f, given, nparams, result);

	interp_end(&interp);
	return rc;
}

/* --- the same as a tensor expression */

/* What CALL's tensor expression gives, with elements and shape of LIKE; NULL and a message where it
 * has none. */
static inline const struct array *express_of(struct op_case *c, const struct binding *call, int n,
					     const int *args, const struct array *like)
{
	struct dag *d = dag_new(c->arena, "express");
	const struct type *types[64];
	struct op *ops[64];
	const struct array *consts[64];
	struct op *views[64] = { NULL };
	void *buffers[129];

	for (int i = 0; i < n; i++) {
		const struct array *x = consts[i] = build_array(&c->builder, args[i]);

		types[i] = build_type(&c->builder, args[i]);
		ops[i] = NULL;
		if (!x || x->count == 0 || element_dtype(x->element) == DTYPE_COUNT)
			continue;
		ops[i] = dag_input(d, "X", element_dtype(x->element), x->rank, x->dim, true);
	}
	struct express x = { d, call, types, ops, consts, views };
	struct op *y = call->op->express(&x);

	if (!y)
		return NULL;
	if (dag_freeze(d) < 0)
		fail_msg("%s: %s", call->op->name, err_get());
	struct array *got = array_in(c->arena, like->element, like->rank, like->dim);

	for (int i = 0; i < n; i++) {
		if (ops[i])
			buffers[dag_arg(d, ops[i])] = consts[i]->data;
		if (views[i])
			buffers[dag_arg(d, views[i])] = consts[i]->data;
	}
	buffers[dag_arg(d, y)] = got->data;
	dag_eval(d, buffers);
	return got;
}

/* The result of OP's tensor expression, where it has one, must have the bits of WANT. */
static inline void check_express(struct op_case *c, const struct binding *call, int n,
				 const int *args, const struct array *want)
{
	const struct array *got = express_of(c, call, n, args, want);

	if (got && !array_equal(got, want)) {
		struct text text = { 0 };

		print_array(&text, got);
		fail_msg("%s as a tensor expression: %s", call->op->name, text_str(&text));
	}
}

/* The binding of a call that is not folded. */
static inline const struct binding *plain_call(struct op_case *c, const struct core_op *op,
					       const struct attr_vec *attrs, int n, const int *args)
{
	c->builder.plain = true;
	int y = build_call(&c->builder, op, n, args, attrs);

	c->builder.plain = false;
	return build_at(&c->builder, y);
}

/* --- the checks */

/* What the call gives, however much is known of its operands while the graph is made, is WANT. */
static inline void expect_call(struct op_case *c, const char *where, const char *want,
			       const struct core_op *op, const struct attr_vec *attrs, int n,
			       const int *args)
{
	enum op_known how[64];

	for (int turn = 0; turn < 12; turn++) {
		struct text text = { 0 };
		struct value v;

		for (int i = 0; i < n; i++)
			how[i] = turn < KNOWN_WAYS ? (enum op_known)turn
						   : (enum op_known)rng_below(&c->rng, KNOWN_WAYS);
		if (run_known(c, op, attrs, n, args, how, &v) < 0) {
			if (turn != KNOWN_CONST && strstr(err_get(), "must be known"))
				continue;
			fail_msg("%s: turn %d: %s", where, turn, err_get());
		}
		print_value(&text, v);
		if (strcmp(text_str(&text), want) != 0)
			fail_msg("%s: turn %d: %s", where, turn, text_str(&text));
		text_free(&text);
		value_release(v);
	}
	int folded = build_call(&c->builder, op, n, args, attrs);
	const struct array *x = build_array(&c->builder, folded);

	if (folded == VALUE_FAILED)
		fail_msg("%s: folded: %s", where, err_get());
	if (!x)
		return;
	struct text text = { 0 };

	print_array(&text, x);
	assert_string_equal(text_str(&text), want);
	text_free(&text);
	const struct binding *call = plain_call(c, op, attrs, n, args);

	if (op->express)
		check_express(c, call, n, args, x);
}

/* The call is refused with a message that has WHY in it, or another where less is known. */
static inline void refuse_call(struct op_case *c, const char *where, const char *why,
			       const struct core_op *op, const struct attr_vec *attrs, int n,
			       const int *args)
{
	enum op_known how[64];
	struct value v;

	for (int turn = 0; turn < KNOWN_WAYS; turn++) {
		for (int i = 0; i < n; i++)
			how[i] = (enum op_known)turn;
		if (run_known(c, op, attrs, n, args, how, &v) == 0)
			fail_msg("%s: turn %d: accepted", where, turn);
		if (turn == KNOWN_CONST && !strstr(err_get(), why))
			fail_msg("%s: %s", where, err_get());
	}
}

/* Runs the case's function, with Y as its result. */
static inline int run_result(struct op_case *c, int y, struct value *result)
{
	struct interp interp = interp_begin(c->arena, c->graph, interp_usual_limits);

	c->builder.function->result = &type_unknown;	/* it has ended with another one before */
	int f = builder_end(&c->builder, 1, &y);
	int rc = f == FUNCTION_NONE ? -1 : interp_run(&interp, f, NULL, 0, result);

	interp_end(&interp);
	return rc;
}

/* What value Y of the case's function is when it runs. */
static inline void expect_result(struct op_case *c, const char *where, const char *want, int y)
{
	struct text text = { 0 };
	struct value v;

	if (run_result(c, y, &v) < 0)
		fail_msg("%s: %s", where, err_get());
	print_value(&text, v);
	if (strcmp(text_str(&text), want) != 0)
		fail_msg("%s: %s", where, text_str(&text));
	text_free(&text);
	value_release(v);
}

/* Neither the call is made nor does it run. */
static inline void refuse_result(struct op_case *c, const char *where, const char *why, int y)
{
	struct value v;

	if (run_result(c, y, &v) == 0)
		fail_msg("%s: accepted", where);
	if (!strstr(err_get(), why))
		fail_msg("%s: %s", where, err_get());
	if (y >= 0)
		c->builder.function->bindings.n = y;	/* others run without it */
}

#define OP_LINE_TEXT(line) #line
#define OP_LINE(line)	   "line " OP_LINE_TEXT(line)
#define OPERANDS(...) (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]) { __VA_ARGS__ }
/* EXPECT(&case, "f32[2] 0 1", &core_op, attributes or NULL, operands...) */
#define EXPECT(c, want, op, attrs, ...)                                                            \
	expect_call(c, OP_LINE(__LINE__), want, op, attrs, OPERANDS(__VA_ARGS__))
#define REFUSE(c, why, op, attrs, ...)                                                             \
	refuse_call(c, OP_LINE(__LINE__), why, op, attrs, OPERANDS(__VA_ARGS__))

#define EXPECT_RESULT(c, want, y)  expect_result(c, OP_LINE(__LINE__), want, y)
#define REFUSE_RESULT(c, why, y)   refuse_result(c, OP_LINE(__LINE__), why, y)

#endif
