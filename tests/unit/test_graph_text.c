/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of graphs: what is printed reads back as the same, and what is wrong has its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "graph/text/text.h"

static struct graph *parsed(struct arena *a, const char *text)
{
	struct graph *g = graph_parse(a, "test.graph", text);

	if (!g)
		print_error("%s\n", err_get());
	assert_non_null(g);
	return g;
}

/* What is left of TEXT by reading and printing. */
static const char *again(struct arena *a, const char *text)
{
	struct text out = { 0 };

	graph_print(&out, parsed(a, text), true);
	const char *copy = arena_strdup(a, text_str(&out));

	text_free(&out);
	return copy;
}

static void assert_stays(const char *text)
{
	struct arena *a = arena_new();

	assert_string_equal(again(a, text), text);
	arena_free(a);
}

/* BODY in a function of %x and %i that returns %x. */
static void assert_body_stays(const char *body)
{
	struct arena *a = arena_new();

	assert_stays(arena_printf(a, "graph \"t\" @main\n\n"
				  "fn @main(%%x: f32[N, 3], %%i: i64[]) -> f32[N, 3] {\n"
				  "\t%s\n\treturn %%x\n}\n", body));
	arena_free(a);
}

static void every_kind_of_binding_reads_back(void **state)
{
	(void)state;
	assert_stays(
		"graph \"all kinds\" @main\n\n"
		"fn @main(%x: f32[N, 3], %1 \"odd name\": bool[], %n: i64[]) -> f32[N, 3]"
		" attrs {fused = 1, kind = \"a \\\"b\\\"\", l = [1, 2], f = 1.0, e = f32, n = []} {\n"
		"\t%w = const f32[2] [1, 0.5]\n"
		"\t%4: f32[N, 3] = identity(%x) @\"a\\x01\\xff\"\n"
		"\t%5: i64[2] = shape_of(%x)\n"
		"\t%6: f32[3, N] = reshape(%x, %5) {allowzero = 1}\n"
		"\t%7: (f32[N, 3], bool[]) = tuple(%x, %1)\n"
		"\t%8: fn(f32[N, 3]) -> (f32[N, 3], f32[N, 3]) = closure @twice(%1)\n"
		"\t%9: (f32[N, 3], f32[N, 3]) = apply %8(%x)\n"
		"\t%10: f32[N, 3] = %9[1]\n"
		"\t%11: (f32[N, 3], f32[N, 3]) = call @twice(%1, %x)\n"
		"\t%12: (f32[N, 3], f32[N, 3]) = if %1 then @twice else @\"other one\" (%1, %10)\n"
		"\t%13: (f32[N, 3], f32[?, N, 3]) = loop @body trips %n while _ state (%x) with (%1)\n"
		"\t%14: f32[N, 3] = %13[0]\n"
		"\treturn %14\n}\n\n"
		"fn @twice(%0: bool[], %x: f32[N, 3]) -> (f32[N, 3], f32[N, 3]) {\n"
		"\treturn %x, %x\n}\n\n"
		"fn @\"other one\"(%0: bool[], %x: f32[N, 3]) -> (f32[N, 3], f32[N, 3]) {\n"
		"\t%2: (f32[N, 3], f32[N, 3]) = call @\"other one\"(%0, %x)\n"
		"\t%3: f32[N, 3] = %2[0]\n"
		"\treturn %3, %x\n}\n\n"
		"fn @body(%i: i64[], %x: f32[N, 3], %go: bool[]) -> (bool[], f32[N, 3], f32[N, 3]) {\n"
		"\treturn %go, %x, %x\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_binding_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
