/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_index.c - simplification: deep nests in linear time, numbers too large given up; parts that are shared stay so; proofs
 * say what is so. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/integer.h"
#include "base/rng.h"
#include "te/index/index.h"

/* At each level twice the work would outlast the universe. */
enum { DEEP = 200 };

static const struct axis x = { "x", 0, 10, false };
static const struct axis y = { "y", 0, 10, false };

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static void deep_minmax(void **state)
{
	struct arena *a = *state;
	const struct expr *e = expr_axis(a, &x);
	const struct expr *z = expr_axis(a, &y);

	for (int i = 0; i < DEEP; i++)	/* each undecided: x and y are independent */
		e = expr_binary(a, i % 2 ? EXPR_MIN : EXPR_MAX, expr_add(a, e, expr_int(a, 1)),
				expr_add(a, z, expr_int(a, i)));
	const struct expr *s = expr_simplify(a, e);

	assert_ptr_equal(expr_simplify(a, s), s);
	assert_true(expr_range(s).lo >= 0 && expr_range(s).hi <= 10 + DEEP);
}

static void deep_compare(void **state)
{
	struct arena *a = *state;
	const struct expr *e = expr_axis(a, &x);

	for (int i = 0; i < DEEP; i++)
		e = expr_select(a, expr_binary(a, EXPR_LT, e, expr_int(a, 5)), expr_axis(a, &y),
				expr_axis(a, &x));
	const struct expr *s = expr_simplify(a, e);

	assert_ptr_equal(expr_simplify(a, s), s);
}

/* The same where numbers at each level are too large for a linear form. */
static void deep_too_large(void **state)
{
	struct arena *a = *state;
	const struct expr *e = expr_axis(a, &x);
	const struct expr *huge = expr_mul(a, expr_mul(a, expr_axis(a, &y), INT64_C(1) << 40),
					   INT64_C(1) << 40);

	for (int i = 0; i < DEEP; i++)
		e = expr_add(a, expr_binary(a, EXPR_MIN, e, expr_axis(a, &y)), huge);
	assert_non_null(expr_simplify(a, e));
	for (int i = 0; i < DEEP; i++)
		e = expr_select(a, expr_binary(a, EXPR_LT, expr_add(a, e, huge), expr_int(a, 5)),
				expr_axis(a, &y), expr_axis(a, &x));
	assert_non_null(expr_simplify(a, e));
}

static void overflow(void **state)
{
	struct arena *a = *state;
	const struct expr *e = expr_axis(a, &x);
	struct linear l;

	e = expr_mul(a, expr_mul(a, e, INT64_C(1) << 40), INT64_C(1) << 40);
	assert_false(linear_from(a, e, &l));
	assert_false(index_at_most(a, e, 1000, NULL));
	e = expr_mul(a, expr_add(a, expr_axis(a, &x), expr_int(a, INT64_MAX / 2)), 4);
	assert_false(linear_from(a, e, &l));
	e = expr_binary(a, EXPR_SUB, expr_axis(a, &x), expr_int(a, INT64_MIN));
	assert_false(linear_from(a, e, &l));
	e = expr_binary(a, EXPR_LT, expr_mul(a, expr_axis(a, &x), INT64_MIN), expr_axis(a, &y));
	assert_int_equal(expr_simplify(a, e)->kind, EXPR_LT);
}

/* A quotient whose range is not known is not a constant. */
static void saturated_quotient(void **state)
{
	struct arena *a = *state;
	struct axis far = { "far", 8, 16, false };
	const struct expr *e = expr_mul(a, expr_axis(a, &far), INT64_C(1) << 58);

	e = expr_binary(a, EXPR_DIV, e, expr_int(a, 3));
	assert_int_equal(expr_simplify(a, e)->kind, EXPR_DIV);
}

/* (32 i + 16 j + k) / 64, where k < 16, is (2 i + j) / 4: the same for all k. */
static void quotient_of_lanes(void **state)
{
	struct arena *a = *state;
	struct axis lane = { "lane", 0, 16, false };
	const struct expr *e = expr_add(a, expr_mul(a, expr_axis(a, &x), 32),
					expr_add(a, expr_mul(a, expr_axis(a, &y), 16),
						 expr_axis(a, &lane)));
	const struct expr *s = expr_simplify(a, expr_binary(a, EXPR_DIV, e, expr_int(a, 64)));
	int64_t divisor;

	assert_false(expr_uses_axis(s, &lane));
	assert_true(expr_uses_axis(s, &x) && expr_uses_axis(s, &y));
	assert_true(expr_is_int(s->arg[1], &divisor));
	assert_int_equal(divisor, 4);
	lane.hi = 17;
	s = expr_simplify(a, expr_binary(a, EXPR_DIV, e, expr_int(a, 64)));
	assert_true(expr_uses_axis(s, &lane));
}

/* 8 (k / 4) + 2 (k % 4) is 2 k; not so where factors do not fit, or where it is of two axes. */
static void quotient_and_remainder(void **state)
{
	struct arena *a = *state;
	static const struct { const struct axis *of; int64_t coef; bool joined; } cases[] = { { &x, 2, true }, { &x, 3, false }, { &y, 2, false } };

	for (int i = 0; i < 3; i++) {
		const struct expr *d = expr_int(a, 4);
		const struct expr *e = expr_add(a, expr_mul(a, expr_binary(a, EXPR_DIV, expr_axis(a, &x), d), 8),
						expr_mul(a, expr_binary(a, EXPR_MOD, expr_axis(a, cases[i].of), d), cases[i].coef));
		struct linear l;

		assert_true(linear_from(a, e, &l));
		linear_rejoin(a, &l);
		assert_int_equal(l.n, cases[i].joined ? 1 : 2);
		assert_int_equal(linear_coef(&l, &x), cases[i].joined ? 2 : 0);
	}
	/* 16 (n / 2) + 8 (n % 2) + 2 (y % 4), where n is x + y / 4, is 8 x + 2 y */
	const struct expr *two = expr_int(a, 2), *four = expr_int(a, 4), *of_y = expr_axis(a, &y);
	const struct expr *n = expr_add(a, expr_axis(a, &x), expr_binary(a, EXPR_DIV, of_y, four));
	const struct expr *e = expr_add(a, expr_mul(a, expr_binary(a, EXPR_DIV, n, two), 16), expr_mul(a, expr_binary(a, EXPR_MOD, n, two), 8));
	struct linear l;

	assert_true(linear_from(a, expr_add(a, e, expr_mul(a, expr_binary(a, EXPR_MOD, of_y, four), 2)), &l));
	linear_rejoin(a, &l);
	assert_int_equal(l.n, 2);
	assert_int_equal(linear_coef(&l, &x), 8);
	assert_int_equal(linear_coef(&l, &y), 2);
}

/* (32 i + 16 j + k) % 48, where k < 16, is 16 ((2 i + j) % 3) + k: the lanes lie side by side. */
static void remainder_of_lanes(void **state)
{
	struct arena *a = *state;
	const struct axis lane = { "lane", 0, 16, false };
	const struct expr *e = expr_add(a, expr_mul(a, expr_axis(a, &x), 32),
					expr_add(a, expr_mul(a, expr_axis(a, &y), 16),
						 expr_axis(a, &lane)));
	const struct axis *axes[] = { &x, &y, &lane };
	struct linear l;

	const struct expr *odd = expr_binary(a, EXPR_MOD, expr_axis(a, &x), expr_int(a, 2));

	assert_true(expr_equal(index_remainder(a, odd, 3), odd));	/* less than 3 as it is */
	e = index_remainder(a, e, 48);
	assert_true(linear_from(a, e, &l));
	assert_int_equal(linear_coef(&l, &lane), 1);
	assert_int_equal(l.n, 2);
	for (int64_t i = 0; i < 10 * 10 * 16; i++) {
		const struct expr *to[] = { expr_int(a, i / 160), expr_int(a, i / 16 % 10),
					    expr_int(a, i % 16) };
		const struct expr *one = expr_simplify_with(a, expr_simplify(a, e), axes, to, 3);
		int64_t v = -1;

		assert_true(expr_is_int(one, &v));
		assert_int_equal(v, (i / 160 * 32 + i / 16 % 10 * 16 + i % 16) % 48);
	}
}

static void simple_stays(void **state)
{
	struct arena *a = *state;
	struct axis one = { "one", 3, 4, false };
	const struct expr *e = expr_add(a, expr_mul(a, expr_axis(a, &x), 3), expr_axis(a, &one));
	const struct expr *s = expr_simplify(a, e);
	const struct axis *from[] = { &x };
	const struct expr *to[] = { expr_int(a, 2) };
	int64_t v;

	assert_false(e->simple);
	assert_true(s->simple);
	assert_false(expr_uses_axis(s, &one));
	assert_ptr_equal(expr_substitute(a, s, (const struct axis *[]){ &y }, to, 1), s);
	assert_true(expr_is_int(expr_simplify(a, expr_substitute(a, s, from, to, 1)), &v));
	assert_int_equal(v, 9);
}

/* A quotient of an element by twice itself: three places of one load, which stay one. */
static void shared_part(void **state)
{
	struct arena *a = *state;
	const struct tensor t = { "T", DTYPE_F32, 1, { 20 } };
	const struct expr *from = expr_axis(a, &x);
	const struct expr *at = expr_load(a, &t, &from);
	const struct expr *twice = expr_binary(a, EXPR_ADD, at, at);
	const struct expr *e = expr_binary(a, EXPR_DIV, at, twice);
	const struct axis *axis = &x;
	const struct expr *to = expr_axis(a, &y);
	const struct expr *s = expr_substitute(a, e, &axis, &to, 1);

	assert_ptr_not_equal(s->arg[0], at);
	assert_ptr_equal(s->arg[0]->index[0], to);
	assert_ptr_equal(s->arg[1]->arg[0], s->arg[0]);
	assert_ptr_equal(s->arg[1]->arg[1], s->arg[0]);
}

/* What tiles of 25 read of groups of 64, (25 x + y) / 64 * 64, where the last two tiles are known to be no such. */
static void rounded_by_fact(void **state)
{
	struct arena *a = *state;
	struct axis tile = { "tile", 0, 11, false }, turn = { "turn", 0, 25, false };
	const struct expr *at = expr_add(a, expr_mul(a, expr_axis(a, &tile), 25), expr_axis(a, &turn));
	const struct expr *group = expr_mul(a, expr_binary(a, EXPR_DIV, at, expr_int(a, 64)), 64);
	struct facts facts = { 0 };

	assert_false(index_within(a, group, 0, 192, &facts));
	facts_add(a, &facts, expr_binary(a, EXPR_LT, expr_axis(a, &tile), expr_int(a, 10)), false);
	assert_true(index_within(a, group, 0, 192, &facts));
	assert_false(index_within(a, group, 0, 191, &facts));
	assert_false(index_within(a, group, 64, 192, &facts));
}

/* A quotient among other terms, and a fact. */
struct bound_case {
	int64_t factor, by_x, by_y, constant, divisor, beside;	/* factor * ((by_x x + by_y y + constant) / divisor) + beside y */
	int64_t fact_x, fact_y, limit;	/* fact_x x + fact_y y <= limit */
};

static struct bound_case random_case(struct rng *r)
{
	return (struct bound_case){
		rng_below(r, 7) - 3, rng_below(r, 9) - 2, rng_below(r, 5) - 2, rng_below(r, 20), 1 + rng_below(r, 8),
		rng_below(r, 5) - 2, rng_below(r, 7) - 3, rng_below(r, 3) - 1, rng_below(r, 25) - 5,
	};
}

/* The least value where the fact holds; INT64_MAX: it never does. */
static int64_t least_value(const struct bound_case *c)
{
	int64_t value = INT64_MAX;

	for (int64_t i = x.lo; i < x.hi; i++)
		for (int64_t j = y.lo; j < y.hi; j++)
			if (c->fact_x * i + c->fact_y * j <= c->limit)
				value = least(value, c->factor * floor_div(c->by_x * i + c->by_y * j + c->constant, c->divisor) +
							     c->beside * j);
	return value;
}

static const struct expr *sum_of(struct arena *a, int64_t by_x, int64_t by_y, int64_t constant)
{
	return expr_add(a, expr_add(a, expr_mul(a, expr_axis(a, &x), by_x), expr_mul(a, expr_axis(a, &y), by_y)),
			expr_int(a, constant));
}

static void proofs_hold(void **state)
{
	enum { CASES = 20000, SHARE = 2 };
	struct arena *a = *state;
	struct rng rng = rng_seed(1);
	int tight = 0;

	for (int n = 0; n < CASES; n++) {
		struct bound_case c = random_case(&rng);
		struct facts facts = { 0 };
		const struct expr *part = expr_binary(a, EXPR_DIV, sum_of(a, c.by_x, c.by_y, c.constant), expr_int(a, c.divisor));
		const struct expr *e = expr_add(a, expr_mul(a, part, c.factor), sum_of(a, 0, c.beside, 0));
		int64_t value = least_value(&c);

		facts_add(a, &facts, expr_binary(a, EXPR_LE, sum_of(a, c.fact_x, c.fact_y, 0), expr_int(a, c.limit)), false);
		if (value == INT64_MAX)
			continue;
		assert_false(index_at_least(a, e, value + 1, &facts));
		tight += index_at_least(a, e, value, &facts);
	}
	assert_true(tight > CASES / SHARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(deep_minmax, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_compare, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_too_large, setup, teardown),
		cmocka_unit_test_setup_teardown(overflow, setup, teardown),
		cmocka_unit_test_setup_teardown(saturated_quotient, setup, teardown),
		cmocka_unit_test_setup_teardown(quotient_of_lanes, setup, teardown),
		cmocka_unit_test_setup_teardown(quotient_and_remainder, setup, teardown),
		cmocka_unit_test_setup_teardown(remainder_of_lanes, setup, teardown),
		cmocka_unit_test_setup_teardown(rounded_by_fact, setup, teardown),
		cmocka_unit_test_setup_teardown(proofs_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(simple_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(shared_part, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
