/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_resize.c - resizing against the numbers of the standard's own implementation. */
#include "tests/fixture/op_fixture.h"

#include <math.h>

struct numbers {
	int n;
	const double *at;
};

#define NUMBERS(...)                                                                               \
	{                                                                                          \
		(int)(sizeof((const double[]){ 0, ##__VA_ARGS__ }) / sizeof(double)) - 1,          \
			(const double[]){ 0, ##__VA_ARGS__ } + 1                                   \
	}

static const struct resize_example {
	const char *mode, *coordinates, *nearest;
	int antialias, exclude_outside;
	double extrapolation;
	const char *keep_aspect;
	struct numbers shape, roi, scales, sizes, result_shape, result;
} examples[] = {
#undef LIST
#define LIST NUMBERS
#define X(...) { __VA_ARGS__ },
#include "tests/unit/graph/op/resize.def"
#undef X
};

enum { EXAMPLES = (int)(sizeof(examples) / sizeof(*examples)) };

static struct attr_vec attributes(struct arena *a, const struct resize_example *e)
{
	struct attr_vec attrs = { 0 };

	attrs_string(a, &attrs, "mode", e->mode);
	attrs_string(a, &attrs, "coordinates", e->coordinates);
	attrs_string(a, &attrs, "nearest", e->nearest);
	attrs_int(a, &attrs, "antialias", e->antialias);
	attrs_int(a, &attrs, "exclude_outside", e->exclude_outside);
	attrs_float(a, &attrs, "extrapolation", e->extrapolation);
	attrs_string(a, &attrs, "keep_aspect", e->keep_aspect);
	return attrs;
}

static int list(struct op_case *c, enum element e, const struct numbers *v)
{
	return v->n ? numbers_of(c, e, 1, (const int64_t[]){ v->n }, v->at) : VALUE_NONE;
}

static int image(struct op_case *c, enum element e, const struct numbers *shape)
{
	int64_t dim[GRAPH_MAX_RANK];

	for (int i = 0; i < shape->n; i++)
		dim[i] = (int64_t)shape->at[i];
	struct array *x = array_in(c->arena, e, shape->n, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, (double)(7 * i % 11 - 3));
	return build_const(&c->builder, x);
}

static void compare(int i, const char *what, const struct array *got, const struct numbers *want)
{
	assert_int_equal(got->count, want->n);
	for (int j = 0; j < want->n; j++)
		if (fabs(array_float(got, j) - want->at[j]) > 1e-4)
			fail_msg("case %d (%s, %s), %s: element %d is %g, not %g", i, examples[i].mode,
				 examples[i].coordinates, what, j, array_float(got, j), want->at[j]);
}

static void test_reference(void **state)
{
	static const enum element elements[] = { ELEMENT_F32, ELEMENT_F64 };
	int expressed = 0;

	(void)state;
	for (int i = 0; i < 2 * EXAMPLES; i++) {
		const struct resize_example *e = &examples[i / 2];
		struct op_case c = op_case_new();
		struct attr_vec attrs = attributes(c.arena, e);
		int args[] = { image(&c, elements[i % 2], &e->shape), list(&c, ELEMENT_F32, &e->roi),
			       list(&c, ELEMENT_F32, &e->scales), list(&c, ELEMENT_I64, &e->sizes) };
		int n = e->sizes.n ? 4 : 3;
		int y = build_call(&c.builder, &core_resize, n, args, &attrs);
		const struct array *got = build_array(&c.builder, y);

		if (!got)
			fail_msg("case %d: %s", i / 2, err_get());
		for (int d = 0; d < got->rank; d++)
			assert_int_equal(got->dim[d], e->result_shape.at[d]);
		compare(i / 2, "evaluated", got, &e->result);
		const struct array *kernel = express_of(
			&c, plain_call(&c, &core_resize, &attrs, n, args), n, args, got);

		if (kernel)
			compare(i / 2, "as a tensor expression", kernel, &e->result);
		expressed += kernel != NULL;
		op_case_free(&c);
	}
	print_message("%d of %d have a tensor expression\n", expressed, 2 * EXAMPLES);
	assert_in_range(expressed, EXAMPLES / 2, 2 * EXAMPLES);
}

static void test_elements(void **state)
{
	struct op_case c = op_case_new();
	struct attr_vec linear = { 0 }, axes = { 0 };
	const char *const words[] = { "a", "b" };
	int twice = numbers_of(&c, ELEMENT_F32, SHAPE(1), (const double[]){ 2 });

	(void)state;
	attrs_string(c.arena, &linear, "mode", "linear");
	attrs_ints(c.arena, &axes, "axes", 1, (const int64_t[]){ -1 });
	EXPECT(&c, "string[4] 'a' 'a' 'b' 'b'", &core_resize, NULL, strings_of(&c, SHAPE(2), words),
	       VALUE_NONE, twice);
	EXPECT(&c, "u8[4] 0 50 150 200", &core_resize, &linear,
	       numbers_of(&c, ELEMENT_U8, SHAPE(2), (const double[]){ 0, 200 }), VALUE_NONE, twice);
	EXPECT(&c, "i32[2, 4] 0 0 1 1 2 2 3 3", &core_resize, &axes, iota(&c, ELEMENT_I32, 2, 2),
	       VALUE_NONE, twice);
	REFUSE(&c, "a scale or a size for each axis", &core_resize, NULL,
	       iota(&c, ELEMENT_I32, 2, 2), VALUE_NONE, twice);
	REFUSE(&c, "cannot grow", &core_resize, NULL, iota(&c, ELEMENT_I32, 0), VALUE_NONE,
	       VALUE_NONE, ints(&c, 3));
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
