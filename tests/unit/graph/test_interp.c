/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter on programs written by hand: closures, recursion, control flow, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "graph/build/check.h"
#include "graph/eval/interp.h"
#include "graph/text/text.h"

static const struct interp_limits small = { .bytes = 1 << 20, .seconds = 60, .depth = 500 };

/* Runs the program TEXT on the N numbers IN, each the i64[] of a parameter. -1 and a message. */
static int run(struct arena *a, const char *text, struct interp_limits limits, int n,
	       const int64_t *in, struct value *out)
{
	const struct graph *g = graph_parse(a, "test.graph", text);

	if (!g || graph_check(g) < 0)
		fail_msg("%s", err_get());
	struct interp x = interp_begin(a, g, limits);
	struct value *args = arena_many(a, struct value, n);

	for (int i = 0; i < n; i++) {
		struct array *one = array_in(a, ELEMENT_I64, 0, NULL);

		*(int64_t *)one->data = in[i];
		args[i] = value_of_array(one);
	}
	int rc = interp_run(&x, g->main, args, n, out);

	interp_end(&x);
	return rc;
}

/* The program gives WANT of IN. */
static void assert_gives(const char *text, int n, const int64_t *in, int64_t want)
{
	struct arena *a = arena_new();
	struct value out;

	if (run(a, text, small, n, in, &out) < 0)
		fail_msg("%s", err_get());
	assert_int_equal(out.kind, VALUE_ARRAY);
	assert_int_equal(array_int(out.array, 0), want);
	value_release(out);
	arena_free(a);
}

/* It fails under LIMITS, and says each of the texts up to NULL. */
static void assert_fails(const char *text, struct interp_limits limits, int n, const int64_t *in,
			 const char *const *says)
{
	struct arena *a = arena_new();
	struct value out;

	assert_int_equal(run(a, text, limits, n, in, &out), -1);
	for (; *says; says++)
		if (!strstr(err_get(), *says))
			fail_msg("'%s' has no '%s'", err_get(), *says);
	arena_free(a);
}

static const char factorial[] =
	"graph factorial\n"
	"fn @main(%n: i64[]) -> i64[] {\n"
	"	%one = const i64[] [1]\n"
	"	%last = less_equal(%n, %one)\n"
	"	%r = if %last then @done else @step (%n, %one)\n"
	"	return %r\n"
	"}\n"
	"fn @done(%n: i64[], %one: i64[]) -> i64[] {\n"
	"	return %one\n"
	"}\n"
	"fn @step(%n: i64[], %one: i64[]) -> i64[] {\n"
	"	%less = sub(%n, %one)\n"
	"	%below = call @main(%less)\n"
	"	%r = mul(%n, %below)\n"
	"	return %r\n"
	"}\n";

static void recursion_computes_a_factorial(void **state)
{
	(void)state;
	assert_gives(factorial, 1, (int64_t[]){ 0 }, 1);
	assert_gives(factorial, 1, (int64_t[]){ 20 }, INT64_C(2432902008176640000));
}

static const char ackermann[] =
	"graph ackermann\n"
	"fn @main(%m: i64[], %n: i64[]) -> i64[] {\n"
	"	%zero = const i64[] [0]\n"
	"	%c = equal(%m, %zero)\n"
	"	%r = if %c then @next else @rest (%m, %n)\n"
	"	return %r\n"
	"}\n"
	"fn @next(%m: i64[], %n: i64[]) -> i64[] {\n"
	"	%one = const i64[] [1]\n"
	"	%r = add(%n, %one)\n"
	"	return %r\n"
	"}\n"
	"fn @rest(%m: i64[], %n: i64[]) -> i64[] {\n"
	"	%zero = const i64[] [0]\n"
	"	%c = equal(%n, %zero)\n"
	"	%r = if %c then @first else @both (%m, %n)\n"
	"	return %r\n"
	"}\n"
	"fn @first(%m: i64[], %n: i64[]) -> i64[] {\n"
	"	%one = const i64[] [1]\n"
	"	%less = sub(%m, %one)\n"
	"	%r = call @main(%less, %one)\n"
	"	return %r\n"
	"}\n"
	"fn @both(%m: i64[], %n: i64[]) -> i64[] {\n"
	"	%one = const i64[] [1]\n"
	"	%m1 = sub(%m, %one)\n"
	"	%n1 = sub(%n, %one)\n"
	"	%inner = call @main(%m, %n1)\n"
	"	%r = call @main(%m1, %inner)\n"
	"	return %r\n"
	"}\n";

static void functions_call_each_other(void **state)
{
	(void)state;
	assert_gives(ackermann, 2, (int64_t[]){ 0, 6 }, 7);
	assert_gives(ackermann, 2, (int64_t[]){ 2, 3 }, 9);
	assert_gives(ackermann, 2, (int64_t[]){ 3, 3 }, 61);
}

/* The closure that @adder gives has captured its own parameter; @twice applies any function. */
static const char closures[] =
	"graph closures\n"
	"fn @main(%x: i64[], %y: i64[]) -> i64[] {\n"
	"	%f = call @adder(%x)\n"
	"	%g = closure @twice(%f)\n"
	"	%r = apply %g(%y)\n"
	"	return %r\n"
	"}\n"
	"fn @adder(%n: i64[]) -> fn(i64[]) -> i64[] {\n"
	"	%f = closure @add(%n)\n"
	"	return %f\n"
	"}\n"
	"fn @add(%n: i64[], %x: i64[]) -> i64[] {\n"
	"	%r = add(%n, %x)\n"
	"	return %r\n"
	"}\n"
	"fn @twice(%f: fn(i64[]) -> i64[], %x: i64[]) -> i64[] {\n"
	"	%once = apply %f(%x)\n"
	"	%r = apply %f(%once)\n"
	"	return %r\n"
	"}\n";

static void closures_keep_what_they_captured(void **state)
{
	(void)state;
	assert_gives(closures, 2, (int64_t[]){ 5, 7 }, 17);
}

/* Folds a function over the sequence of 0 .. n - 1: sum of 3 x. */
static const char fold[] =
	"graph fold\n"
	"fn @main(%n: i64[]) -> i64[] {\n"
	"	%zero = const i64[] [0]\n"
	"	%one = const i64[] [1]\n"
	"	%three = const i64[] [3]\n"
	"	%all = range(%zero, %n, %one)\n"
	"	%list = split_sequence(%all) {keepdims = 0}\n"
	"	%length = sequence_length(%list)\n"
	"	%f = closure @step(%three)\n"
	"	%done = loop @body trips %length while _ state (%zero) with (%f, %list)\n"
	"	%r = %done[0]\n"
	"	return %r\n"
	"}\n"
	"fn @step(%factor: i64[], %sum: i64[], %v: i64[]) -> i64[] {\n"
	"	%product = mul(%factor, %v)\n"
	"	%r = add(%sum, %product)\n"
	"	return %r\n"
	"}\n"
	"fn @body(%i: i64[], %sum: i64[], %f: fn(i64[], i64[]) -> i64[], %list: [i64[]])"
	" -> (bool[], i64[]) {\n"
	"	%go = const bool[] [true]\n"
	"	%v = sequence_at(%list, %i)\n"
	"	%r = apply %f(%sum, %v)\n"
	"	return %go, %r\n"
	"}\n";

static void a_function_is_folded_over_a_sequence(void **state)
{
	(void)state;
	assert_gives(fold, 1, (int64_t[]){ 0 }, 0);
	assert_gives(fold, 1, (int64_t[]){ 100 }, 3 * 4950);
}

/* Doubles until the number is over 1000; the scan's last element is the result. */
static const char doubling[] =
	"graph doubling\n"
	"fn @main(%x: i64[]) -> i64[] {\n"
	"	%go = const bool[] [true]\n"
	"	%most = const i64[] [1000]\n"
	"	%all = loop @body trips _ while %go state (%x) with (%most)\n"
	"	%scan = %all[1]\n"
	"	%last = const i64[] [-1]\n"
	"	%r = gather(%scan, %last)\n"
	"	return %r\n"
	"}\n"
	"fn @body(%i: i64[], %x: i64[], %most: i64[]) -> (bool[], i64[], i64[]) {\n"
	"	%next = add(%x, %x)\n"
	"	%go = less(%next, %most)\n"
	"	return %go, %next, %next\n"
	"}\n";

static void a_loop_ends_by_its_condition(void **state)
{
	(void)state;
	assert_gives(doubling, 1, (int64_t[]){ 1 }, 1024);
	assert_gives(doubling, 1, (int64_t[]){ 3 }, 1536);
	assert_gives(doubling, 1, (int64_t[]){ 5000 }, 10000);
}

static void limits_end_a_run(void **state)
{
	static const char endless[] =
		"graph endless\n"
		"fn @main(%x: i64[]) -> i64[] {\n"
		"	%all = loop @body trips _ while _ state (%x) with ()\n"
		"	%r = %all[0]\n"
		"	return %r\n"
		"}\n"
		"fn @body(%i: i64[], %x: i64[]) -> (bool[], i64[]) {\n"
		"	%go = const bool[] [true]\n"
		"	return %go, %x\n"
		"}\n";
	static const char large[] =
		"graph large\n"
		"fn @main(%x: i64[]) -> i64[...] {\n"
		"	%one = const i64[1] [1]\n"
		"	%shape = reshape(%x, %one)\n"
		"	%v = const i64[] [7]\n"
		"	%big = fill(%shape, %v) @\"the large one\"\n"
		"	return %big\n"
		"}\n";
	struct interp_limits brief = { .bytes = 1 << 20, .seconds = 0.05, .depth = 500 };
	struct interp_limits patient = { .bytes = 1 << 20, .seconds = 3600, .loop_seconds = 0.05,
					 .depth = 500 };

	(void)state;
	assert_fails(factorial, small, 1, (int64_t[]){ 1000 },
		     (const char *[]){ "nested deeper than 500", "step", NULL });
	assert_fails(endless, brief, 1, (int64_t[]){ 1 },
		     (const char *[]){ "stopped after 0.05 s", "main: value %1", "iteration", NULL });
	assert_fails(endless, patient, 1, (int64_t[]){ 1 },
		     (const char *[]){ "stopped after 0.05 s", "iteration", NULL });
	assert_fails(large, small, 1, (int64_t[]){ INT64_C(1) << 40 },
		     (const char *[]){ "node 'the large one'", "fill", "more than 1 MB", NULL });
	assert_fails(large, small, 1, (int64_t[]){ -5 }, (const char *[]){ "the large one", NULL });
	assert_fails(factorial, small, 0, NULL,
		     (const char *[]){ "main: 0 arguments for 1 parameters", NULL });
}

static void what_steers_is_a_number(void **state)
{
	static const char counted[] =
		"graph t\n"
		"fn @main(%x: i64[]) -> i64[] {\n"
		"	%list = sequence(%x)\n"
		"	%done = call @loop(%list, %x)\n"
		"	return %x\n"
		"}\n"
		"fn @loop(%trips: ?, %x: i64[]) {\n"
		"	%done = loop @body trips %trips while _ state (%x) with ()\n"
		"	return %done\n"
		"}\n"
		"fn @body(%i: i64[], %x: i64[]) -> (bool[], i64[]) {\n"
		"	%go = const bool[] [true]\n"
		"	return %go, %x\n"
		"}\n";
	static const char chosen[] =
		"graph t\n"
		"fn @main(%x: i64[]) -> i64[] {\n"
		"	%c = const string[] [\"true\"]\n"
		"	%r = call @choose(%c, %x)\n"
		"	return %x\n"
		"}\n"
		"fn @choose(%c: ?, %x: i64[]) {\n"
		"	%r = if %c then @same else @same (%x)\n"
		"	return %r\n"
		"}\n"
		"fn @same(%x: i64[]) -> i64[] {\n"
		"	return %x\n"
		"}\n";

	(void)state;
	assert_fails(counted, small, 1, (int64_t[]){ 1 },
		     (const char *[]){ "a number of iterations that is not one number", NULL });
	assert_fails(chosen, small, 1, (int64_t[]){ 1 },
		     (const char *[]){ "a condition that is not one number", NULL });
}

/* What a call leaves out, or a function of unknown type is given, its body does not expect. */
static void arguments_are_checked(void **state)
{
	static const char left_out[] =
		"graph t\n"
		"fn @main(%x: i64[]) -> i64[] {\n"
		"	%y = call @f(_)\n"
		"	return %y\n"
		"}\n"
		"fn @f(%x: i64[]) -> i64[] {\n"
		"	%y = equal(%x, %x)\n"
		"	%z = add(%x, %x)\n"
		"	return %z\n"
		"}\n";
	static const char other[] =
		"graph t\n"
		"fn @main(%x: i64[]) -> ? {\n"
		"	%f = closure @f()\n"
		"	%y = call @apply(%f, %x)\n"
		"	return %y\n"
		"}\n"
		"fn @apply(%f: ?, %x: i64[]) {\n"
		"	%y = apply %f(%x)\n"
		"	return %y\n"
		"}\n"
		"fn @f(%x: f32[3]) -> f32[3] {\n"
		"	return %x\n"
		"}\n";

	(void)state;
	assert_fails(left_out, small, 1, (int64_t[]){ 1 },
		     (const char *[]){ "f: value %1", "equal: operand 0 was left out", NULL });
	assert_fails(other, small, 1, (int64_t[]){ 1 },
		     (const char *[]){ "argument 0 is not of the parameter's type", NULL });
}

static void types_that_contradict_the_data_are_told(void **state)
{
	static const char lie[] =
		"graph lie\n"
		"fn @main(%x: i64[]) -> i64[3] {\n"
		"	%one = const i64[1] [1]\n"
		"	%shape = reshape(%x, %one)\n"
		"	%v = const i64[] [7]\n"
		"	%y: i64[3] = fill(%shape, %v)\n"
		"	return %y\n"
		"}\n";

	(void)state;
	assert_gives(lie, 1, (int64_t[]){ 3 }, 7);
	assert_fails(lie, small, 1, (int64_t[]){ 4 },
		     (const char *[]){ "main: value %4", "i64[4]", "i64[3]", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_computes_a_factorial),
		cmocka_unit_test(functions_call_each_other),
		cmocka_unit_test(closures_keep_what_they_captured),
		cmocka_unit_test(a_function_is_folded_over_a_sequence),
		cmocka_unit_test(a_loop_ends_by_its_condition),
		cmocka_unit_test(what_steers_is_a_number),
		cmocka_unit_test(limits_end_a_run),
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(types_that_contradict_the_data_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
