/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_fold.c - what passes make of constants, and what they call what is left. */
#include "tests/fixture/pass_fixture.h"

static void calls_of_constants_are_folded(void **state)
{
	static const struct pass_case cases[] = {
		{ "fold",
		  "fn @main(%x: f32[2]) {\n"
		  "\t%a = const f32[2] [1, 2]\n"
		  "\t%b = add(%a, %a)\n"
		  "\t%yes = const bool[] [true]\n"
		  "\t%c = if %yes then @twice else @same (%x)\n"
		  "\t%y = mul(%c, %b)\n"
		  "\treturn %y\n}\n\n"
		  "fn @twice(%x: f32[2]) {\n"
		  "\t%y = add(%x, %x)\n"
		  "\treturn %y\n}\n\n"
		  "fn @same(%x: f32[2]) {\n"
		  "\treturn %x\n}\n",
		  "fn @main(%x: f32[2]) -> f32[2] {\n"
		  "\t%b = const f32[2] [2, 4]\n"
		  "\t%y: f32[2] = add(%x, %x)\n"
		  "\t%3 \"y\": f32[2] = mul(%y, %b)\n"
		  "\treturn %3\n}\n" },
		{ "fold",	/* a loop that calls a function: 1, 3, 7, 15 */
		  "fn @main() {\n"
		  "\t%one = const i64[] [1]\n"
		  "\t%n = const i64[] [3]\n"
		  "\t%all = loop @body trips %n while _ state (%one) with ()\n"
		  "\t%y = %all[0]\n"
		  "\t%z = %all[1]\n"
		  "\treturn %y, %z\n}\n\n"
		  "fn @body(%i: i64[], %x: i64[]) -> (bool[], i64[], i64[]) {\n"
		  "\t%go = const bool[] [true]\n"
		  "\t%y = call @step(%x)\n"
		  "\treturn %go, %y, %x\n}\n\n"
		  "fn @step(%x: i64[]) -> i64[] {\n"
		  "\t%one = const i64[] [1]\n"
		  "\t%twice = add(%x, %x)\n"
		  "\t%y = add(%twice, %one)\n"
		  "\treturn %y\n}\n",
		  "fn @main() -> (i64[], i64[3]) {\n"
		  "\t%y = const i64[] [15]\n"
		  "\t%z = const i64[3] [1, 3, 7]\n"
		  "\treturn %y, %z\n}\n" },
	};
	/* what ends at no time and what is not the same each time are left for the run */
	static const char *const left[] = {
		"\t%all: (i64[],) = loop @body trips _ while _ state (%one) with ()\n"
		"\t%y: i64[] = %all[0]\n"
		"\treturn %y\n}\n\n"
		"fn @body(%i: i64[], %x: i64[]) -> (bool[], i64[]) {\n"
		"\t%go = const bool[] [true]\n"
		"\treturn %go, %x\n}\n",
		"\t%y: i64[] = call @chance(%one)\n"
		"\treturn %y\n}\n\n"
		"fn @chance(%x: i64[]) -> i64[] {\n"
		"\t%shape = const i64[0] []\n"
		"\t%v: f32[] = random_uniform(%shape)\n"
		"\t%n: i64[] = cast(%v) {to = i64}\n"
		"\t%y: i64[] = add(%x, %n)\n"
		"\treturn %y\n}\n",
	};

	(void)state;
	CHECK_ALL(cases);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct arena *a = arena_new();
		const char *text = arena_printf(a, "fn @main() -> i64[] {\n\t%%one = const i64[] [1]\n%s",
						left[i]);

		assert_passes(&(struct pass_case){ "fold", text, text });
		arena_free(a);
	}
}

static void results_that_become_one_keep_their_names(void **state)
{
	static const struct pass_case cases[] = {
		{ "cse",
		  "fn @main(%x: f32[2]) {\n"
		  "\t%a = relu(%x)\n"
		  "\t%b = relu(%x)\n"
		  "\treturn %a, %b, %a\n}\n",
		  "fn @main(%x: f32[2]) -> (f32[2], f32[2], f32[2]) {\n"
		  "\t%a: f32[2] = relu(%x)\n"
		  "\t%b: f32[2] = identity(%a)\n"
		  "\treturn %a, %b, %a\n}\n" },
		{ "simplify",
		  "fn @main(%x: f32[2]) {\n"
		  "\t%y = identity(%x)\n"
		  "\treturn %y, %x\n}\n",
		  "fn @main(%x: f32[2]) -> (f32[2], f32[2]) {\n"
		  "\t%y: f32[2] = identity(%x)\n"
		  "\treturn %y, %x\n}\n" },
	};

	(void)state;
	CHECK_ALL(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_constants_are_folded),
		cmocka_unit_test(results_that_become_one_keep_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
