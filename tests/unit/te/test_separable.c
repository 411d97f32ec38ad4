/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_separable.c - reductions one dim after the other against reductions of whole windows, by the naive evaluation of both,
 * and which are none. */
#include "te/derive/separable.h"

#include "tests/fixture/derive_fixture.h"

/* Without the innermost dim of its windows SOURCE's reduction has a result of SHAPE. */
static void check(const char *source, int ndim, const int64_t *shape)
{
	struct run run = run_spec(source);
	const struct op *op = find_reduction(run.d);
	const char *why = NULL;
	struct derived d;

	if (!separable_derive(run.a, op, SEPARABLE_LEAST, &d, &why))
		fail_msg("%s: %s", source, why);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.weights, 0);
	assert_int_equal(d.product, 0);
	assert_int_equal(d.op[0]->reducer, op->reducer);
	assert_int_equal(d.op[0]->nreduce, op->nreduce - 1);
	assert_int_equal(d.op[0]->tensor.ndim, ndim);
	for (int i = 0; i < ndim; i++)
		assert_int_equal(d.op[0]->tensor.shape[i], shape[i]);
	assert_int_equal(d.op[1]->nreduce, 0);
	assert_string_equal(d.op[1]->tensor.name, op->tensor.name);
	check_derived_ops(source, &run, op, &d, 1e-10);
	arena_free(run.a);
}

#define SHAPE(...) sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ }

static void test_windows(void **state)
{
	(void)state;
	check("max_pool:c=3,h=13,w=21,k=3,s=2,p=1,dtype=f64", SHAPE(1, 3, 7, 23));
	check("max_pool:c=3,h=9,w=8,k=5,p=2,dtype=f64", SHAPE(1, 3, 9, 12));
	check("max_pool:c=3,h=9,w=8,k=3x5,p=1x2,dtype=f64", SHAPE(1, 3, 9, 12));
	check("max_pool:c=3,h=9,w=12,k=3,dil=2,dtype=f64", SHAPE(1, 3, 5, 12));
	check("avg_pool:c=3,h=13,w=20,k=2,s=2,dtype=f64", SHAPE(1, 3, 6, 20));
	/* padding that counts, and such that does not */
	check("avg_pool:c=3,h=9,w=8,k=3,p=1,dtype=f64", SHAPE(1, 3, 9, 10));
	check("avg_pool:c=3,h=9,w=8,k=3,p=1,count_pad=1,dtype=f64", SHAPE(1, 3, 9, 10));
	/* channels last, where the window's dims lie further out */
	check("max_pool:c=3,h=9,w=8,k=3,s=2,layout=nhwc,dtype=f64", SHAPE(1, 4, 7, 3));
	/* two windows and channels; elements behind the last that is read */
	check("input X: f64[4, 9, 20]\nY[y < 4, x < 5] = sum(c < 4, j < 3, k < 2) X[c, y * 2 + j, x * 3 + k + 1]\n", SHAPE(4, 14));
}

static void test_text(void **state)
{
	(void)state;
	check_derived_text(separable_derive, 2,
			   "input X: f32[9, 21]\nY[y < 4, x < 9] = max(j < 3, k < 4) X[y * 2 + j, x * 2 + k]\n",
			   "input X: f32[9, 21]\n"
			   "Y_R[y < 4, x < 20] = max(j < 3) X[y * 2 + j, x]\n"
			   "Y[y < 4, x < 9] = max(max(max(Y_R[y, x * 2], Y_R[y, x * 2 + 1]), Y_R[y, x * 2 + 2]), Y_R[y, x * 2 + 3])\n");
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t taps;
	} cases[] = {
		{ "matmul:m=5,n=6,k=8", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3", 2 },
		{ "max_pool:c=3,h=9,w=8,k=3", 4 },
		{ "max_pool:c=3,h=9,w=8,k=3", 1 },
		/* windows of one dim */
		{ "input X: f32[4, 30]\nY[i < 9] = sum(c < 4, k < 3) X[c, i * 2 + k]\n", 2 },
		/* too many taps */
		{ "max_pool:c=3,h=25,w=28,k=17", 2 },
		/* an axis moves two dims */
		{ "input X: f32[30, 30]\nY[i < 9, j < 9] = sum(k < 3, l < 3) X[i + k, j + l + k]\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_underived(separable_derive, cases[i].taps, cases[i].source);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_windows), cmocka_unit_test(test_text), cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
