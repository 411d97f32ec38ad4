/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_space_to_depth.c - sums over windows with strides against those over more channels, by the naive evaluation of
 * both, what becomes of them, and which have none. */
#include "te/derive/strides/space_to_depth.h"

#include "te/derive/fewer_products.h"
#include "te/derive/winograd.h"
#include "te/index/domain.h"
#include "tests/fixture/derive_fixture.h"

static struct derived derive(struct run *run, const struct op *op, int64_t taps)
{
	const char *why = NULL;
	struct derived d;

	if (!space_to_depth_derive(run->a, op, taps, &d, &why))
		fail_msg("%s", why);
	return d;
}

/* SOURCE's sum has TERMS behind it; and so it is with tiles of M in the place of the windows that are left. */
static void check(const char *source, int64_t taps, int64_t terms, int64_t m)
{
	struct run run = run_spec(source), again = run_spec(source);
	const struct op *op = find_sum(run.d);
	struct derived d = derive(&run, op, taps), tiles;
	const char *why = NULL;

	assert_int_equal(d.n, 3);
	assert_int_equal(d.weights, 1);
	assert_int_equal(d.product, 2);
	assert_int_equal((int64_t)op_terms(d.op[2]), terms);
	assert_string_equal(d.op[2]->tensor.name, op->tensor.name);
	assert_true(has_fewer_products(op));
	check_derived_ops(source, &run, op, &d, 1e-12);

	op = find_sum(again.d);
	d = derive(&again, op, taps);
	again.d = replaced(again.a, again.d, op, &d);
	if (!winograd_derive(again.a, d.op[2], (struct winograd_tiles){ .m = m }, &tiles, &why))
		fail_msg("%s, m=%jd: %s", source, (intmax_t)m, why);
	check_derived_ops(source, &again, d.op[2], &tiles, 1e-9);
	arena_free(run.a);
	arena_free(again.a);
}

static void test_strides(void **state)
{
	(void)state;
	check("conv2d:ic=3,h=13,w=15,oc=4,k=7,s=2,p=3,dtype=f64", 2, 12 * 4 * 4, 4);
	check("conv2d:n=2,ic=3,h=12,w=11,oc=4,k=5,s=2,p=2,layout=nhwc,dtype=f64", 3, 12 * 3 * 3, 3);
	/* taps fill all phases; more of these; elements that no window meets */
	check("conv2d:ic=2,h=12,w=12,oc=3,k=6,s=2,dtype=f64", 3, 8 * 3 * 3, 3);
	check("conv2d:ic=2,h=23,w=23,oc=3,k=11,s=4,p=2,dtype=f64", 3, 32 * 3 * 3, 3);
	check("conv2d:ic=2,h=14,w=14,oc=3,k=3,s=2,dil=2,dtype=f64", 3, 2 * 3 * 3, 4);
	check("conv2d:ic=2,h=19,w=20,oc=3,k=3,s=4,dil=2,dtype=f64", 2, 8 * 2 * 2, 3);
	/* one dim of two; a stride for each; a dim that stays as it is, for it has too few taps */
	check("conv2d:ic=3,h=9,w=15,oc=4,k=3x7,s=1x2,p=1x3,dtype=f64", 3, 6 * 3 * 4, 2);
	check("conv2d:ic=3,h=22,w=15,oc=4,k=7,s=3x2,dtype=f64", 2, 18 * 3 * 4, 3);
	check("conv2d:ic=3,h=9,w=15,oc=4,k=3x7,s=2,p=1x3,dtype=f64", 3, 6 * 3 * 4, 2);
	/* channels in blocks: phases are of the blocks */
	check("conv2d:ic=8,h=9,w=11,oc=4,k=5,s=2,p=2,layout=nchw4c,dtype=f64", 3, 32 * 3 * 3, 2);
	check("conv1d:ic=3,w=33,oc=4,k=7,s=2,p=3,dtype=f64", 2, 6 * 4, 5);
	/* the weight comes first */
	check("input X: f64[3, 16]\nconst W: f64[2, 5, 3]\nY[o < 2, i < 6] = sum(c < 3, k < 5) W[o, k, c] * X[c, i * 2 + k + 1]\n", 3, 6 * 3, 2);
}

static void test_text(void **state)
{
	(void)state;
	check_derived_text(space_to_depth_derive, 3,
			   "input X: f32[3, 13, 11]\nconst W: f32[3, 5, 3]\n"
			   "Y[i < 5, j < 9] = sum(c < 3, k < 5, l < 3) X[c, i * 2 + k, j + l] * W[c, k, l]\n",
			   "input X: f32[3, 13, 11]\n"
			   "const W: f32[3, 5, 3]\n"
			   "Y_W[c < 6, k < 3, l < 3] = select(k * 2 + c % 2 < 5, W[c / 2, k * 2 + c % 2, l], 0)\n"
			   "Y_X[c < 6, d1 < 7, d2 < 11] = select(d1 * 2 + c % 2 < 13, X[c / 2, d1 * 2 + c % 2, d2], 0)\n"
			   "Y[i < 5, j < 9] = sum(c < 6, k < 3, l < 3) Y_X[c, i + k, j + l] * Y_W[c, k, l]\n");
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t taps;
	} cases[] = {
		{ "matmul:m=5,n=6,k=8", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=1,s=2", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2", 3 },
		{ "conv2d:ic=3,h=19,w=19,oc=4,k=7,s=2", 1 },
		{ "conv2d:ic=3,h=19,w=19,oc=4,k=3,s=3", 2 },
		{ "conv2d:ic=3,h=19,w=19,oc=4,k=5,s=2,dil=3", 2 },	/* dilated between phases */
		{ "depthwise:c=4,h=19,w=19,k=7,s=2", 2 },	/* no channels */
		/* a channel that the weight knows a part of, or the data as another */
		{ "input X: f32[2, 19]\nconst W: f32[3, 5]\nY[i < 7] = sum(c < 2, k < 5) X[c, i * 2 + k] * W[c, k]\n", 2 },
		{ "input X: f32[3, 19]\nconst W: f32[2, 5]\nY[i < 7] = sum(c < 2, k < 5) X[c + 1, i * 2 + k] * W[c, k]\n", 2 },
		/* the place is known otherwise, too */
		{ "input X: f32[2, 19, 7]\nconst W: f32[2, 5]\nY[i < 7] = sum(c < 2, k < 5) X[c, i * 2 + k, i] * W[c, k]\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_underived(space_to_depth_derive, cases[i].taps, cases[i].source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
