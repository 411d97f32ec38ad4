/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_sequence.c - sequences, optionals, strings. */
#include "tests/fixture/op_fixture.h"

static int call(struct op_case *c, const struct core_op *op, int n, const int *args)
{
	return build_call(&c->builder, op, n, args, NULL);
}

static void test_sequence(void **state)
{
	struct op_case c = op_case_new();
	struct builder *b = &c.builder;
	int s = build(b, &core_sequence, iota(&c, ELEMENT_I32, 2), iota(&c, ELEMENT_I32, 3));
	int more = build(b, &core_sequence_insert, s, iota(&c, ELEMENT_I32, 1), build_int(b, -1));

	(void)state;
	EXPECT_RESULT(&c, "[i32[2] 0 1, i32[3] 0 1 2]", s);
	EXPECT_RESULT(&c, "[i32[2] 0 1, i32[1] 0, i32[3] 0 1 2]", more);
	EXPECT_RESULT(&c, "i64[] 3", build(b, &core_sequence_length, more));
	EXPECT_RESULT(&c, "i32[3] 0 1 2", build(b, &core_sequence_at, s, build_int(b, -1)));
	EXPECT_RESULT(&c, "[i32[2] 0 1]", build(b, &core_sequence_erase, s));
	EXPECT_RESULT(&c, "[i32[3] 0 1 2]", build(b, &core_sequence_erase, s, build_int(b, 0)));
	EXPECT_RESULT(&c, "[]", call(&c, &core_sequence, 0, NULL));
	REFUSE_RESULT(&c, "index 2 of 2", build(b, &core_sequence_at, s, build_int(b, 2)));
	REFUSE_RESULT(&c, "another element type", build(b, &core_sequence, iota(&c, ELEMENT_I32, 2),
							iota(&c, ELEMENT_F32, 2)));
	REFUSE_RESULT(&c, "f32 into a sequence of i32",
		      build(b, &core_sequence_insert, s, iota(&c, ELEMENT_F32, 2)));
	REFUSE_RESULT(&c, "no sequence", build(b, &core_sequence_length, ints(&c, 1)));
	op_case_free(&c);
}

static void test_chunks(void **state)
{
	struct op_case c = op_case_new();
	struct builder *b = &c.builder;
	struct attr_vec stack = { 0 }, drop = { 0 };
	int x = iota(&c, ELEMENT_I32, 3, 2);

	(void)state;
	attrs_int(c.arena, &stack, "new_axis", 1);
	attrs_int(c.arena, &stack, "axis", -1);
	attrs_int(c.arena, &drop, "keepdims", 0);
	int rows = build_with(b, &core_split_sequence, &drop, x);

	EXPECT_RESULT(&c, "[i32[2] 0 1, i32[2] 2 3, i32[2] 4 5]", rows);
	EXPECT_RESULT(&c, "[i32[2, 2] 0 1 2 3, i32[1, 2] 4 5]",
		      build(b, &core_split_sequence, x, build_int(b, 2)));
	EXPECT_RESULT(&c, "[i32[0, 2], i32[3, 2] 0 1 2 3 4 5]",
		      build(b, &core_split_sequence, x, ints(&c, 0, 3)));
	EXPECT_RESULT(&c, "i32[6] 0 1 2 3 4 5", build(b, &core_concat_sequence, rows));
	EXPECT_RESULT(&c, "i32[2, 3] 0 2 4 1 3 5",
		      build_with(b, &core_concat_sequence, &stack, rows));
	REFUSE_RESULT(&c, "together", build(b, &core_split_sequence, x, ints(&c, 1, 1)));
	REFUSE_RESULT(&c, "an empty sequence",
		      build(b, &core_concat_sequence, call(&c, &core_sequence, 0, NULL)));
	op_case_free(&c);
}

static void test_optional(void **state)
{
	struct op_case c = op_case_new();
	struct builder *b = &c.builder;
	int some = build(b, &core_optional, iota(&c, ELEMENT_I32, 2));
	int none = call(&c, &core_optional, 0, NULL);

	(void)state;
	EXPECT_RESULT(&c, "i32[2] 0 1", build(b, &core_optional_get, some));
	EXPECT_RESULT(&c, "bool[] 1", build(b, &core_optional_has, some));
	EXPECT_RESULT(&c, "bool[] 0", build(b, &core_optional_has, none));
	EXPECT_RESULT(&c, "bool[] 1", build(b, &core_optional_has, ints(&c, 4)));
	REFUSE_RESULT(&c, "operand 0 is empty", build(b, &core_optional_get, none));
	/* what is not there is no tensor either */
	REFUSE_RESULT(&c, "operand 0 is empty",
		      build(b, &core_transpose, build(b, &core_optional_get, none)));
	op_case_free(&c);
}

static int words(struct op_case *c, int n, const char *const *v)
{
	return strings_of(c, 1, (const int64_t[]){ n }, v);
}

#define WORDS(...)                                                                                 \
	(int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)),                      \
		(const char *const[]){ __VA_ARGS__ }

static void test_strings(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec comma = { 0 }, upper = { 0 }, pattern = { 0 };

	(void)state;
	attrs_string(c.arena, &comma, "delimiter", ",");
	attrs_int(c.arena, &comma, "max", 1);
	attrs_string(c.arena, &upper, "case", "upper");
	attrs_string(c.arena, &upper, "stopwords", "monday\nmärz");
	attrs_string(c.arena, &pattern, "pattern", "(?:\\w+\\.\\b)+[\\d-]{2,}?");
	EXPECT(&c, "string[2] 'ac' 'bc'", &core_string_concat, NULL, words(&c, WORDS("a", "b")),
	       words(&c, WORDS("c")));
	EXPECT(&c, "(string[2, 2] 'a' 'b,c' '' '', i64[2] 2 1)", &core_string_split, &comma,
	       words(&c, WORDS("a,b,c", "")));
	EXPECT(&c, "(string[2, 2] 'a' 'b' '' '', i64[2] 2 0)", &core_string_split, NULL,
	       words(&c, WORDS(" a  b ", "  ")));
	EXPECT(&c, "string[2] 'ÄRGER' 'TUESDAY'", &core_string_normalize, &upper,
	       words(&c, WORDS("Monday", "ärger", "MÄRZ", "tuesday")));
	EXPECT(&c, "string[1] ''", &core_string_normalize, &upper, words(&c, WORDS("monday")));
	EXPECT(&c, "bool[3] 1 0 0", &core_regex_match, &pattern,
	       words(&c, WORDS("ab.c_1.2-3", "ab.c.2", "a b.22")));
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequence),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_optional),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
