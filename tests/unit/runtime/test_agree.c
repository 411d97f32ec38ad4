/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_agree.c - what two runs of a model may differ in, and what they may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "runtime/values/agree.h"

static struct value floats(struct arena *a, int rank, const int64_t *dim, const float *v)
{
	struct array *x = array_in(a, ELEMENT_F32, rank, dim);

	memcpy(x->data, v, array_bytes(x));
	return value_of_array(x);
}

static struct value labels(struct arena *a, int64_t n, const int64_t *v)
{
	struct array *x = array_in(a, ELEMENT_I64, 1, &n);

	memcpy(x->data, v, array_bytes(x));
	return value_of_array(x);
}

static struct agreement compare(struct arena *a, const float *got, const float *want, int64_t n)
{
	struct value x = floats(a, 1, &n, got), y = floats(a, 1, &n, want);

	return results_agree(a, &x, &y, 1, AGREE_BOUND)[0];
}

static void test_scale(void **state)
{
	static const float want[] = { 1000, -0.01F, 3 };
	static const float near[] = { 1000.05F, 0.05F, 3.05F };
	static const float far[] = { 1000, -0.01F, 3.2F };
	struct arena *a = arena_new();

	(void)state;
	assert_true(compare(a, near, want, 3).agrees);
	struct agreement c = compare(a, far, want, 3);

	assert_false(c.agrees);
	assert_true(c.error > 1.9e-4 && c.error < 2.1e-4);
	assert_string_equal(c.why, "element 2 differs");
	arena_free(a);
}

static void test_not_numbers(void **state)
{
	static const float want[] = { NAN, INFINITY, 1 };
	static const float nan_lost[] = { 0, INFINITY, 1 };
	static const float sign_lost[] = { NAN, -INFINITY, 1 };
	struct arena *a = arena_new();

	(void)state;
	assert_true(compare(a, want, want, 3).agrees);
	assert_false(compare(a, nan_lost, want, 3).agrees);
	assert_false(compare(a, sign_lost, want, 3).agrees);
	arena_free(a);
}

static void test_shape(void **state)
{
	static const float v[] = { 1, 2, 3, 4 };
	static const int64_t two[] = { 2, 2 }, four[] = { 4 };
	struct arena *a = arena_new();
	struct value x = floats(a, 2, two, v), y = floats(a, 1, four, v);

	(void)state;
	struct agreement *c = results_agree(a, &x, &y, 1, AGREE_BOUND);

	assert_false(c->agrees);
	assert_string_equal(c->why, "f32[2, 2] where f32[4] was expected");
	arena_free(a);
}

/* Boxes, labels and scores of a detector, two of which changed places. */
static void test_rows_as_a_set(void **state)
{
	static const float boxes[] = { 0, 0, 5, 5, 1, 1, 9, 9, 2, 2, 3, 3 };
	static const float swapped[] = { 1, 1, 9, 9, 0, 0, 5, 5, 2, 2, 3, 3 };
	static const int64_t class[] = { 7, 8, 9 }, class_swapped[] = { 8, 7, 9 };
	static const int64_t class_wrong[] = { 7, 8, 9 };
	static const int64_t dims[] = { 3, 4 };
	struct arena *a = arena_new();
	struct value want[] = { floats(a, 2, dims, boxes), labels(a, 3, class) };
	struct value got[] = { floats(a, 2, dims, swapped), labels(a, 3, class_swapped) };
	struct agreement *c = results_agree(a, got, want, 2, AGREE_BOUND);

	(void)state;
	assert_true(c[0].agrees && c[0].as_set && c[1].agrees && c[1].as_set);
	got[1] = labels(a, 3, class_wrong);	/* the boxes moved, their labels did not */
	assert_false(results_agree(a, got, want, 2, AGREE_BOUND)[0].agrees);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_not_numbers),
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_rows_as_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
