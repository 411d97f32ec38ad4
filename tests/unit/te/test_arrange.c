/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_arrange.c - arranged DAGs as one would write them by hand. */
#include "te/arrange/arrange.h"

#include "tests/te_run.h"

static const struct arrangement plain = { 0 };
static const struct arrangement nhwc = { 4, { { 0, 0 }, { 2, 0 }, { 3, 0 }, { 1, 0 } } };
static const struct arrangement nchw8c = {
	5, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 8 } }
};
static const struct arrangement nchw16c = {
	5, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 16 } }
};

/* SOURCE, a spec or a text, with its arguments stored as HOW, computes WANT. */
static void check_arranged(const char *source, const struct arrangement *how, const char *want)
{
	struct run r = run_new(source);
	struct dag *d = dag_arrange(r.a, r.d, how);
	struct text t = { 0 };

	if (!d)
		fail_msg("%s: %s", source, err_get());
	dag_print(&t, d);
	assert_string_equal(text_str(&t), want);
	text_free(&t);
	arena_free(r.a);
}

static void test_conv(void **state)
{
	static const char spec[] = "conv2d:ic=32,h=8,w=8,oc=64,k=3,p=1,bias=1,act=relu";

	(void)state;
	check_arranged(spec, (struct arrangement[]){ nchw16c, plain, plain, nchw16c },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "const W: f32[64, 32, 3, 3]\n"
		       "pad[n < 1, c < 2, y < 10, x < 10, ci < 16] = select(1 <= y && y < 9 && 1 "
		       "<= x && x < 9, X[n, c, y + -1, x + -1, ci], 0)\n"
		       "conv[n < 1, c < 4, y < 8, x < 8, ci < 16] = sum(rc < 2, ky < 3, kx < 3, "
		       "rci < 16) pad[n, rc, y + ky, x + kx, rci] * W[c * 16 + ci, rc * 16 + rci, "
		       "ky, kx]\n"
		       "const bias: f32[64]\n"
		       "add_bias[n < 1, c < 4, y < 8, x < 8, ci < 16] = conv[n, c, y, x, ci] + "
		       "bias[c * 16 + ci]\n"
		       "relu[n < 1, c < 4, y < 8, x < 8, ci < 16] = max(add_bias[n, c, y, x, ci], "
		       "0)\n");
	check_arranged(spec, (struct arrangement[]){ nhwc, plain, plain, nhwc },
		       "input X: f32[1, 8, 8, 32]\n"
		       "const W: f32[64, 32, 3, 3]\n"
		       "pad[n < 1, y < 10, x < 10, c < 32] = select(1 <= y && y < 9 && 1 <= x && x "
		       "< 9, X[n, y + -1, x + -1, c], 0)\n"
		       "conv[n < 1, y < 8, x < 8, c < 64] = sum(ky < 3, kx < 3, rc < 32) pad[n, y "
		       "+ ky, x + kx, rc] * W[c, rc, ky, kx]\n"
		       "const bias: f32[64]\n"
		       "add_bias[n < 1, y < 8, x < 8, c < 64] = conv[n, y, x, c] + bias[c]\n"
		       "relu[n < 1, y < 8, x < 8, c < 64] = max(add_bias[n, y, x, c], 0)\n");
	check_arranged("conv2d:ic=3,h=8,w=8,oc=16,k=3,s=2,act=relu",
		       (struct arrangement[]){ plain, plain, nchw16c },
		       "input X: f32[1, 3, 8, 8]\n"
		       "const W: f32[16, 3, 3, 3]\n"
		       "conv[n < 1, c < 1, y < 3, x < 3, ci < 16] = sum(rc < 3, ky < 3, kx < 3) "
		       "X[n, rc, y * 2 + ky, x * 2 + kx] * W[c * 16 + ci, rc, ky, kx]\n"
		       "relu[n < 1, c < 1, y < 3, x < 3, ci < 16] = max(conv[n, c, y, x, ci], 0)\n");
	/* What has to be plain is only the last op. */
	check_arranged("conv2d:ic=16,h=8,w=8,oc=32,k=1,act=relu",
		       (struct arrangement[]){ nchw16c, plain, plain },
		       "input X: f32[1, 1, 8, 8, 16]\n"
		       "const W: f32[32, 16, 1, 1]\n"
		       "conv[n < 1, c < 2, y < 8, x < 8, ci < 16] = sum(rc < 1, ky < 1, kx < 1, "
		       "rci < 16) X[n, rc, y + ky, x + kx, rci] * W[c * 16 + ci, rc * 16 + rci, "
		       "ky, kx]\n"
		       "relu[n < 1, c < 32, y < 8, x < 8] = max(conv[n, c / 16, y, x, c % 16], 0)\n");
}

static void test_groups(void **state)
{
	(void)state;
	check_arranged("conv2d:ic=64,h=8,w=8,oc=32,k=3,g=2",
		       (struct arrangement[]){ nchw16c, plain, nchw16c },
		       "input X: f32[1, 4, 8, 8, 16]\n"
		       "const W: f32[32, 32, 3, 3]\n"
		       "conv[n < 1, c < 2, y < 6, x < 6, ci < 16] = sum(rc < 2, ky < 3, kx < 3, "
		       "rci < 16) X[n, c * 2 + rc, y + ky, x + kx, rci] * W[c * 16 + ci, rc * 16 + "
		       "rci, ky, kx]\n");
	check_arranged("conv2d:ic=32,h=8,w=8,oc=64,k=3,g=4",
		       (struct arrangement[]){ nchw16c, plain, nchw16c },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "const W: f32[64, 8, 3, 3]\n"
		       "conv[n < 1, c < 4, y < 6, x < 6, ci < 16] = sum(rc < 8, ky < 3, kx < 3) "
		       "X[n, c / 2, y + ky, x + kx, (c * 8 + rc) % 16] * W[c * 16 + ci, rc, ky, "
		       "kx]\n");
	check_arranged("depthwise:c=32,h=8,w=8,k=3,p=1,act=relu6",
		       (struct arrangement[]){ nchw16c, plain, nchw16c },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "const W: f32[32, 3, 3]\n"
		       "pad[n < 1, c < 2, y < 10, x < 10, ci < 16] = select(1 <= y && y < 9 && 1 "
		       "<= x && x < 9, X[n, c, y + -1, x + -1, ci], 0)\n"
		       "depthwise[n < 1, c < 2, y < 8, x < 8, ci < 16] = sum(ky < 3, kx < 3) "
		       "pad[n, c, y + ky, x + kx, ci] * W[c * 16 + ci, ky, kx]\n"
		       "relu6[n < 1, c < 2, y < 8, x < 8, ci < 16] = min(max(depthwise[n, c, y, x, "
		       "ci], 0), 6)\n");
}

/* What a window lies over follows the window's result, also in front of it, and not what it is made of. */
static void test_chain(void **state)
{
	(void)state;
	check_arranged("input X: f32[1, 24, 8, 8]\n"
		       "const W: f32[32, 24]\n"
		       "S[n < 1, c < 32, y < 8, x < 8] = sum(rc < 24) X[n, rc, y, x] * W[c, rc]\n"
		       "P[n < 1, c < 32, y < 10, x < 8] = select(1 <= y && y < 9, S[n, c, y - 1, x], 0)\n"
		       "const K: f32[32, 3]\n"
		       "D[n < 1, c < 32, y < 8, x < 8] = sum(ky < 3) P[n, c, y + ky, x] * K[c, ky]\n",
		       (struct arrangement[]){ nchw8c, plain, plain, nchw16c },
		       "input X: f32[1, 3, 8, 8, 8]\n"
		       "const W: f32[32, 24]\n"
		       "S[n < 1, c < 2, y < 8, x < 8, ci < 16] = sum(rc < 3, rci < 8) X[n, rc, y, x, rci] * "
		       "W[c * 16 + ci, rc * 8 + rci]\n"
		       "P[n < 1, c < 2, y < 10, x < 8, ci < 16] = select(1 <= y && y < 9, S[n, c, y - 1, x, ci], "
		       "0)\n"
		       "const K: f32[32, 3]\n"
		       "D[n < 1, c < 2, y < 8, x < 8, ci < 16] = sum(ky < 3) P[n, c, y + ky, x, ci] * K[c * 16 + "
		       "ci, ky]\n");
}

static void test_pool(void **state)
{
	(void)state;
	check_arranged("max_pool:c=32,h=8,w=8,k=3,p=1,s=2", (struct arrangement[]){ nhwc, nhwc },
		       "input X: f32[1, 8, 8, 32]\n"
		       "pad[n < 1, y < 9, x < 9, c < 32] = select(1 <= y && 1 <= x, X[n, y + -1, x "
		       "+ -1, c], -inf)\n"
		       "max_pool[n < 1, y < 4, x < 4, c < 32] = max(ky < 3, kx < 3) pad[n, y * 2 + "
		       "ky, x * 2 + kx, c]\n");
	check_arranged("avg_pool:c=32,h=8,w=8,k=3,p=1,s=2",
		       (struct arrangement[]){ nchw16c, nchw16c },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "pad[n < 1, c < 2, y < 9, x < 9, ci < 16] = select(1 <= y && 1 <= x, X[n, "
		       "c, y + -1, x + -1, ci], 0)\n"
		       "pool_sum[n < 1, c < 2, y < 4, x < 4, ci < 16] = sum(ky < 3, kx < 3) pad[n, "
		       "c, y * 2 + ky, x * 2 + kx, ci]\n"
		       "avg_pool[n < 1, c < 2, y < 4, x < 4, ci < 16] = pool_sum[n, c, y, x, ci] / "
		       "f32((y * 2 + 2 - max(y * 2 + -1, 0)) * (x * 2 + 2 - max(x * 2 + -1, 0)))\n");
	check_arranged("global_avg_pool:c=32,h=8,w=8", (struct arrangement[]){ nchw16c, plain },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "pool_sum[n < 1, c < 2, y < 1, x < 1, ci < 16] = sum(ky < 8, kx < 8) X[n, "
		       "c, ky, kx, ci]\n"
		       "avg_pool[n < 1, c < 32, y < 1, x < 1] = pool_sum[n, c / 16, y, x, c % 16] "
		       "/ 64\n");
}

static void test_elements(void **state)
{
	static const char concat[] =
		"input A: f32[1, 40, 8, 8]\n"
		"input B: f32[1, 8, 8, 8]\n"
		"Y[n < 1, c < 48, y < 8, x < 8] = select(c < 40, A[n, c, y, x], "
		"B[n, c - 40, y, x])\n";

	(void)state;
	check_arranged("add:n=1x32x8x8", (struct arrangement[]){ nchw16c, nchw16c, nchw16c },
		       "input A: f32[1, 2, 8, 8, 16]\n"
		       "input B: f32[1, 2, 8, 8, 16]\n"
		       "add[i < 1, j < 2, k < 8, l < 8, ji < 16] = A[i, j, k, l, ji] + B[i, j, k, "
		       "l, ji]\n");
	check_arranged("add:n=1x32x8x8", (struct arrangement[]){ nchw16c, nhwc, plain },
		       "input A: f32[1, 2, 8, 8, 16]\n"
		       "input B: f32[1, 8, 8, 32]\n"
		       "add[i < 1, j < 32, k < 8, l < 8] = A[i, j / 16, k, l, j % 16] + B[i, k, l, "
		       "j]\n");
	check_arranged("input A: f32[1, 32, 8, 8]\n"
		       "input B: f32[1, 16, 8, 8]\n"
		       "Y[n < 1, c < 48, y < 8, x < 8] = select(c < 32, A[n, c, y, x], "
		       "B[n, c - 32, y, x])\n",
		       (struct arrangement[]){ nchw16c, nchw16c, nchw16c },
		       "input A: f32[1, 2, 8, 8, 16]\n"
		       "input B: f32[1, 1, 8, 8, 16]\n"
		       "Y[n < 1, c < 3, y < 8, x < 8, ci < 16] = select(c * 16 + ci < 32, A[n, c, "
		       "y, x, ci], B[n, c + -2, y, x, ci])\n");
	check_arranged(concat, (struct arrangement[]){ nhwc, nhwc, nhwc },
		       "input A: f32[1, 8, 8, 40]\n"
		       "input B: f32[1, 8, 8, 8]\n"
		       "Y[n < 1, y < 8, x < 8, c < 48] = select(c < 40, A[n, y, x, c], B[n, y, x, "
		       "c - 40])\n");
	check_arranged(concat, (struct arrangement[]){ plain, nhwc, nchw16c },
		       "input A: f32[1, 40, 8, 8]\n"
		       "input B: f32[1, 8, 8, 8]\n"
		       "Y[n < 1, c < 3, y < 8, x < 8, ci < 16] = select(c * 16 + ci < 40, A[n, c * "
		       "16 + ci, y, x], B[n, y, x, c * 16 + ci - 40])\n");
}

static void test_softmax(void **state)
{
	(void)state;
	check_arranged("input X: f32[1, 32, 8, 8]\n"
		       "M[n < 1, y < 8, x < 8] = max(c < 32) X[n, c, y, x]\n"
		       "E[n < 1, c < 32, y < 8, x < 8] = exp(X[n, c, y, x] - M[n, y, x])\n"
		       "S[n < 1, y < 8, x < 8] = sum(c < 32) E[n, c, y, x]\n"
		       "Y[n < 1, c < 32, y < 8, x < 8] = E[n, c, y, x] / S[n, y, x]\n",
		       (struct arrangement[]){ nchw16c, nchw16c },
		       "input X: f32[1, 2, 8, 8, 16]\n"
		       "M[n < 1, y < 8, x < 8] = max(c < 2, ci < 16) X[n, c, y, x, ci]\n"
		       "E[n < 1, c < 2, y < 8, x < 8, ci < 16] = exp(X[n, c, y, x, ci] - M[n, y, "
		       "x])\n"
		       "S[n < 1, y < 8, x < 8] = sum(c < 2, ci < 16) E[n, c, y, x, ci]\n"
		       "Y[n < 1, c < 2, y < 8, x < 8, ci < 16] = E[n, c, y, x, ci] / S[n, y, x]\n");
}

/* An arrangement of X, [1, 32, 8, 8], that is none. */
static void check_refused(struct arrangement how)
{
	struct run r = run_new("relu:n=1x32x8x8");

	assert_false(arrangement_fits(&how, &r.op[0]->tensor));
	assert_null(dag_arrange(r.a, r.d, (struct arrangement[]){ how, plain }));
	assert_string_equal(err_get(),
			    "X: it cannot be stored so: each dim once, blocks that divide it");
	arena_free(r.a);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused((struct arrangement){ 3, { { 0, 0 }, { 1, 0 }, { 2, 0 } } });
	check_refused((struct arrangement){ 4, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 0 } } });
	check_refused((struct arrangement){ 4, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 4, 0 } } });
	check_refused((struct arrangement){ 4, { { 0, 0 }, { 1, 16 }, { 2, 0 }, { 3, 0 } } });
	check_refused((struct arrangement){
		5, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 24 } } });
	check_refused((struct arrangement){
		6, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 4 }, { 1, 8 } } });
	check_refused((struct arrangement){ .n = TENSOR_MAX_DIMS + 1 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv),	 cmocka_unit_test(test_groups),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_pool),	 cmocka_unit_test(test_elements),
		cmocka_unit_test(test_softmax),	 cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
