/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_window.c - types of what slides a window: symbolic dims, padding by itself, calls
 * that cannot be. */
#include "tests/op_call.h"

/* --- what is known of the result while dims are symbols is what it then is */

static const struct type *symbolic(struct op_call *c, struct graph *g, const struct array *x)
{
	struct dim dim[GRAPH_MAX_RANK];

	for (int i = 0; i < x->rank; i++)
		dim[i] = i == 1 ? dim_number(x->dim[i])
				: dim_expr(c->a, expr_axis(c->a, graph_symbol(g, arena_printf(c->a,
									       "s%d", i))));
	return type_tensor(c->a, x->element, x->rank, dim);
}

/* The call, whose operand 0 has symbols for dims but the channels. */
static void check_symbolic(struct op_call *c)
{
	const struct array *y = call_eval(c, 0);
	struct graph *g = graph_new(c->a, "symbolic");
	struct builder b = builder_begin(g, "main");
	int args[CALL_ARGS];

	args[0] = build_param(&b, "", symbolic(c, g, c->args[0]));
	for (int i = 1; i < c->nargs; i++)
		args[i] = build_param(&b, "", type_of_array(c->a, c->args[i]));
	int value = build_call(&b, c->op, c->nargs, args, &c->attrs);

	if (value == VALUE_FAILED)
		fail_msg("%s", err_get());
	const struct type *t = build_type(&b, value);

	assert_true(type_is_ranked(t));
	for (int i = 0; i < t->rank; i++)
		assert_true(t->dim[i].n >= 0 || t->dim[i].expr);
	for (int i = 0; i < c->args[0]->rank; i++)
		if (i != 1)
			t = type_substitute(c->a, t,
					    graph_symbol(g, arena_printf(c->a, "s%d", i)),
					    dim_number(c->args[0]->dim[i]));
	assert_true(type_equal(t, type_of_array(c->a, y)));
}

static void add(struct op_call *c, const char *name, int n, const int64_t *v)
{
	attrs_ints(c->a, &c->attrs, name, n, v);
}

static void symbols(void **state)
{
	static const struct core_op *const ops[] = { &core_conv, &core_conv_transpose,
						     &core_max_pool, &core_avg_pool };

	(void)state;
	for (int i = 0; i < 16; i++) {
		struct op_call c = call_new(ops[i % 4], 1);
		bool pool = i % 4 > 1;

		call_random(&c, ELEMENT_F32, DIMS(2, 3, 7 + i / 4, 6));
		if (pool)
			add(&c, "kernel", DIMS(3, 2));
		else
			call_random(&c, ELEMENT_F32, DIMS(3, 3, 3, 2));
		add(&c, "strides", DIMS(2, 1 + i / 4));
		add(&c, "pads", DIMS(1, 0, 1, 1));
		if (pool)
			attrs_int(c.a, &c.attrs, "ceil", i / 8);
		check_symbolic(&c);
		call_free(&c);
	}
	struct op_call c = call_new(&core_matmul, 1);

	call_random(&c, ELEMENT_F32, DIMS(4, 3, 5));
	call_random(&c, ELEMENT_F32, DIMS(5, 2));
	check_symbolic(&c);
	call_free(&c);
}

/* --- auto_pad */

/* As many places as strides; what is odd in the padding is behind the image, or before it. */
static void same(void **state)
{
	static const char *const modes[] = { "same_upper", "same_lower" };
	static const double expected[2][3] = { { 1 + 2, 3 + 4, 5 }, { 1, 2 + 3, 4 + 5 } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct op_call c = call_new(&core_conv, 1);
		struct array *x = call_random(&c, ELEMENT_F32, DIMS(1, 1, 5));
		struct array *w = call_random(&c, ELEMENT_F32, DIMS(1, 1, 2));

		element_put_f64(ELEMENT_F32, x->data, 0, 5, (const double[]){ 1, 2, 3, 4, 5 });
		element_put_f64(ELEMENT_F32, w->data, 0, 2, (const double[]){ 1, 1 });
		attrs_string(c.a, &c.attrs, "auto_pad", modes[i]);
		add(&c, "strides", DIMS(2));
		const struct array *y = call_eval(&c, 0);

		assert_int_equal(y->count, 3);
		for (int k = 0; k < 3; k++)
			assert_float_equal(array_float(y, k), expected[i][k], 0);
		assert_arrays_close(y, call_express(&c, true), 0);
		call_free(&c);
	}
}

/* --- calls that cannot be */

struct refused_case {
	const struct core_op *op;
	int64_t x[4], w[4];	/* w[0] = 0: no second operand */
	const char *name;	/* of an attribute */
	int n;
	int64_t v[4];
};

static const struct refused_case refusals[] = {
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 3, 2, 2 }, NULL, 0, { 0 } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 5, 2 }, NULL, 0, { 0 } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, "strides", 2, { 1, 0 } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, "strides", 1, { 1 } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, "dilations", 2, { 1, INT64_MAX } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, "pads", 4, { 0, 0, INT64_MIN, 0 } },
	{ &core_conv, { 1, 4, 4, 4 }, { 3, 2, 2, 2 }, "groups", 0, { 2 } },
	{ &core_conv, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, "groups", 0, { 0 } },
	{ &core_conv_transpose, { 1, 2, 4, 4 }, { 3, 2, 2, 2 }, NULL, 0, { 0 } },
	{ &core_conv_transpose, { 1, 2, 1, 1 }, { 2, 2, 2, 2 }, "pads", 4, { 9, 0, 0, 0 } },
	{ &core_conv_transpose, { 1, 2, 4, 4 }, { 2, 2, 2, 2 }, "output_padding", 2, { -1, 0 } },
	{ &core_max_pool, { 1, 2, 4, 4 }, { 0 }, NULL, 0, { 0 } },
	{ &core_max_pool, { 1, 2, 4, 4 }, { 0 }, "kernel", 2, { 5, 1 } },
	{ &core_max_pool, { 1, 2, 4, 4 }, { 0 }, "kernel", 2, { 1 << 30, 1 << 30 } },
	{ &core_avg_pool, { 1, 2, 4, 4 }, { 0 }, "kernel", 3, { 1, 1, 1 } },
	{ &core_max_pool_indices, { 1, 2, 4, 4 }, { 0 }, "kernel", 2, { 0, 1 } },
	{ &core_lrn, { 1, 2, 4, 4 }, { 0 }, "size", 0, { 0 } },
	{ &core_matmul, { 1, 2, 4, 4 }, { 1, 2, 3, 4 }, NULL, 0, { 0 } },
	{ &core_matmul, { 1, 2, 4, 4 }, { 1, 3, 4, 4 }, NULL, 0, { 0 } },
	{ &core_grid_sample, { 1, 2, 4, 4 }, { 1, 2, 2, 3 }, NULL, 0, { 0 } },
	{ &core_grid_sample, { 1, 2, 4, 4 }, { 2, 2, 2, 2 }, NULL, 0, { 0 } },
};

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refused_case *r = &refusals[i];
		struct op_call c = call_new(r->op, 1);

		call_random(&c, ELEMENT_F32, 4, r->x);
		if (r->w[0])
			call_random(&c, ELEMENT_F32, 4, r->w);
		if (r->name && r->n)
			add(&c, r->name, r->n, r->v);
		else if (r->name)
			attrs_int(c.a, &c.attrs, r->name, r->v[0]);
		call_refused(&c);
		call_free(&c);
	}
}

/* No types are known, and the elements are none that can be multiplied. */
static void elements_that_are_no_numbers(void **state)
{
	static const struct core_op *const ops[] = { &core_conv, &core_conv_transpose, &core_matmul,
						     &core_grid_sample };

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct op_call c = call_new(ops[i % 4], 1);
		enum element e = i < 4 ? ELEMENT_STRING : ELEMENT_BOOL;

		call_arg_add(&c, array_in(c.a, e, DIMS(2, 2, 2, 2)));
		call_arg_add(&c, array_in(c.a, e, DIMS(2, 2, 2, 2)));
		call_refused(&c);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols),
		cmocka_unit_test(same),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(elements_that_are_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
