/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_polyphase.c - sums of phases against sums over windows with a stride, by the naive evaluation of both, and
 * which have none. */
#include "te/derive/strides/lane_windows.h"
#include "te/derive/strides/polyphase.h"

#include "tests/fixture/derive_fixture.h"

/* Does OP reduce over an axis of so many? */
static bool has_extent(const struct op *op, int64_t turns)
{
	for (int i = 0; i < op->nreduce; i++)
		if (op->reduce[i]->hi == turns)
			return true;
	return false;
}

/* SOURCE's sum is that of PLACES sums of TAPS taps. */
static void check(const char *source, int64_t taps, int64_t places)
{
	struct run run = run_spec(source);
	const struct op *op = find_sum(run.d);
	const char *why = NULL;
	struct derived d;

	if (!polyphase_derive(run.a, op, LANE_WINDOWS_LEAST, &d, &why))
		fail_msg("%s: %s", source, why);
	const struct op *sums = d.op[1];

	assert_int_equal(d.n, 3);
	assert_int_equal(d.weights, 1);
	assert_int_equal(d.product, 1);
	assert_int_equal(sums->tensor.shape[sums->tensor.ndim - 1], places);
	assert_int_equal(sums->tensor.ndim, op->tensor.ndim);
	assert_int_equal(sums->nreduce, op->nreduce);
	assert_true(has_extent(sums, taps));
	assert_int_equal(d.op[2]->nreduce, 0);
	assert_string_equal(d.op[2]->tensor.name, op->tensor.name);
	check_derived_ops(source, &run, op, &d, 1e-10);
	arena_free(run.a);
}

static void test_windows(void **state)
{
	(void)state;
	check("depthwise:c=5,h=14,w=14,k=3,s=2,p=1,dtype=f64", 2, 14);
	check("depthwise:c=5,h=13,w=21,k=5,s=2,p=2,dtype=f64", 3, 22);
	check("depthwise:c=3,h=13,w=22,k=3,s=3,dtype=f64", 1, 21);
	check("conv2d:ic=3,h=13,w=21,oc=4,k=3,s=2,dtype=f64", 2, 20);
	check("conv2d:ic=4,h=13,w=21,oc=6,k=3,s=2,p=1,g=2,dtype=f64", 2, 22);
	check("conv1d:ic=3,w=37,oc=4,k=5,s=3,dtype=f64", 2, 33);
}

/* What no window reaches is not read, nor a tap that is not there. */
static void test_ends(void **state)
{
	(void)state;
	/* the last place would be behind the data */
	check("conv1d:ic=3,w=7,oc=4,k=3,s=2,dtype=f64", 2, 6);
	/* windows that leave elements out */
	check("conv1d:ic=3,w=20,oc=4,k=2,s=3,dtype=f64", 1, 21);
	/* a window that begins behind the first element */
	check("input X: f64[3, 30]\nconst W: f64[3, 4]\n"
	      "Y[i < 9] = sum(c < 3, k < 4) X[c, i * 2 + k + 5] * W[c, k]\n", 2, 18);
}

static void test_text(void **state)
{
	(void)state;
	check_derived_text(polyphase_derive, 2,
			   "input X: f32[3, 21]\nconst W: f32[4, 3, 5]\n"
			          "Y[o < 4, i < 9] = sum(c < 3, k < 5) X[c, i * 2 + k] * W[o, c, k]\n",
			   "input X: f32[3, 21]\n"
			   "const W: f32[4, 3, 5]\n"
			   "Y_K[o < 4, c < 3, k < 3, r < 2] = select(k * 2 + r < 5, W[o, c, k * 2 + r], 0)\n"
			   "Y_S[o < 4, z < 18] = sum(c < 3, t < 3) select(z + t * 2 < 21, X[c, z + t * 2], 0) * Y_K[o, c, t, z % 2]\n"
			   "Y[o < 4, i < 9] = Y_S[o, i * 2] + Y_S[o, i * 2 + 1]\n");
}

/* Which windows these are tests/unit/te/test_decimated.c says. */
static void test_none(void **state)
{
	(void)state;
	check_underived(polyphase_derive, 2, "conv2d:ic=3,h=9,w=9,oc=4,k=3");
	check_underived(polyphase_derive, 3, "conv2d:ic=3,h=9,w=9,oc=4,k=3,s=2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows), cmocka_unit_test(test_ends), cmocka_unit_test(test_text),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
