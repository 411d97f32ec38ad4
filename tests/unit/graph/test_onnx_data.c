/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_onnx_data.c - values to files and back; when values agree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/eval/compare.h"
#include "graph/onnx/data.h"

/* COUNT elements of E that are as different as its bits allow; strings of some lengths. */
static struct array *sample(struct arena *a, enum element e, int64_t count)
{
	static const char *const words[] = { "", "a", "two words", "\xc3\xa4" };
	struct array *x = array_in(a, e, 1, &count);

	for (int64_t i = 0; i < count; i++) {
		if (e == ELEMENT_STRING)
			((const char **)x->data)[i] = words[i % 4];
		else if (element_is_float(e))
			element_store(e, x->data, i, (double)(i % 7) - 3);
		else
			element_store_int(e, x->data, i, i * 5 - 3);
	}
	return x;
}

static const struct array *through_file(struct arena *a, const char *path, const struct array *x)
{
	struct value v = value_of_array(x), back;

	if (data_write(path, "x", v, false) < 0 ||
	    data_read(a, path, type_of_array(a, x), &back) < 0)
		fail_msg("%s: %s", element_name(x->element), err_get());
	assert_int_equal(back.kind, VALUE_ARRAY);
	return back.array;
}

static void round_trips(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const char *path = arena_printf(a, "%s/x.pb", folder);

	for (int e = 0; e < ELEMENT_COUNT; e++)
		for (int64_t count = 0; count < 70; count += 23) {
			struct array *x = sample(a, (enum element)e, count);

			assert_true(array_equal(through_file(a, path, x), x));
		}
	dir_remove(folder);
	arena_free(a);
}

static void round_trips_sequences(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const char *path = arena_printf(a, "%s/x.pb", folder);
	struct value parts[] = { value_of_array(sample(a, ELEMENT_F32, 3)),
				 value_of_array(sample(a, ELEMENT_F32, 0)) };
	struct value v = value_of_items(VALUE_SEQUENCE, 2, parts), back;
	struct text why = { 0 };

	assert_int_equal(data_write(path, "s", v, false), 0);
	assert_int_equal(data_read(a, path, value_type(a, v), &back), 0);
	assert_true(value_agrees(back, v, &tolerance_of_onnx, &why));
	value_release(back);

	/* of a result that the model does not know the type of; what it knows is what the file has */
	assert_int_equal(data_read(a, path, data_result_type(a, &type_unknown, v), &back), 0);
	assert_true(value_agrees(back, v, &tolerance_of_onnx, &why));
	value_release(back);

	const struct type *optional = type_optional(a, value_type(a, v));

	assert_ptr_equal(data_result_type(a, optional, v), optional);
	assert_int_equal(data_write(path, "o", v, true), 0);
	assert_int_equal(data_read(a, path, optional, &back), 0);
	assert_true(value_agrees(back, v, &tolerance_of_onnx, &why));
	value_release(back);
	value_release(v);
	assert_int_equal(data_write(path, "o", value_empty(), true), 0);
	assert_int_equal(data_read(a, path, optional, &back), 0);
	assert_int_equal(back.kind, VALUE_EMPTY);
	text_free(&why);
	dir_remove(folder);
	arena_free(a);
}

/* Does a tensor of the one float agree with one of the other? */
static bool agrees(double got, double want)
{
	struct arena *a = arena_new();
	struct array *x = array_in(a, ELEMENT_F32, 0, NULL), *y = array_in(a, ELEMENT_F32, 0, NULL);
	struct text why = { 0 };

	element_store(ELEMENT_F32, x->data, 0, got);
	element_store(ELEMENT_F32, y->data, 0, want);
	bool agree = value_agrees(value_of_array(x), value_of_array(y), &tolerance_of_onnx, &why);

	assert_int_equal(agree, why.n == 0);
	text_free(&why);
	arena_free(a);
	return agree;
}

static void compares_floats(void **state)
{
	(void)state;
	assert_true(agrees(1.0009, 1));
	assert_false(agrees(1.0011, 1));
	assert_true(agrees(0, 1e-7 / 2));
	assert_false(agrees(0, 1e-6));
	assert_true(agrees(NAN, NAN));
	assert_false(agrees(0, NAN));
	assert_false(agrees(NAN, 0));
	assert_true(agrees(INFINITY, INFINITY));
	assert_false(agrees(-INFINITY, INFINITY));
	assert_false(agrees(3e38, INFINITY));
}

static void compares_kinds_types_and_shapes(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct value f = value_of_array(sample(a, ELEMENT_F32, 4));
	struct value g = value_of_array(sample(a, ELEMENT_F64, 4));
	struct value h = value_of_array(sample(a, ELEMENT_F32, 5));
	struct value s = value_of_array(sample(a, ELEMENT_STRING, 4));
	struct value t = value_of_array(array_keep(a, s.array));
	struct text why = { 0 };

	assert_false(value_agrees(f, g, &tolerance_of_onnx, &why));
	assert_string_equal(text_str(&why), "f32[4], expected f64[4]");
	assert_false(value_agrees(f, h, &tolerance_of_onnx, &why));
	assert_false(value_agrees(f, value_empty(), &tolerance_of_onnx, &why));
	assert_true(value_agrees(s, t, &tolerance_of_onnx, &why));
	((const char **)t.array->data)[2] = "another";
	assert_false(value_agrees(s, t, &tolerance_of_onnx, &why));
	text_free(&why);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(round_trips_sequences),
		cmocka_unit_test(compares_floats),
		cmocka_unit_test(compares_kinds_types_and_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
