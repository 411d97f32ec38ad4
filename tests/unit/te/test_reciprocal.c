/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_reciprocal.c - products with reciprocals against the quotients that they stand for, by the naive
 * evaluation of both, and which quotients stay. */
#include "te/derive/reciprocal.h"

#include "tests/fixture/derive_fixture.h"

static const struct op *last_op(const struct dag *d)
{
	return d->ops.at[d->ops.n - 1];
}

static bool count_division(const struct expr *e, void *user)
{
	*(int *)user += e->kind == EXPR_DIV && e->dtype != DTYPE_I64;
	return true;
}

/* The last op of SOURCE gives the same without its quotients; DIVISIONS are left, those of reciprocals. */
static void check_same(const char *source, int64_t least, int divisions)
{
	struct run run = run_spec(source);
	const struct op *op = last_op(run.d);
	const char *why = NULL;
	struct derived w;
	int left = 0;

	if (!reciprocal_derive(run.a, op, least, &w, &why))
		fail_msg("%s: %s", source, why);
	assert_int_equal(w.n, 1);
	assert_true(w.amplification == 2);
	assert_null(reciprocal_divisor(w.op[0], least));
	expr_visit(w.op[0]->body, count_division, &left);
	assert_int_equal(left, divisions);
	check_derived_ops(source, &run, op, &w, 1e-6);
	arena_free(run.a);
}

static void test_same(void **state)
{
	(void)state;
	check_same("input A: f32[5, 8]\ninput D: f32[5]\nB[i, j] = exp(A[i, j]) / sqrt(D[i] + 2.0)\n", 8, 1);
	check_same("input A: f32[3, 5]\nB[i, j] = A[i, j] / (A[i, 0] + 3.0)\n", 5, 1);
	check_same("input A: f32[3, 5]\nB[i, j] = A[i, j] / 6.0\n", 15, 1);
	/* two of one divisor, one of them in the other's dividend */
	check_same("input A: f32[3, 5]\ninput D: f32[3]\n"
		   "B[i, j] = (A[i, j] + A[i, j] / (D[i] + 2.0)) / (D[i] + 2.0)\n", 5, 2);
	check_same("input A: f64[3, 5]\ninput D: f64[3]\nB[i] = sum(j < 5) A[i, j] / (D[i] + 2.0)\n", 5, 1);
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t least;
	} cases[] = {
		{ "input A: f32[5, 8]\nB[i, j] = A[i, j] / A[i, 0]\n", 9 },	/* too few share one */
		{ "input A: f32[5, 8]\nB[i, j] = A[i, j] / A[i, 0]\n", 1 },
		{ "input A: f32[5, 8]\nB[i, j] = A[i, j] / A[i, 0]\n", 0 },
		{ "input A: f32[5, 8]\nB[i, j] = A[i, j] / A[0, j]\n", 6 },
		{ "sigmoid:n=32", 2 },			/* reciprocals already */
		{ "silu:n=32", 2 },			/* each has its own */
		{ "add:n=32", 2 },
		{ "input A: i32[8, 8]\nB[i, j] = A[i, j] / 3\n", 2 },	/* whole numbers */
		{ "softmax:m=5,n=8", 2 },		/* written with a reciprocal */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run run = run_new(cases[i].source);
		const char *why = NULL;
		struct derived w;

		assert_null(reciprocal_divisor(last_op(run.d), cases[i].least));
		assert_false(reciprocal_derive(run.a, last_op(run.d), cases[i].least, &w, &why));
		assert_non_null(why);
		arena_free(run.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
