/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_domain.c - enclosures of values, the test data chosen from them, and how fast a
 * kernel can be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "search/trust/speed_limit.h"
#include "target/intrinsic.h"
#include "te/inputs.h"
#include "te/operator.h"
#include "te/text/text.h"

enum { OPS = 8 };

static const struct dag *parse(struct arena *a, const char *text)
{
	struct dag *d = dag_parse(a, "case.te", text);

	if (!d)
		fail_msg("%s", err_get());
	assert_in_range(d->ops.n, 1, OPS);
	return d;
}

/* What X must be for F(X) to be finite. */
static void test_ranges(void **state)
{
	static const struct {
		const char *text;
		double low, high;	/* of the first input: within these */
	} cases[] = {
		{ "input X: f32[9]\nY[i] = sqrt(X[i] - 2)\n", 2, INFINITY },
		{ "input X: f32[9]\nY[i] = log(X[i] + 1)\n", -1, INFINITY },
		{ "input X: f32[9]\nY[i] = log(-X[i])\n", -INFINITY, 0 },
		{ "input X: f32[9]\nY[i] = 1 / X[i]\n", 0x1p-9, INFINITY },
		{ "input X: f32[9]\nY[i] = exp(X[i] * 500)\n", -0.5, 0.5 },
		{ "input X: f32[9]\nY[i] = pow(X[i], 0.5)\n", 0, INFINITY },
		{ "input X: f32[9]\nY[i] = sqrt(X[i] * X[i])\n", -1, 1 },
		{ "input X: f32[9]\nY[i] = select(0 < X[i], log(X[i]), 0)\n", -1, 1 },
		{ "input X: f32[9] in -3..-2\nY[i] = sqrt(X[i])\n", -3, -2 },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int set = 0; set < INPUT_SETS; set++) {
			struct domain of[OPS];
			const char *what;
			int troubles = inputs_choose(a, parse(a, cases[i].text), set, of, &what);

			if (!(of[0].low >= cases[i].low && of[0].high <= cases[i].high))
				fail_msg("%s: [%g, %g]", cases[i].text, of[0].low, of[0].high);
			assert_true(of[0].low < of[0].high || set == INPUTS_EXACT);
			assert_int_equal(troubles, strstr(cases[i].text, "in -3") ? 1 : 0);
		}
	arena_free(a);
}

/* A sum is exact where no partial sum needs more bits than the type has. */
static void test_exact(void **state)
{
	static const struct {
		const char *text;
		bool random, exact;	/* the last op's sum, in each set */
	} cases[] = {
		{ "input X: f32[65536]\nS[i < 1] = sum(j < 65536) X[j] * X[j]\n", false, true },
		{ "input X: f32[9, 9]\nS[i] = sum(j < 9) exp(X[i, j])\n", false, false },
		{ "input X: i32[9, 9]\nS[i] = sum(j < 9) X[i, j]\n", true, true },
		{ "input X: f32[9]\nS[i] = max(X[i], 0) * 0.5\n", false, true },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct dag *d = parse(a, cases[i].text);
		struct precision p = precision_of_arithmetic(d->ops.at[1]->tensor.dtype);
		struct domain of[OPS];

		inputs_choose(a, d, INPUTS_RANDOM, of, NULL);
		assert_int_equal(domain_is_exact(of[1], p), cases[i].random);
		inputs_choose(a, d, INPUTS_EXACT, of, NULL);
		assert_int_equal(domain_is_exact(of[1], p), cases[i].exact);
	}
	arena_free(a);
}

/* Only what must be done counts: 2 m n k of a matmul; of a strided convolution its sums, but not
 * the inputs that it leaves out. */
static void test_speed_limit(void **state)
{
	struct arena *a = arena_new();
	struct device device = { .target = &target_generic, .own = &target_generic,
				 .measured = { .valid = true, .threads = 2,
					       .peak = { [TARGET_generic] = { 100, 200 },
							   [TARGET_x86_64_avx512] = { 100, 200 } },
					       .l1 = { 300, 600 } } };

	(void)state;
	double limit = speed_limit_us(operator_build(a, "matmul:m=64,n=64,k=64"), &device, 1);

	assert_true(fabs(limit * SPEED_LIMIT_MARGIN - 2 * 64 * 64 * 64 / 100e3) < 1e-9);
	limit = speed_limit_us(operator_build(a, "matmul:m=64,n=64,k=64,dtype=u8,wdtype=i8"), &device, 1);
	assert_true(fabs(limit * SPEED_LIMIT_MARGIN - 2 * 64 * 64 * 64 / 400e3) < 1e-9);
	/* by matrices 16 rows of 16 lanes and 64 terms in 16 cycles, where vectors take 128 */
	struct target matrices = target_x86_64_avx512;

	matrices.extensions = 1u << EXTENSION_AMX_INT8;
	device.target = &matrices;
	limit = speed_limit_us(operator_build(a, "matmul:m=64,n=64,k=64,dtype=u8,wdtype=i8"), &device, 1);
	device.target = &target_generic;
	assert_true(fabs(limit * SPEED_LIMIT_MARGIN - 2 * 64 * 64 * 64 / 3200e3) < 1e-9);
	/* of 9 taps one is on the image: no sum is sure, and what is left are bytes */
	limit = speed_limit_us(operator_build(a, "conv2d:ic=64,h=1,w=1,oc=64,k=3,p=1"), &device, 1);
	assert_true(limit * SPEED_LIMIT_MARGIN < 2 * 64 * 64 * 9 / 100e3);
	limit = speed_limit_us(parse(a, "input X: f32[1000]\nY[i < 500] = X[i * 2]\n"), &device, 1);
	assert_true(fabs(limit * SPEED_LIMIT_MARGIN - 2000 / 300e3) < 1e-9);
	limit = speed_limit_us(parse(a, "input X: f32[40, 64]\nY[i] = sum(k < 64) sqrt(X[i, k] - 2)\n"),
			       &device, 1);
	assert_true(limit * SPEED_LIMIT_MARGIN >= 40 * 64 * 2 / 100e3);
	device.measured.valid = false;
	assert_true(speed_limit_us(operator_build(a, "matmul:m=64,n=64,k=64"), &device, 1) == 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_speed_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
