/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_dense_gradient.c - gradients of products, convolutions and pools against
 * differences. */
#include "tests/fixture/diff_fixture.h"

/* CALL of %x and %w of these types, a sine of which is the result: the gradient by the call differs
 * from place to place. */
static void check(const char *x, const char *w, const char *call)
{
	struct arena *a = arena_new();
	const char *text = arena_printf(a,
					"fn @main(%%x: %s, %%w: %s) {\n"
					"	%%a = %s\n	%%b = sin(%%a)\n	return %%b\n}\n",
					x, w, call);
	struct diff_case c = diff_parse(call, text);

	diff_make(&c);
	diff_check_at(&c, diff_arguments(&c, -1, 1));
	diff_free(&c);
	arena_free(a);
}

/* The same of %x alone. */
static void check_one(const char *x, const char *call)
{
	check(x, "f64[1]", call);
}

static void products(void **state)
{
	(void)state;
	check("f64[2, 3]", "f64[3, 4]", "matmul(%x, %w)");
	check("f64[3, 2]", "f64[3, 4]", "matmul(%x, %w) {trans_a = 1}");
	check("f64[2, 3]", "f64[4, 3]", "matmul(%x, %w) {trans_b = 1}");
	check("f64[3, 2]", "f64[4, 3]", "matmul(%x, %w) {trans_a = 1, trans_b = 1}");
	check("f64[2, 1, 2, 3]", "f64[2, 3, 2]", "matmul(%x, %w)");
	check("f64[2, 3]", "f64[2, 4, 3]", "matmul(%x, %w) {trans_b = 1}");
	check("f64[3]", "f64[3]", "matmul(%x, %w)");
	check("f64[3]", "f64[2, 3, 2]", "matmul(%x, %w)");
	check("f64[2, 2, 3]", "f64[3]", "matmul(%x, %w)");
}

static void convolutions(void **state)
{
	(void)state;
	check("f64[2, 2, 5]", "f64[3, 2, 3]", "conv(%x, %w)");
	check("f64[2, 2, 6, 5]", "f64[2, 2, 3, 2]",
	      "conv(%x, %w) {strides = [2, 3], pads = [1, 0, 0, 1], dilations = [2, 1]}");
	check("f64[1, 4, 4, 4]", "f64[4, 2, 2, 3]",
	      "conv(%x, %w) {groups = 2, pads = [1, 1, 1, 1], strides = [3, 2]}");
	check("f64[2, 3, 5, 4]", "f64[3, 1, 3, 3]",
	      "conv(%x, %w) {groups = 3, auto_pad = \"same_upper\", strides = [2, 2]}");
	check("f64[1, 2, 3, 3, 2]", "f64[2, 2, 2, 2, 2]", "conv(%x, %w) {pads = [0, 1, 0, 1, 0, 1]}");
}

static void transposed_convolutions(void **state)
{
	(void)state;
	check("f64[1, 2, 4]", "f64[2, 3, 3]", "conv_transpose(%x, %w) {strides = [2]}");
	check("f64[1, 2, 3, 2]", "f64[2, 2, 2, 3]",
	      "conv_transpose(%x, %w) {strides = [2, 3], pads = [1, 0, 0, 1], "
	      "output_padding = [1, 2], dilations = [2, 1]}");
	check("f64[2, 4, 2, 3]", "f64[4, 2, 2, 2]",
	      "conv_transpose(%x, %w) {groups = 2, strides = [2, 1]}");
	check("f64[1, 2, 3, 3]", "f64[2, 1, 3, 3]",
	      "conv_transpose(%x, %w) {strides = [2, 2], output_shape = [6, 8]}");
}

static void pools(void **state)
{
	(void)state;
	check_one("f64[2, 2, 5]", "max_pool(%x) {kernel = [3], strides = [2]}");
	check_one("f64[1, 2, 5, 4]", "max_pool(%x) {kernel = [2, 3], pads = [1, 1, 0, 1], ceil = 1}");
	check_one("f64[1, 3, 5, 4]",
		  "avg_pool(%x) {kernel = [2, 3], pads = [1, 1, 0, 1], strides = [2, 2]}");
	check_one("f64[1, 2, 6]", "avg_pool(%x) {kernel = [3], strides = [2], ceil = 1}");
	check_one("f64[1, 2, 6]",
		  "avg_pool(%x) {kernel = [3], strides = [2], ceil = 1, pads = [1, 1], "
		  "count_include_pad = 1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products),
		cmocka_unit_test(convolutions),
		cmocka_unit_test(transposed_convolutions),
		cmocka_unit_test(pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
