/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_select.c - operators whose results depend on what the elements are. */
#include "tests/fixture/op_fixture.h"

#include <math.h>

static void test_top_k(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec least = { 0 }, first = { 0 };
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 4), LIST(1, 3, 3, 2, 5, NAN, -1, 0));

	(void)state;
	attrs_int(c.arena, &least, "largest", 0);
	attrs_int(c.arena, &first, "axis", 0);
	EXPECT(&c, "(f32[2, 2] 3 3 nan 5, i64[2, 2] 1 2 1 0)", &core_top_k, NULL, x, ints(&c, 2));
	EXPECT(&c, "(f32[2, 2] 1 2 -1 0, i64[2, 2] 0 3 2 3)", &core_top_k, &least, x, ints(&c, 2));
	EXPECT(&c, "(f32[1, 4] 5 nan 3 2, i64[1, 4] 1 1 0 0)", &core_top_k, &first, x, ints(&c, 1));
	EXPECT(&c, "(f32[2, 0], i64[2, 0])", &core_top_k, NULL, x, ints(&c, 0));
	EXPECT(&c, "(u64[1] -1, i64[1] 1)", &core_top_k, NULL,
	       numbers_of(&c, ELEMENT_U64, SHAPE(2), LIST(7, -1)), ints(&c, 1));
	REFUSE(&c, "5 of 4", &core_top_k, NULL, x, ints(&c, 5));
	op_case_free(&c);
}

static void test_nonzero(void **state)
{
	struct op_case c = op_case_new();

	(void)state;
	EXPECT(&c, "i64[2, 3] 0 1 1 1 0 1", &core_nonzero, NULL,
	       numbers_of(&c, ELEMENT_F32, SHAPE(2, 2), LIST(0, -0.5, 1, 2)));
	EXPECT(&c, "i64[0, 1]", &core_nonzero, NULL, build_scalar(&c.builder, ELEMENT_I32, 3));
	EXPECT(&c, "i64[1, 0]", &core_nonzero, NULL, iota(&c, ELEMENT_BOOL, 0));
	op_case_free(&c);
}

static void test_compress(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec axis = { 0 }, flat = { 0 };
	int x = iota(&c, ELEMENT_I32, 2, 3);
	int condition = numbers_of(&c, ELEMENT_BOOL, SHAPE(3), LIST(1, 0, 1));

	(void)state;
	attrs_int(c.arena, &axis, "axis", -1);
	attrs_int(c.arena, &flat, "flat", 1);
	EXPECT(&c, "i32[2, 2] 0 2 3 5", &core_compress, &axis, x, condition);
	EXPECT(&c, "i32[2] 0 2", &core_compress, &flat, x, condition);
	REFUSE(&c, "3 conditions for an extent of 2", &core_compress, NULL, x, condition);
	op_case_free(&c);
}

static void test_unique(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec flat = { 0 }, unsorted = { 0 };
	const char *const words[] = { "b", "a", "b" };
	int rows = numbers_of(&c, ELEMENT_I8, SHAPE(3, 2), LIST(2, 1, 0, 5, 2, 1));

	(void)state;
	attrs_int(c.arena, &flat, "flat", 1);
	attrs_int(c.arena, &unsorted, "flat", 1);
	attrs_int(c.arena, &unsorted, "sorted", 0);
	EXPECT(&c, "(f32[3] 1 2 nan, i64[3] 1 0 2, i64[5] 1 0 2 2 1, i64[3] 1 2 2)", &core_unique,
	       &flat, numbers_of(&c, ELEMENT_F32, SHAPE(5), LIST(2, 1, NAN, NAN, 2)));
	EXPECT(&c, "(string[2] 'b' 'a', i64[2] 0 1, i64[3] 0 1 0, i64[2] 2 1)", &core_unique,
	       &unsorted, strings_of(&c, SHAPE(3), words));
	EXPECT(&c, "(i8[2, 2] 0 5 2 1, i64[2] 1 0, i64[3] 1 0 1, i64[2] 1 2)", &core_unique, NULL,
	       rows);
	op_case_free(&c);
}

static void test_reverse_sequence(void **state)
{
	struct op_case c = op_case_new();

	(void)state;
	EXPECT(&c, "i32[3, 2] 4 1 2 3 0 5", &core_reverse_sequence, NULL,
	       iota(&c, ELEMENT_I32, 3, 2), ints(&c, 3, 0));
	REFUSE(&c, "length 4 of 3", &core_reverse_sequence, NULL, iota(&c, ELEMENT_I32, 3, 2),
	       ints(&c, 3, 4));
	op_case_free(&c);
}

/* The first two overlap by more than a half; the last is apart. */
static void test_boxes(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec center = { 0 };
	int corners = numbers_of(&c, ELEMENT_F32, SHAPE(1, 3, 4),
				 LIST(0, 0, 1, 1, 1.1, 1, 0.1, 0, 5, 5, 6, 6));
	int centers = numbers_of(&c, ELEMENT_F32, SHAPE(1, 3, 4),
				 LIST(0.5, 0.5, 1, 1, 0.6, 0.5, 1, 1, 5.5, 5.5, 1, 1));
	int scores = numbers_of(&c, ELEMENT_F32, SHAPE(1, 2, 3), LIST(0.9, 0.95, 0.1, 0.3, 0.3, 0.3));
	int most = ints(&c, 5), half = build_scalar(&c.builder, ELEMENT_F32, 0.5);
	int least = build_scalar(&c.builder, ELEMENT_F32, 0.2);

	(void)state;
	attrs_int(c.arena, &center, "center_point_box", 1);
	EXPECT(&c, "i64[3, 3] 0 0 1 0 1 0 0 1 2", &core_non_max_suppression, NULL, corners, scores,
	       most, half, least);
	EXPECT(&c, "i64[4, 3] 0 0 1 0 0 2 0 1 0 0 1 2", &core_non_max_suppression, &center, centers,
	       scores, most, half);
	EXPECT(&c, "i64[0, 3]", &core_non_max_suppression, NULL, corners, scores);
	REFUSE(&c, "do not fit", &core_non_max_suppression, NULL, corners,
	       iota(&c, ELEMENT_F32, 1, 2, 4), most);
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_k),	 cmocka_unit_test(test_nonzero),
		cmocka_unit_test(test_compress), cmocka_unit_test(test_unique),
		cmocka_unit_test(test_reverse_sequence), cmocka_unit_test(test_boxes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
