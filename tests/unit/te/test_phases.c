/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_phases.c - sums by phases against the sums that they stand for, by the naive evaluation of both, what
 * becomes of them, and which sums have none. */
#include "te/derive/phases.h"

#include "te/derive/fewer_products.h"
#include "te/derive/winograd.h"
#include "tests/fixture/derive_fixture.h"

static struct derived derive(struct run *run, const struct op *op, int64_t least)
{
	const char *why = NULL;
	struct derived d;

	if (!phases_derive(run->a, op, least, &d, &why))
		fail_msg("%s", why);
	return d;
}

/* SOURCE's sum by OPS ops, of which WEIGHTS depend on the weight alone; and, with tiles of M for what moves by
 * neighbours then, by MORE. */
static void check_phases(const char *source, int ops, int weights, int64_t m, int more)
{
	struct run run = run_spec(source), again = run_spec(source);
	const struct op *op = find_sum(run.d);
	struct derived d = derive(&run, op, 2), tiles;
	const char *why = NULL;

	assert_int_equal(d.n, ops);
	assert_int_equal(d.weights, weights);
	assert_int_equal(d.product, ops - 2);
	assert_true(d.amplification == 0);
	assert_true(has_fewer_products(op));
	assert_string_equal(d.op[ops - 1]->tensor.name, op->tensor.name);
	check_derived_ops(source, &run, op, &d, 1e-10);

	op = find_sum(again.d);
	d = derive(&again, op, 2);
	const struct op *sum = d.op[d.product];

	again.d = replaced(again.a, again.d, op, &d);
	if (!winograd_derive(again.a, sum, (struct winograd_tiles){ .m = m }, &tiles, &why))
		fail_msg("%s, m=%jd: %s", source, (intmax_t)m, why);
	assert_int_equal(tiles.n, more);
	check_derived_ops(source, &again, sum, &tiles, 1e-9);
	arena_free(run.a);
	arena_free(again.a);
}

static void test_transposed(void **state)
{
	(void)state;
	check_phases("conv2d_transpose:ic=3,h=5,w=4,oc=4,k=4,s=2,p=1,dtype=f64", 3, 1, 2, 9);
	check_phases("conv2d_transpose:ic=3,h=5,w=6,oc=4,k=4,s=2,p=0,dtype=f64", 3, 1, 4, 9);
	check_phases("conv2d_transpose:n=2,ic=3,h=4,w=5,oc=2,k=6,s=2,p=2,dtype=f64", 3, 1, 3, 9);
	check_phases("conv2d_transpose:ic=2,h=4,w=5,oc=2,k=6,s=3,p=1,dtype=f64", 3, 1, 2, 9);
	/* One dim has phases, the other windows of neighbours or none. */
	check_phases("conv2d_transpose:ic=3,h=5,w=6,oc=4,k=4x3,s=2x1,p=1,dtype=f64", 3, 1, 2, 4);
	check_phases("conv2d_transpose:ic=3,h=5,w=6,oc=4,k=1x4,s=1x2,p=0x1,dtype=f64", 3, 1, 2, 6);
	/* The data goes up, and so do the taps. */
	check_phases("input X: f64[3, 9]\nconst W: f64[3, 6]\n"
		     "Y[i < 12] = sum(c < 3, k < 3) X[c, i / 2 + k] * W[c, i % 2 + 2 * k]\n", 3, 1, 2, 6);
}

static void test_dilated(void **state)
{
	(void)state;
	check_phases("conv2d:ic=3,h=9,w=10,oc=4,k=3,p=1,dil=2,dtype=f64", 3, 0, 2, 9);
	check_phases("conv2d:ic=16,h=9,w=11,oc=16,k=3,p=2,dil=2,dtype=f64,layout=nchw16c", 3, 0, 3, 7);
	check_phases("conv2d:ic=4,h=13,w=11,oc=4,k=3,dil=3,g=2,dtype=f64,layout=nhwc", 3, 0, 2, 7);
	check_phases("conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=1x2,p=1,dtype=f64", 3, 0, 3, 9);
	check_phases("conv1d:ic=3,w=17,oc=4,k=5,dil=2,dtype=f64", 3, 0, 3, 6);
}

static void test_text(void **state)
{
	(void)state;
	check_derived_text(phases_derive, 2,
			   "input X: f32[3, 7]\nconst W: f32[3, 4]\n"
			   "Y[i < 10] = sum(c < 3, k < 2) X[c, (i + 1) / 2 + 1 - k] * W[c, (i + 1) % 2 + k * 2]\n",
			   "input X: f32[3, 7]\n"
			   "const W: f32[3, 4]\n"
			   "Y_W[ai < 2, c < 3, d1 < 2] = W[c, ai + (1 - d1) * 2]\n"
			   "Y_S[ai < 2, i < 6] = sum(c < 3, k < 2) X[c, i + k] * Y_W[ai, c, k]\n"
			   "Y[i < 10] = Y_S[(i + 1) % 2, (i + 1) / 2]\n");
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t least;
	} cases[] = {
		{ "matmul:m=5,n=6,k=8", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2", 2 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=2", 3 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=2", 1 },
		{ "conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=2,s=2", 2 },
		{ "conv2d_transpose:ic=3,h=5,w=4,oc=4,k=3,s=2,p=1", 2 },	/* phases of unlike taps: spread data */
		/* another quotient than remainder */
		{ "input X: f32[6]\nconst W: f32[4]\nY[i < 9] = sum(k < 2) X[i / 2 + k] * W[(i + 1) % 2 + k * 2]\n", 2 },
		{ "input X: f32[6]\nconst W: f32[9]\nY[i < 9] = sum(k < 2) X[i / 2 + k] * W[i % 3 + k * 3]\n", 2 },
		/* the place is known otherwise, too */
		{ "input X: f32[6, 9]\nconst W: f32[4]\nY[i < 9] = sum(k < 2) X[i / 2 + k, i] * W[i % 2 + k * 2]\n", 2 },
		{ "input X: f32[9]\nconst W: f32[3, 5]\nY[i < 5] = sum(k < 3) X[i + 2 * k] * W[k, i]\n", 2 },
		/* fewer places than phases */
		{ "input X: f32[13]\nconst W: f32[3]\nY[i < 4] = sum(k < 3) X[i + 4 * k] * W[k]\n", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_underived(phases_derive, cases[i].least, cases[i].source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transposed),
		cmocka_unit_test(test_dilated),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
