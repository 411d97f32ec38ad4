/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of graphs: what is printed reads back as the same, and what is wrong has its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/err.h"
#include "graph/build/check.h"
#include "graph/text/text.h"

static struct graph *parsed(struct arena *a, const char *text)
{
	struct graph *g = graph_parse(a, "test.graph", text);

	if (!g)
		print_error("%s\n", err_get());
	assert_non_null(g);
	return g;
}

static void assert_prints(const struct graph *g, const char *text)
{
	struct text out = { 0 };

	graph_print(&out, g, true);
	assert_string_equal(text_str(&out), text);
	text_free(&out);
}

/* G by way of JSON's text. */
static struct graph *through_json(struct arena *a, const struct graph *g)
{
	json_t *json = graph_to_json(g, true);
	char *text = json_dumps(json, JSON_COMPACT);
	json_t *back = json_loads(text, 0, NULL);
	struct graph *again = graph_from_json(a, "test.json", back);

	if (!again)
		print_error("%s\n", err_get());
	assert_non_null(again);
	json_decref(json);
	json_decref(back);
	free(text);
	return again;
}

/* TEXT is what a graph read from it prints, through JSON too, and the graph holds what it must. */
static void assert_stays(const char *text)
{
	struct arena *a = arena_new();
	struct graph *g = parsed(a, text);

	assert_prints(g, text);
	if (graph_check(g) < 0)
		fail_msg("%s", err_get());
	assert_prints(through_json(a, g), text);
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

static void demands_read_back(void **state)
{
	static const char *const says[] = {
		" keep", " offload", " offload \"onednn\"", " offload \"a \\\"b\\\" \\xff\"",
		" @\"a label\" keep", " @\"keep\" offload", " @\"offload\" offload \"keep\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		struct arena *a = arena_new();

		assert_body_stays(arena_printf(a, "%%2: f32[N, 3] = identity(%%x)%s", says[i]));
		assert_body_stays(arena_printf(a, "%%2: f32[3, N] = transpose(%%x) {perm = [1, 0]}%s", says[i]));
		arena_free(a);
	}
}

static struct demand demand_of(struct arena *a, const char *says)
{
	const struct graph *g = parsed(a, arena_printf(a, "graph t\nfn @main(%%x: f32[2]) {\n"
						       "\t%%y = relu(%%x)%s\n\treturn %%y\n}\n", says));

	return function_at(graph_main(g), 1)->origin->demand;
}

static void demands_are_what_they_say(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_int_equal(demand_of(a, "").kind, DEMAND_NONE);
	assert_int_equal(demand_of(a, " @\"keep\"").kind, DEMAND_NONE);
	assert_int_equal(demand_of(a, " @\"y\" keep").kind, DEMAND_KEEP);
	assert_int_equal(demand_of(a, "offload").kind, DEMAND_OFFLOAD);
	assert_null(demand_of(a, "offload").generator);
	assert_string_equal(demand_of(a, "offload \"onednn\"").generator, "onednn");
	arena_free(a);
}

/* A graph of one binding with ITEMS in JSON is refused with MESSAGE. */
static void assert_json_wrong(const char *items, const char *message)
{
	struct arena *a = arena_new();
	json_t *json = json_loads(arena_printf(a, "{\"functions\": [{\"name\": \"main\", \"params\": [{\"type\": "
					       "\"f32[2]\"}], \"bindings\": [{%s}], \"results\": [1]}]}", items),
				  0, NULL);

	assert_non_null(json);
	assert_null(graph_from_json(a, "t", json));
	if (!strstr(err_get(), message))
		fail_msg("'%s' has no '%s'", err_get(), message);
	json_decref(json);
	arena_free(a);
}

static void wrong_demands_of_json(void **state)
{
	static const char relu[] = "\"kind\": \"call\", \"op\": \"relu\", \"args\": [0], ";
	static const struct {
		const char *says, *message;
	} wrong[] = {
		{ "\"keep\": false", "\"keep\" must be true" },
		{ "\"keep\": true, \"offload\": true", "without \"offload\"" },
		{ "\"offload\": 1", "must be true, or the name of a generator" },
		{ "\"offload\": false", "must be true, or the name of a generator" },
		{ "\"offload\": \"\"", "a generator has a name" },
		{ "\"offload\": \"\\\"\"", "behind a backslash" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_json_wrong(arena_printf(a, "%s%s", relu, wrong[i].says), wrong[i].message);
	assert_json_wrong("\"kind\": \"tuple\", \"args\": [0], \"keep\": true", "only calls of operators");
	arena_free(a);
}

/* TYPE, as a parameter's, reads back as it is. */
static void assert_type_stays(const char *type)
{
	struct arena *a = arena_new();

	assert_stays(arena_printf(a, "graph \"t\" @main\n\nfn @main(%%x: %s) -> %s {\n"
				  "\treturn %%x\n}\n", type, type));
	arena_free(a);
}

static void types_read_back(void **state)
{
	static const char *const types[] = {
		"?", "?[...]", "?[2, ?]", "??", "f32[]", "f32[0, 7]", "i4[...]", "string[1]?",
		"()", "(f32[],)", "(f32[], ?)", "[f16[2]]", "[[?]?]?", "fn() -> ?",
		"fn(f32[1], fn(?) -> ()) -> f32[2]?", "(fn(?) -> ?)?", "(fn(?) -> ?,)",
		"f32[1, 64, 56, 56]@nchw16c", "f32[2]@\"a b\"?", "f32[N * 2]", "f32[N + M, N * M]",
		"f32[\"batch size\" / 2, max(N + -3, 0)]", "f32[min(N, 5) + 1, N + N / 4 * -4]",
		"f32[N / 2 * 2 + 7, \"\\\"\\\\\\x80\"]", "f32[(N + M) / 3, min]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_type_stays(types[i]);
}

static void elements_keep_their_bits(void **state)
{
	static const char *const constants[] = {
		"f32[8] [1, -0, inf, -inf, nan, 0x7fc00001, -nan, 1e-45]",
		"f32[3] [0.1, 16777216, 3.4028235e+38]",
		"f64[3] [0.1, 5e-324, 0x7ff0000000000001]",
		"f16[4] [0.1, 65504, 6e-08, 0x7e01]", "bf16[2] [0.1, 3e+38]",
		"f8e4m3fn[2] [448, nan]", "f8e8m0[1] [0.5]", "f4e2m1[2] [-6, 0.5]",
		"i64[2] [-9223372036854775808, 9223372036854775807]",
		"u64[1] [18446744073709551615]", "i4[2] [-8, 7]", "u2[1] [3]",
		"bool[2] [true, false]", "string[2] [\"a\\\"\\\\\\xe2\\x82\\xac\", \"\"]",
		"f32[0, 3] []", "f32[] [2.5]", "f32[2, 2] [1, 2, 3, 4]",
		"u8[35] base64 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISI=",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		struct arena *a = arena_new();

		assert_body_stays(arena_printf(a, "%%c = const %s", constants[i]));
		arena_free(a);
	}
}

static void what_is_written_by_hand_is_read(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_prints(parsed(a, "# a comment\n\n  graph t  # another\n"
			     "fn @main(%x: f32[N + N]) {\n"
			     "  # nothing here\n"
			     "  %shape = const i64[2,1] [[1],\n\t\t[-1]]   # over two lines\n"
			     "  %12 \"y\" = identity(%x)\n\n"
			     "  return %12\n}"),
		      "graph \"t\" @main\n\nfn @main(%x: f32[N * 2]) -> f32[N * 2] {\n"
		      "\t%shape = const i64[2, 1] [1, -1]\n"
		      "\t%y: f32[N * 2] = identity(%x)\n"
		      "\treturn %y\n}\n");
	arena_free(a);
}

/* Reading TEXT fails at LINE and COLUMN with MESSAGE. */
static void assert_wrong(const char *text, const char *message)
{
	struct arena *a = arena_new();

	assert_null(graph_parse(a, "t", text));
	if (!strstr(err_get(), message))
		fail_msg("'%s' has no '%s'", err_get(), message);
	arena_free(a);
}

static void what_is_wrong_has_its_place(void **state)
{
	static const struct {
		const char *body, *message;
	} wrong[] = {
		{ "%x = identity(%y)", "t:3:16: there is no value %y above" },
		{ "%x = identity(%p)\n\t%x = identity(%p)", "t:4:2: there is a value %x already" },
		{ "%x = identify(%p)", "t:3:7: there is no operator identify" },
		{ "%x = identity(%p", "expected ','" },
		{ "%x = identity(%p) {a = 1}", "identity has no attribute a" },
		{ "%x = reshape(%p, %p) {allowzero = 1.0}", "allowzero" },
		{ "%x = reshape(%p, %p) {allowzero = 1, allowzero = 1}", "is there already" },
		{ "%x = identity(%p, %p)", "t:3:2: identity: 2 operands" },
		{ "%x: f32[3] = identity(%p)", "t:3:2: the value is f32[2]" },
		{ "%x = %p[0]", "t:3:2: field 0 of what has no such field" },
		{ "%t = tuple(_)\n\t%x = %t[0]", "the field was left out" },
		{ "%x = %p[9999999999]", "expected the number of a field" },
		{ "%x = _[0]", "there is no operator _" },
		{ "%x = call @other(%p)", "t:3:11: there is no function @other" },
		{ "%x = call @f()", "0 arguments for 1 parameters" },
		{ "%x = loop @f trips _ while _ state () with (%p)", "a loop's body takes" },
		{ "%c = const string[] [\"a\"]\n\t%x = if %c then @f else @f (%p)", "a condition is string[]" },
		{ "%t = tuple()\n\t%x = loop @f trips %t while _ state () with ()", "a loop's body takes" },
		{ "%x = const f32[2] [1]", "t:3:20: 1 elements where the type has 2" },
		{ "%x = const f32[N] [1]", "numbers for dims" },
		{ "%x = const u8[1] [256]", "t:3:20: expected a number of type u8" },
		{ "%x = const bool[1] base64 Bw==", "no base64 of elements of this type" },
		{ "%x = const u8[4] base64 AAAA", "no base64 of elements" },
		{ "%x = const f32[40] #0123", "expected '['" },
		{ "%x = const f32[1099511627776, 1099511627776] base64 A", "more elements than memory" },
		{ "%x = const f32[1099511627776] base64 AAAA", "base64 of fewer bytes" },
		{ "%x: f32[-1] = identity(%p)", "an extent below 0" },
		{ "%x: f3[1] = identity(%p)", "t:3:6: expected a type" },
		{ "return _", "a result cannot be left out" },
		{ "return %p\n\treturn %p", "expected '}'" },
		{ "%x = identity(%p) @label", "expected a label in quotes" },
		{ "%x = identity(%p) keep offload", "expected the end of the line" },
		{ "%x = identity(%p) keeper", "expected the end of the line" },
		{ "%x = identity(%p) offload \"\"", "t:3:2: a generator has a name" },
		{ "%x = tuple(%p) keep", "t:3:2: only calls of operators are kept or offloaded" },
		{ "%x = const f32[1] [1] offload", "only calls of operators are kept or offloaded" },
		{ "%x = identity(%p) %x", "expected the end of the line" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_wrong(arena_printf(a, "graph \"\" @f\nfn @f(%%p: f32[2]) {\n\t%s\n\treturn %%p\n}\n",
					  wrong[i].body), wrong[i].message);
	assert_wrong("", "t:1:1: expected 'graph'");
	assert_wrong("graph t", "there is no function main");
	assert_wrong("graph t\nfn @main() {\n", "t:2:13: the function does not end");
	assert_wrong("graph t\nfn @main() {\n\treturn\n}\nfn @main() {\n\treturn\n}\n",
		     "t:5:5: there is a function main already");
	arena_free(a);
}

/* @g is read while @f still is, so that what it says of a call of @f can be held against @f only when
 * both are there. */
static void what_a_cycle_was_told_must_come_true(void **state)
{
	struct arena *a = arena_new();
	const char *cycle = "graph t\nfn @main(%%x: f32[2]) {\n\t%%r = call @f(%%x)\n\treturn %%r\n}\n"
			    "fn @f(%%x: f32[2]) {\n\t%%r = call @g(%%x)\n\treturn %s\n}\n"
			    "fn @g(%%x: f32[2]) {\n\t%%r: (f32[2], f32[2]) = call @f(%%x)\n\treturn %%r\n}\n";

	(void)state;
	parsed(a, arena_printf(a, cycle, "%x, %x"));
	assert_wrong(arena_printf(a, cycle, "%x"),
		     "g: value %1 is of type (f32[2], f32[2]), but its relation gives f32[2]");
	assert_wrong(arena_printf(a, cycle, ""), "but its relation gives ()");
	arena_free(a);
}

/* Thirty tuples, each of the one before twice. */
static void types_do_not_double_without_end(void **state)
{
	struct text t = { 0 };

	(void)state;
	text_puts(&t, "graph t\nfn @main(%0: i64[]) {\n");
	for (int i = 1; i <= 30; i++)
		text_printf(&t, "\t%%%d = tuple(%%%d, %%%d)\n", i, i - 1, i - 1);
	text_puts(&t, "\treturn %30\n}\n");
	assert_wrong(text_str(&t), "a type of more than 65536 parts");
	text_free(&t);
}

/* --- constants beside the text */

/* 0, 0.5, ... 19.5 as f32. */
#define LONG_BASE64                                                           \
	"AAAAAAAAAD8AAIA/AADAPwAAAEAAACBAAABAQAAAYEAAAIBAAACQQAAAoEAAALBAAADAQAAA"	\
	"0EAAAOBAAADwQAAAAEEAAAhBAAAQQQAAGEEAACBBAAAoQQAAMEEAADhBAABAQQAASEEAAFBB"	\
	"AABYQQAAYEEAAGhBAABwQQAAeEEAAIBBAACEQQAAiEEAAIxBAACQQQAAlEEAAJhBAACcQQ=="

/* The data that the constants of a text are put into, each behind the other. */
struct beside {
	_Alignas(8) unsigned char bytes[1024];
	size_t n;
};

static size_t put_beside(void *user, const struct array *x)
{
	struct beside *b = user;
	size_t at = b->n;

	memcpy(b->bytes + at, x->data, array_bytes(x));
	b->n += array_bytes(x);
	return at;
}

static void constants_may_lie_beside_the_text(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct graph *g = parsed(a, "graph \"g\"\nfn @main() -> f32[2, 20] {\n"
				    "\t%small = const f32[2] [1, 2]\n"
				    "\t%long = const f32[2, 20] base64 " LONG_BASE64 "\n"
				    "\treturn %long\n}\n");
	struct beside data = { .n = 0 };
	struct text out = { 0 };

	graph_print_beside(&out, g, (struct text_place){ put_beside, &data });
	assert_int_equal(data.n, 160);
	assert_non_null(strstr(text_str(&out), "%small = const f32[2] [1, 2]\n"));
	assert_non_null(strstr(text_str(&out), "%long = const f32[2, 20] at 0\n"));
	const struct text_data beside = { .data = data.bytes, .bytes = data.n };
	struct graph *again = graph_parse_beside(a, "again", text_str(&out), beside);

	assert_non_null(again);
	assert_ptr_equal(function_const(graph_main(again), 1)->data, data.bytes);
	assert_true(array_equal(function_const(graph_main(again), 1), function_const(graph_main(g), 1)));
	text_free(&out);
	arena_free(a);
}

static void what_is_not_beside_the_text_is_refused(void **state)
{
	static const char *const wrong[] = {
		"f32[2] at 4", "f32[2] at 1", "f32[2] at -4", "f32[2] at", "string[1] at 0",
		"f32[N] at 0", "f32[9223372036854775807] at 0", "f32[1] at 9223372036854775807",
		"bool[8] at 0",
	};
	_Alignas(8) static const unsigned char data[8] = { 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct arena *a = arena_new();
		const char *text = arena_printf(a, "graph \"g\"\nfn @main() {\n\t%%x = const %s\n"
						   "\treturn %%x\n}\n", wrong[i]);

		const struct text_data beside = { .data = data, .bytes = sizeof(data) };

		if (graph_parse_beside(a, "wrong", text, beside))
			fail_msg("%s", wrong[i]);
		assert_null(graph_parse(a, "wrong", text));
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_binding_reads_back),
		cmocka_unit_test(demands_read_back),
		cmocka_unit_test(demands_are_what_they_say),
		cmocka_unit_test(wrong_demands_of_json),
		cmocka_unit_test(types_read_back),
		cmocka_unit_test(elements_keep_their_bits),
		cmocka_unit_test(what_is_written_by_hand_is_read),
		cmocka_unit_test(what_is_wrong_has_its_place),
		cmocka_unit_test(what_a_cycle_was_told_must_come_true),
		cmocka_unit_test(types_do_not_double_without_end),
		cmocka_unit_test(constants_may_lie_beside_the_text),
		cmocka_unit_test(what_is_not_beside_the_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
