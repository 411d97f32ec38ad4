/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_rounding.c - what narrow values that lie between two steps do to a bound. */
#include "tests/fixture/graph_fixture.h"

#include "runtime/values/agree.h"
#include "runtime/values/rounding.h"

enum { N = 64 };

/* y[0] = the sum of x on a grid of STEP, times 1 / STEP; of floats where STEP is 0. */
static double bound_of(double step, const float *data)
{
	struct graph_maker m = graph_maker_new();
	struct model_task_vec none = { 0 };
	struct attr_vec u8 = { 0 }, f32 = { 0 };
	int x = input(&m, 1, N);

	attrs_element(m.a, &u8, "to", ELEMENT_U8);
	attrs_element(m.a, &f32, "to", ELEMENT_F32);
	if (step > 0) {
		x = build(&m.b, &core_round, build(&m.b, &core_div, x, build_scalar(&m.b, ELEMENT_F32, step)));
		x = build_with(&m.b, &core_cast, &u8, x);
		x = build_with(&m.b, &core_cast, &f32, x);
	}
	finish(&m, build(&m.b, &core_matmul, x, weight(&m, N, 1)));
	struct array *in = array_in(m.a, ELEMENT_F32, 2, (int64_t[]){ 1, N });
	struct value arg = value_of_array(in);

	memcpy(in->data, data, N * sizeof(*data));
	double bound = rounding_bound(m.a, model_code_new(m.a, m.g, &none, NULL, NULL), interp_usual_limits, &arg);

	arena_free(m.a);
	return bound;
}

/* All at OFFSET of a step behind some integer. */
static const float *inputs(double step, double offset)
{
	static float x[N];

	for (int i = 0; i < N; i++)
		x[i] = (float)(step * (i % 50 + 30 + offset));
	return x;
}

static void test_floats(void **state)
{
	(void)state;
	assert_true(bound_of(0, inputs(0.1, 0.5)) == AGREE_BOUND);
}

static void test_away_from_ties(void **state)
{
	(void)state;
	assert_true(bound_of(0.1, inputs(0.1, 0.25)) == AGREE_BOUND);
}

/* Each of 64 numbers about 50 that is the next one is 1 / 3000 of the sum. */
static void test_at_ties(void **state)
{
	double bound = bound_of(0.125, inputs(0.125, 0.5));

	(void)state;
	assert_true(bound > 4 * 0.3 / 3000 && bound <= 0.05);
}

/* One number that is 1 or 2 moves its sum by more than any right kernel does. */
static void test_most(void **state)
{
	float x[N] = { 1.5F };

	(void)state;
	assert_true(bound_of(1, x) == 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_away_from_ties),
		cmocka_unit_test(test_at_ties),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests_name("rounding", tests, NULL, NULL);
}
