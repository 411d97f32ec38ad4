/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that combine elements: reductions, softmax, norms, running sums, extremes, chance. */
#include <stdlib.h>

#include "tests/op_check.h"

static struct attr_vec with_int(struct op_case *c, const char *name, int64_t v)
{
	struct attr_vec attrs = { 0 };

	attrs_int(c->arena, &attrs, name, v);
	return attrs;
}

static struct attr_vec with_axes(struct op_case *c, int n, const int64_t *axes)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(c->arena, &attrs, "axes", n, axes);
	return attrs;
}

static void reductions(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 3), LIST(1, -2, 3, 4, 5, 6));
	int i = numbers_of(&c, ELEMENT_I32, SHAPE(2, 2), LIST(7, -7, 1, 2));
	int none = numbers_of(&c, ELEMENT_F32, SHAPE(2, 0), NULL);
	int scalar = numbers_of(&c, ELEMENT_F32, 0, NULL, LIST(5));
	int flags = numbers_of(&c, ELEMENT_BOOL, SHAPE(3), LIST(0, 1, 0));
	int empty = build_ints(&c.builder, 0, NULL);
	struct attr_vec drop = with_int(&c, "keepdims", 0), noop = with_int(&c, "noop", 1);

	EXPECT(&c, "f32[1, 1] 17", &core_reduce_sum, NULL, x);
	EXPECT(&c, "f32[] 17", &core_reduce_sum, &drop, x, VALUE_NONE);
	EXPECT(&c, "f32[1, 1] 17", &core_reduce_sum, NULL, x, empty);
	EXPECT(&c, "f32[2, 3] 1 -2 3 4 5 6", &core_reduce_sum, &noop, x, empty);
	EXPECT(&c, "f32[2, 1] 2 15", &core_reduce_sum, NULL, x, ints(&c, 1));
	EXPECT(&c, "f32[3] 5 3 9", &core_reduce_sum, &drop, x, ints(&c, -2));
	EXPECT(&c, "f32[3] 2.5 1.5 4.5", &core_reduce_mean, &drop, x, ints(&c, 0));
	EXPECT(&c, "f32[2] 3 6", &core_reduce_max, &drop, x, ints(&c, 1));
	EXPECT(&c, "f32[2] -2 4", &core_reduce_min, &drop, x, ints(&c, 1));
	EXPECT(&c, "f32[2] -6 120", &core_reduce_prod, &drop, x, ints(&c, 1));
	EXPECT(&c, "i32[2] 0 1", &core_reduce_mean, &drop, i, ints(&c, 1));
	EXPECT(&c, "i32[2] 7 2", &core_reduce_max, &drop, i, ints(&c, 1));
	EXPECT(&c, "f32[2] 0 0", &core_reduce_sum, &drop, none, ints(&c, 1));
	EXPECT(&c, "f32[2] 1 1", &core_reduce_prod, &drop, none, ints(&c, 1));
	EXPECT(&c, "f32[2] -inf -inf", &core_reduce_max, &drop, none, ints(&c, 1));
	EXPECT(&c, "f32[1, 0]", &core_reduce_max, NULL, none, ints(&c, 0));
	EXPECT(&c, "i32[1] 2147483647", &core_reduce_min, NULL,
	       numbers_of(&c, ELEMENT_I32, SHAPE(0), NULL));
	EXPECT(&c, "f32[] 5", &core_reduce_mean, NULL, scalar);
	EXPECT(&c, "bool[] 1", &core_reduce_max, &drop, flags);
	REFUSE(&c, "axis 2", &core_reduce_sum, NULL, x, ints(&c, 2));
	REFUSE(&c, "is of bool", &core_reduce_sum, NULL, flags);
	op_case_free(&c);
}

/* The combined elements at each place that stays, one by one. */
static void expect_reduced(const struct array *x, const struct array *y, const bool *over,
			   const struct core_op *op)
{
	double *want = calloc((size_t)y->count + 1, sizeof(*want));
	int64_t each = y->count ? x->count / y->count : 0;

	for (int64_t i = 0; i < y->count; i++)
		want[i] = op == &core_reduce_prod  ? 1
			  : op == &core_reduce_max ? -INFINITY
			  : op == &core_reduce_min ? INFINITY
						   : 0;
	for (int64_t i = 0; i < x->count; i++) {
		int64_t rest = i, at = 0, stride = 1;

		for (int d = x->rank - 1; d >= 0; d--) {
			at += over[d] ? 0 : rest % x->dim[d] * stride;
			stride *= over[d] ? 1 : x->dim[d];
			rest /= x->dim[d];
		}
		double v = array_float(x, i);

		want[at] = op == &core_reduce_prod  ? want[at] * v
			   : op == &core_reduce_max ? fmax(want[at], v)
			   : op == &core_reduce_min ? fmin(want[at], v)
						    : want[at] + v;
	}
	for (int64_t i = 0; i < y->count; i++) {
		double w = op == &core_reduce_mean ? want[i] / (double)each : want[i];

		if (fabs(array_float(y, i) - w) > 1e-4 * fmax(1, fabs(w)))
			fail_msg("%s: %g instead of %g", op->name, array_float(y, i), w);
	}
	free(want);
}

static void reductions_of_any_dims(void **state)
{
	(void)state;
	static const struct core_op *const ops[] = { &core_reduce_sum, &core_reduce_mean,
						     &core_reduce_max, &core_reduce_min,
						     &core_reduce_prod };

	for (int turn = 0; turn < 400; turn++) {
		struct op_case c = op_case_new();
		const struct core_op *op = ops[turn % 5];
		int64_t dim[5], axes[5];
		bool over[5];
		int n = 0;

		c.rng = rng_seed((uint64_t)turn);
		int rank = 1 + (int)rng_below(&c.rng, 5);
		bool keep = rng_chance(&c.rng, 0.5);

		for (int d = 0; d < rank; d++) {
			dim[d] = rng_chance(&c.rng, 0.05) ? 300 : 1 + rng_below(&c.rng, 6);
			over[d] = rng_chance(&c.rng, 0.5);
			if (over[d])
				axes[n++] = rng_chance(&c.rng, 0.5) ? d : d - rank;
		}
		struct attr_vec attrs = with_int(&c, "keepdims", keep);

		attrs_int(c.arena, &attrs, "noop", 1);
		int args[] = { random_of(&c, ELEMENT_F32, rank, dim, 0.9, 1.1),
			       build_ints(&c.builder, n, axes) };
		const struct array *y = need_result(&c, op, &attrs, 2, args);

		assert_int_equal(y->rank, keep ? rank : rank - n);
		expect_reduced(build_array(&c.builder, args[0]), y, over, op);
		if (y->rank && n)
			assert_true(check_express_close(&c, op, &attrs, 2, args, 1e-4));
		op_case_free(&c);
	}
}

static void softmaxes(void **state)
{
	(void)state;
	for (int64_t axis = -3; axis < 3; axis++) {
		struct op_case c = op_case_new();
		int x = random_of(&c, ELEMENT_F32, SHAPE(3, 70, 5), -20, 20);
		struct attr_vec attrs = with_int(&c, "axis", axis);
		const struct array *y = need_result(&c, &core_softmax, &attrs, 1, &x);
		const struct array *l = need_result(&c, &core_log_softmax, &attrs, 1, &x);
		int one = build_const(&c.builder, y);
		struct array *logs = array_in(c.arena, ELEMENT_F32, 3, y->dim);

		for (int64_t i = 0; i < y->count; i++)
			((float *)logs->data)[i] = logf(((const float *)y->data)[i]);
		assert_close("log_softmax", l, logs, 1e-5);
		const struct array *sum = need_result(&c, &core_reduce_sum, NULL, 2,
						      (const int[]){ one, ints(&c, axis) });

		for (int64_t i = 0; i < sum->count; i++)
			assert_true(fabs(array_float(sum, i) - 1) < 1e-5);
		assert_true(check_express_close(&c, &core_softmax, &attrs, 1, &x, 1e-5));
		assert_true(check_express_close(&c, &core_log_softmax, &attrs, 1, &x, 1e-5));
		op_case_free(&c);
	}
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F64, SHAPE(2), LIST(-1000, 1000));
	struct attr_vec beyond = with_int(&c, "axis", 1);

	EXPECT(&c, "f64[2] 0 1", &core_softmax, NULL, x);
	REFUSE(&c, "axis 1", &core_softmax, &beyond, x);
	op_case_free(&c);
}

/* Mean and mean square over AXES of what was normalized are 0 and 1. */
static void check_normal(struct op_case *c, int n, const int64_t *axes, bool center)
{
	struct attr_vec attrs = with_axes(c, n, axes);
	int x = random_of(c, ELEMENT_F32, SHAPE(3, 4, 5, 6), 1, 3);

	attrs_int(c->arena, &attrs, "center", center);
	attrs_float(c->arena, &attrs, "epsilon", 1e-9);
	int y = build_const(&c->builder, need_result(c, &core_normalize, &attrs, 1, &x));
	int over = build_ints(&c->builder, n, axes);
	const struct array *mean =
		need_result(c, &core_reduce_mean, NULL, 2, (const int[]){ y, over });
	const struct array *square = need_result(
		c, &core_reduce_mean, NULL, 2,
		(const int[]){ build(&c->builder, &core_mul, y, y), over });

	for (int64_t i = 0; i < mean->count; i++) {
		assert_true(!center || fabs(array_float(mean, i)) < 1e-5);
		assert_true(fabs(array_float(square, i) - 1) < 1e-4);
	}
	assert_true(check_express_close(c, &core_normalize, &attrs, 1, &x, 1e-4));
}

static void norms(void **state)
{
	(void)state;
	struct op_case c = op_case_new();

	for (int center = 0; center < 2; center++) {
		check_normal(&c, SHAPE(-1), center);
		check_normal(&c, SHAPE(2, 3), center);
		check_normal(&c, SHAPE(0, 2), center);
		check_normal(&c, SHAPE(1, 0, 3, 2), center);
		check_normal(&c, SHAPE(1), center);
	}
	op_case_free(&c);
}

static void running(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 3), LIST(1, 2, 3, 4, 5, 6));
	int one = build_int(&c.builder, 1), zero = build_int(&c.builder, 0);
	int big = numbers_of(&c, ELEMENT_I8, SHAPE(3), LIST(100, 27, 1));
	struct attr_vec exclusive = with_int(&c, "exclusive", 1);
	struct attr_vec reverse = with_int(&c, "reverse", 1), both = with_int(&c, "reverse", 1);

	attrs_int(c.arena, &both, "exclusive", 1);
	EXPECT(&c, "f32[2, 3] 1 3 6 4 9 15", &core_cumsum, NULL, x, one);
	EXPECT(&c, "f32[2, 3] 1 2 3 5 7 9", &core_cumsum, NULL, x, zero);
	EXPECT(&c, "f32[2, 3] 0 1 3 0 4 9", &core_cumsum, &exclusive, x, one);
	EXPECT(&c, "f32[2, 3] 6 5 3 15 11 6", &core_cumsum, &reverse, x, one);
	EXPECT(&c, "f32[2, 3] 5 3 0 11 6 0", &core_cumsum, &both, x, one);
	EXPECT(&c, "f32[2, 3] 1 2 6 4 20 120", &core_cumprod, NULL, x, one);
	EXPECT(&c, "f32[2, 3] 1 1 2 1 4 20", &core_cumprod, &exclusive, x, one);
	EXPECT(&c, "i8[3] 100 127 -128", &core_cumsum, NULL, big, zero);
	REFUSE(&c, "axis 2", &core_cumsum, NULL, x, build_int(&c.builder, 2));
	op_case_free(&c);
}

static void extremes(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 3), LIST(1, 3, 3, 5, 4, 5));
	int odd = numbers_of(&c, ELEMENT_F32, SHAPE(4), LIST(9, NAN, 10, NAN));
	struct array *u = array_in(c.arena, ELEMENT_U64, 1, (const int64_t[]){ 2 });
	struct attr_vec across = with_int(&c, "axis", 1), last = with_int(&c, "axis", -1);
	struct attr_vec drop = with_int(&c, "keepdims", 0);

	((uint64_t *)u->data)[0] = UINT64_MAX;
	attrs_int(c.arena, &last, "last", 1);
	EXPECT(&c, "i64[1, 3] 1 1 1", &core_arg_max, NULL, x);
	EXPECT(&c, "i64[3] 0 0 0", &core_arg_min, &drop, x);
	EXPECT(&c, "i64[2, 1] 1 0", &core_arg_max, &across, x);
	EXPECT(&c, "i64[2, 1] 2 2", &core_arg_max, &last, x);
	EXPECT(&c, "i64[1] 1", &core_arg_max, NULL, odd);
	EXPECT(&c, "i64[1] 1", &core_arg_min, NULL, odd);
	EXPECT(&c, "i64[1] 0", &core_arg_max, NULL, build_const(&c.builder, u));
	REFUSE(&c, "axis 0", &core_arg_max, NULL, numbers_of(&c, ELEMENT_F32, 0, NULL, LIST(1)));
	op_case_free(&c);
}

static void gradients(void **state)
{
	(void)state;
	static const struct core_op *const reduce[] = { &core_reduce_sum, &core_reduce_mean,
							&core_reduce_max, &core_reduce_min,
							&core_reduce_prod };
	struct op_case c = op_case_new();
	int x = random_of(&c, ELEMENT_F64, SHAPE(2, 3, 4), 0.5, 2);
	int one = build_int(&c.builder, 1);

	for (int keep = 0; keep < 2; keep++)
		for (int i = 0; i < 5; i++) {
			struct attr_vec attrs = with_int(&c, "keepdims", keep);

			check_gradient(&c, reduce[i], &attrs, 2, (const int[]){ x, ints(&c, 0, 2) });
			check_gradient(&c, reduce[i], &attrs, 1, &x);
		}
	for (int64_t axis = 0; axis < 3; axis++) {
		struct attr_vec attrs = with_int(&c, "axis", axis);

		check_gradient(&c, &core_softmax, &attrs, 1, &x);
		check_gradient(&c, &core_log_softmax, &attrs, 1, &x);
	}
	for (int center = 0; center < 2; center++) {
		struct attr_vec attrs = with_axes(&c, SHAPE(0, 2));

		attrs_int(c.arena, &attrs, "center", center);
		check_gradient(&c, &core_normalize, &attrs, 1, &x);
	}
	for (int i = 0; i < 4; i++) {
		struct attr_vec attrs = with_int(&c, "exclusive", i & 1);

		attrs_int(c.arena, &attrs, "reverse", i >> 1);
		check_gradient(&c, &core_cumsum, &attrs, 2, (const int[]){ x, one });
		check_gradient(&c, &core_cumprod, &attrs, 2, (const int[]){ x, one });
	}
	op_case_free(&c);
}

static void chance(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int shape = ints(&c, 100, 200);
	struct attr_vec seeded = { 0 };

	attrs_float(c.arena, &seeded, "seed", 7);
	for (int normal = 0; normal < 2; normal++) {
		const struct core_op *op = normal ? &core_random_normal : &core_random_uniform;
		const struct array *x = need_result(&c, op, &seeded, 1, &shape);
		double sum = 0, square = 0;

		for (int64_t i = 0; i < x->count; i++) {
			sum += array_float(x, i);
			square += array_float(x, i) * array_float(x, i);
		}
		double mean = sum / (double)x->count;
		double variance = square / (double)x->count - mean * mean;

		assert_int_equal(x->count, 20000);
		assert_true(fabs(mean - (normal ? 0 : 0.5)) < 0.03);
		assert_true(fabs(variance - (normal ? 1 : 1.0 / 12)) < 0.03);
		assert_true(array_equal(x, need_result(&c, op, &seeded, 1, &shape)));
	}
	REFUSE(&c, "extent", &core_random_normal, NULL, ints(&c, -1));
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reductions), cmocka_unit_test(reductions_of_any_dims),
		cmocka_unit_test(softmaxes),  cmocka_unit_test(norms),
		cmocka_unit_test(running),    cmocka_unit_test(extremes),
		cmocka_unit_test(gradients),  cmocka_unit_test(chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
