/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_pass.c - each pass alone, from text to text. */
#include "tests/fixture/pass_fixture.h"

static void what_changes_nothing_is_left_out(void **state)
{
	static const struct pass_case cases[] = {
		{ "simplify",
		  "fn @main(%x: f32[2, 3]) {\n"
		  "\t%zero = const f32[1] [0]\n"
		  "\t%one = const f32[] [1]\n"
		  "\t%none = const i64[4] [0, 0, 0, 0]\n"
		  "\t%a = identity(%x)\n"
		  "\t%b = add(%zero, %a)\n"
		  "\t%c = mul(%b, %one)\n"
		  "\t%d = div(%c, %one)\n"
		  "\t%e = sub(%d, %zero)\n"
		  "\t%f = neg(%e)\n"
		  "\t%g = neg(%f)\n"
		  "\t%h = cast(%g) {to = f32}\n"
		  "\t%i = pad(%h, %none)\n"
		  "\t%j = concat(%i) {axis = 1}\n"
		  "\t%k = relu(%j)\n"
		  "\t%l = relu(%k)\n"
		  "\treturn %l\n}\n",
		  "fn @main(%x: f32[2, 3]) -> f32[2, 3] {\n"
		  "\t%l: f32[2, 3] = relu(%x)\n"
		  "\treturn %l\n}\n" },
		{ "simplify",	/* a sum that is larger than its operand, a slice backwards */
		  "fn @main(%x: f32[1]) {\n"
		  "\t%zero = const f32[2] [0, 0]\n"
		  "\t%a = add(%x, %zero)\n"
		  "\t%start = const i64[1] [-1]\n"
		  "\t%end = const i64[1] [-9]\n"
		  "\t%axis = const i64[1] [0]\n"
		  "\t%b = slice(%a, %start, %end, %axis, %start)\n"
		  "\treturn %b\n}\n",
		  "fn @main(%x: f32[1]) -> f32[2] {\n"
		  "\t%zero = const f32[2] [0, 0]\n"
		  "\t%a: f32[2] = add(%x, %zero)\n"
		  "\t%start = const i64[1] [-1]\n"
		  "\t%end = const i64[1] [-9]\n"
		  "\t%axis = const i64[1] [0]\n"
		  "\t%b: f32[2] = slice(%a, %start, %end, %axis, %start)\n"
		  "\treturn %b\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void views_and_transposes_meet(void **state)
{
	static const struct pass_case cases[] = {
		{ "simplify",
		  "fn @main(%x: f32[2, 3, 4]) {\n"
		  "\t%a = const i64[2] [6, 4]\n"
		  "\t%b = const i64[1] [-1]\n"
		  "\t%c = reshape(%x, %a)\n"
		  "\t%d = reshape(%c, %b)\n"
		  "\treturn %d\n}\n",
		  "fn @main(%x: f32[2, 3, 4]) -> f32[24] {\n"
		  "\t%1 = const i64[1] [24]\n"
		  "\t%d: f32[24] = reshape(%x, %1)\n"
		  "\treturn %d\n}\n" },
		{ "simplify",	/* there and back; on; only along dims of 1 */
		  "fn @main(%x: f32[2, 3, 1, 4]) {\n"
		  "\t%a = transpose(%x) {perm = [0, 2, 3, 1]}\n"
		  "\t%b = transpose(%a) {perm = [0, 3, 1, 2]}\n"
		  "\t%c = transpose(%a) {perm = [2, 0, 3, 1]}\n"
		  "\t%d = transpose(%x) {perm = [2, 0, 1, 3]}\n"
		  "\treturn %b, %c, %d\n}\n",
		  "fn @main(%x: f32[2, 3, 1, 4])"
		  " -> (f32[2, 3, 1, 4], f32[4, 2, 3, 1], f32[1, 2, 3, 4]) {\n"
		  "\t%c: f32[4, 2, 3, 1] = transpose(%x) {perm = [3, 0, 1, 2]}\n"
		  "\t%2 = const i64[4] [1, 2, 3, 4]\n"
		  "\t%d: f32[1, 2, 3, 4] = reshape(%x, %2)\n"
		  "\t%b: f32[2, 3, 1, 4] = identity(%x)\n"
		  "\treturn %b, %c, %d\n}\n" },
		{ "simplify",
		  "fn @main(%x: f32[5, 4, 6], %y: f32[5, 4, 7]) {\n"
		  "\t%a = transpose(%x) {perm = [0, 2, 1]}\n"
		  "\t%b = matmul(%a, %y)\n"
		  "\treturn %b\n}\n",
		  "fn @main(%x: f32[5, 4, 6], %y: f32[5, 4, 7]) -> f32[5, 6, 7] {\n"
		  "\t%b: f32[5, 6, 7] = matmul(%x, %y) {trans_a = 1}\n"
		  "\treturn %b\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void equal_calls_are_one(void **state)
{
	static const struct pass_case cases[] = {
		{ "cse",
		  "fn @main(%x: f32[2]) {\n"
		  "\t%a = const f32[2] [1, 2]\n"
		  "\t%b = const f32[2] [1, 2]\n"
		  "\t%c = add(%x, %a)\n"
		  "\t%d = add(%x, %b)\n"
		  "\t%e = leaky_relu(%c) {alpha = 0.5}\n"
		  "\t%f = leaky_relu(%d) {alpha = 0.25}\n"
		  "\treturn %e, %f\n}\n",
		  "fn @main(%x: f32[2]) -> (f32[2], f32[2]) {\n"
		  "\t%a = const f32[2] [1, 2]\n"
		  "\t%c: f32[2] = add(%x, %a)\n"
		  "\t%e: f32[2] = leaky_relu(%c) {alpha = 0.5}\n"
		  "\t%f: f32[2] = leaky_relu(%c) {alpha = 0.25}\n"
		  "\treturn %e, %f\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void padding_goes_into_windows(void **state)
{
	static const struct pass_case cases[] = {
		{ "pads",
		  "fn @main(%x: f32[1, 2, 4, 4]) {\n"
		  "\t%p = const i64[4] [1, 0, 1, 2]\n"
		  "\t%axes = const i64[2] [2, -1]\n"
		  "\t%low = const f32[] [-inf]\n"
		  "\t%w = const f32[2, 2, 1, 1] [1, 2, 3, 4]\n"
		  "\t%a = pad(%x, %p, _, %axes)\n"
		  "\t%b = conv(%a, %w) {pads = [1, 1, 1, 1]}\n"
		  "\t%c = pad(%b, %p, _, %axes)\n"
		  "\t%d = avg_pool(%c) {kernel = [2, 2]}\n"
		  "\t%e = pad(%d, %p, %low, %axes)\n"
		  "\t%f = max_pool(%e) {kernel = [2, 2]}\n"
		  "\treturn %f\n}\n",
		  "fn @main(%x: f32[1, 2, 4, 4]) -> f32[1, 2, 10, 10] {\n"
		  "\t%w = const f32[2, 2, 1, 1] [1, 2, 3, 4]\n"
		  "\t%b: f32[1, 2, 8, 8] = conv(%x, %w) {pads = [2, 1, 2, 3]}\n"
		  "\t%d: f32[1, 2, 9, 9] = avg_pool(%b)"
		  " {kernel = [2, 2], pads = [1, 0, 1, 2], count_include_pad = 1}\n"
		  "\t%f: f32[1, 2, 10, 10] = max_pool(%d)"
		  " {kernel = [2, 2], pads = [1, 0, 1, 2]}\n"
		  "\treturn %f\n}\n" },
		{ "pads",	/* a maximum does not ignore zeros; channels are not slid over */
		  "fn @main(%x: f32[1, 2, 4, 4]) {\n"
		  "\t%p = const i64[8] [0, 0, 1, 1, 0, 0, 1, 1]\n"
		  "\t%q = const i64[8] [0, 1, 0, 0, 0, 0, 0, 0]\n"
		  "\t%w = const f32[1, 3, 1, 1] [1, 2, 3]\n"
		  "\t%a: f32[1, 2, 6, 6] = pad(%x, %p)\n"
		  "\t%b: f32[1, 2, 5, 5] = max_pool(%a) {kernel = [2, 2]}\n"
		  "\t%c: f32[1, 3, 5, 5] = pad(%b, %q)\n"
		  "\t%d: f32[1, 1, 5, 5] = conv(%c, %w)\n"
		  "\treturn %d\n}\n",
		  "fn @main(%x: f32[1, 2, 4, 4]) -> f32[1, 1, 5, 5] {\n"
		  "\t%p = const i64[8] [0, 0, 1, 1, 0, 0, 1, 1]\n"
		  "\t%q = const i64[8] [0, 1, 0, 0, 0, 0, 0, 0]\n"
		  "\t%w = const f32[1, 3, 1, 1] [1, 2, 3]\n"
		  "\t%a: f32[1, 2, 6, 6] = pad(%x, %p)\n"
		  "\t%b: f32[1, 2, 5, 5] = max_pool(%a) {kernel = [2, 2]}\n"
		  "\t%c: f32[1, 3, 5, 5] = pad(%b, %q)\n"
		  "\t%d: f32[1, 1, 5, 5] = conv(%c, %w)\n"
		  "\treturn %d\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void scales_go_into_weights(void **state)
{
	static const struct pass_case cases[] = {
		{ "scales",
		  "fn @main(%x: f32[1, 2, 4, 4]) {\n"
		  "\t%w = const f32[2, 2, 1, 1] [1, 2, 3, 4]\n"
		  "\t%b = const f32[1, 2, 1, 1] [1, 2]\n"
		  "\t%s = const f32[2, 1, 1] [2, 10]\n"
		  "\t%two = const f32[] [2]\n"
		  "\t%c = conv(%x, %w)\n"
		  "\t%d = add(%b, %c)\n"
		  "\t%e = mul(%d, %s)\n"
		  "\t%f = sub(%e, %b)\n"
		  "\t%g = div(%f, %two)\n"
		  "\treturn %g\n}\n",
		  "fn @main(%x: f32[1, 2, 4, 4]) -> f32[1, 2, 4, 4] {\n"
		  "\t%1 = const f32[2, 2, 1, 1] [1, 2, 15, 20]\n"
		  "\t%c: f32[1, 2, 4, 4] = conv(%x, %1)\n"
		  "\t%3 = const f32[1, 2, 1, 1] [0.5, 9]\n"
		  "\t%g: f32[1, 2, 4, 4] = add(%c, %3)\n"
		  "\treturn %g\n}\n" },
		{ "scales",	/* the columns of a product; not its rows */
		  "fn @main(%x: f32[2, 2]) {\n"
		  "\t%w = const f32[2, 2] [1, 2, 3, 4]\n"
		  "\t%s = const f32[2] [2, 10]\n"
		  "\t%t = const f32[2, 1] [2, 10]\n"
		  "\t%a = matmul(%x, %w)\n"
		  "\t%b = mul(%a, %s)\n"
		  "\t%c = matmul(%b, %w) {trans_b = 1}\n"
		  "\t%d = mul(%c, %s)\n"
		  "\t%e = matmul(%d, %w)\n"
		  "\t%f = mul(%e, %t)\n"
		  "\treturn %f\n}\n",
		  "fn @main(%x: f32[2, 2]) -> f32[2, 2] {\n"
		  "\t%w = const f32[2, 2] [1, 2, 3, 4]\n"
		  "\t%t = const f32[2, 1] [2, 10]\n"
		  "\t%3 = const f32[2, 2] [2, 20, 6, 40]\n"
		  "\t%a: f32[2, 2] = matmul(%x, %3)\n"
		  "\t%5 = const f32[2, 2] [2, 4, 30, 40]\n"
		  "\t%c: f32[2, 2] = matmul(%a, %5) {trans_b = 1}\n"
		  "\t%e: f32[2, 2] = matmul(%c, %w)\n"
		  "\t%f: f32[2, 2] = mul(%e, %t)\n"
		  "\treturn %f\n}\n" },
		{ "scales",	/* what another reads stays */
		  "fn @main(%x: f32[1, 1, 2, 2]) {\n"
		  "\t%w = const f32[1, 1, 1, 1] [3]\n"
		  "\t%two = const f32[] [2]\n"
		  "\t%a = conv(%x, %w)\n"
		  "\t%b = mul(%a, %two)\n"
		  "\treturn %a, %b\n}\n",
		  "fn @main(%x: f32[1, 1, 2, 2]) -> (f32[1, 1, 2, 2], f32[1, 1, 2, 2]) {\n"
		  "\t%w = const f32[1, 1, 1, 1] [3]\n"
		  "\t%two = const f32[] [2]\n"
		  "\t%a: f32[1, 1, 2, 2] = conv(%x, %w)\n"
		  "\t%b: f32[1, 1, 2, 2] = mul(%a, %two)\n"
		  "\treturn %a, %b\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void functions_called_once_are_put_in(void **state)
{
	static const struct pass_case cases[] = {
		{ "inline",
		  "fn @main(%x: f32[4]) {\n"
		  "\t%one = const f32[] [1]\n"
		  "\t%a = call @once(%x)\n"
		  "\t%b = call @twice(%a)\n"
		  "\t%c = call @twice(%b)\n"
		  "\t%d = closure @captured(%one)\n"
		  "\t%e = apply %d(%c)\n"
		  "\t%f = call @forever(%e)\n"
		  "\treturn %f\n}\n\n"
		  "fn @once(%x: f32[4]) {\n\t%y = relu(%x)\n\treturn %y\n}\n\n"
		  "fn @twice(%x: f32[4]) {\n\t%y = neg(%x)\n\treturn %y\n}\n\n"
		  "fn @captured(%p: f32[], %x: f32[4]) {\n\t%y = sub(%x, %p)\n\treturn %y\n}\n\n"
		  "fn @forever(%x: f32[4]) -> f32[4] {\n"
		  "\t%y = call @forever(%x)\n\treturn %y\n}\n",
		  "fn @main(%x: f32[4]) -> f32[4] {\n"
		  "\t%one = const f32[] [1]\n"
		  "\t%y: f32[4] = relu(%x)\n"
		  "\t%b: f32[4] = call @twice(%y)\n"
		  "\t%c: f32[4] = call @twice(%b)\n"
		  "\t%5 \"y\": f32[4] = sub(%c, %one)\n"
		  "\t%f: f32[4] = call @forever(%5)\n"
		  "\treturn %f\n}\n\n"
		  "fn @twice(%x: f32[4]) -> f32[4] {\n"
		  "\t%y: f32[4] = neg(%x)\n\treturn %y\n}\n\n"
		  "fn @forever(%x: f32[4]) -> f32[4] {\n"
		  "\t%y: f32[4] = call @forever(%x)\n\treturn %y\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

/* A fused function of one operand. */
#define FUSED(name, op)                                                                            \
	"\nfn @" name "(%x: f32[2, 3]) -> f32[2, 3] attrs {fused = 1} {\n"                         \
	"\t%y: f32[2, 3] = " op "(%x)\n\treturn %y\n}\n"
#define RELU FUSED("relu_1", "relu")
#define NEG  FUSED("neg_2", "neg")

/* What only the interpreter runs stands between as few stretches as can be; views go with those who
 * read them. */
static void what_is_fused_is_gathered(void **state)
{
	static const struct pass_case cases[] = {
		{ "stretch",
		  "fn @main(%x: f32[2, 3], %z: f32[6]) {\n"
		  "\t%shape = const i64[2] [2, 3]\n"
		  "\t%zero = const i64[] [0]\n"
		  "\t%flat = const i64[1] [6]\n"
		  "\t%v = reshape(%z, %shape)\n"
		  "\t%w = reshape(%x, %flat)\n"
		  "\t%a = call @relu_1(%x)\n"
		  "\t%b = cumsum(%a, %zero)\n"
		  "\t%c = call @relu_1(%v)\n"
		  "\t%d = call @relu_1(%b)\n"
		  "\t%e = reshape(%d, %flat)\n"
		  "\t%f = call @neg_2(%c)\n"
		  "\treturn %e, %f, %w, %c\n}\n" RELU NEG,
		  "fn @main(%x: f32[2, 3], %z: f32[6])"
		  " -> (f32[6], f32[2, 3], f32[6], f32[2, 3]) {\n"
		  "\t%flat = const i64[1] [6]\n"
		  "\t%w: f32[6] = reshape(%x, %flat)\n"
		  "\t%4: (f32[2, 3], f32[2, 3], f32[2, 3]) = call @stretch_3(%z, %x)\n"
		  "\t%a: f32[2, 3] = %4[0]\n"
		  "\t%c: f32[2, 3] = %4[1]\n"
		  "\t%f: f32[2, 3] = %4[2]\n"
		  "\t%zero = const i64[] [0]\n"
		  "\t%b: f32[2, 3] = cumsum(%a, %zero)\n"
		  "\t%e: f32[6] = call @stretch_4(%b)\n"
		  "\treturn %e, %f, %w, %c\n}\n" RELU NEG
		  "\nfn @stretch_3(%z: f32[6], %x: f32[2, 3])"
		  " -> (f32[2, 3], f32[2, 3], f32[2, 3]) attrs {compiled = 1} {\n"
		  "\t%2 = const i64[2] [2, 3]\n"
		  "\t%v: f32[2, 3] = reshape(%z, %2)\n"
		  "\t%a: f32[2, 3] = call @relu_1(%x)\n"
		  "\t%c: f32[2, 3] = call @relu_1(%v)\n"
		  "\t%f: f32[2, 3] = call @neg_2(%c)\n"
		  "\treturn %a, %c, %f\n}\n"
		  "\nfn @stretch_4(%b: f32[2, 3]) -> f32[6] attrs {compiled = 1} {\n"
		  "\t%d: f32[2, 3] = call @relu_1(%b)\n"
		  "\t%2 = const i64[1] [6]\n"
		  "\t%e: f32[6] = reshape(%d, %2)\n"
		  "\treturn %e\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

/* What is demanded of a node goes with it, as its label does, into kernels, too. */
static void demands_go_with_nodes(void **state)
{
	static const struct pass_case cases[] = {
		{ "inline",
		  "fn @main(%x: f32[2, 3]) {\n\t%a = call @f(%x)\n\treturn %a\n}\n"
		  "fn @f(%x: f32[2, 3]) {\n\t%a = relu(%x) @\"a\" offload \"g\"\n\treturn %a\n}\n",
		  "fn @main(%x: f32[2, 3]) -> f32[2, 3] {\n"
		  "\t%a: f32[2, 3] = relu(%x) @\"a\" offload \"g\"\n"
		  "\treturn %a\n}\n" },
		{ "scales",
		  "fn @main(%x: f32[2, 2]) {\n"
		  "\t%w = const f32[2, 2] [1, 2, 3, 4]\n"
		  "\t%half = const f32[] [0.5]\n"
		  "\t%a = matmul(%x, %w) offload\n"
		  "\t%b = mul(%a, %half) @\"scale\" keep\n"
		  "\treturn %b\n}\n",
		  "fn @main(%x: f32[2, 2]) -> f32[2, 2] {\n"
		  "\t%1 = const f32[2, 2] [0.5, 1, 1.5, 2] @\"scale\"\n"
		  "\t%b: f32[2, 2] = matmul(%x, %1) offload\n"
		  "\treturn %b\n}\n" },
		{ "fuse",
		  "fn @main(%x: f32[2, 2], %w: f32[2, 2]) {\n"
		  "\t%a = matmul(%x, %w) @\"a\" offload\n"
		  "\t%b = relu(%a) keep\n"
		  "\treturn %b\n}\n",
		  "fn @main(%x: f32[2, 2], %w: f32[2, 2]) -> f32[2, 2] {\n"
		  "\t%b: f32[2, 2] = call @matmul_relu_1(%x, %w)\n"
		  "\treturn %b\n}\n"
		  "\nfn @matmul_relu_1(%x: f32[2, 2], %w: f32[2, 2]) -> f32[2, 2] attrs {fused = 1} {\n"
		  "\t%a: f32[2, 2] = matmul(%x, %w) @\"a\" offload\n"
		  "\t%b: f32[2, 2] = relu(%a) keep\n"
		  "\treturn %b\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_changes_nothing_is_left_out),
		cmocka_unit_test(views_and_transposes_meet),
		cmocka_unit_test(equal_calls_are_one),
		cmocka_unit_test(padding_goes_into_windows),
		cmocka_unit_test(scales_go_into_weights),
		cmocka_unit_test(functions_called_once_are_put_in),
		cmocka_unit_test(what_is_fused_is_gathered),
		cmocka_unit_test(demands_go_with_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
