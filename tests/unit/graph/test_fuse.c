/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_fuse.c - what the pass `fuse` makes one kernel. */
#include "tests/fixture/pass_fixture.h"

/* Sums of bytes, what scales them, a residual with a scale of its own, and what narrows both. */
static void what_narrows_sums_is_one_kernel(void **state)
{
	static const struct pass_case cases[] = {
		{ "fuse",
		  "fn @main(%x: i8[1, 1, 2, 2], %r: i8[1, 2, 2, 2]) {\n"
		  "\t%w = const i8[2, 1, 1, 1] [3, -4]\n"
		  "\t%m = const i32[2, 1, 1] [100, 200]\n"
		  "\t%b = const i32[2, 1, 1] [7, 8]\n"
		  "\t%n = const i32[] [300]\n"
		  "\t%k = const i32[] [9]\n"
		  "\t%low = const i32[] [0]\n"
		  "\t%high = const i32[] [127]\n"
		  "\t%c = conv(%x, %w)\n"
		  "\t%d = mul(%c, %m)\n"
		  "\t%e = add(%d, %b)\n"
		  "\t%s = cast(%r) {to = i32}\n"
		  "\t%t = mul(%s, %n)\n"
		  "\t%f = add(%e, %t)\n"
		  "\t%g = shift_right(%f, %k)\n"
		  "\t%h = clip(%g, %low, %high)\n"
		  "\t%q = cast(%h) {to = i8}\n"
		  "\treturn %q\n}\n",
		  "fn @main(%x: i8[1, 1, 2, 2], %r: i8[1, 2, 2, 2]) -> i8[1, 2, 2, 2] {\n"
		  "\t%w = const i8[2, 1, 1, 1] [3, -4]\n"
		  "\t%m = const i32[2, 1, 1] [100, 200]\n"
		  "\t%b = const i32[2, 1, 1] [7, 8]\n"
		  "\t%q: i8[1, 2, 2, 2] = call @conv_mul_add_cast_mul_add_shift_right_clip_cast_1(%x, %w, %m, %b,"
		  " %r)\n"
		  "\treturn %q\n}\n\n"
		  "fn @conv_mul_add_cast_mul_add_shift_right_clip_cast_1(%x: i8[1, 1, 2, 2], %w: i8[2, 1, 1, 1],"
		  " %m: i32[2, 1, 1], %b: i32[2, 1, 1], %r: i8[1, 2, 2, 2]) -> i8[1, 2, 2, 2] attrs {fused = 1} {\n"
		  "\t%c: i32[1, 2, 2, 2] = conv(%x, %w)\n"
		  "\t%d: i32[1, 2, 2, 2] = mul(%c, %m)\n"
		  "\t%e: i32[1, 2, 2, 2] = add(%d, %b)\n"
		  "\t%s: i32[1, 2, 2, 2] = cast(%r) {to = i32}\n"
		  "\t%9 = const i32[] [300]\n"
		  "\t%t: i32[1, 2, 2, 2] = mul(%s, %9)\n"
		  "\t%f: i32[1, 2, 2, 2] = add(%e, %t)\n"
		  "\t%12 = const i32[] [9]\n"
		  "\t%g: i32[1, 2, 2, 2] = shift_right(%f, %12)\n"
		  "\t%14 = const i32[] [0]\n"
		  "\t%15 = const i32[] [127]\n"
		  "\t%h: i32[1, 2, 2, 2] = clip(%g, %14, %15)\n"
		  "\t%q: i8[1, 2, 2, 2] = cast(%h) {to = i8}\n"
		  "\treturn %q\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_narrows_sums_is_one_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
