/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and tangents of programs: branches, loops, recursion, functions that are values. */
#include "tests/fixture/diff_fixture.h"

static void check(const char *name, const char *text)
{
	struct diff_case c = diff_parse(name, text);

	diff_make(&c);
	for (int turn = 0; turn < 3; turn++)
		diff_check_at(&c, diff_arguments(&c, 0.2, 1.5));
	diff_free(&c);
}

static void straight_lines(void **state)
{
	(void)state;
	check("a value used twice, broadcast",
	      "fn @main(%x: f64[2, 3], %y: f64[3], %z: f64[2, 1]) {\n"
	      "	%a = mul(%x, %y)\n"
	      "	%b = mul(%a, %z)\n"
	      "	%c = add(%b, %a)\n"
	      "	%d = mul(%c, %c)\n"
	      "	return %d, %b\n}\n");
	check("a constant result, an unused parameter, an integer",
	      "fn @main(%x: f64[4], %i: i64[2], %y: f64[2]) {\n"
	      "	%a = gather(%x, %i)\n"
	      "	%n = shape_of(%x)\n"
	      "	return %a, %n\n}\n");
	check("a parameter as a result, twice",
	      "fn @main(%x: f64[2]) {\n	return %x, %x\n}\n");
	check("dims of which only running tells whether they are repeated",
	      "fn @main(%x: f64[3, 2], %y: f64[1, 2], %z: f64[1]) {\n"
	      "	%a = call @product(%x, %y, %z)\n	return %a\n}\n"
	      "fn @product(%x: f64[?, 2], %y: f64[?, 2], %z: f64[?]) -> f64[?, 2] {\n"
	      "	%a = mul(%x, %y)\n	%b = mul(%a, %z)\n	%c = mul(%b, %x)\n	return %c\n}\n");
	check("dims that are symbols",
	      "fn @main(%x: f64[N, 2], %y: f64[2], %z: f64[N, 1]) {\n"
	      "	%a = add(%x, %y)\n"
	      "	%b = mul(%a, %z)\n"
	      "	%c = exp(%b)\n"
	      "	return %c\n}\n");
}

static void tuples(void **state)
{
	(void)state;
	check("tuples in tuples, in and out",
	      "fn @main(%x: f64[2], %y: f64[2]) -> (f64[2], (f64[2], i64[1])) {\n"
	      "	%n = shape_of(%x)\n"
	      "	%t = tuple(%x, %n, %y)\n"
	      "	%u = call @swap(%t)\n"
	      "	%a = %u[0]\n"
	      "	%v = %u[1]\n"
	      "	%b = mul(%a, %x)\n"
	      "	return %b, %v\n}\n"
	      "fn @swap(%t: (f64[2], i64[1], f64[2])) -> (f64[2], (f64[2], i64[1])) {\n"
	      "	%x = %t[0]\n"
	      "	%n = %t[1]\n"
	      "	%y = %t[2]\n"
	      "	%z = mul(%x, %y)\n"
	      "	%u = tuple(%z, %n)\n"
	      "	%v = tuple(%y, %u)\n"
	      "	return %v\n}\n");
	check("an operator with several results",
	      "fn @main(%x: f64[5], %y: f64[2]) {\n"
	      "	%s = const i64[2] [2, 3]\n"
	      "	%t = split(%x, %s) {axis = 0}\n"
	      "	%a = %t[0]\n"
	      "	%b = mul(%a, %y)\n"
	      "	return %b\n}\n");
}

#define POWER                                                                                      \
	"fn @power(%x: f64[], %n: i64[]) -> f64[] {\n"                                             \
	"	%zero = const i64[] [0]\n"                                                           \
	"	%end = equal(%n, %zero)\n"                                                         \
	"	%y = if %end then @one else @times (%x, %n)\n"                                     \
	"	return %y\n}\n"                                                                    \
	"fn @one(%x: f64[], %n: i64[]) -> f64[] {\n"                                               \
	"	%y = const f64[] [1]\n"                                                              \
	"	return %y\n}\n"                                                                    \
	"fn @times(%x: f64[], %n: i64[]) -> f64[] {\n"                                             \
	"	%1 = const i64[] [1]\n"                                                              \
	"	%m = sub(%n, %1)\n"                                                                \
	"	%p = call @power(%x, %m)\n"                                                        \
	"	%y = mul(%x, %p)\n"                                                                \
	"	return %y\n}\n"

static void recursion_and_branches(void **state)
{
	(void)state;
	check("a power by recursion",
	      "fn @main(%x: f64[], %y: f64[]) {\n"
	      "	%n = const i64[] [5]\n"
	      "	%a = call @power(%x, %n)\n"
	      "	%b = call @power(%y, %n)\n"
	      "	%c = mul(%a, %b)\n"
	      "	return %c\n}\n" POWER);
	check("branches that depend on data",
	      "fn @main(%x: f64[], %y: f64[]) {\n"
	      "	%c = less(%x, %y)\n"
	      "	%t = if %c then @then else @otherwise (%x, %y)\n"
	      "	%a = %t[0]\n"
	      "	%b = %t[1]\n"
	      "	%d = mul(%a, %x)\n"
	      "	return %d, %b\n}\n"
	      "fn @then(%x: f64[], %y: f64[]) -> (f64[], f64[]) {\n"
	      "	%a = mul(%x, %y)\n"
	      "	return %a, %x\n}\n"
	      "fn @otherwise(%x: f64[], %y: f64[]) -> (f64[], f64[]) {\n"
	      "	%a = exp(%y)\n"
	      "	return %a, %a\n}\n");
	check("a branch that is known",
	      "fn @main(%x: f64[]) {\n"
	      "	%c = const bool[] [true]\n"
	      "	%a = if %c then @square else @cube (%x)\n"
	      "	return %a\n}\n"
	      "fn @square(%x: f64[]) -> f64[] {\n"
	      "	%f = closure @times(%x)\n"
	      "	%a = apply %f(%x)\n"
	      "	return %a\n}\n"
	      "fn @cube(%x: f64[]) -> f64[] {\n	return %x\n}\n"
	      "fn @times(%x: f64[], %y: f64[]) -> f64[] {\n"
	      "	%a = mul(%x, %y)\n	return %a\n}\n");
}

static void loops(void **state)
{
	(void)state;
	check("states, what does not change, scans",
	      "fn @main(%x: f64[2], %w: f64[2]) {\n"
	      "	%n = const i64[] [4]\n"
	      "	%k = const i64[] [0]\n"
	      "	%l = loop @body trips %n while _ state (%x, %k) with (%w)\n"
	      "	%a = %l[0]\n"
	      "	%b = %l[2]\n"
	      "	return %a, %b\n}\n"
	      "fn @body(%i: i64[], %x: f64[2], %k: i64[], %w: f64[2])"
	      " -> (bool[], f64[2], i64[], f64[2]) {\n"
	      "	%go = const bool[] [true]\n"
	      "	%t = cast(%i) {to = f64}\n"
	      "	%a = mul(%x, %w)\n"
	      "	%b = sin(%a)\n"
	      "	%c = add(%b, %t)\n"
	      "	%m = add(%k, %i)\n"
	      "	%s = mul(%c, %x)\n"
	      "	return %go, %c, %m, %s\n}\n");
	check("as many iterations as the data say",
	      "fn @main(%x: f64[], %w: f64[]) {\n"
	      "	%l = loop @body trips _ while _ state (%x) with (%w)\n"
	      "	%a = %l[0]\n"
	      "	return %a\n}\n"
	      "fn @body(%i: i64[], %x: f64[], %w: f64[]) -> (bool[], f64[]) {\n"
	      "	%most = const f64[] [20]\n"
	      "	%one = const f64[] [1]\n"
	      "	%f = add(%w, %one)\n"
	      "	%y = mul(%x, %f)\n"
	      "	%go = less(%y, %most)\n"
	      "	return %go, %y\n}\n");
	check("a loop in a loop, which may have no iteration",
	      "fn @main(%x: f64[], %w: f64[]) {\n"
	      "	%n = const i64[] [3]\n"
	      "	%l = loop @outer trips %n while _ state (%x) with (%w)\n"
	      "	%a = %l[0]\n"
	      "	return %a\n}\n"
	      "fn @outer(%i: i64[], %x: f64[], %w: f64[]) -> (bool[], f64[]) {\n"
	      "	%go = const bool[] [true]\n"
	      "	%l = loop @inner trips %i while %go state (%x) with (%w)\n"
	      "	%y = %l[0]\n"
	      "	%z = mul(%y, %w)\n"
	      "	return %go, %z\n}\n"
	      "fn @inner(%i: i64[], %x: f64[], %w: f64[]) -> (bool[], f64[]) {\n"
	      "	%go = const bool[] [true]\n"
	      "	%a = mul(%x, %w)\n"
	      "	%b = sin(%a)\n"
	      "	return %go, %b\n}\n");
	check("scans alone",
	      "fn @main(%x: f64[3]) {\n"
	      "	%n = const i64[] [3]\n"
	      "	%l = loop @body trips %n while _ state () with (%x)\n"
	      "	%a = %l[0]\n"
	      "	return %a\n}\n"
	      "fn @body(%i: i64[], %x: f64[3]) -> (bool[], f64[]) {\n"
	      "	%go = const bool[] [true]\n"
	      "	%a = gather(%x, %i)\n"
	      "	%b = mul(%a, %a)\n"
	      "	return %go, %b\n}\n");
}

static void functions_that_are_values(void **state)
{
	(void)state;
	check("a closure that is applied where it is made",
	      "fn @main(%x: f64[2], %w: f64[2]) {\n"
	      "	%f = closure @scale(%w)\n"
	      "	%a = apply %f(%x)\n"
	      "	%b = apply %f(%a)\n"
	      "	return %b\n}\n"
	      "fn @scale(%w: f64[2], %x: f64[2]) -> f64[2] {\n"
	      "	%a = mul(%w, %x)\n"
	      "	%b = sin(%a)\n"
	      "	return %b\n}\n");
	check("functions as arguments, of which one has captured another",
	      "fn @main(%x: f64[], %w: f64[], %v: f64[]) {\n"
	      "	%f = closure @scale(%w)\n"
	      "	%g = closure @twice(%f)\n"
	      "	%h = closure @scale(%v)\n"
	      "	%a = call @compose(%g, %h, %x)\n"
	      "	%b = call @compose(%f, %g, %a)\n"
	      "	return %b\n}\n"
	      "fn @scale(%w: f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = mul(%w, %x)\n"
	      "	%b = cos(%a)\n"
	      "	return %b\n}\n"
	      "fn @twice(%f: fn(f64[]) -> f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = apply %f(%x)\n"
	      "	%b = apply %f(%a)\n"
	      "	return %b\n}\n"
	      "fn @compose(%f: fn(f64[]) -> f64[], %g: fn(f64[]) -> f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = apply %g(%x)\n"
	      "	%b = apply %f(%a)\n"
	      "	return %b\n}\n");
	check("functions as results, chosen by the data",
	      "fn @main(%x: f64[], %w: f64[], %n: i64[]) {\n"
	      "	%c = less(%x, %w)\n"
	      "	%f = if %c then @sum else @product (%w, %n)\n"
	      "	%a = apply %f(%x)\n"
	      "	return %a\n}\n"
	      "fn @sum(%w: f64[], %n: i64[]) -> fn(f64[]) -> f64[] {\n"
	      "	%a = sin(%w)\n"
	      "	%f = closure @plus(%n, %a)\n"
	      "	return %f\n}\n"
	      "fn @product(%w: f64[], %n: i64[]) -> fn(f64[]) -> f64[] {\n"
	      "	%f = closure @times(%w, %w)\n"
	      "	return %f\n}\n"
	      "fn @plus(%n: i64[], %w: f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = add(%w, %x)\n	return %a\n}\n"
	      "fn @times(%v: f64[], %w: f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = mul(%w, %x)\n	%b = mul(%a, %v)\n	return %b\n}\n");
	check("a function that is applied N times, by recursion; it has several arguments and results",
	      "fn @main(%x: f64[], %w: f64[]) {\n"
	      "	%n = const i64[] [4]\n"
	      "	%f = closure @step(%w)\n"
	      "	%y = call @iterate(%f, %x, %w, %n)\n"
	      "	return %y\n}\n"
	      "fn @step(%w: f64[], %x: f64[], %y: f64[]) -> (f64[], f64[]) {\n"
	      "	%a = mul(%w, %y)\n"
	      "	%b = sin(%a)\n"
	      "	%c = add(%x, %b)\n"
	      "	return %b, %c\n}\n"
	      "fn @iterate(%f: fn(f64[], f64[]) -> (f64[], f64[]), %x: f64[], %y: f64[], %n: i64[])"
	      " -> f64[] {\n"
	      "	%zero = const i64[] [0]\n"
	      "	%end = equal(%n, %zero)\n"
	      "	%z = if %end then @first else @again (%f, %x, %y, %n)\n"
	      "	return %z\n}\n"
	      "fn @first(%f: fn(f64[], f64[]) -> (f64[], f64[]), %x: f64[], %y: f64[], %n: i64[])"
	      " -> f64[] {\n	return %x\n}\n"
	      "fn @again(%f: fn(f64[], f64[]) -> (f64[], f64[]), %x: f64[], %y: f64[], %n: i64[])"
	      " -> f64[] {\n"
	      "	%1 = const i64[] [1]\n"
	      "	%m = sub(%n, %1)\n"
	      "	%t = apply %f(%x, %y)\n"
	      "	%a = %t[0]\n"
	      "	%b = %t[1]\n"
	      "	%z = call @iterate(%f, %a, %b, %m)\n"
	      "	return %z\n}\n");
	check("continuations: a closure for each call",
	      "fn @main(%x: f64[]) {\n"
	      "	%n = const i64[] [3]\n"
	      "	%k = closure @done()\n"
	      "	%y = call @power(%x, %n, %k)\n"
	      "	return %y\n}\n"
	      "fn @done(%x: f64[]) -> f64[] {\n	%y = exp(%x)\n	return %y\n}\n"
	      "fn @power(%x: f64[], %n: i64[], %k: fn(f64[]) -> f64[]) -> f64[] {\n"
	      "	%zero = const i64[] [0]\n"
	      "	%end = equal(%n, %zero)\n"
	      "	%y = if %end then @end else @more (%x, %n, %k)\n"
	      "	return %y\n}\n"
	      "fn @end(%x: f64[], %n: i64[], %k: fn(f64[]) -> f64[]) -> f64[] {\n"
	      "	%one = const f64[] [1]\n"
	      "	%y = apply %k(%one)\n"
	      "	return %y\n}\n"
	      "fn @more(%x: f64[], %n: i64[], %k: fn(f64[]) -> f64[]) -> f64[] {\n"
	      "	%1 = const i64[] [1]\n"
	      "	%m = sub(%n, %1)\n"
	      "	%l = closure @times(%x, %k)\n"
	      "	%y = call @power(%x, %m, %l)\n"
	      "	return %y\n}\n"
	      "fn @times(%x: f64[], %k: fn(f64[]) -> f64[], %y: f64[]) -> f64[] {\n"
	      "	%a = mul(%x, %y)\n"
	      "	%b = apply %k(%a)\n"
	      "	return %b\n}\n");
	check("a loop that applies a function",
	      "fn @main(%x: f64[], %w: f64[]) {\n"
	      "	%n = const i64[] [3]\n"
	      "	%f = closure @scale(%w)\n"
	      "	%l = loop @body trips %n while _ state (%x) with (%f)\n"
	      "	%y = %l[0]\n"
	      "	return %y\n}\n"
	      "fn @scale(%w: f64[], %x: f64[]) -> f64[] {\n"
	      "	%a = mul(%w, %x)\n	%b = sin(%a)\n	return %b\n}\n"
	      "fn @body(%i: i64[], %x: f64[], %f: fn(f64[]) -> f64[]) -> (bool[], f64[]) {\n"
	      "	%go = const bool[] [true]\n"
	      "	%y = apply %f(%x)\n"
	      "	return %go, %y\n}\n");
}

/* The gradient of F, with what it takes for the gradients by its results, is differentiated again. */
static void check_twice(const char *name, const char *text)
{
	struct diff_case c = diff_parse(name, text);

	c.function = graph_gradient(c.graph, c.function);
	if (c.function == FUNCTION_NONE)
		fail_msg("%s: %s", name, err_get());
	diff_make(&c);
	diff_check_at(&c, diff_arguments(&c, 0.2, 1.5));
	diff_free(&c);
}

static void gradients_of_gradients(void **state)
{
	(void)state;
	check_twice("a formula",
		    "fn @main(%x: f64[2], %y: f64[2]) {\n"
		    "	%a = mul(%x, %y)\n	%b = sin(%a)\n	%c = mul(%b, %b)\n	return %c\n}\n");
	check_twice("a recursion",
		    "fn @main(%x: f64[]) {\n"
		    "	%n = const i64[] [3]\n	%a = call @power(%x, %n)\n	return %a\n}\n" POWER);
	check_twice("a loop",
		    "fn @main(%x: f64[2], %w: f64[2]) {\n"
		    "	%n = const i64[] [3]\n"
		    "	%l = loop @body trips %n while _ state (%x) with (%w)\n"
		    "	%a = %l[0]\n"
		    "	%b = %l[1]\n"
		    "	return %a, %b\n}\n"
		    "fn @body(%i: i64[], %x: f64[2], %w: f64[2]) -> (bool[], f64[2], f64[2]) {\n"
		    "	%go = const bool[] [true]\n"
		    "	%a = mul(%x, %w)\n"
		    "	%b = sin(%a)\n"
		    "	return %go, %b, %a\n}\n");
}

static void refuse(const char *why, const char *text)
{
	struct diff_case c = diff_parse(why, text);

	assert_int_equal(graph_gradient(c.graph, c.function), FUNCTION_NONE);
	if (!strstr(err_get(), why))
		fail_msg("'%s', not '%s'", err_get(), why);
	diff_free(&c);
}

static void what_is_not_differentiated_is_said(void **state)
{
	(void)state;
	refuse("of no known type", "fn @main(%x) {\n	return %x\n}\n");
	refuse("is a function", "fn @main(%f: fn(f64[]) -> f64[]) {\n	return %f\n}\n");
	refuse("sequences and optionals of floats", "fn @main(%x: [f64[2]]) {\n	return %x\n}\n");
	refuse("draws random numbers",
	       "fn @main(%x: f64[2]) {\n	%a = call @noise(%x)\n	return %a\n}\n"
	       "fn @noise(%x: f64[2]) -> f64[2] {\n	%s = shape_of(%x)\n"
	       "	%n = random_uniform(%s) {to = f64}\n	%a = mul(%x, %n)\n	return %a\n}\n");
	refuse("node 'bits': bitcast: it is not differentiable",
	       "fn @main(%x: f64[2]) {\n	%a = bitcast(%x) {to = f64} @\"bits\"\n"
	       "	return %a\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_lines),
		cmocka_unit_test(tuples),
		cmocka_unit_test(recursion_and_branches),
		cmocka_unit_test(loops),
		cmocka_unit_test(functions_that_are_values),
		cmocka_unit_test(gradients_of_gradients),
		cmocka_unit_test(what_is_not_differentiated_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
