/* SPDX-License-Identifier: Apache-2.0 */
/* Pointwise operators: against libm, as tensor expressions, by their gradients, and as
 * kernels of the operator library. */
#include "tests/op_check.h"

static void arithmetic(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 3), LIST(1, -2, 3, -4, 5, -6));
	int y = numbers_of(&c, ELEMENT_F32, SHAPE(3), LIST(2, 4, 8));
	int i = numbers_of(&c, ELEMENT_I32, SHAPE(4), LIST(7, -7, 7, -7));
	int j = numbers_of(&c, ELEMENT_I32, SHAPE(4), LIST(2, 2, -2, 0));

	EXPECT(&c, "f32[2, 3] 3 2 11 -2 9 2", &core_add, NULL, x, y);
	EXPECT(&c, "f32[2, 3] -1 -6 -5 -6 1 -14", &core_sub, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 2 -8 24 -8 20 -48", &core_mul, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 0.5 -0.5 0.375 -2 1.25 -0.75", &core_div, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 1 -2 3 -4 4 -6", &core_min, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 1 0 3 0 5 0", &core_relu, NULL, x);
	EXPECT(&c, "f32[2, 3] 2 4 8 2 5 8", &core_clip, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 1 -2 3 -4 4 -6", &core_clip, NULL, x, VALUE_NONE, y);
	EXPECT(&c, "f32[2, 3] 1 -8 3 -8 5 -48", &core_prelu, NULL, x, y);
	EXPECT(&c, "i32[4] 3 -3 -3 0", &core_div, NULL, i, j);
	EXPECT(&c, "i32[4] 1 1 -1 0", &core_mod, NULL, i, j);
	EXPECT(&c, "i32[4] 1 -1 1 0", &core_fmod, NULL, i, j);
	EXPECT(&c, "i32[4] 49 49 0 1", &core_pow, NULL, i, j);
	EXPECT(&c, "bool[2, 3] 1 1 1 1 0 1", &core_less_equal, NULL, x,
	       numbers_of(&c, ELEMENT_F32, SHAPE(3), LIST(4, 4, 4)));
	op_case_free(&c);
}

static void special_numbers(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	const double v[] = { NAN, INFINITY, -INFINITY, -0.0, 2.5 };
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(5), v);
	int y = numbers_of(&c, ELEMENT_F32, SHAPE(5), LIST(1, 1, 1, 1, NAN));
	int neg = numbers_of(&c, ELEMENT_F64, SHAPE(4), LIST(5.5, -5.5, 5.5, -5.5));
	int by = numbers_of(&c, ELEMENT_F64, SHAPE(4), LIST(3, 3, -3, -3));
	int twos = numbers_of(&c, ELEMENT_F32, SHAPE(4), LIST(0.5, 1.5, -0.5, 2.51));
	struct attr_vec positive = { 0 };

	attrs_int(c.arena, &positive, "negative", 0);
	EXPECT(&c, "bool[5] 1 0 0 0 0", &core_is_nan, NULL, x);
	EXPECT(&c, "bool[5] 0 1 1 0 0", &core_is_inf, NULL, x);
	EXPECT(&c, "bool[5] 0 1 0 0 0", &core_is_inf, &positive, x);
	EXPECT(&c, "f64[4] 2.5 0.5 -0.5 -2.5", &core_mod, NULL, neg, by);
	EXPECT(&c, "f64[4] 2.5 -2.5 2.5 -2.5", &core_fmod, NULL, neg, by);
	EXPECT(&c, "f32[4] 0 2 -0 3", &core_round, NULL, twos);
	for (int turn = 0; turn < 2; turn++) {	/* NaN wins, on either side */
		int args[] = { turn ? x : y, turn ? y : x };

		const struct array *most = need_result(&c, &core_max, NULL, 2, args);
		const struct array *least = need_result(&c, &core_min, NULL, 2, args);

		assert_true(isnan(array_float(most, 0)) && isnan(array_float(most, 4)));
		assert_true(isnan(array_float(least, 0)) && isnan(array_float(least, 4)));
		assert_true(isinf(array_float(most, 1)) && array_float(most, 2) == 1);
	}
	op_case_free(&c);
}

static void logic_and_strings(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int p = numbers_of(&c, ELEMENT_BOOL, SHAPE(4), LIST(0, 0, 1, 1));
	int q = numbers_of(&c, ELEMENT_BOOL, SHAPE(4), LIST(0, 1, 0, 1));
	int s = strings_of(&c, SHAPE(2), (const char *const[]){ "a", "b" });
	int t = strings_of(&c, SHAPE(2, 1), (const char *const[]){ "b", "c" });
	int one = numbers_of(&c, ELEMENT_BOOL, SHAPE(2, 2), LIST(1, 0, 0, 1));
	int u = numbers_of(&c, ELEMENT_U8, SHAPE(3), LIST(129, 15, 1));
	int v = numbers_of(&c, ELEMENT_U8, SHAPE(3), LIST(1, 8, 9));

	EXPECT(&c, "bool[4] 0 0 0 1", &core_and, NULL, p, q);
	EXPECT(&c, "bool[4] 0 1 1 1", &core_or, NULL, p, q);
	EXPECT(&c, "bool[4] 0 1 1 0", &core_xor, NULL, p, q);
	EXPECT(&c, "bool[4] 1 1 0 0", &core_not, NULL, p);
	EXPECT(&c, "bool[4] 1 0 0 1", &core_equal, NULL, p, q);
	EXPECT(&c, "bool[2, 2] 0 1 0 0", &core_equal, NULL, s, t);
	EXPECT(&c, "string[2, 2] 'a' 'b' 'c' 'b'", &core_where, NULL, one, s, t);
	EXPECT(&c, "u8[3] 1 8 1", &core_bit_and, NULL, u, v);
	EXPECT(&c, "u8[3] 128 7 8", &core_bit_xor, NULL, u, v);
	EXPECT(&c, "u8[3] 126 240 254", &core_bit_not, NULL, u);
	EXPECT(&c, "u8[3] 2 0 0", &core_shift_left, NULL, u, v);
	EXPECT(&c, "u8[3] 64 0 0", &core_shift_right, NULL, u, v);
	REFUSE(&c, "operand", &core_and, NULL, p, u);
	REFUSE(&c, "operand", &core_sqrt, NULL, u);
	REFUSE(&c, "operands of", &core_add, NULL, u, numbers_of(&c, ELEMENT_I8, SHAPE(1), LIST(1)));
	REFUSE(&c, "do not fit", &core_equal, NULL, p, s = numbers_of(&c, ELEMENT_BOOL, SHAPE(3),
								      LIST(1, 1, 1)));
	op_case_free(&c);
}

/* Shifts of i32 by a constant have a tensor expression, with the bits of evaluation: rounded down. Others
 * have none. */
static void shifts(void **state)
{
	static const struct {
		enum element element;
		int by;
		bool has;
	} cases[] = {
		{ ELEMENT_I32, 0, true },   { ELEMENT_I32, 1, true },	{ ELEMENT_I32, 7, true },
		{ ELEMENT_I32, 30, true },  { ELEMENT_I32, 31, false }, { ELEMENT_I32, -1, false },
		{ ELEMENT_I64, 3, false }, { ELEMENT_U8, 3, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct op_case c = op_case_new();
		enum element e = cases[i].element;
		int x = e == ELEMENT_U8 ? numbers_of(&c, e, SHAPE(3), LIST(0, 9, 255))
					: numbers_of(&c, e, SHAPE(8), LIST(-2147483648.0, -1025, -8, -1, 0, 7, 128,
									   2147483647));
		int by = numbers_of(&c, e, 0, NULL, LIST(cases[i].by));
		bool has = check_express_close(&c, &core_shift_right, NULL, 2, (const int[]){ x, by }, 0);

		if (has != cases[i].has)
			fail_msg("shift_right of %s by %d: %s", element_name(e), cases[i].by,
				 has ? "an expression" : err_get());
		op_case_free(&c);
	}
}

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static double softplus(double x)
{
	return log1p(exp(x));
}

static double gelu(double x)
{
	return x * 0.5 * (1 + erf(x * M_SQRT1_2));
}

static double elu(double x)
{
	return x < 0 ? expm1(x) : x;
}

static double relu(double x)
{
	return x > 0 ? x : 0;
}

static double silu(double x)
{
	return x * logistic(x);
}

static double softsign(double x)
{
	return x / (1 + fabs(x));
}

static double hard_sigmoid(double x)
{
	return fmin(fmax(0.2 * x + 0.5, 0), 1);
}

static double hard_swish(double x)
{
	return x * fmin(fmax(x / 6 + 0.5, 0), 1);
}

static double leaky_relu(double x)
{
	return x < 0 ? 0.01 * x : x;
}

static double selu(double x)
{
	return 1.05070102214813232421875 * (x < 0 ? 1.67326319217681884765625 * expm1(x) : x);
}

static double sign(double x)
{
	return (x > 0) - (x < 0);
}

static double neg(double x)
{
	return -x;
}

/* Operators of one float, and the range in which they are looked at. */
static const struct {
	const struct core_op *op;
	double (*formula)(double x);
	double low, high;
} unary[] = {
	{ &core_neg, neg, -9, 9 },	   { &core_abs, fabs, -9, 9 },
	{ &core_sign, sign, -9, 9 },	   { &core_floor, floor, -9, 9 },
	{ &core_ceil, ceil, -9, 9 },	   { &core_round, rint, -9, 9 },
	{ &core_sqrt, sqrt, 0.01, 9 },	   { &core_exp, exp, -5, 5 },
	{ &core_log, log, 0.1, 9 },	   { &core_sin, sin, -9, 9 },
	{ &core_cos, cos, -9, 9 },	   { &core_tan, tan, -1, 1 },
	{ &core_asin, asin, -0.9, 0.9 },   { &core_acos, acos, -0.9, 0.9 },
	{ &core_atan, atan, -9, 9 },	   { &core_sinh, sinh, -4, 4 },
	{ &core_cosh, cosh, -4, 4 },	   { &core_tanh, tanh, -4, 4 },
	{ &core_asinh, asinh, -9, 9 },	   { &core_acosh, acosh, 1.1, 9 },
	{ &core_atanh, atanh, -0.9, 0.9 }, { &core_erf, erf, -3, 3 },
	{ &core_relu, relu, -9, 9 },	   { &core_sigmoid, logistic, -9, 9 },
	{ &core_softplus, softplus, -9, 9 }, { &core_gelu, gelu, -5, 5 },
	{ &core_elu, elu, -5, 5 },	   { &core_celu, elu, -5, 5 },
	{ &core_silu, silu, -9, 9 },	   { &core_softsign, softsign, -9, 9 },
	{ &core_hard_sigmoid, hard_sigmoid, -9, 9 }, { &core_hard_swish, hard_swish, -9, 9 },
	{ &core_leaky_relu, leaky_relu, -9, 9 }, { &core_selu, selu, -5, 5 },
};

enum { UNARY = (int)(sizeof(unary) / sizeof(*unary)) };

/* Half the distance of neighbours around 1, and the error that the formula may bring. */
static double tolerance(enum element e)
{
	switch (e) {
	case ELEMENT_F64:
		return 1e-13;
	case ELEMENT_F16:
		return 0x1p-11 + 1e-5;
	case ELEMENT_BF16:
		return 0x1p-8 + 1e-5;
	default:
		return 3e-6;
	}
}

static void functions(void **state)
{
	(void)state;
	static const enum element floats[] = { ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16 };

	for (int f = 0; f < UNARY; f++)
		for (size_t i = 0; i < sizeof(floats) / sizeof(*floats); i++) {
			struct op_case c = op_case_new();
			int x = random_of(&c, floats[i], SHAPE(7, 43), unary[f].low, unary[f].high);
			const struct array *from = build_array(&c.builder, x);
			struct array *want = array_in(c.arena, floats[i], 2, from->dim);

			for (int64_t k = 0; k < want->count; k++)
				element_store(floats[i], want->data, k,
					      unary[f].formula(array_float(from, k)));
			assert_close(unary[f].op->name,
				     need_result(&c, unary[f].op, NULL, 1, &x), want,
				     tolerance(floats[i]));
			check_express_close(&c, unary[f].op, NULL, 1, &x, 4 * tolerance(floats[i]));
			op_case_free(&c);
		}
}

static void gradients(void **state)
{
	(void)state;
	static const struct core_op *const binary[] = { &core_add, &core_sub, &core_mul, &core_div,
							&core_min, &core_max, &core_prelu,
							&core_pow };

	for (int f = 0; f < UNARY; f++) {
		struct op_case c = op_case_new();
		int x = random_of(&c, ELEMENT_F64, SHAPE(3, 5), unary[f].low, unary[f].high);

		check_gradient(&c, unary[f].op, NULL, 1, &x);
		op_case_free(&c);
	}
	for (size_t f = 0; f < sizeof(binary) / sizeof(*binary); f++) {
		struct op_case c = op_case_new();
		int x = random_of(&c, ELEMENT_F64, SHAPE(2, 1, 4), 0.5, 3);
		int y = random_of(&c, ELEMENT_F64, SHAPE(3, 1), 0.5, 3);
		int negative = random_of(&c, ELEMENT_F64, SHAPE(3, 4), -3, -0.5);

		check_gradient(&c, binary[f], NULL, 2, (const int[]){ x, y });
		if (binary[f] != &core_pow)
			check_gradient(&c, binary[f], NULL, 2, (const int[]){ negative, y });
		op_case_free(&c);
	}
	struct op_case c = op_case_new();
	int which = numbers_of(&c, ELEMENT_BOOL, SHAPE(4), LIST(1, 0, 0, 1));
	int x = random_of(&c, ELEMENT_F64, SHAPE(3, 4), -3, 3);
	int y = random_of(&c, ELEMENT_F64, SHAPE(3, 1), -3, 3);

	check_gradient(&c, &core_where, NULL, 3, (const int[]){ which, x, y });
	check_gradient(&c, &core_clip, NULL, 3,
		       (const int[]){ x, numbers_of(&c, ELEMENT_F64, 0, NULL, LIST(-1)),
				      numbers_of(&c, ELEMENT_F64, 0, NULL, LIST(2)) });
	op_case_free(&c);
}

/* --- keys */

static struct op *clip_to_one(struct dag *d, struct op *x)
{
	return op_clip(d, x, -1, 1);
}

static struct op *leaky_relu_usual(struct dag *d, struct op *x)
{
	return op_leaky_relu(d, x, 0.01);
}

/* A model's activation is the kernel that the operator library makes of it: records fit both. */
static void keys(void **state)
{
	(void)state;
	static const struct {
		const struct core_op *op;
		struct op *(*make)(struct dag *d, struct op *x);
	} same[] = {
		{ &core_relu, op_relu },	     { &core_sigmoid, op_sigmoid },
		{ &core_silu, op_silu },	     { &core_gelu, op_gelu },
		{ &core_hard_swish, op_hard_swish }, { &core_hard_sigmoid, op_hard_sigmoid },
		{ &core_tanh, op_tanh },	     { &core_leaky_relu, leaky_relu_usual },
		{ &core_clip, clip_to_one },
	};
	const int64_t shape[] = { 2, 3, 4 };

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct op_case c = op_case_new();
		struct attr_vec attrs = { 0 };
		int x = iota_of(&c, ELEMENT_F32, 3, shape);
		int low = build_scalar(&c.builder, ELEMENT_F32, -1);
		int args[] = { x, low, build_scalar(&c.builder, ELEMENT_F32, 1) };
		struct dag *d[2] = { dag_new(c.arena, "core"), dag_new(c.arena, "library") };
		const struct type *types[3];
		const struct array *consts[3] = { NULL };
		struct op *ops[3] = { dag_input(d[0], "X", DTYPE_F32, 3, shape, false) };

		for (int k = 0; k < 3; k++)
			types[k] = build_type(&c.builder, args[k]);
		for (int k = 1; k < 3; k++)
			consts[k] = build_array(&c.builder, args[k]);
		if (same[i].op == &core_hard_sigmoid)
			attrs_float(c.arena, &attrs, "alpha", 1.0 / 6);
		c.builder.plain = true;
		int y = build_call(&c.builder, same[i].op, same[i].op->max_args, args, &attrs);
		struct express e = { d[0], build_at(&c.builder, y), types, ops, consts, NULL };

		assert_non_null(same[i].op->express(&e));
		assert_non_null(same[i].make(d[1], dag_input(d[1], "X", DTYPE_F32, 3, shape, false)));
		assert_int_equal(dag_freeze(d[0]), 0);
		assert_int_equal(dag_freeze(d[1]), 0);
		if (!hash_equal(dag_key(d[0]), dag_key(d[1])))
			fail_msg("%s is not the library's", same[i].op->name);
		op_case_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(special_numbers),
		cmocka_unit_test(logic_and_strings),
		cmocka_unit_test(shifts),
		cmocka_unit_test(functions),
		cmocka_unit_test(gradients),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
