/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_run_data.c - results of a run as files: tensors, sequences, nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/eval/compare.h"
#include "graph/onnx/data.h"
#include "graph/text/text.h"
#include "runtime/values/npy.h"
#include "tools/run/args.h"

static const char text[] =
	"graph t\n"
	"fn @main(%x: f32[2], %list: [f32[2]], %none: f32[2]?) -> (f32[2], [f32[2]], f32[2]?) {\n"
	"	return %x, %list, %none\n"
	"}\n";

static void results_come_back(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	const struct graph *g = graph_parse(a, "test", text);

	if (!g)
		fail_msg("%s", err_get());
	const struct function *main = graph_main(g);
	struct run_args args = { .output = dir_temp(a) };
	struct array *x = array_in(a, ELEMENT_F32, 1, (int64_t[]){ 2 });
	struct text why = { 0 };

	((float *)x->data)[0] = 3;
	((float *)x->data)[1] = -0.5f;
	struct value parts[] = { value_of_array(x), value_of_array(x) }, back;
	struct value results[] = { value_of_array(x), value_of_items(VALUE_SEQUENCE, 2, parts),
				   value_empty() };

	if (run_write(&args, main, results) < 0)
		fail_msg("%s", err_get());
	const struct array *tensor = npy_read(a, arena_printf(a, "%s/x.npy", args.output));

	assert_non_null(tensor);
	assert_true(value_agrees(value_of_array(tensor), results[0], &tolerance_of_onnx, &why));
	for (int i = 1; i < 3; i++) {
		const struct binding *b = function_at(main, main->results[i]);

		assert_int_equal(data_read(a, arena_printf(a, "%s/%s.pb", args.output, b->name),
					   b->type, &back), 0);
		assert_true(value_agrees(back, results[i], &tolerance_of_onnx, &why));
		value_release(back);
	}
	value_release(results[1]);
	text_free(&why);
	dir_remove(args.output);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(results_come_back) };

	return cmocka_run_group_tests_name("run_data", tests, NULL, NULL);
}
