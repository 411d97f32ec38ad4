/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_move.c - operators that move data: what they give, and what they refuse. */
#include "tests/fixture/op_fixture.h"

static int grid(struct op_case *c, int rank, const int64_t *dim, const double *v)
{
	return numbers_of(c, ELEMENT_I64, rank, dim, v);
}

static struct attr_vec mode(struct op_case *c, const char *name)
{
	struct attr_vec attrs = { 0 };

	attrs_string(c->arena, &attrs, "mode", name);
	return attrs;
}

static void test_transpose(void **state)
{
	struct op_case g = op_case_new();

	(void)state;
	EXPECT(&g, "f32[3, 2] 0 3 1 4 2 5", &core_transpose, NULL, iota(&g, ELEMENT_F32, 2, 3));
	struct attr_vec perm = { 0 };

	attrs_ints(g.arena, &perm, "perm", 3, (const int64_t[]){ 1, 2, 0 });
	EXPECT(&g, "i64[2, 2, 1] 0 1 2 3", &core_transpose, &perm, iota(&g, ELEMENT_I64, 1, 2, 2));
	REFUSE(&g, "perm is no permutation", &core_transpose, &perm, iota(&g, ELEMENT_I64, 2, 2));
	op_case_free(&g);
}

static void test_slice(void **state)
{
	struct op_case g = op_case_new();
	int x = iota(&g, ELEMENT_I32, 2, 5);

	(void)state;
	EXPECT(&g, "i32[1, 5] 5 6 7 8 9", &core_slice, NULL, x, ints(&g, -1), ints(&g, INT64_MAX));
	EXPECT(&g, "i32[2, 3] 4 2 0 9 7 5", &core_slice, NULL, x, ints(&g, -1),
	       ints(&g, INT64_MIN), ints(&g, 1), ints(&g, -2));
	EXPECT(&g, "i32[0, 5]", &core_slice, NULL, x, ints(&g, 7), ints(&g, 9));
	EXPECT(&g, "i32[1, 2] 1 4", &core_slice, NULL, x, ints(&g, 0, 1), ints(&g, 1, 9),
	       ints(&g, 0, -1), ints(&g, 1, 3));
	REFUSE(&g, "a step of 0", &core_slice, NULL, x, ints(&g, 0), ints(&g, 9), ints(&g, 0),
	       ints(&g, 0));
	REFUSE(&g, "axes that rank 2 has not, or twice", &core_slice, NULL, x, ints(&g, 0, 0),
	       ints(&g, 9, 9), ints(&g, 1, -1));
	op_case_free(&g);
}

static void test_views(void **state)
{
	struct op_case g = op_case_new();

	(void)state;
	EXPECT(&g, "i32[3] 0 1 2", &core_squeeze, NULL, iota(&g, ELEMENT_I32, 1, 3, 1));
	EXPECT(&g, "i32[3, 1] 0 1 2", &core_squeeze, NULL, iota(&g, ELEMENT_I32, 1, 3, 1),
	       ints(&g, 0));
	REFUSE(&g, "axis 1 has extent 3", &core_squeeze, NULL, iota(&g, ELEMENT_I32, 1, 3, 1),
	       ints(&g, 1));
	EXPECT(&g, "i32[1, 3, 1] 0 1 2", &core_unsqueeze, NULL, iota(&g, ELEMENT_I32, 3),
	       ints(&g, 0, -1));
	op_case_free(&g);
}

static void test_reshape(void **state)
{
	struct op_case g = op_case_new();
	struct attr_vec zero = { 0 };

	(void)state;
	attrs_int(g.arena, &zero, "allowzero", 1);
	EXPECT(&g, "i32[3, 1, 2] 0 1 2 3 4 5", &core_reshape, NULL, iota(&g, ELEMENT_I32, 2, 3),
	       ints(&g, 3, -1, 2));
	EXPECT(&g, "i32[2, 3, 1] 0 1 2 3 4 5", &core_reshape, NULL, iota(&g, ELEMENT_I32, 2, 3),
	       ints(&g, 0, -1, 1));
	EXPECT(&g, "i32[0, 6]", &core_reshape, NULL, iota(&g, ELEMENT_I32, 0, 2, 3),
	       ints(&g, 0, -1));
	EXPECT(&g, "i32[7, 0]", &core_reshape, &zero, iota(&g, ELEMENT_I32, 0, 2), ints(&g, 7, 0));
	REFUSE(&g, "6 elements are no multiple of 4", &core_reshape, NULL,
	       iota(&g, ELEMENT_I32, 2, 3), ints(&g, 4, -1));
	REFUSE(&g, "6 elements in a shape of 5", &core_reshape, NULL, iota(&g, ELEMENT_I32, 2, 3),
	       ints(&g, 5));
	REFUSE(&g, "more than one -1", &core_reshape, NULL, iota(&g, ELEMENT_I32, 2, 3),
	       ints(&g, -1, -1));
	op_case_free(&g);
}

static void test_expand_tile(void **state)
{
	struct op_case g = op_case_new();

	(void)state;
	EXPECT(&g, "i32[2, 3] 0 1 2 0 1 2", &core_expand, NULL, iota(&g, ELEMENT_I32, 3),
	       ints(&g, 2, 1));
	EXPECT(&g, "i32[2, 2] 0 0 1 1", &core_expand, NULL, iota(&g, ELEMENT_I32, 2, 1),
	       ints(&g, 2));
	REFUSE(&g, "do not fit", &core_expand, NULL, iota(&g, ELEMENT_I32, 3), ints(&g, 2));
	EXPECT(&g, "i32[4, 4] 0 1 0 1 2 3 2 3 0 1 0 1 2 3 2 3", &core_tile, NULL,
	       iota(&g, ELEMENT_I32, 2, 2), ints(&g, 2, 2));
	EXPECT(&g, "i32[0]", &core_tile, NULL, iota(&g, ELEMENT_I32, 2), ints(&g, 0));
	REFUSE(&g, "1 repeats", &core_tile, NULL, iota(&g, ELEMENT_I32, 2, 2), ints(&g, 2));
	op_case_free(&g);
}

static void test_pad(void **state)
{
	struct op_case g = op_case_new();
	int x = iota(&g, ELEMENT_I32, 3);
	struct attr_vec reflect = mode(&g, "reflect"), edge = mode(&g, "edge"),
			wrap = mode(&g, "wrap");

	(void)state;
	EXPECT(&g, "i32[6] 0 0 0 1 2 0", &core_pad, NULL, x, ints(&g, 2, 1));
	EXPECT(&g, "i32[3] 1 2 7", &core_pad, NULL, x, ints(&g, -1, 1),
	       build_scalar(&g.builder, ELEMENT_I32, 7));
	EXPECT(&g, "i32[12] 1 2 1 0 1 2 1 0 1 2 1 0", &core_pad, &reflect, x, ints(&g, 3, 6));
	EXPECT(&g, "i32[6] 0 0 0 1 2 2", &core_pad, &edge, x, ints(&g, 2, 1));
	EXPECT(&g, "i32[8] 2 0 1 2 0 1 2 0", &core_pad, &wrap, x, ints(&g, 1, 4));
	EXPECT(&g, "i32[1, 4] 0 0 1 0", &core_pad, NULL, iota(&g, ELEMENT_I32, 1, 2),
	       ints(&g, 1, 1), VALUE_NONE, ints(&g, -1));
	REFUSE(&g, "extent", &core_pad, NULL, x, ints(&g, -2, -2));
	op_case_free(&g);
}

static void test_join(void **state)
{
	struct op_case g = op_case_new();
	struct attr_vec axis = { 0 };

	(void)state;
	attrs_int(g.arena, &axis, "axis", -1);
	EXPECT(&g, "i32[2, 3] 0 0 1 1 2 3", &core_concat, &axis, iota(&g, ELEMENT_I32, 2, 1),
	       iota(&g, ELEMENT_I32, 2, 2));
	REFUSE(&g, "do not fit", &core_concat, &axis, iota(&g, ELEMENT_I32, 2, 1),
	       iota(&g, ELEMENT_I32, 3, 2));
	EXPECT(&g, "(i32[2, 1] 0 3, i32[2, 0], i32[2, 2] 1 2 4 5)", &core_split, &axis,
	       iota(&g, ELEMENT_I32, 2, 3), ints(&g, 1, 0, 2));
	REFUSE(&g, "do not fit", &core_split, &axis, iota(&g, ELEMENT_I32, 2, 3), ints(&g, 1, 1));
	op_case_free(&g);
}

static void test_fill_range(void **state)
{
	struct op_case g = op_case_new();
	struct builder *b = &g.builder;

	(void)state;
	EXPECT(&g, "f32[2, 2] 3 3 3 3", &core_fill, NULL, ints(&g, 2, 2),
	       build_scalar(b, ELEMENT_F32, 3));
	REFUSE(&g, "an extent of -1", &core_fill, NULL, ints(&g, -1),
	       build_scalar(b, ELEMENT_F32, 3));
	EXPECT(&g, "i64[3] 5 3 1", &core_range, NULL, build_int(b, 5), build_int(b, 0),
	       build_int(b, -2));
	EXPECT(&g, "i64[0]", &core_range, NULL, build_int(b, 5), build_int(b, 0), build_int(b, 2));
	EXPECT(&g, "f32[3] 0 0.5 1", &core_range, NULL, build_scalar(b, ELEMENT_F32, 0),
	       build_scalar(b, ELEMENT_F32, 1.25), build_scalar(b, ELEMENT_F32, 0.5));
	REFUSE(&g, "it has no end", &core_range, NULL, build_int(b, 5), build_int(b, 0),
	       build_int(b, 0));
	op_case_free(&g);
}

static void test_gather(void **state)
{
	struct op_case g = op_case_new();
	struct attr_vec axis = { 0 }, batch = { 0 };
	int x = iota(&g, ELEMENT_I32, 2, 3);

	(void)state;
	attrs_int(g.arena, &axis, "axis", 1);
	attrs_int(g.arena, &batch, "batch_dims", 1);
	EXPECT(&g, "i32[2, 1, 2] 2 0 5 3", &core_gather, &axis, x, grid(&g, SHAPE(1, 2), LIST(2, 0)));
	EXPECT(&g, "i32[3] 3 4 5", &core_gather, NULL, x, build_int(&g.builder, -1));
	REFUSE(&g, "index 2 of 2", &core_gather, NULL, x, build_int(&g.builder, 2));
	EXPECT(&g, "i32[1, 2] 2 0", &core_gather_elements, &axis, x,
	       grid(&g, SHAPE(1, 2), LIST(-1, 0)));
	REFUSE(&g, "index -4 of 3", &core_gather_elements, &axis, x,
	       grid(&g, SHAPE(1, 2), LIST(-4, 0)));
	EXPECT(&g, "i32[2] 5 0", &core_gather_nd, NULL, x, grid(&g, SHAPE(2, 2), LIST(-1, 2, 0, 0)));
	EXPECT(&g, "i32[2] 1 5", &core_gather_nd, &batch, x, grid(&g, SHAPE(2, 1), LIST(1, 2)));
	REFUSE(&g, "index 9 of 3", &core_gather_nd, &batch, x, grid(&g, SHAPE(2, 1), LIST(1, 9)));
	op_case_free(&g);
}

static void test_scatter(void **state)
{
	struct op_case g = op_case_new();
	struct attr_vec axis = { 0 }, add = { 0 };
	int x = iota(&g, ELEMENT_F32, 2, 3);

	(void)state;
	attrs_int(g.arena, &axis, "axis", 1);
	attrs_string(g.arena, &axis, "reduction", "max");
	attrs_string(g.arena, &add, "reduction", "add");
	EXPECT(&g, "f32[2, 3] 0 1 2 3 4 5", &core_scatter_elements, &axis, x,
	       grid(&g, SHAPE(1, 2), LIST(0, -1)), iota(&g, ELEMENT_F32, 1, 2));
	EXPECT(&g, "f32[2, 3] 0 1 2 4 6 8", &core_scatter_nd, &add, x, grid(&g, SHAPE(1, 1), LIST(1)),
	       numbers_of(&g, ELEMENT_F32, SHAPE(1, 3), LIST(1.0, 2.0, 3.0)));
	EXPECT(&g, "f32[3] 1 1 3", &core_scatter_nd, &add, iota(&g, ELEMENT_F32, 3),
	       grid(&g, SHAPE(3, 1), LIST(0, 2, 0)),
	       numbers_of(&g, ELEMENT_F32, SHAPE(3), LIST(0.5, 1.0, 0.5)));
	REFUSE(&g, "index 2 of 2", &core_scatter_nd, &add, x, grid(&g, SHAPE(1, 1), LIST(2)),
	       iota(&g, ELEMENT_F32, 1, 3));
	op_case_free(&g);
}

static void expect_type(struct op_case *c, const char *want, int value)
{
	struct text text = { 0 };

	if (value == VALUE_FAILED)
		fail_msg("%s", err_get());
	type_print(&text, build_type(&c->builder, value));
	assert_string_equal(text_str(&text), want);
	text_free(&text);
}

/* The arithmetic on shapes that exporters write: what is known of the elements goes on. */
static void test_shapes(void **state)
{
	struct op_case g = op_case_new();
	struct builder *b = &g.builder;
	const struct axis *n = graph_symbol(g.graph, "N");
	struct dim dim[] = { dim_expr(g.arena, expr_axis(g.arena, n)), dim_number(3), dim_number(8) };
	int x = build_param(b, "x", type_tensor(g.arena, ELEMENT_F32, 3, dim));
	int shape = build(b, &core_shape_of, x);
	int batch = build(b, &core_unsqueeze, build(b, &core_gather, shape, build_int(b, 0)),
			  ints(&g, 0));
	int behind = build(b, &core_slice, shape, ints(&g, 1), ints(&g, INT64_MAX));

	(void)state;
	expect_type(&g, "f32[N, 24]",
		    build(b, &core_reshape, x, build(b, &core_concat, batch, ints(&g, -1))));
	expect_type(&g, "f32[N, 3, 8]", build(b, &core_fill, build(b, &core_concat, batch, behind),
					      build_scalar(b, ELEMENT_F32, 0)));
	expect_type(&g, "i64[N]", build(b, &core_range, build_int(b, 0),
					build(b, &core_squeeze, batch), build_int(b, 1)));
	expect_type(&g, "f32[N, 3, 4]", build(b, &core_slice, x, ints(&g, 0), ints(&g, INT64_MAX),
					      ints(&g, 2), ints(&g, 2)));
	expect_type(&g, "f32[min(5, N), 3, 8]",
		    build(b, &core_slice, x, ints(&g, 0), ints(&g, 5)));
	expect_type(&g, "f32[N, 6, 8]", build(b, &core_tile, x, ints(&g, 1, 2, 1)));
	expect_type(&g, "f32[N + 2, 3, 8]", build(b, &core_pad, x, ints(&g, 1, 0, 0, 1, 0, 0)));
	expect_type(&g, "f32[N, 3]",
		    build(b, &core_expand, build_scalar(b, ELEMENT_F32, 1),
			  build(b, &core_concat, batch, ints(&g, 3))));
	op_case_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transpose),   cmocka_unit_test(test_slice),
		cmocka_unit_test(test_views),	    cmocka_unit_test(test_expand_tile),
		cmocka_unit_test(test_pad),	    cmocka_unit_test(test_join),
		cmocka_unit_test(test_fill_range),  cmocka_unit_test(test_gather),
		cmocka_unit_test(test_scatter),	    cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_reshape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
