/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_generator_blas.c - products by OpenBLAS, and what behind them it takes, against the
 * interpreter; what it does not is refused with the reason. */
#include "tests/generator_check.h"

#include <unistd.h>

#include "tests/skip.h"

/* --- small graphs: each gives the result of main */

static int product(struct graph_maker *m, int a, bool trans_a, int b, bool trans_b)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "trans_a", trans_a);
	attrs_int(m->a, &attrs, "trans_b", trans_b);
	return build_with(&m->b, &core_matmul, &attrs, a, b);
}

static int product_sum(struct graph_maker *m, int x, int y)
{
	return build(&m->b, &core_add, x, y);
}

static int product_relu(struct graph_maker *m, int x)
{
	return build(&m->b, &core_relu, x);
}

/* A perceptron of three layers: weights as they are, transposed, without a bias. */
static int product_layers(struct graph_maker *m)
{
	int x = input(m, 5, 13);

	x = product_relu(m, product_sum(m, product(m, x, false, weight(m, 13, 9), false), weight(m, 9)));
	x = product_sum(m, weight(m, 1, 11), product(m, x, false, weight(m, 11, 9), true));
	return product_relu(m, product(m, x, false, weight(m, 11, 4), false));
}

/* The same for one row, which BLAS has other functions for. */
static int product_row(struct graph_maker *m)
{
	int x = input(m, 1, 13);

	x = product_relu(m, product_sum(m, product(m, x, false, weight(m, 13, 9), false), weight(m, 9)));
	x = product_sum(m, product(m, x, false, weight(m, 11, 9), true), weight(m, 1));
	return product(m, weight(m, 11, 1), true, product(m, x, true, weight(m, 1, 3), false), false);
}

/* One matrix for all of a stack, with a row and a number behind it. */
static int product_stack_by_matrix(struct graph_maker *m)
{
	int x = input(m, 2, 3, 5, 7);

	x = product_relu(m, product_sum(m, product(m, x, false, weight(m, 7, 6), false), weight(m, 1, 1, 6)));
	return product_sum(m, product(m, x, false, weight(m, 1, 4, 6), true), weight(m, 1, 1));
}

/* Stacks whose dims before the matrices repeat, of either, or are absent. */
static int product_stacks(struct graph_maker *m)
{
	int a = input(m, 2, 1, 5, 7), b = input(m, 3, 7, 4), c = input(m, 5, 6), d = input(m, 2, 1, 8, 4);
	int x = product(m, a, false, b, false);		/* [2, 3, 5, 4] */
	int y = product(m, c, true, x, false);		/* [2, 3, 6, 4] */

	return product_relu(m, product(m, d, false, y, true));
}

/* Attention without its softmax: both factors are computed, one transposed. */
static int product_attention(struct graph_maker *m)
{
	int q = input(m, 1, 2, 6, 8), k = input(m, 1, 2, 6, 8), v = input(m, 1, 2, 6, 8);

	return product(m, product(m, q, false, k, true), false, v, false);
}

/* What no product of matrices is. */
static int product_of_vector(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return product(m, x, false, weight(m, 7), false);
}

static int product_of_nothing(struct graph_maker *m)
{
	int x = input(m, 5, 0);

	return product(m, x, false, weight(m, 0, 4), false);
}

static int product_and_column(struct graph_maker *m)
{
	int x = input(m, 5, 7);

	return product_sum(m, product(m, x, false, weight(m, 7, 4), false), weight(m, 5, 1));
}

static int product_of_doubles(struct graph_maker *m)
{
	const struct type *square = type_shaped(m->a, ELEMENT_F64, DIMS(4, 4));
	int x = build_param(&m->b, "", square);

	return product(m, x, false, x, false);
}

/* --- the generator */

static const struct product_case {
	const char *name;
	int (*make)(struct graph_maker *m);
	const char *refusal;	/* NULL: it is computed */
} cases[] = {
	{ "layers", product_layers, NULL },
	{ "one row", product_row, NULL },
	{ "a stack by a matrix", product_stack_by_matrix, NULL },
	{ "stacks that repeat", product_stacks, NULL },
	{ "attention", product_attention, NULL },
	{ "a vector", product_of_vector, "a product with a vector" },
	{ "nothing", product_of_nothing, "without elements" },
	{ "a column", product_and_column, "no constant row" },
	{ "doubles", product_of_doubles, "not f32" },
};

static void test_products(void **state)
{
	struct arena *a = arena_new();
	struct backend b;

	(void)state;
	if (access("./hone-blas.so", R_OK) != 0)
		skip_test("configure did not find OpenBLAS (package libopenblas-dev)");
	if (backend_load(a, "./hone-blas.so", &b) < 0)
		fail_msg("%s", err_get());
	assert_non_null(strstr(b.version, "OpenBLAS"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, cases[i].make(&m));
		if (cases[i].refusal)
			check_refusal(&m, &b, cases[i].name, cases[i].refusal);
		else
			check_generator(&m, &b, cases[i].name);
		arena_free(m.a);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_products) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
