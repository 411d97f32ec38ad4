/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_verdict.c - verdicts on made-up times: what is known is said, and no more. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "measure/timing/ranks.h"
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
	return compare_pairs(ours, theirs, PAIRS, MARGIN_STARTS);
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
	struct comparison ab = compare_pairs(a, b, 7, MARGIN_STARTS), ba = compare_pairs(b, a, 7, MARGIN_STARTS);

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
		struct comparison c = compare_pairs(ours, theirs, n, MARGIN_STARTS);

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
	struct comparison c = compare_pairs(ours, theirs, PAIRS, MARGIN_STARTS);

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

/* --- verdicts that are wrong, or that are missing, in thousands of tries */

enum { SAMPLES = 30, TRIES = 4000, OUTLIER_IN = 12 };

/* Times that a busy machine gives: it drifts by half, one in OUTLIER_IN is up to three times as long, and
 * the rest has 1.5% of noise. */
struct tried {
	double ours[SAMPLES], theirs[SAMPLES];
};

static double sample(struct rng *r, double us, double drift)
{
	double lost = rng_below(r, OUTLIER_IN) == 0 ? 1 + 2 * rng_unit(r) : 1;

	return us * drift * lost * exp(.015 * noise(r));
}

/* Our kernel takes SLOWER times as long as theirs. Both drift alike where they are timed in turn; those that
 * are not meet a machine that does not drift. */
static struct tried try(uint64_t seed, double slower, bool in_turn)
{
	struct rng r = rng_seed(seed);
	struct tried t;

	for (int i = 0; i < SAMPLES; i++) {
		double drift = in_turn ? 1 + .5 * sin(i * .3) : 1;

		t.ours[i] = sample(&r, 100 * slower, drift);
		t.theirs[i] = sample(&r, 100, drift);
	}
	return t;
}

static int count(double slower, bool in_turn, double margin, enum verdict verdict)
{
	int n = 0;

	for (int i = 0; i < TRIES; i++) {
		struct tried t = try(5000 + (uint64_t)i, slower, in_turn);
		struct comparison c = in_turn
			? compare_pairs(t.ours, t.theirs, SAMPLES, margin)
			: compare_apart(t.ours, SAMPLES, t.theirs, SAMPLES, margin);

		n += c.verdict == verdict;
	}
	return n;
}

/* What is 5% slower is found so in 19 of 20 tries, with the margin of kernels and with that of processes;
 * that of days would take more samples. */
static void test_power(void **state)
{
	(void)state;
	assert_true(count(1.05, true, MARGIN_IN_TURN, VERDICT_SLOWER) >= TRIES * 19 / 20);
	assert_true(count(1.05, true, MARGIN_STARTS, VERDICT_SLOWER) >= TRIES * 19 / 20);
	assert_true(count(1 / 1.05, true, MARGIN_STARTS, VERDICT_FASTER) >= TRIES * 19 / 20);
	assert_true(count(1.05, false, MARGIN_STARTS, VERDICT_SLOWER) >= TRIES * 19 / 20);
}

/* What is as fast is told apart in fewer than one of 20; what differs by just the margin, too. */
static void test_false_alarms(void **state)
{
	static const double margins[] = { MARGIN_IN_TURN, MARGIN_STARTS, MARGIN_DAYS };

	(void)state;
	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < 3; i++) {
			double edge = 1 + margins[i];

			assert_true(count(1, turn, margins[i], VERDICT_SLOWER) +
				    count(1, turn, margins[i], VERDICT_FASTER) < TRIES / 20);
			assert_true(count(edge, turn, margins[i], VERDICT_SLOWER) < TRIES / 20);
			assert_true(count(edge, turn, margins[i], VERDICT_SAME) < TRIES / 20);
		}
	/* and is mostly known to be the same */
	assert_true(count(1, true, MARGIN_DAYS, VERDICT_SAME) >= TRIES * 19 / 20);
	assert_true(count(1, false, MARGIN_DAYS, VERDICT_SAME) >= TRIES * 19 / 20);
}

/* --- samples apart */

/* N and M samples, log-normal. */
static struct comparison apart(uint64_t seed, int n, int m, double ratio)
{
	struct rng r = rng_seed(seed);
	double ours[SAMPLES], theirs[SAMPLES];

	for (int i = 0; i < n; i++)
		ours[i] = exp(.1 * noise(&r));
	for (int j = 0; j < m; j++)
		theirs[j] = ratio * exp(.1 * noise(&r));
	return compare_apart(ours, n, theirs, m, MARGIN_STARTS);
}

static void test_coverage_apart(void **state)
{
	static const int n[][2] = { { 4, 4 }, { 5, 20 }, { 8, 8 }, { 20, 20 }, { 30, 11 } };

	(void)state;
	for (size_t k = 0; k < sizeof(n) / sizeof(n[0]); k++) {
		int held = 0;

		for (int i = 0; i < TRIES; i++) {
			struct comparison c = apart(9000 + (uint64_t)i, n[k][0], n[k][1], 1.3);

			held += c.low <= 1.3 && 1.3 <= c.high;
		}
		/* four standard deviations of 4000 tries below, and what ranks of few samples
		 * are coarser by above */
		assert_in_range(held, TRIES * 93.6 / 100, TRIES * 98.6 / 100);
	}
}

/* By hand: theirs over ours are 2, 3, 4, 1, 1.5 and 2, in order 1, 1.5, 2, 2, 3, 4. */
static void test_apart(void **state)
{
	const double a[] = { 1, 2 }, b[] = { 2, 3, 4 };
	struct comparison c = compare_apart(a, 2, b, 3, MARGIN_STARTS);
	struct comparison ab = apart(3, 20, 15, 1.5);

	(void)state;
	assert_true(c.ratio == 2 && c.low == 1 && c.high == 4 && c.pairs == 2);
	assert_int_equal(c.verdict, VERDICT_UNCLEAR);
	assert_true(ab.verdict == VERDICT_FASTER && ab.pairs == 15);
	assert_true(ab.low < ab.ratio && ab.ratio < ab.high);
}

/* Of two whose logarithms are off by .1 to either side the mean is off by .1 / sqrt(2). */
static void test_mean(void **state)
{
	const struct comparison c[] = {
		{ .ratio = 2, .low = 2 * exp(-.1), .high = 2 * exp(.1), .pairs = 9, .bounded = true },
		{ .ratio = 8, .low = 8 * exp(-.1), .high = 8 * exp(.1), .pairs = 7, .bounded = true },
	};
	struct comparison mean = compare_mean(c, 2, MARGIN_DAYS);

	(void)state;
	assert_true(fabs(mean.ratio - 4) < 1e-12 && mean.pairs == 7);
	assert_true(fabs(log(mean.low / 4) + .1 / sqrt(2)) < 1e-12);
	assert_true(fabs(log(mean.high / 4) - .1 / sqrt(2)) < 1e-12);
	assert_int_equal(mean.verdict, VERDICT_FASTER);
}

/* --- many at once */

/* By hand, or from tables: of 5 pairs all one way, 1 of 32; of Mann and Whitney's (Hollander and Wolfe, table A.6)
 * with 3 and 3 samples 9 of 9 is one order of 20, 8 two; with 5 and 5 21 of 25 is 0.048. */
static void test_ranks(void **state)
{
	(void)state;
	assert_true(fabs(ranks_of_signs(5, 5) - 1 / 32.) < 1e-12);
	assert_true(fabs(ranks_of_signs(5, 4) - 6 / 32.) < 1e-12);
	assert_true(fabs(ranks_of_signs(5, 0) - 1) < 1e-12);
	assert_true(fabs(ranks_of_samples(3, 3, 9) - .05) < 1e-12);
	assert_true(fabs(ranks_of_samples(3, 3, 8) - .1) < 1e-12);
	assert_true(fabs(ranks_of_samples(5, 5, 21) - .048) < 5e-4);
	assert_true(ranks_of_samples(5, 5, 0) == 1);
	/* where counting ends, the normal distribution goes on, and errs on the careful side */
	for (int u = 2100; u < 3000; u += 300) {
		double counted = ranks_of_samples(64, 64, u);
		double normal = ranks_normal((u - .5 - 2048) / sqrt(4096. * 129 / 12));

		assert_true(counted < normal * 1.002 && counted > normal * .8);
	}
}

enum { TASKS = 60, WHOLES = 500, FEW = 15 };

/* A comparison of TASKS tasks of N samples, of which ours takes RATIO times as long as theirs in the first SLOW; all
 * are judged, and their mean and sum, as hone compare does it. How many verdicts are FASTER or SLOWER. */
static int told_apart(uint64_t seed, int n, double ratio, int slow)
{
	struct rng r = rng_seed(seed);
	struct comparison c[TASKS + 2], *all[TASKS + 2];
	double us[TASKS];
	int told = 0;

	for (int i = 0; i < TASKS; i++) {
		double ours[SAMPLES], theirs[SAMPLES], by = i < slow ? ratio : 1;

		for (int k = 0; k < n; k++) {
			ours[k] = sample(&r, 100 * by, 1);
			theirs[k] = sample(&r, 100, 1);
		}
		c[i] = i % 2 ? compare_pairs(ours, theirs, n, MARGIN_IN_TURN)
			     : compare_apart(ours, n, theirs, n, MARGIN_IN_TURN);
		us[i] = 1 + i;
	}
	c[TASKS] = compare_mean(c, TASKS, MARGIN_IN_TURN);
	c[TASKS + 1] = compare_sum(c, us, TASKS, MARGIN_IN_TURN);
	for (int i = 0; i < TASKS + 2; i++)
		all[i] = &c[i];
	verdict_many(all, TASKS + 2, 1 - VERDICT_CONFIDENCE, MARGIN_IN_TURN);
	for (int i = 0; i < TASKS + 2; i++)
		told += c[i].verdict == VERDICT_FASTER || c[i].verdict == VERDICT_SLOWER;
	return told;
}

/* Of whole comparisons fewer than one of twenty has a false alarm in any of its tasks, its mean or its sum, also where
 * each task differs by just the margin; by themselves of 60 tasks a few would be told apart each time. */
static void test_whole_comparisons(void **state)
{
	int alarms = 0, at_edge = 0, found = 0;

	(void)state;
	for (uint64_t i = 0; i < WHOLES; i++) {
		alarms += told_apart(70000 + i, FEW, 1, 0) > 0;
		at_edge += told_apart(90000 + i, FEW, 1 + MARGIN_IN_TURN, TASKS) > 0;
		/* and two that take 1.2 times as long among 58 are found */
		found += i < WHOLES / 10 && told_apart(110000 + i, SAMPLES, 1.2, 2) >= 2;
	}
	assert_true(alarms < WHOLES / 20);
	assert_true(at_edge < WHOLES / 20);
	assert_true(found >= WHOLES / 10 * 9 / 10);
}

/* The smallest must be below alpha / n, the next below alpha / (n - 1); behind one that is not, none is. */
static void test_steps(void **state)
{
	struct comparison c[] = {
		{ .ratio = 1.5, .low = 1.4, .high = 1.6, .bounded = true, .p = .02 },
		{ .ratio = .5, .low = .4, .high = .6, .bounded = true, .p = .011 },
		{ .ratio = 1.01, .low = 1, .high = 1.02, .bounded = true, .p = 1 },
		{ .ratio = 2, .low = 2, .high = 2, .p = 0 },
	}, *all[] = { &c[0], &c[1], &c[2] }, *lone[] = { &c[3] };

	(void)state;
	verdict_many(all, 3, .05, MARGIN_DAYS);
	assert_true(c[0].verdict == VERDICT_FASTER && c[1].verdict == VERDICT_SLOWER && c[2].verdict == VERDICT_SAME);
	c[1].p = .017;	/* above .05 / 3 */
	verdict_many(all, 3, .05, MARGIN_DAYS);
	assert_true(c[0].verdict == VERDICT_UNCLEAR && c[1].verdict == VERDICT_UNCLEAR);
	verdict_many(lone, 1, .05, MARGIN_DAYS);	/* no interval, no verdict */
	assert_int_equal(c[3].verdict, VERDICT_UNCLEAR);
}

/* Of 300 us in two parts the one of 100 takes twice as long with theirs: 400 by 300. */
static void test_sum(void **state)
{
	struct comparison c[] = {
		{ .ratio = 2, .low = 1.9, .high = 2.1, .pairs = 9, .bounded = true },
		{ .ratio = 1, .low = .95, .high = 1.05, .pairs = 7, .bounded = true },
	};
	const double us[] = { 100, 200 };
	struct comparison sum = compare_sum(c, us, 2, MARGIN_DAYS);

	(void)state;
	assert_true(fabs(sum.ratio - 4 / 3.) < 1e-12 && sum.pairs == 7);
	assert_true(fabs(sum.high - sum.ratio - sqrt(2) * 10 / 300) < 1e-12);
	assert_true(fabs(sum.ratio - sum.low - sqrt(2) * 10 / 300) < 1e-12);
	assert_true(sum.verdict == VERDICT_FASTER && sum.p < 1e-6);
	c[0].bounded = false;
	sum = compare_sum(c, us, 2, MARGIN_DAYS);
	assert_true(!sum.bounded && sum.p == 1 && sum.verdict == VERDICT_UNCLEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_sides),
		cmocka_unit_test(test_few_pairs), cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_coverage),  cmocka_unit_test(test_power),
		cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_coverage_apart),
		cmocka_unit_test(test_apart),     cmocka_unit_test(test_mean),
		cmocka_unit_test(test_ranks),      cmocka_unit_test(test_whole_comparisons),
		cmocka_unit_test(test_steps),      cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
