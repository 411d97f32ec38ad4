/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/test_path.c - the shares of conditions on a way, against turns that are counted. */
#include "costmodel/features/path.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"

struct border_scene {
	struct arena *a;
	struct condition_path path;
	struct axis tile, inner, window;	/* x = 13 * tile + inner, and what is read at x + window */
	const struct expr *x, *read;
};

static struct border_scene scene_new(int64_t tiles)
{
	struct border_scene s = { .a = arena_new() };

	s.tile.hi = tiles;
	return s;
}

static void fill(struct border_scene *s)
{
	s->inner.hi = 13;
	s->window.hi = 5;
	s->x = expr_add(s->a, expr_mul(s->a, expr_axis(s->a, &s->tile), 13), expr_axis(s->a, &s->inner));
	s->read = expr_add(s->a, s->x, expr_axis(s->a, &s->window));
}

static const struct expr *below(struct border_scene *s, const struct expr *e, int64_t n)
{
	return expr_binary(s->a, EXPR_LT, e, expr_int(s->a, n));
}

static const struct expr *from(struct border_scene *s, int64_t n, const struct expr *e)
{
	return expr_binary(s->a, EXPR_LE, expr_int(s->a, n), e);
}

static void check(double share, double want, double off)
{
	assert_true(fabs(share - want) <= off);
}

/* The border of a padded window: x < 20, of 26; 2 <= x + k < 22. */
static void test_border(void **state)
{
	struct border_scene s = scene_new(2);

	(void)state;
	fill(&s);
	check(path_enter(s.a, &s.path, below(&s, s.x, 20), false), 20. / 26, 1e-12);
	/* Again, and what follows from it. */
	check(path_enter(s.a, &s.path, below(&s, s.x, 20), false), 1, 1e-12);
	check(path_enter(s.a, &s.path, below(&s, s.x, 23), false), 1, 1e-12);
	check(path_enter(s.a, &s.path, from(&s, 2, s.read), false), 97. / 100, 1e-12);
	check(path_enter(s.a, &s.path, below(&s, s.read, 22), false), 94. / 97, 1e-12);
	arena_free(s.a);
}

/* A conjunction is its parts; what it leaves, and the opposite of a choice, are the rest. */
static void test_parts(void **state)
{
	struct border_scene s = scene_new(2);

	(void)state;
	fill(&s);
	const struct expr *inside = expr_binary(s.a, EXPR_AND, from(&s, 2, s.read), below(&s, s.read, 22));
	struct condition_path before = s.path;

	check(path_enter(s.a, &s.path, below(&s, s.x, 20), false), 20. / 26, 1e-12);
	before = s.path;
	check(path_enter(s.a, &s.path, inside, false), 0.94, 1e-12);
	s.path = before;
	check(path_enter(s.a, &s.path, inside, true), 0.06, 1e-12);
	assert_int_equal(s.path.conditions.n, before.conditions.n);
	check(path_enter(s.a, &s.path, expr_unary(s.a, EXPR_NOT, inside), false), 0.06, 1e-12);
	check(path_enter(s.a, &s.path, from(&s, 2, s.read), true), 0.03, 1e-12);
	check(path_enter(s.a, &s.path, from(&s, 2, s.read), false), 0, 1e-12);
	/* No turn comes here: what it would be alone. */
	check(path_enter(s.a, &s.path, from(&s, 2, s.read), false), 0.93, 0.03);
	arena_free(s.a);
}

/* Tiles of 16 that are moved back at the end: min(16 * i, 29) of three is never 1, 2, 3, ... */
static void test_let(void **state)
{
	struct arena *a = arena_new();
	struct border_scene s = { .a = a };
	struct axis tile = { .hi = 3 }, start = { .hi = 30 }, inner = { .hi = 16 };
	const struct expr *x = expr_axis(a, &start), *i = expr_axis(a, &tile);

	(void)state;
	path_let(a, &s.path, &start, expr_binary(a, EXPR_MIN, expr_mul(a, i, 16), expr_int(a, 29)));
	check(path_enter(a, &s.path, from(&s, 2, x), false), 2. / 3, 1e-12);
	check(path_enter(a, &s.path, below(&s, x, 28), false), 1. / 2, 1e-12);
	/* Also by the loop that it is of, and with others. */
	check(path_enter(a, &s.path, below(&s, i, 2), false), 1, 1e-12);
	check(path_enter(a, &s.path, below(&s, expr_add(a, x, expr_axis(a, &inner)), 20), false), 1. / 4, 1e-12);
	s.path = (struct condition_path){ 0 };
	check(path_enter(a, &s.path, from(&s, 2, x), false), 28. / 30, 1e-12);
	arena_free(a);
}

/* The same tiles where no let says so: what is asked is arithmetic of the loop. */
static void test_arithmetic(void **state)
{
	struct arena *a = arena_new();
	struct border_scene s = { .a = a };
	struct axis tile = { .hi = 3 }, inner = { .hi = 16 };
	const struct expr *i = expr_axis(a, &tile);
	const struct expr *x = expr_binary(a, EXPR_MIN, expr_mul(a, i, 16), expr_int(a, 29));

	(void)state;
	check(path_enter(a, &s.path, from(&s, 1, x), false), 2. / 3, 1e-12);
	check(path_enter(a, &s.path, below(&s, x, 29), false), 1. / 2, 1e-12);
	check(path_enter(a, &s.path, below(&s, expr_add(a, x, expr_axis(a, &inner)), 24), false), 1. / 2, 1e-12);
	/* What is more than arithmetic is in nobody's way. */
	s.path = (struct condition_path){ 0 };
	path_enter(a, &s.path, below(&s, expr_select(a, below(&s, i, 1), i, x), 5), false);
	assert_int_equal(s.path.conditions.n, 0);
	check(path_enter(a, &s.path, from(&s, 1, x), false), 2. / 3, 1e-12);
	arena_free(a);
}

/* Of 6500 turns some are looked at. */
static void test_many(void **state)
{
	struct border_scene s = scene_new(100);

	(void)state;
	fill(&s);
	check(path_enter(s.a, &s.path, below(&s, s.x, 650), false), 0.5, 0.02);
	check(path_enter(s.a, &s.path, below(&s, s.x, 325), false), 0.5, 0.03);
	check(path_enter(s.a, &s.path, below(&s, s.x, 325), true), 0, 1e-12);
	arena_free(s.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_border),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_let),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
