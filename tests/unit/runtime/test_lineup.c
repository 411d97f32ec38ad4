/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_lineup.c - finals on made-up times: who is known to be faster wins, noise lets the
 * simplest win, and lineups mix. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "runtime/finals/lineup.h"

enum { N = 4, ROUNDS = 41, SEEDS = 200 };

/* Contenders, the simplest first, that take US on a machine which drifts by a factor of two and has
 * SPREAD of noise. */
struct made_up {
	struct contender c[N];
	double us[N][ROUNDS];
};

static double noise(struct rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(r);
	return sum;
}

static void make_up(struct made_up *m, uint64_t seed, const double *us, double spread)
{
	struct rng r = rng_seed(seed);

	for (int i = 0; i < N; i++) {
		m->c[i] = (struct contender){ .steps = 5 + i, .text_bytes = 100, .us = m->us[i] };
		for (int k = 0; k < ROUNDS; k++)
			m->us[i][k] = us[i] * (1 + (double)k / ROUNDS) * exp(spread * noise(&r));
	}
}

static void test_who_is_faster_wins(void **state)
{
	static const struct {
		double us[N];
		int winner;
	} cases[] = {
		{ { 100, 100, 100, 80 }, 3 },	/* however many steps it has */
		{ { 100, 90, 80, 70 }, 3 },
		{ { 70, 80, 90, 100 }, 0 },
		{ { 100, 80, 80.4, 100 }, 1 },	/* of the fast ones the simpler */
		{ { 100, 80.4, 80, 100 }, 1 },
		{ { 100, 100.4, 99.6, 100.2 }, 0 },
	};
	struct made_up m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint64_t seed = 1; seed < 20; seed++) {
			make_up(&m, seed, cases[i].us, 0.01);
			assert_int_equal(lineup_winner(m.c, N, ROUNDS), cases[i].winner);
		}
}

static void test_noise_changes_nothing(void **state)
{
	static const double same[N] = { 100, 100, 100, 100 };
	struct made_up m;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		make_up(&m, seed, same, 0.02);
		assert_int_equal(lineup_winner(m.c, N, ROUNDS), 0);
	}
}

/* One outlier, or rounds too few to know, tell nothing. */
static void test_little_evidence(void **state)
{
	static const double us[N] = { 100, 70, 100, 100 };
	static const double same[N] = { 100, 100, 100, 100 };
	struct made_up m;

	(void)state;
	make_up(&m, 1, us, 0.01);
	assert_int_equal(lineup_winner(m.c, N, 3), 0);
	assert_int_equal(lineup_winner(m.c, N, ROUNDS), 1);
	make_up(&m, 1, same, 0.001);
	m.us[0][7] *= 100;
	assert_int_equal(lineup_winner(m.c, N, ROUNDS), 0);
	assert_int_equal(lineup_winner(m.c, 1, ROUNDS), 0);
}

/* Fewer steps, then the shorter text, then the hash; whatever order they come in. */
static void test_simplicity(void **state)
{
	static const struct contender order[N] = {
		{ .steps = 3, .text_bytes = 900, .steps_hash = { 9, 9 } },
		{ .steps = 4, .text_bytes = 100, .steps_hash = { 9, 9 } },
		{ .steps = 4, .text_bytes = 200, .steps_hash = { 1, 0 } },
		{ .steps = 4, .text_bytes = 200, .steps_hash = { 2, 0 } },
	};
	double us[ROUNDS];

	(void)state;
	for (int k = 0; k < ROUNDS; k++)
		us[k] = 100;
	for (int from = 0; from < N; from++)
		for (int shift = 0; shift < N - from; shift++) {
			struct contender c[N];
			int n = N - from;

			for (int i = 0; i < n; i++) {
				c[i] = order[from + (i + shift) % n];
				c[i].us = us;
			}
			assert_memory_equal(&c[lineup_winner(c, n, ROUNDS)].steps_hash,
					    &order[from].steps_hash, sizeof(c->steps_hash));
			assert_int_equal(c[lineup_winner(c, n, ROUNDS)].text_bytes,
					 order[from].text_bytes);
		}
}

/* In as many lineups as contenders each plays once; beside the same neighbour only where the fields
 * are alike. */
static void test_lineups(void **state)
{
	(void)state;
	for (int task = 0; task < 7; task++)
		for (int n = 1; n <= N; n++) {
			int seen[N] = { 0 };

			for (int l = 0; l < N; l++)
				seen[lineup_place(l, task, n)]++;
			for (int c = 0; c < n; c++)
				assert_true(seen[c] >= N / n);
		}
	assert_int_not_equal(lineup_place(0, 0, N), lineup_place(0, 1, N));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_faster_wins),
		cmocka_unit_test(test_noise_changes_nothing),
		cmocka_unit_test(test_little_evidence),
		cmocka_unit_test(test_simplicity),
		cmocka_unit_test(test_lineups),
	};

	return cmocka_run_group_tests_name("lineup", tests, NULL, NULL);
}
