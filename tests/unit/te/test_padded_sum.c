/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_padded_sum.c - a sum over padded terms against the sum that it stands for, by the naive evaluation of
 * both, and which sums there are none for. */
#include "te/derive/padded_sum.h"

#include "tests/fixture/derive_fixture.h"

/* SOURCE's sum with terms in multiples of M: the reduced axis R has EXTENT turns, and nothing else is another. */
static void check_padded(const char *source, int64_t m, int r, int64_t extent)
{
	struct run run = run_spec(source);
	const struct op *op = find_sum(run.d);
	const char *why = NULL;
	struct derived w;

	assert_int_equal(padded_sum_axis(op, m), r);
	if (!padded_sum_derive(run.a, op, m, &w, &why))
		fail_msg("%s, m=%jd: %s", source, (intmax_t)m, why);
	assert_true(w.n == 3 && w.weights == 1 && w.product == 2 && w.amplification == 0);
	const struct op *sum = w.op[2];

	assert_string_equal(sum->tensor.name, op->tensor.name);
	assert_int_equal(sum->tensor.dtype, op->tensor.dtype);
	assert_int_equal(sum->output, op->output);
	assert_memory_equal(sum->tensor.shape, op->tensor.shape,
			    (size_t)op->tensor.ndim * sizeof(*op->tensor.shape));
	for (int i = 0; i < op->nreduce; i++)
		assert_int_equal(sum->reduce[i]->hi, i == r ? extent : op->reduce[i]->hi);
	check_derived_ops(source, &run, op, &w, 1e-6);
	arena_free(run.a);
}

static void test_same(void **state)
{
	(void)state;
	check_padded("matmul:m=5,n=6,k=7,dtype=u8,wdtype=i8", 4, 0, 8);
	check_padded("matmul:m=5,n=6,k=3,dtype=u8,wdtype=i8", 4, 0, 4);
	check_padded("matmul:m=5,n=6,k=9,dtype=bf16", 2, 0, 10);
	check_padded("dense:m=5,n=6,k=13,dtype=i8,act=relu", 4, 0, 16);
	check_padded("batch_matmul:b=2,m=5,n=6,k=5,dtype=bf16", 2, 0, 6);
	check_padded("conv2d:ic=3,h=7,w=6,oc=5,k=3,s=2,p=1,layout=nhwc,dtype=u8,wdtype=i8", 4, 2, 4);
	check_padded("conv2d:ic=6,h=5,w=6,oc=5,k=3,dtype=i8", 4, 0, 8);
	/* factors in the other order */
	check_padded("input A: u8[4, 7]\nconst B: i8[7, 6]\n"
		     "C[i, j] = sum(k < 7) i32(B[k, j]) * i32(A[i, k])\n", 4, 0, 8);
	/* the last of two that could be */
	check_padded("input A: f32[4, 5, 7]\nconst B: f32[5, 7, 6]\n"
		     "C[i, j] = sum(k < 5, l < 7) A[i, k, l] * B[k, l, j]\n", 4, 1, 8);
}

static void test_none(void **state)
{
	static const struct {
		const char *source;
		int64_t m;
	} cases[] = {
		{ "matmul:m=5,n=6,k=8", 4 },		/* whole groups */
		{ "matmul:m=5,n=6,k=1", 4 },		/* more zeros than terms */
		{ "matmul:m=5,n=6,k=7", 0 },
		{ "matmul:m=5,n=6,k=7", INT64_MAX },
		{ "depthwise:c=3,h=6,w=7,k=3", 4 },	/* windows, of which the weight alone has a dim */
		{ "input A: f32[4, 14]\nconst B: f32[7, 6]\n"
		  "C[i, j] = sum(k < 7) A[i, 2 * k] * B[k, j]\n", 4 },
		{ "input A: f32[7, 7]\nC[i, j] = sum(k < 7) A[i, k] * A[k, j]\n", 4 },
		{ "input A: f32[4, 7]\nC[i] = sum(k < 7) A[i, k]\n", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run run = run_spec(cases[i].source);
		const struct op *op = find_sum(run.d);
		const char *why = NULL;
		struct derived w;

		assert_int_equal(padded_sum_axis(op, cases[i].m), -1);
		assert_false(padded_sum_derive(run.a, op, cases[i].m, &w, &why));
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
