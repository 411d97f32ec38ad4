/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_unblocked.c - sums over channels side by side against those whose channels lie in blocks, by the naive evaluation of
 * both, and which have none. */
#include "te/derive/unblocked.h"

#include "tests/fixture/derive_fixture.h"

enum { LANES = 16 };

#define SHAPE(...) sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ }

/* SOURCE's sum has the shape of SHAPE. */
static void check(const char *source, int ndim, const int64_t *shape)
{
	struct run run = run_spec(source);
	const struct op *op = find_sum(run.d);
	const char *why = NULL;
	struct derived d;

	if (!unblocked_derive(run.a, op, LANES, &d, &why))
		fail_msg("%s: %s", source, why);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.weights, 1);
	assert_int_equal(d.product, 1);
	assert_int_equal(d.op[1]->tensor.ndim, ndim);
	for (int i = 0; i < ndim; i++)
		assert_int_equal(d.op[1]->tensor.shape[i], shape[i]);
	assert_string_equal(d.op[2]->tensor.name, op->tensor.name);
	check_derived_ops(source, &run, op, &d, 0);
	arena_free(run.a);
}

static void test_blocks(void **state)
{
	(void)state;
	check("conv2d:ic=16,h=5,w=7,oc=24,k=1,layout=nchw8c,dtype=f64", SHAPE(1, 5, 7, 24));
	check("conv2d:ic=16,h=5,w=7,oc=24,k=3,s=2,p=1,layout=nchw8c,dtype=f64", SHAPE(1, 3, 4, 24));
	check("conv2d:ic=16,h=5,w=7,oc=24,k=1,layout=nchw4c,bias=1,act=relu,dtype=f64", SHAPE(1, 5, 7, 24));
	/* blocks of which the number comes behind, and a weight that has them in another order */
	check("input X: f64[5, 6]\nconst W: f64[4, 6, 3]\nY[i < 5, o < 3, l < 4] = sum(k < 6) X[i, k] * W[l, k, o]\n", SHAPE(5, 12));
}

static void test_text(void **state)
{
	struct run r = run_new("input X: f32[9, 5, 7, 16]\nconst W: f32[3, 9, 16, 8]\n"
			       "Y[o < 3, y < 5, x < 7, l < 8] = sum(c < 9, k < 16) X[c, y, x, k] * W[o, c, k, l]\n");
	const struct op *op = find_sum(r.d);
	struct derived d;
	struct text t = { 0 };

	(void)state;
	assert_true(unblocked_derive(r.a, op, LANES, &d, NULL));
	dag_print(&t, replaced(r.a, r.d, op, &d));
	assert_string_equal(text_str(&t),
			    "input X: f32[9, 5, 7, 16]\n"
			    "const W: f32[3, 9, 16, 8]\n"
			    "Y_W[c < 9, k < 16, l < 24] = W[l / 8, c, k, l % 8]\n"
			    "Y_J[y < 5, x < 7, l < 24] = sum(c < 9, k < 16) X[c, y, x, k] * Y_W[c, k, l]\n"
			    "Y[o < 3, y < 5, x < 7, l < 8] = Y_J[y, x, o * 8 + l]\n");
	text_free(&t);
	arena_free(r.a);
}

static void test_none(void **state)
{
	static const char *const cases[] = {
		"matmul:m=5,n=6,k=8",
		"conv2d:ic=3,h=9,w=9,oc=4,k=3",
		"conv2d:ic=4,h=9,w=9,oc=4,k=3,layout=nhwc",
		/* blocks fill the lanes, or there is one of them */
		"conv2d:ic=16,h=9,w=9,oc=32,k=1,layout=nchw16c",
		"conv2d:ic=16,h=9,w=9,oc=8,k=1,layout=nchw8c",
		/* data moves along the channels, too */
		"depthwise:c=24,h=9,w=9,k=3,layout=nchw8c",
		"max_pool:c=24,h=9,w=9,k=3,layout=nchw8c",
		/* a part of the weight; the weight along a sum of both; channels that count by themselves */
		"input X: f32[5, 6]\nconst W: f32[4, 6, 5]\nY[i < 5, o < 3, l < 4] = sum(k < 6) X[i, k] * W[l, k, o]\n",
		"input X: f32[5, 6]\nconst W: f32[6, 6]\nY[i < 5, o < 3, l < 4] = sum(k < 6) X[i, k] * W[l + o, k]\n",
		"input X: f32[5, 6]\nconst W: f32[4, 6, 3]\nY[i < 5, o < 3, l < 4] = sum(k < 6) X[i, k] * W[l, k, o] * f32(o)\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run run = run_new(cases[i]);
		const char *why = NULL;
		struct derived d;
		bool has = false;

		for (int k = 0; k < run.d->ops.n; k++)
			has |= unblocked_derive(run.a, run.d->ops.at[k], LANES, &d, &why);
		if (has)
			fail_msg("%s: has blocks", cases[i]);
		assert_non_null(why);
		arena_free(run.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks), cmocka_unit_test(test_text), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
