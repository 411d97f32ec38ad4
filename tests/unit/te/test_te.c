/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_te.c - the .te text form, its errors, keys of DAGs, scalar arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "te/operator.h"
#include "te/scalar.h"
#include "te/text/text.h"

/* One or more of each operator of the library. */
static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/te/specs.def"
#undef S
};

enum { NSPECS = sizeof(specs) / sizeof(*specs) };

/* Printing D, reading it back and printing that gives the same text and key. */
static void check_round_trip(struct arena *a, const struct dag *d)
{
	struct text first = { 0 }, second = { 0 };

	dag_print(&first, d);
	struct dag *again = dag_parse(a, "again", text_str(&first));

	if (!again)
		fail_msg("%s\n%s", err_get(), text_str(&first));
	dag_print(&second, again);
	assert_string_equal(text_str(&first), text_str(&second));
	assert_true(hash_equal(dag_key(d), dag_key(again)));
	text_free(&first);
	text_free(&second);
}

static void test_operators_round_trip(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (int i = 0; i < NSPECS; i++) {
		struct dag *d = operator_build(a, specs[i]);

		if (!d)
			fail_msg("%s: %s", specs[i], err_get());
		check_round_trip(a, d);
		arena_reset(a);
	}
	arena_free(a);
}

/* Every operator is in specs.def. */
static void test_all_operators_tested(void **state)
{
	(void)state;
	for (int i = 0; operator_at(i); i++) {
		size_t n = strlen(operator_at(i)->name);
		bool found = false;

		for (int j = 0; j < NSPECS; j++)
			found |= strncmp(specs[j], operator_at(i)->name, n) == 0 &&
				 specs[j][n] == ':';
		if (!found)
			fail_msg("no spec of %s", operator_at(i)->name);
	}
}

static void test_printed_form(void **state)
{
	static const char source[] =
		"# comment\r\n"
		"\n"
		"input  V: f32[64] in 0.5..1.5   # range\n"
		"const U: u8[64]\n"
		"input L: i64[7] in -3..4\n"
		"E[i] = select(1 <= i && i > 3 || !(i == 4), V[i]-(1 - -V[i])*2e-3/(1.0/3), -inf)\n"
		"F[i] = (E[i] + (V[i] + 0.1)) * (E[i] - (V[i] - 0.1)) - (E[i] * V[i])\n"
		"M[] = max(k < 64, z < 2) E[k] * f32(U[k])\n"
		"N[q < 3] = max(M[], 1) * min(-0.0, nan * M[])\n"
		"Z[q < 7] = L[q] * -7 + L[6-q] % 3 - L[(q*3+1)/7]\n"
		"B[q < 7] = L[q] >= 2 == true\n"
		"W[i] = f16(V[i]) + 0.1\n"
		"K[i < 5] = f32(1) + 16777217\n"
		"output E\n";
	static const char expected[] =
		"input V: f32[64] in 0.5..1.5\n"
		"const U: u8[64]\n"
		"input L: i64[7] in -3..4\n"
		"E[i < 64] = select(1 <= i && 3 < i || !(i == 4), V[i] - (1 - -V[i]) * 0.002 / "
		"0.33333334, -inf)\n"
		"F[i < 64] = (E[i] + (V[i] + 0.1)) * (E[i] - (V[i] - 0.1)) - E[i] * V[i]\n"
		"M[] = max(k < 64, z < 2) E[k] * f32(U[k])\n"
		"N[q < 3] = max(M[], 1) * min(-0.0, nan * M[])\n"
		"Z[q < 7] = L[q] * -7 + L[6 - q] % 3 - L[(q * 3 + 1) / 7]\n"
		"B[q < 7] = 2 <= L[q] == true\n"
		"W[i < 64] = f16(V[i]) + 0.1\n"
		"K[i < 5] = f32(1) + 16777216\n"
		"output E\n";
	struct arena *a = arena_new();
	struct dag *d = dag_parse(a, "dir/form.te", source);
	struct text t = { 0 };

	(void)state;
	if (!d)
		fail_msg("%s", err_get());
	assert_string_equal(d->name, "form");
	dag_print(&t, d);
	assert_string_equal(text_str(&t), expected);
	check_round_trip(a, d);
	text_free(&t);
	arena_free(a);
}

/* Names that no text may hold, and names twice, are made fit. */
static void test_names_made_unique(void **state)
{
	struct arena *a = arena_new();
	struct dag *d = dag_new(a, "names");
	int64_t shape[] = { 4, 4 };
	struct op *x = dag_input(d, "/layer 1/x", DTYPE_F32, 2, shape, false);
	struct op *y = dag_input(d, "/layer 1/x", DTYPE_F32, 2, shape, false);
	struct axis *axes[] = { dag_axis(d, "inf", 4), dag_axis(d, "inf", 4) };
	const struct expr *index[] = { expr_axis(a, axes[0]), expr_axis(a, axes[1]) };
	struct text t = { 0 };

	(void)state;
	dag_reduce(d, "7", axes, 2, REDUCE_NONE, NULL, 0,
		   expr_binary(a, EXPR_ADD, expr_load(a, &x->tensor, index),
			       expr_load(a, &y->tensor, index)));
	assert_int_equal(dag_freeze(d), 0);
	dag_print(&t, d);
	assert_string_equal(text_str(&t),
			    "input __layer_1_x: f32[4, 4]\n"
			    "input __layer_1_x_1: f32[4, 4]\n"
			    "_7[inf_ < 4, inf__1 < 4] = __layer_1_x[inf_, inf__1] + "
			    "__layer_1_x_1[inf_, inf__1]\n");
	check_round_trip(a, d);
	text_free(&t);
	arena_free(a);
}

#define A4 "input A: f32[4]\n"

static void test_errors(void **state)
{
	static const struct {
		const char *text, *error;	/* error "": there is none */
	} cases[] = {
		{ "", "t.te: t: computes nothing" },
		{ "input A f32[4]", "t.te:1:9: expected ':'" },
		{ "input A: f31[4]", "t.te:1:10: expected an element type" },
		{ "input A: f32[0]", "t.te:1:14: an extent" },
		{ "input A: f32[4,]", "t.te:1:16: expected a number" },
		{ "input A: f32[99999999999999999999]", "t.te:1:14: an extent" },
		{ "input A: f32[2000000000, 2000000000]", "t.te:1:7: A: more than 2^40" },
		{ "input A: f32[4] in 2..1", "t.te:1:20: the range is empty" },
		{ A4 "input A: f32[4]", "t.te:2:7: there is a tensor A already" },
		{ A4 "\nB[i] = A[j]", "t.te:3:10: there is no axis j" },
		{ A4 "B[i] = A[i] + X[i]", "t.te:2:15: there is no tensor X" },
		{ A4 "B[i, j] = A[i]", "t.te:2:1: the extent of axis j" },
		{ A4 "input B: f32[5]\nC[i] = A[i] + B[i]",
		  "t.te:3:17: axis i is 4 elsewhere and 5 in B" },
		{ A4 "B[i] = A[i, 0]", "t.te:2:13: A has 1 dimensions" },
		{ A4 "B[i] = A[]", "t.te:2:10: A has 1 dimensions, here are 0" },
		{ A4 "B[i] = A", "t.te:2:8: A is a tensor" },
		{ A4 "B[i] = A[i] + i", "t.te:2:15: i64 beside f32" },
		{ A4 "B[i] = A[i] % 2", "t.te:2:8: '%' needs integers" },
		{ A4 "B[i] = A[i / 0]", "t.te:2:14: '/' of integers needs a positive" },
		{ A4 "B[i] = A[i] && true", "t.te:2:16: bool beside f32" },
		{ A4 "B[i] = select(A[i], 1, 2)", "t.te:2:21: the type of this const" },
		{ A4 "B[i] = cube(A[i])", "t.te:2:8: there is no function cube" },
		{ A4 "B[] = 1 + sum(k < 4) A[k]", "t.te:2:11: " },
		{ A4 "B[i] = A[i] +", "t.te:2:14: expected a number" },
		{ A4 "B[i] = (A[i]", "t.te:2:13: expected ')'" },
		{ A4 "B[i] = A[i] A[i]", "t.te:2:13: expected the end" },
		{ A4 "B[i, i] = A[i]", "t.te:2:6: there is an axis i" },
		{ A4 "B[inf] = A[inf]", "t.te:2:3: inf is a constant" },
		{ A4 "output A", "t.te:2:8: A is no tensor that was computed" },
		{ A4 "B[i < 4] = A[i + 1]", "t.te: B: index 0 of A may be 1..4" },
		{ A4 "B[i < 4] = A[i - 1]", "t.te: B: index 0 of A may be -1..2" },
		{ A4 "B[i] = A[i + 1]", "t.te:2:1: the extent of axis i" },
		{ A4 "B[i < 5] = A[i]", "t.te: B: index 0 of A may be 0..4" },
		{ A4 "B[i < 4] = select(i < 2, A[i + 2], A[i - 1])", "" },
		{ A4 "B[i < 4] = A[i * 99999999999 % 4]", "t.te:2:1: index arithmetic" },
		{ A4 "B[i < 4] = A[i * 4611686018427387904 * 4 % 4]", "t.te:2:1: index arith" },
		{ A4 "B[i < 4] = A[9223372036854775807 + 1]", "t.te:2:14: the constant overflows" },
		{ A4 "B[i] = 1e999 * A[i]", "t.te:2:8: the number is too large" },
		{ A4 "B[] = sum() A[0]", "t.te:2:" },
		{ "input A: i8[4]\nB[i] = A[i] + 200", "t.te:2:15: 200 does not fit i8" },
		{ "input A: i8[4]\nB[i] = A[i] * 0.5", "t.te:2:15: 0.5 is no i8" },
		{ "input A: i8[4]\nB[i] = exp(A[i])", "t.te:2:12: 'exp' needs floats" },
		{ "input A: i32[4]\nB[i] = A[i] / A[i]", "t.te:2:15: '/' of integers needs a pos" },
		{ "input A: bool[4]\nB[] = sum(k < 4) A[k]", "t.te:2:18: sum of bool" },
		{ "B[i < 4] = 1", "t.te:1:12: the type of this constant" },
		{ "blob", "t.te:1:1: expected input, const, output or" },
		{ "\"", "t.te:1:1: expected input, const, output or" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *want = cases[i].error;
		struct dag *d = dag_parse(a, "t.te", cases[i].text);

		if (!d != (*want != '\0') || (!d && strncmp(err_get(), want, strlen(want)) != 0))
			fail_msg("%s\nexpected %s\n     got %s", cases[i].text, want, err_get());
	}
	arena_free(a);
}

/* REPEAT times OPEN, then MIDDLE, then REPEAT times CLOSE, as the body of an equation. */
static void check_deep(const char *open, const char *middle, const char *close, int repeat)
{
	struct arena *a = arena_new();
	struct text t = { 0 };

	text_puts(&t, "input A: f32[4]\nB[i] = ");
	for (int i = 0; i < repeat; i++)
		text_puts(&t, open);
	text_puts(&t, middle);
	for (int i = 0; i < repeat; i++)
		text_puts(&t, close);
	assert_null(dag_parse(a, "deep", text_str(&t)));
	text_free(&t);
	arena_free(a);
}

static void test_hostile_depth(void **state)
{
	(void)state;
	check_deep("(", "A[i]", ")", 100000);
	check_deep("-", "A[i]", "", 100000);
	check_deep("!", "A[i]", "", 100000);
	check_deep("exp(", "A[i]", ")", 100000);
	check_deep("A[i] + ", "A[i]", "", 100000);
	check_deep("A[i] + (", "A[i]", ")", 100000);
	check_deep("A[", "i", "]", 100000);
	check_deep("", "A[i]", " * A[i]", 100000);
	check_deep("A[min(", "i", ", max(i, 3))]", 60);
	check_deep("select(i < 1, A[i], ", "A[i]", ")", 100000);
}

/* Nested quotients and choices in an index are refused before they take a minute. */
static void test_hostile_index(void **state)
{
	struct arena *a = arena_new();
	struct text t = { 0 };

	(void)state;
	text_puts(&t, "input A: f32[4]\nB[i < 4] = A[");
	for (int i = 0; i < 60; i++)
		text_puts(&t, "min(max(i, 1), ");
	text_puts(&t, "i");
	for (int i = 0; i < 60; i++)
		text_puts(&t, ")");
	text_puts(&t, "]\n");
	assert_null(dag_parse(a, "deep", text_str(&t)));
	assert_non_null(strstr(err_get(), "nests too deep"));
	text_free(&t);
	arena_free(a);
}

/* Any text gives a DAG or a message: random edits of a good one. */
static void test_hostile_edits(void **state)
{
	static const char good[] = "input A: f32[4, 8] in 0.5..1.5\nconst W: i64[8]\n"
				   "C[i, j < 3] = sum(k < 4) A[k, i] * f32(W[i] / 3 + j)\n"
				   "D[i] = select(1 <= i && i != 5, max(C[i, 2], -1e-3), inf)\n"
				   "output C\n";
	static const char bits[] = "[]()<>=,:.+-*/%!&|# \n0199eijkACsummaxf32i64";
	struct rng rng = rng_seed(7);
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(dag_parse(a, "good", good));
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(good)];

		memcpy(text, good, sizeof(good));
		for (int64_t n = rng_below(&rng, 4) + 1; n > 0; n--)
			text[rng_below(&rng, (int64_t)sizeof(good) - 1)] =
				bits[rng_below(&rng, (int64_t)sizeof(bits) - 1)];
		struct dag *d = dag_parse(a, "edited", text);

		if (d)
			check_round_trip(a, d);
		arena_reset(a);
	}
	arena_free(a);
}

/* --- keys */

static struct hash128 key_of(struct arena *a, const char *source)
{
	struct dag *d = strchr(source, '\n') ? dag_parse(a, "k.te", source)
					     : operator_build(a, source);

	if (!d)
		fail_msg("%s: %s", source, err_get());
	return dag_key(d);
}

static void test_keys(void **state)
{
	static const char *const different[] = {
		"matmul:m=4,n=4,k=4",
		"matmul:m=4,n=4,k=5",
		"matmul:m=4,n=4,k=4,const=0",
		"matmul:m=4,n=4,k=4,dtype=f64",
		"dense:m=4,n=4,k=4,bias=0",
		"conv2d:ic=4,h=8,w=8,oc=4,k=3,p=1",
		"conv2d:ic=4,h=8,w=8,oc=4,k=3,p=1,layout=nhwc",
		"conv2d:ic=4,h=8,w=8,oc=4,k=3,p=1,layout=nchw4c",
		"conv2d:ic=4,h=8,w=8,oc=4,k=3,p=1,act=relu",
		A4 "B[i] = A[i] + 1\n",
		A4 "B[i] = A[i] + 2\n",
		A4 "B[i < 4] = A[3 - i] + 1\n",
		A4 "B[i] = A[i] + 1\nC[i] = B[i] * 2\n",
		A4 "B[i] = A[i] + 1\nC[i] = B[i] * 2\noutput B\n",
	};
	struct arena *a = arena_new();
	int n = sizeof(different) / sizeof(*different);

	(void)state;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (hash_equal(key_of(a, different[i]), key_of(a, different[j])))
				fail_msg("one key: %s\n%s", different[i], different[j]);
	assert_true(hash_equal(key_of(a, "matmul:m=4,n=5,k=6"),
			       key_of(a, "input Left: f32[4, 6] in 0..9\nconst Right: f32[6, 5]\n"
					 "Product[row, col] = sum(inner < 6) Left[row, inner] * "
					 "Right[inner, col]\n")));
	arena_free(a);
}

/* --- scalars */

static void test_scalar(void **state)
{
	union scalar big = { .i = INT64_C(9007199254740993) };
	union scalar three = { .i = 3 };
	union scalar minus = { .i = -7 };
	union scalar one = { .f = 1 };
	int64_t cell[1];

	(void)state;
	assert_int_equal(scalar_binary(EXPR_SUB, DTYPE_I64, big, three).i, big.i - 3);
	scalar_store(DTYPE_I64, cell, 0, big);
	assert_int_equal(scalar_load(DTYPE_I64, cell, 0).i, big.i);
	assert_int_equal(scalar_binary(EXPR_DIV, DTYPE_I32, minus, three).i, -3);
	assert_int_equal(scalar_binary(EXPR_MOD, DTYPE_I32, minus, three).i, 2);
	assert_int_equal(scalar_binary(EXPR_DIV, DTYPE_I64, minus, (union scalar){ .i = 0 }).i, 0);
	assert_int_equal(scalar_binary(EXPR_MUL, DTYPE_I8, (union scalar){ .i = 100 }, three).i,
			 44);
	assert_int_equal(scalar_unary(EXPR_NEG, DTYPE_I64, (union scalar){ .i = INT64_MIN }).i,
			 INT64_MIN);
	assert_int_equal(scalar_cast(DTYPE_I8, DTYPE_F32, (union scalar){ .f = 300.9 }).i, 44);
	assert_true(scalar_cast(DTYPE_F32, DTYPE_I64, big).f == 9007199254740992.0);
	assert_true(scalar_binary(EXPR_ADD, DTYPE_F32, one, (union scalar){ .f = 0x1p-30 }).f == 1);
	assert_true(scalar_binary(EXPR_ADD, DTYPE_F16, one, (union scalar){ .f = 0x1p-12 }).f ==
		    1 + 0x1p-12);
	assert_true(scalar_stored(DTYPE_F16, (union scalar){ .f = 1 + 0x1p-12 }).f == 1);
	assert_true(scalar_unary(EXPR_ROUND, DTYPE_F32, (union scalar){ .f = 2.5 }).f == 2);
	assert_int_equal(scalar_binary(EXPR_LT, DTYPE_F32, one, (union scalar){ .f = NAN }).i, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators_round_trip),
		cmocka_unit_test(test_all_operators_tested),
		cmocka_unit_test(test_printed_form),
		cmocka_unit_test(test_names_made_unique),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_hostile_depth),
		cmocka_unit_test(test_hostile_index),
		cmocka_unit_test(test_hostile_edits),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_scalar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
