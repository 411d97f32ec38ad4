/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_cook_toom.c - the matrices of F(m, r), in exact numbers, against the sums that they stand for. */
#include "te/derive/cook_toom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/integer.h"

/* NUMBER / den for all elements of a matrix at once: sums of products stay integers. */
struct integers {
	__int128 at[TRANSFORM_MOST][TRANSFORM_MOST];
	__int128 den;
};

static struct integers integers_of(const struct transform *t)
{
	struct integers out = { .den = 1 };
	int64_t den = 1;

	for (int i = 0; i < t->rows; i++)
		for (int j = 0; j < t->cols; j++) {
			assert_true(t->at[i][j].den > 0);
			assert_int_equal(gcd(t->at[i][j].num, t->at[i][j].den), 1);
			den = den / gcd(den, t->at[i][j].den) * t->at[i][j].den;
		}
	for (int i = 0; i < t->rows; i++)
		for (int j = 0; j < t->cols; j++)
			out.at[i][j] = (__int128)t->at[i][j].num * (den / t->at[i][j].den);
	out.den = den;
	return out;
}

/* sum over u of output[j, u] weight[u, k] data[u, i] is 1 where i = s j + k, else 0: all bilinear forms at once. */
static void check_identity(const struct cook_toom *c, int m, int r, int s)
{
	struct integers data = integers_of(&c->data), weight = integers_of(&c->weight);
	struct integers output = integers_of(&c->output);
	int n = (m - 1) * s + r;

	assert_int_equal(c->data.rows, n);
	assert_int_equal(c->data.cols, n);
	assert_int_equal(c->weight.cols, r);
	assert_int_equal(c->output.rows, m);
	for (int j = 0; j < m; j++)
		for (int k = 0; k < r; k++)
			for (int i = 0; i < n; i++) {
				__int128 sum = 0;

				for (int u = 0; u < n; u++)
					sum += output.at[j][u] * weight.at[u][k] * data.at[u][i];
				assert_true(sum ==
					    (i == s * j + k) * output.den * weight.den * data.den);
			}
}

/* Of all tiles alike, and of all smaller last ones. */
static void check_identities(int m, int r, int s)
{
	struct cook_toom c = cook_toom(m, r, s), tail;

	check_identity(&c, m, r, s);
	for (int last = 1; last < m; last++) {
		cook_toom_ragged(m, last, r, s, &c, &tail);
		check_identity(&c, m, r, s);
		check_identity(&tail, last, r, s);
	}
}

static void test_identity(void **state)
{
	int found = 0;

	(void)state;
	for (int m = -1; m < 12; m++)
		for (int r = -1; r < 12; r++) {
			bool want = m >= 2 && m <= 6 && r >= 2 && m + r - 1 <= 8;

			assert_int_equal(cook_toom_has(m, r, 1), want);
			if (!want)
				continue;
			check_identities(m, r, 1);
			found++;
		}
	assert_int_equal(found, 20);
}

/* Those that are fewer than M R products, and have room. */
static void test_strides(void **state)
{
	int found = 0;

	(void)state;
	for (int s = -1; s < 8; s++)
		for (int m = -1; m < 9; m++)
			for (int r = -1; r < 20; r++) {
				bool want = s >= 1 && m >= 2 && m <= 6 && r > s && (m - 1) * s + r <= 14 &&
					    m + (r + s - 1) / s - 1 <= 8;

				assert_int_equal(cook_toom_has(m, r, s), want);
				if (!want)
					continue;
				check_identities(m, r, s);
				assert_true((m - 1) * s + r < m * r);
				found++;
			}
	assert_true(found > 60);
	assert_true(cook_toom_has(6, 3, 2));
	assert_true(cook_toom_has(4, 7, 2));
}

static bool is_power_of_two(int64_t x)
{
	return (x & (x - 1)) == 0;
}

/* Rational numbers that f32 holds exactly. */
static void check_dyadic(const struct transform *t)
{
	for (int i = 0; i < t->rows; i++)
		for (int j = 0; j < t->cols; j++)
			assert_true(is_power_of_two(t->at[i][j].den) && labs(t->at[i][j].num) < 1 << 24);
}

/* What is computed at run time has such numbers, and the highest coefficients are free. */
static void test_dyadic(void **state)
{
	(void)state;
	for (int m = 2; m <= 6; m++)
		for (int r = 2; cook_toom_has(m, r, 1); r++) {
			struct cook_toom c = cook_toom(m, r, 1), tail;

			check_dyadic(&c.data);
			check_dyadic(&c.output);
			for (int last = 1; last < m; last++) {
				cook_toom_ragged(m, last, r, 1, &c, &tail);
				check_dyadic(&tail.data);
			}
		}
}

/* X is a corner of Y. */
static void check_corner(const struct transform *x, const struct transform *y)
{
	for (int i = 0; i < x->rows; i++)
		for (int j = 0; j < x->cols; j++)
			assert_true(rational_value(x->at[i][j]) == rational_value(y->at[i][j]));
}

/* A smaller last tile reads the first rows of the same weight, adds no error, and is unlike the others in its data alone: its outputs,
 * with zeros in the place of the products that it lacks, are theirs. */
static void test_ragged(void **state)
{
	(void)state;
	for (int s = 1; s < 4; s++)
		for (int m = 2; m <= 6; m++)
			for (int r = s + 1; cook_toom_has(m, r, s); r++)
				for (int last = 1; last < m; last++) {
					struct cook_toom plain = cook_toom(m, r, s), c, tail;

					cook_toom_ragged(m, last, r, s, &c, &tail);
					check_corner(&tail.weight, &c.weight);
					check_corner(&tail.output, &c.output);
					assert_true(fabs(cook_toom_amplification(&c) / cook_toom_amplification(&plain) -
							 1) < 1e-12);
					assert_true(cook_toom_amplification(&tail) <=
						    cook_toom_amplification(&c) * (1 + 1e-12));
				}
}

/* F(2, 3) as it is in the books, but for signs. */
static void test_known(void **state)
{
	static const int data[4][4] = {
		{ -1, 0, 1, 0 }, { 0, 1, 1, 0 }, { 0, -1, 1, 0 }, { 0, -1, 0, 1 }
	};
	struct cook_toom c = cook_toom(2, 3, 1);

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			assert_true(rational_value(c.data.at[i][j]) == data[i][j]);
	assert_true(rational_value(c.weight.at[1][2]) == 0.5);
	assert_true(rational_value(c.output.at[1][2]) == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_dyadic),
		cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
