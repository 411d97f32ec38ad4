/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_verdict.c - verdicts on made-up times: what is known is said, and no more. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "measure/timing/verdict.h"

enum { PAIRS = 25 };

/* About normal: the sum of twelve uniform numbers has variance 1. */
static double noise(struct rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(r);
	return sum;
}

/* PAIRS rounds on a machine that drifts by a factor of three, with SPREAD around RATIO. */
static struct comparison made_up(uint64_t seed, double ratio, double spread)
{
	struct rng r = rng_seed(seed);
	double ours[PAIRS], theirs[PAIRS];

	for (int i = 0; i < PAIRS; i++) {
		double drift = 1 + 2.0 * i / PAIRS;

		ours[i] = 100 * drift;
		theirs[i] = 100 * drift * ratio * exp(spread * noise(&r));
	}
	return compare_pairs(ours, theirs, PAIRS);
}

static void test_verdicts(void **state)
{
	static const struct {
		double ratio, spread;
		enum verdict verdict;
	} cases[] = {
		{1.5, .05, VERDICT_FASTER},	{1 / 1.5, .05, VERDICT_SLOWER},
		{1, .003, VERDICT_SAME},	{1.01, .003, VERDICT_SAME},
		{1 / 1.01, .003, VERDICT_SAME}, {1.02, .01, VERDICT_UNCLEAR},
		{1.05, .5, VERDICT_UNCLEAR},	{1, .2, VERDICT_UNCLEAR},
		{1.04, .003, VERDICT_FASTER},	{.96, .003, VERDICT_SLOWER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct comparison c = made_up(7, cases[i].ratio, cases[i].spread);

		assert_string_equal(verdict_name(c.verdict), verdict_name(cases[i].verdict));
		assert_true(c.low <= c.ratio && c.ratio <= c.high && c.pairs == PAIRS);
	}
}

/* Who is compared with whom does not matter. */
static void test_sides(void **state)
{
	double a[] = {10, 11, 12, 13, 14, 15, 16}, b[] = {21, 20, 25, 24, 30, 29, 33};
	struct comparison ab = compare_pairs(a, b, 7), ba = compare_pairs(b, a, 7);

	(void)state;
	assert_true(fabs(ab.ratio * ba.ratio - 1) < 1e-12 && fabs(ab.low * ba.high - 1) < 1e-12);
	assert_true(ab.verdict == VERDICT_FASTER && ba.verdict == VERDICT_SLOWER);
}

static void test_few_pairs(void **state)
{
	double ours[VERDICT_MIN_PAIRS], theirs[VERDICT_MIN_PAIRS];

	(void)state;
	for (int n = 1; n <= VERDICT_MIN_PAIRS; n++) {
		ours[n - 1] = 1;
		theirs[n - 1] = 3 + .01 * n;
		struct comparison c = compare_pairs(ours, theirs, n);

		assert_true(c.low == theirs[0] && c.high == theirs[n - 1]);
		assert_int_equal(c.verdict,
				 n < VERDICT_MIN_PAIRS ? VERDICT_UNCLEAR : VERDICT_FASTER);
	}
}

static void test_outliers(void **state)
{
	double ours[PAIRS], theirs[PAIRS];

	(void)state;
	for (int i = 0; i < PAIRS; i++) {
		ours[i] = 10;
		theirs[i] = i % 8 == 3 ? 1000 : i % 8 == 5 ? .1 : 10;
	}
	struct comparison c = compare_pairs(ours, theirs, PAIRS);

	assert_true(c.verdict == VERDICT_SAME && c.ratio == 1 && c.low == 1 && c.high == 1);
}

/* The interval holds the true median as often as it says, and is not much wider than that. */
static void test_coverage(void **state)
{
	enum { TIMES = 2000 };
	int held = 0;

	(void)state;
	for (int i = 0; i < TIMES; i++) {
		struct comparison c = made_up(1000 + (uint64_t)i, 1.3, .1);

		held += c.low <= 1.3 && 1.3 <= c.high;
	}
	/* 25 pairs: 95.7% by the binomial distribution, within four standard deviations */
	assert_in_range(held, TIMES * 93.8 / 100, TIMES * 97.6 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_sides),
		cmocka_unit_test(test_few_pairs), cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
