/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of every type: integers wrap, operands broadcast, casts round; extents are computed with. */
#include "tests/op_check.h"

enum { ROUNDS = 400 };

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
	if (op == &core_mul)	/* of u64 up to 2^128, whose low bits are what counts */
		return (__int128)((unsigned __int128)x * (unsigned __int128)y);
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

	for (int turn = 0; turn < ROUNDS; turn++) {
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

static void cast_gradient(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	struct attr_vec to = { 0 };
	int x = numbers_of(&c, ELEMENT_F64, SHAPE(3), LIST(1, -2, 3));
	const struct array *g = build_array(&c.builder,
					    numbers_of(&c, ELEMENT_F32, SHAPE(3), LIST(4, 5, 6)));

	attrs_element(c.arena, &to, "to", ELEMENT_F32);
	const struct array *by = gradient_of(&c, &core_cast, &to, 1, &x, g, 0);

	assert_int_equal(by->element, ELEMENT_F64);
	assert_close("cast", by, g, 0);
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

/* What exporters write where a shape may say -1 for "as it is": where(shape == -1, ones, shape). */
static void conditions_on_shapes(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	struct builder b = builder_begin(c.graph, "shapes");
	struct dim n = dim_expr(c.arena, expr_axis(c.arena, graph_symbol(c.graph, "N")));
	struct dim dims[] = { n, dim_number(6) };
	int x = build_param(&b, "x", type_tensor(c.arena, ELEMENT_F32, 2, dims));
	int shape = build(&b, &core_shape_of, x);
	int ones = build_ints(&b, 2, (const int64_t[]){ 1, 1 });
	int kept = build(&b, &core_where, build(&b, &core_equal, shape, build_int(&b, -1)), ones, shape);
	int small = build(&b, &core_less, shape, build_int(&b, 6));
	int open = build(&b, &core_where, small, ones, shape);
	const struct dim *at = build_at(&b, kept)->elements, *either = build_at(&b, open)->elements;

	assert_non_null(at);
	assert_true(dim_equal(at[0], n));
	assert_true(dim_equal(at[1], dim_number(6)));
	assert_non_null(either);
	assert_false(dim_equal(either[0], n));
	assert_true(dim_equal(either[1], dim_number(6)));
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(broadcasts),
		cmocka_unit_test(casts),
		cmocka_unit_test(cast_gradient),
		cmocka_unit_test(shape_arithmetic),
		cmocka_unit_test(conditions_on_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
