/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_deinterleaved.c - reductions whose lanes read side by side against those whose lanes read at a stride, by the
 * naive evaluation of both, and which have none. */
#include "te/derive/strides/deinterleaved.h"

#include "te/index/index.h"
#include "tests/fixture/derive_fixture.h"

/* The coefficient of OP's lanes in the last index of what it loads from T. */
struct lane_stride {
	struct arena *arena;
	const struct op *op;
	const struct tensor *from;
	int64_t stride;
};

static bool find_lane_stride(const struct expr *e, void *user)
{
	struct lane_stride *s = user;
	struct linear l;

	if (e->kind == EXPR_LOAD && e->tensor == s->from && linear_from(s->arena, e->index[e->tensor->ndim - 1], &l))
		s->stride = linear_coef(&l, s->op->space[s->op->tensor.ndim - 1]);
	return true;
}

/* SOURCE's reduction is that of a copy with the shape of SHAPE, which its lanes read side by side. */
static void check(const char *source, int ndim, const int64_t *shape)
{
	struct run run = run_spec(source);
	const struct op *op = find_reduction(run.d);
	const char *why = NULL;
	struct derived d;

	if (!deinterleaved_derive(run.a, op, DEINTERLEAVED_LEAST, &d, &why))
		fail_msg("%s: %s", source, why);
	const struct op *copy = d.op[0];
	struct lane_stride s = { run.a, d.op[1], &copy->tensor, 0 };

	assert_int_equal(d.n, 2);
	assert_int_equal(d.product, 1);
	assert_int_equal(d.weights, 0);
	assert_int_equal(copy->tensor.ndim, ndim);
	for (int i = 0; i < ndim; i++)
		assert_int_equal(copy->tensor.shape[i], shape[i]);
	expr_visit(s.op->body, find_lane_stride, &s);
	assert_int_equal(s.stride, 1);
	assert_string_equal(d.op[1]->tensor.name, op->tensor.name);
	check_derived_ops(source, &run, op, &d, 1e-10);
	arena_free(run.a);
}

#define SHAPE(...) sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ }

static void test_windows(void **state)
{
	(void)state;
	/* rows are as they were, for windows read all of them */
	check("conv2d:ic=3,h=13,w=21,oc=4,k=3,s=2,dtype=f64", SHAPE(1, 3, 13, 2, 11));
	check("conv2d:ic=3,h=13,w=21,oc=4,k=3,s=2,p=1,dtype=f64", SHAPE(1, 3, 15, 2, 12));
	check("conv2d:ic=3,h=23,w=35,oc=4,k=7,s=2,p=3,dtype=f64", SHAPE(1, 3, 29, 2, 21));
	check("conv2d:ic=3,h=27,w=43,oc=2,k=11,s=4,p=2,dtype=f64", SHAPE(1, 3, 31, 4, 12));
	check("conv1d:ic=3,w=37,oc=4,k=5,s=3,dtype=f64", SHAPE(1, 3, 3, 12));
	check("depthwise:c=5,h=13,w=21,k=3,s=2,p=1,dtype=f64", SHAPE(1, 5, 15, 2, 12));
	check("conv2d:ic=4,h=13,w=21,oc=6,k=3,s=2,g=2,dtype=f64", SHAPE(1, 4, 13, 2, 11));
	check("max_pool:c=3,h=13,w=21,k=3,s=2,p=1,dtype=f64", SHAPE(1, 3, 15, 2, 12));
	check("avg_pool:c=3,h=12,w=20,k=2,s=2,dtype=f64", SHAPE(1, 3, 12, 2, 10));
}

/* Of what no window reaches there is no copy, nor is there a dim of one phase. */
static void test_what_is_left_out(void **state)
{
	(void)state;
	check("conv2d:ic=3,h=13,w=21,oc=4,k=1,s=2,dtype=f64", SHAPE(1, 3, 7, 11));
	check("conv1d:ic=3,w=37,oc=4,k=1,s=3,dtype=f64", SHAPE(1, 3, 13));
	check("conv2d:ic=3,h=13,w=31,oc=4,k=2,s=3,dtype=f64", SHAPE(1, 3, 2, 4, 2, 10));
	/* all taps of a window are of one phase */
	check("conv1d:ic=3,w=37,oc=4,k=3,s=2,dil=2,dtype=f64", SHAPE(1, 3, 19));
	/* and of 0, 2 and 4, where they stride over 3 */
	check("conv1d:ic=3,w=37,oc=4,k=3,s=3,dil=2,dtype=f64", SHAPE(1, 3, 3, 12));
	/* a window that goes down, from where something begins */
	check("input X: f64[3, 30]\nconst W: f64[3, 4]\n"
	      "Y[i < 9] = sum(c < 3, k < 4) X[c, i * 3 + 5 - k] * W[c, k]\n", SHAPE(3, 3, 10));
	/* two axes make one window */
	check("input X: f64[40]\nconst W: f64[3, 2]\n"
	      "Y[i < 9] = sum(k < 3, l < 2) X[i * 4 + k + 2 * l] * W[k, l]\n", SHAPE(4, 10));
}

/* What is read beyond the data is not, for the reduction knows it. */
static void test_guarded(void **state)
{
	(void)state;
	check("input X: f64[3, 20]\nY[c < 3, i < 10] = max(k < 3) select(1 <= i * 2 + k && i * 2 + k < 21, X[c, i * 2 + k + -1], -5)\n",
	      SHAPE(3, 2, 11));
}

static void test_text(void **state)
{
	(void)state;
	check_derived_text(deinterleaved_derive, 2,
			   "input X: f32[3, 21]\nconst W: f32[4, 3, 5]\n"
			          "Y[o < 4, i < 9] = sum(c < 3, k < 5) X[c, i * 2 + k] * W[o, c, k]\n",
			   "input X: f32[3, 21]\n"
			   "const W: f32[4, 3, 5]\n"
			   "Y_X[c < 3, ai < 2, i < 11] = select(i * 2 + ai < 21, X[c, i * 2 + ai], 0)\n"
			   "Y[o < 4, i < 9] = sum(c < 3, k < 5) Y_X[c, k % 2, i + k / 2] * W[o, c, k]\n");
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t least;
	} cases[] = {
		{ "matmul:m=5,n=6,k=8", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=2", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2", 3 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2", 1 },
		/* lanes are channels, which lie side by side */
		{ "conv2d:ic=4,h=9,w=9,oc=4,k=3,s=2,layout=nhwc", 2 },
		{ "conv2d:ic=16,h=9,w=9,oc=16,k=3,s=2,layout=nchw16c", 2 },
		/* rows have a stride, lanes have none */
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2x1", 2 },
		/* the data is read in another way, too */
		{ "input X: f32[30]\nY[i < 9] = sum(k < 3) X[i * 2 + k] * X[i + k]\n", 2 },
		/* the place is known by a remainder, too */
		{ "input X: f32[30]\nconst W: f32[3]\nY[i < 9] = sum(k < 3) X[i * 2 + i % 2 + k] * W[k]\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_underived(deinterleaved_derive, cases[i].least, cases[i].source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows), cmocka_unit_test(test_what_is_left_out), cmocka_unit_test(test_guarded),
		cmocka_unit_test(test_text),	cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
