/* SPDX-License-Identifier: Apache-2.0 */
/* Pointwise operators: against libm, in all element types, as tensor expressions, by their types and
 * gradients. */
#include "tests/op_check.h"

enum { ROUNDS = 20 };

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
	struct array *m = array_in(c.arena, ELEMENT_F32, 1, (const int64_t[]){ 5 });

	attrs_int(c.arena, &positive, "negative", 0);
	EXPECT(&c, "bool[5] 1 0 0 0 0", &core_is_nan, NULL, x);
	EXPECT(&c, "bool[5] 0 1 1 0 0", &core_is_inf, NULL, x);
	EXPECT(&c, "bool[5] 0 1 0 0 0", &core_is_inf, &positive, x);
	EXPECT(&c, "f64[4] 2.5 0.5 -0.5 -2.5", &core_mod, NULL, neg, by);
	EXPECT(&c, "f64[4] 2.5 -2.5 2.5 -2.5", &core_fmod, NULL, neg, by);
	EXPECT(&c, "f32[4] 0 2 -0 3", &core_round, NULL, twos);
	for (int turn = 0; turn < 2; turn++) {	/* NaN wins, on either side */
		int args[] = { turn ? x : y, turn ? y : x };

		m = (struct array *)(uintptr_t)need_result(&c, &core_max, NULL, 2, args);
		assert_true(isnan(array_float(m, 0)) && isnan(array_float(m, 4)));
		assert_true(isinf(array_float(m, 1)) && array_float(m, 2) == 1);
		m = (struct array *)(uintptr_t)need_result(&c, &core_min, NULL, 2, args);
		assert_true(isnan(array_float(m, 0)) && isnan(array_float(m, 4)));
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

/* --- integers */

static int64_t wrapped(enum element e, __int128 v)
{
	int64_t out;
	struct {
		char room[8];
	} stored = { { 0 } };

	element_store_int(e, &stored, 0, (int64_t)v);
	out = element_load_int(e, &stored, 0);
	return out;
}

static __int128 wide(enum element e, int64_t v)
{
	return e == ELEMENT_U64 ? (__int128)(uint64_t)v : v;
}

static __int128 exact(const struct core_op *op, __int128 x, __int128 y)
{
	if (op == &core_add)
		return x + y;
	if (op == &core_sub)
		return x - y;
	if (op == &core_mul)
		return x * y;
	if (op == &core_div)
		return y ? x / y : 0;
	if (op == &core_fmod)
		return y ? x % y : 0;
	if (op == &core_mod)
		return !y ? 0 : x % y && (x % y < 0) != (y < 0) ? x % y + y : x % y;
	if (op == &core_min)
		return x < y ? x : y;
	if (op == &core_max)
		return x > y ? x : y;
	if (op == &core_less)
		return x < y;
	return x == y;
}

static void integers(void **state)
{
	(void)state;
	static const enum element all[] = { ELEMENT_I8,	 ELEMENT_I16, ELEMENT_I32, ELEMENT_I64,
					    ELEMENT_U8,	 ELEMENT_U16, ELEMENT_U32, ELEMENT_U64,
					    ELEMENT_I4,	 ELEMENT_U4,  ELEMENT_I2,  ELEMENT_U2 };
	static const struct core_op *const ops[] = { &core_add, &core_sub,  &core_mul, &core_div,
						     &core_mod, &core_fmod, &core_min, &core_max,
						     &core_less, &core_equal };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct op_case c = op_case_new();
		enum element e = all[i];
		struct array *x = array_in(c.arena, e, 1, (const int64_t[]){ 600 });
		struct array *y = array_in(c.arena, e, 1, (const int64_t[]){ 600 });

		for (int64_t k = 0; k < x->count; k++) {	/* large ones, and small ones */
			element_store_int(e, x->data, k, (int64_t)rng_u64(&c.rng));
			element_store_int(e, y->data, k,
					  (int64_t)rng_u64(&c.rng) >> (k % 2 ? 60 : 0));
		}
		int args[] = { build_const(&c.builder, x), build_const(&c.builder, y) };

		for (size_t o = 0; o < sizeof(ops) / sizeof(*ops); o++) {
			const struct array *z = need_result(&c, ops[o], NULL, 2, args);

			for (int64_t k = 0; k < z->count; k++) {
				__int128 want = exact(ops[o], wide(e, array_int(x, k)),
						      wide(e, array_int(y, k)));

				if (array_int(z, k) != wrapped(z->element, want))
					fail_msg("%s of %s: %lld and %lld give %lld", ops[o]->name,
						 element_name(e), (long long)array_int(x, k),
						 (long long)array_int(y, k),
						 (long long)array_int(z, k));
			}
		}
		op_case_free(&c);
	}
}

/* --- broadcasting */

/* A shape that broadcasts to the RANK dims of DIM. */
static int shape_below(struct rng *r, int rank, const int64_t *dim, int64_t *out)
{
	int skip = rank ? (int)rng_below(r, rank + 1) : 0;

	for (int i = skip; i < rank; i++)
		out[i - skip] = rng_chance(r, 0.3) ? 1 : dim[i];
	return rank - skip;
}

static void broadcasts(void **state)
{
	(void)state;
	static const struct core_op *const ops[] = { &core_add, &core_mul, &core_sub, &core_max };

	for (int turn = 0; turn < 20 * ROUNDS; turn++) {
		struct op_case c = op_case_new();
		int64_t dim[5], own[2][5];
		int args[2], rank = 0;
		const struct core_op *op = ops[turn % 4];

		c.rng = rng_seed((uint64_t)turn);
		for (int n = (int)rng_below(&c.rng, 6); rank < n; rank++)
			dim[rank] = rng_chance(&c.rng, 0.05) ? 0 : 1 + rng_below(&c.rng, 9);
		for (int i = 0; i < 2; i++) {
			int n = shape_below(&c.rng, rank, dim, own[i]);

			args[i] = random_of(&c, ELEMENT_F32, n, own[i], -4, 4);
		}
		const struct array *x = build_array(&c.builder, args[0]);
		const struct array *y = build_array(&c.builder, args[1]);
		const struct array *z = need_result(&c, op, NULL, 2, args);

		for (int64_t k = 0; k < z->count; k++) {
			const struct array *from[2] = { x, y };
			float v[2];

			for (int i = 0; i < 2; i++) {
				int64_t rest = k, at = 0, stride = 1;

				for (int d = 1; d <= z->rank; d++) {
					int64_t place = rest % z->dim[z->rank - d];
					int64_t extent = d <= from[i]->rank
								 ? from[i]->dim[from[i]->rank - d]
								 : 1;

					rest /= z->dim[z->rank - d];
					at += extent == 1 ? 0 : place * stride;
					stride *= extent;
				}
				v[i] = ((const float *)from[i]->data)[at];
			}
			float want = op == &core_add   ? v[0] + v[1]
				     : op == &core_mul ? v[0] * v[1]
				     : op == &core_sub ? v[0] - v[1]
						       : fmaxf(v[0], v[1]);

			assert_memory_equal(&((const float *)z->data)[k], &want, sizeof(want));
		}
		if (z->count && z->rank)
			check_express_close(&c, op, NULL, 2, args, 0);
		op_case_free(&c);
	}
}

/* --- casts */

static int cast_to(struct op_case *c, enum element e, int x)
{
	struct attr_vec to = { 0 };

	attrs_element(c->arena, &to, "to", e);
	return build_with(&c->builder, &core_cast, &to, x);
}

static void expect_cast(struct op_case *c, const char *want, enum element e, int x)
{
	struct text text = { 0 };

	print_array(&text, build_array(&c->builder, cast_to(c, e, x)));
	assert_string_equal(text_str(&text), want);
	text_free(&text);
}

static void casts(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(5), LIST(1.5, -2.7, 300, 0.25, -0.0));
	int odd = numbers_of(&c, ELEMENT_F32, SHAPE(6),
			     LIST(1e-5, 1000000, INFINITY, NAN, 0.1, 1.5e20));
	int i = numbers_of(&c, ELEMENT_I32, SHAPE(4), LIST(-1, 7, 8, 300));
	struct array *big = array_in(c.arena, ELEMENT_U64, 1, (const int64_t[]){ 1 });
	int s = strings_of(&c, SHAPE(4), (const char *const[]){ "3.5", "-INF", "NaN", " 1e3" });

	*(uint64_t *)big->data = UINT64_MAX;
	expect_cast(&c, "i32[5] 1 -2 300 0 0", ELEMENT_I32, x);
	expect_cast(&c, "u8[5] 1 254 44 0 0", ELEMENT_U8, x);
	expect_cast(&c, "bool[5] 1 1 1 1 0", ELEMENT_BOOL, x);
	expect_cast(&c, "f16[5] 1.5 -2.69922 300 0.25 -0", ELEMENT_F16, x);
	expect_cast(&c, "i4[4] -1 7 -8 -4", ELEMENT_I4, i);
	expect_cast(&c, "u4[4] 15 7 8 12", ELEMENT_U4, i);
	expect_cast(&c, "i2[4] -1 -1 0 0", ELEMENT_I2, i);
	expect_cast(&c, "string[4] '-1' '7' '8' '300'", ELEMENT_STRING, i);
	expect_cast(&c, "string[6] '1e-05' '1000000.0' 'inf' 'nan' '0.1' '1.5e+20'", ELEMENT_STRING,
		    odd);
	expect_cast(&c, "f32[4] 3.5 -inf nan 1000", ELEMENT_F32, s);
	expect_cast(&c, "f32[1] 1.84467e+19", ELEMENT_F32, build_const(&c.builder, big));
	expect_cast(&c, "f8e4m3fn[5] 1.5 -2.75 288 0.25 -0", ELEMENT_F8E4M3FN, x);
	expect_cast(&c, "string[1] '18446744073709551615'", ELEMENT_STRING,
		    build_const(&c.builder, big));
	assert_int_equal(cast_to(&c, ELEMENT_I32, strings_of(&c, SHAPE(1), (const char *const[]){ "x" })),
			 VALUE_FAILED);
	op_case_free(&c);
}

/* Arithmetic on extents: what is known of a shape stays known. */
static void shape_arithmetic(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	struct builder b = builder_begin(c.graph, "shapes");
	struct dim n = dim_expr(c.arena, expr_axis(c.arena, graph_symbol(c.graph, "N")));
	struct dim dims[] = { n, dim_number(6) };
	int x = build_param(&b, "x", type_tensor(c.arena, ELEMENT_F32, 2, dims));
	int shape = build(&b, &core_shape_of, x);
	int twice = build(&b, &core_mul, shape, build_int(&b, 2));
	int back = build(&b, &core_div, build(&b, &core_add, twice, twice), build_int(&b, 4));
	int same = build(&b, &core_where, build_const(&b, build_array(&c.builder,
				numbers_of(&c, ELEMENT_BOOL, SHAPE(2), LIST(1, 0)))), back,
			 build_ints(&b, 2, (const int64_t[]){ 1, 3 }));
	const struct dim *at = build_at(&b, same)->elements;

	assert_non_null(at);
	assert_true(dim_equal(at[0], n));
	assert_true(dim_equal(at[1], dim_number(3)));
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),  cmocka_unit_test(special_numbers),
		cmocka_unit_test(logic_and_strings), cmocka_unit_test(functions),
		cmocka_unit_test(gradients),   cmocka_unit_test(integers),
		cmocka_unit_test(broadcasts),  cmocka_unit_test(casts),
		cmocka_unit_test(shape_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
