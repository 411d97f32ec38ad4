/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_array.c - arrays whose elements lie in files, wherever they lie there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/ir/ir.h"
#include "graph/onnx/onnx.h"
#include "tests/fixture/onnx_fixture.h"

/* Many pages, so that some of them can be given back. */
enum { COUNT = 40000 };

struct array_case {
	struct arena *a;
	const char *folder;
	float want[COUNT];
};

static int begin(void **state)
{
	struct arena *a = arena_new();
	struct array_case *c = arena_one(a, struct array_case);

	c->a = a;
	c->folder = dir_temp(a);
	for (int i = 0; i < COUNT; i++)
		c->want[i] = (float)i * 0.5F - 3;
	*state = c;
	return c->folder ? 0 : -1;
}

static int end(void **state)
{
	struct array_case *c = *state;

	dir_remove(c->folder);
	arena_free(c->a);
	return 0;
}

/* C's elements in a file, SKIP bytes behind its begin. */
static struct array *mapped(struct array_case *c, struct arena *a, size_t skip)
{
	const char *path = arena_printf(a, "%s/%zu", c->folder, skip);
	size_t size = skip + sizeof(c->want);
	unsigned char *bytes = arena_alloc(a, size);

	memcpy(bytes + skip, c->want, sizeof(c->want));
	assert_int_equal(file_write(path, bytes, size), 0);
	const unsigned char *data = file_map(a, path, size, &size);

	assert_non_null(data);
	return array_mapped(a, ELEMENT_F32, 1, &(int64_t){ COUNT }, data + skip);
}

static void is_the_same_wherever_it_lies(void **state)
{
	struct array_case *c = *state;

	for (size_t skip = 0; skip < 5; skip++) {
		struct arena *a = arena_new();
		struct array *x = mapped(c, a, skip);
		const struct array *lifted = array_lift(x), *aligned = array_aligned(x);

		assert_memory_equal(lifted->data, c->want, sizeof(c->want));
		assert_memory_equal(aligned->data, c->want, sizeof(c->want));
		assert_int_equal((uintptr_t)lifted->data % sizeof(float), 0);
		assert_int_equal((uintptr_t)aligned->data % sizeof(float), 0);
		assert_int_equal(lifted == x, skip % sizeof(float) == 0);
		assert_ptr_equal(array_aligned(x), aligned);
		array_release(lifted);
		array_unload(x);
		assert_memory_equal(x->data, c->want, sizeof(c->want));
		arena_free(a);
	}
}

/* What is in no file is not given back: it would be lost. */
static void keeps_what_is_in_no_file(void **state)
{
	struct array_case *c = *state;
	struct array *x = array_new(ELEMENT_F32, 1, &(int64_t){ COUNT });

	memcpy(x->data, c->want, sizeof(c->want));
	array_unload(x);
	assert_memory_equal(x->data, c->want, sizeof(c->want));
	array_release(x);
}

/* A model whose weight lies at any place of its file; names are as long as they are. */
static void is_read_from_models(void **state)
{
	struct array_case *c = *state;
	static float data[64 * 2 * 16 * 16];

	for (int i = 0; i < (int)(sizeof(data) / sizeof(data[0])); i++)
		data[i] = (float)i * 0.25F;
	for (int pad = 0; pad < 4; pad++) {
		struct arena *a = arena_new();
		const char *path = arena_printf(a, "%s/%d.onnx", c->folder, pad);
		struct onnx_fixture x;
		size_t size;

		fixture_init(&x);
		x.graph.name = arena_printf(a, "%.*s", pad, "abc");
		x.weight_dims[0] = 64;
		x.weight_dims[2] = x.weight_dims[3] = 16;
		x.pad_list[0] = x.pad_list[1] = x.pad_list[2] = x.pad_list[3] = 8;
		x.weight.raw_data.data = (uint8_t *)data;
		x.weight.raw_data.len = sizeof(data);
		unsigned char *bytes = fixture_pack(a, &x, &size);

		assert_int_equal(file_write(path, bytes, size), 0);
		struct graph *g = onnx_read(a, path, NULL);

		if (!g)
			fail_msg("%s", err_get());
		const struct function *f = graph_main(g);
		const struct array *w = NULL;

		for (int v = 0; v < f->bindings.n; v++)
			if (function_const(f, v) && function_const(f, v)->rank == 4)
				w = function_const(f, v);
		assert_non_null(w);
		assert_memory_equal(array_aligned(w)->data, data, sizeof(data));
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_the_same_wherever_it_lies, begin, end),
		cmocka_unit_test_setup_teardown(keeps_what_is_in_no_file, begin, end),
		cmocka_unit_test_setup_teardown(is_read_from_models, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
