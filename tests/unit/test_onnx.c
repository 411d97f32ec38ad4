/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_onnx.c - models from files and from spoiled bytes. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/infer.h"
#include "graph/onnx.h"
#include "tests/onnx_fixture.h"
#include "tests/skip.h"

static struct graph *parse(struct arena *a, struct fixture *x)
{
	size_t size;
	unsigned char *data = fixture_pack(a, x, &size);
	struct graph *g = onnx_parse(a, "test", data, size);

	return g && graph_infer(g) == 0 ? g : NULL;
}

/* X is refused with a message that has TEXT in it. */
static void refused(struct fixture *x, const char *text)
{
	struct arena *a = arena_new();

	assert_null(parse(a, x));
	if (!strstr(err_get(), text))
		fail_msg("'%s' does not say '%s'", err_get(), text);
	arena_free(a);
}

static void assert_shape(const struct type *t, int rank, const int64_t *shape)
{
	struct type want = type_tensor(DTYPE_F32, rank, shape);

	assert_int_equal(t->dtype, DTYPE_F32);
	assert_true(type_same_shape(t, &want));
}

static void reads_the_fixture(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct fixture x;

	fixture_init(&x);
	struct graph *g = parse(a, &x);

	assert_non_null(g);
	struct function *f = g->main;

	assert_int_equal(f->nparams, 1);
	assert_int_equal(f->bindings.n, 4);
	assert_int_equal(f->nresults, 1);
	assert_int_equal(f->results[0], 3);
	assert_shape(&f->bindings.at[3].type, 4, (int64_t[]){ 1, 3, 4, 4 });
	const struct binding *w = &f->bindings.at[1];

	assert_int_equal(w->kind, BIND_CONST);
	assert_int_equal((uintptr_t)w->data % sizeof(float), 0);
	assert_memory_equal(w->data, x.weight_data, sizeof(x.weight_data));
	arena_free(a);
}

static void reads_the_bundled_model(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct graph *g = onnx_read(a, TOP_SRCDIR "/examples/tiny_cnn.onnx");

	assert_non_null(g);
	assert_int_equal(graph_infer(g), 0);
	struct function *f = g->main;

	assert_int_equal(g->opset, 13);
	assert_shape(&f->bindings.at[0].type, 4, (int64_t[]){ 1, 3, 64, 64 });
	assert_shape(&f->bindings.at[f->results[0]].type, 2, (int64_t[]){ 1, 10 });
	for (int i = 0; i < f->bindings.n; i++)
		assert_true(type_is_static(&f->bindings.at[i].type));
	struct text t = { 0 };

	graph_print(&t, g);
	assert_non_null(strstr(text_str(&t), "MaxPool("));
	text_free(&t);
	arena_free(a);
}

/* A file cut anywhere is an error, or where only whole fields are missing a smaller model. */
static void survives_truncation(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct fixture x;
	size_t size;

	fixture_init(&x);
	unsigned char *data = fixture_pack(a, &x, &size);

	for (size_t n = 0; n < size; n++) {
		struct arena *b = arena_new();
		unsigned char *cut = malloc(n ? n : 1);	/* exact, for ASan */

		memcpy(cut, data, n);
		struct graph *g = onnx_parse(b, "cut", cut, n);

		assert_null(g);
		assert_int_not_equal(*err_get(), '\0');
		arena_free(b);
		free(cut);
	}
	arena_free(a);
}

static void survives_truncated_file(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	size_t size;
	char *data = file_read(a, TOP_SRCDIR "/examples/tiny_cnn.onnx", 1 << 20, &size);

	assert_non_null(data);
	for (size_t n = 0; n < size; n += 997) {
		struct arena *b = arena_new();

		assert_null(onnx_parse(b, "cut", arena_memdup(b, data, n), n));
		arena_free(b);
	}
	arena_free(a);
}

/* One byte changed anywhere: whatever the answer, no crash. */
static void survives_changed_bytes(void **state)
{
	(void)state;
	static const unsigned char masks[] = { 0x01, 0x80, 0xff, 0x08 };
	struct arena *a = arena_new();
	struct fixture x;
	size_t size;

	fixture_init(&x);
	unsigned char *data = fixture_pack(a, &x, &size);

	for (size_t i = 0; i < size * sizeof(masks); i++) {
		struct arena *b = arena_new();
		unsigned char *copy = arena_memdup(b, data, size);

		copy[i / sizeof(masks)] ^= masks[i % sizeof(masks)];
		struct graph *g = onnx_parse(b, "changed", copy, size);

		if (g)
			graph_infer(g);
		arena_free(b);
	}
	arena_free(a);
}

static void refuses_bad_weights(void **state)
{
	(void)state;
	struct fixture x;

	fixture_init(&x);
	x.weight_dims[0] = -3;
	refused(&x, "a dim of -3");
	fixture_init(&x);
	x.weight_dims[0] = x.weight_dims[1] = x.weight_dims[2] = (int64_t)1 << 39;
	refused(&x, "more elements than the limit");
	fixture_init(&x);
	x.weight_dims[0] = INT64_MAX;
	refused(&x, "a dim of");
	fixture_init(&x);
	x.weight.raw_data.len -= 4;
	refused(&x, "212 bytes of data, its shape and type want 216");
	fixture_init(&x);
	x.weight.data_type = 99;
	refused(&x, "element type 99");
	fixture_init(&x);
	x.weight.data_type = 8;
	refused(&x, "tensors of string are not supported");
	fixture_init(&x);
	x.weight.has_raw_data = 0;
	refused(&x, "0 elements of data, its shape wants 54");
	fixture_init(&x);
	x.weight.has_data_location = 1;
	x.weight.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	refused(&x, "in another file");
}

static void refuses_bad_names(void **state)
{
	(void)state;
	struct fixture x;

	fixture_init(&x);
	x.relu_in[0] = "nowhere";
	refused(&x, "'nowhere' is not defined");
	fixture_init(&x);
	x.conv_in[0] = "scores";
	refused(&x, "a cycle, or nodes out of order");
	fixture_init(&x);
	x.relu_out[0] = "hidden";
	refused(&x, "'hidden' is defined twice");
	fixture_init(&x);
	x.scores.name = "nothing";
	refused(&x, "the output 'nothing' is not defined");
	fixture_init(&x);
	x.relu.n_output = 0;
	refused(&x, "it has no output");
	fixture_init(&x);
	x.graph.n_output = 0;
	refused(&x, "the model has no output");
}

static void refuses_bad_shapes(void **state)
{
	(void)state;
	struct fixture x;

	fixture_init(&x);
	x.dims[1].dim_value = 5;
	refused(&x, "5 channels, the weight wants 2 in 1 groups");
	fixture_init(&x);
	x.pads.n_ints = 3;
	refused(&x, "pads has 3 entries instead of 4");
	fixture_init(&x);
	x.pad_list[2] = -1;
	refused(&x, "pads is -1");
	fixture_init(&x);
	x.dims[2].dim_value = -7;
	refused(&x, "a dim of -7");
	fixture_init(&x);
	x.pad_list[0] = x.pad_list[2] = 0;
	x.dims[2].dim_value = 2;
	refused(&x, "a window of 3 over 2 padded elements");
	fixture_init(&x);
	x.conv.n_input = 1;
	refused(&x, "1 operands");
}

static void refuses_bad_files(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct fixture x;

	fixture_init(&x);
	x.opset.version = 6;
	refused(&x, "operator set 6");
	fixture_init(&x);
	x.opset.version = 99;
	refused(&x, "operator set 99");
	fixture_init(&x);
	x.model.graph = NULL;
	refused(&x, "no graph");
	assert_null(onnx_read(a, "/nonexistent/model.onnx"));
	assert_non_null(strstr(err_get(), "/nonexistent/model.onnx"));
	assert_null(onnx_parse(a, "text", arena_memdup(a, "hello, world", 12), 12));
	assert_non_null(strstr(err_get(), "not an ONNX model"));
	arena_free(a);
}

/* Graphs in attributes in graphs: protobuf-c alone would run out of stack. */
static void refuses_deep_nesting(void **state)
{
	(void)state;
	enum { LEVELS = 100000, ROOM = 16 * LEVELS };
	struct arena *a = arena_new();
	unsigned char *data = arena_alloc(a, ROOM);
	size_t at = ROOM;

	/* From the inside out: model.graph, then node, attribute, g and again. */
	for (int i = 0; i < LEVELS; i++) {
		static const unsigned char tags[] = { 6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2 };
		size_t n = ROOM - at;
		unsigned char tag = i == LEVELS - 1 ? 7 << 3 | 2 : tags[i % 3];

		for (int shift = 21; shift >= 0; shift -= 7)
			data[--at] = (unsigned char)((n >> shift & 0x7f) | (shift < 21 ? 0x80 : 0));
		data[--at] = tag;
	}
	assert_null(onnx_parse(a, "deep", data + at, ROOM - at));
	assert_non_null(strstr(err_get(), "nest more than"));
	arena_free(a);
}

/* A few bytes that ask for much: bounded by the size of the file. */
static void refuses_to_explode(void **state)
{
	(void)state;
	enum { NODES = 4 << 20 };
	struct arena *a = arena_new();
	unsigned char *data = arena_alloc(a, 8 + 2 * NODES);
	size_t n = 2 * NODES;

	data[0] = 7 << 3 | 2;
	for (int i = 0; i < 4; i++)
		data[1 + i] = (unsigned char)((n >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
	for (int i = 0; i < NODES; i++)
		data[5 + 2 * i] = 1 << 3 | 2;	/* an empty node */
	assert_null(onnx_parse(a, "many", data, 5 + n));
	arena_free(a);
}

static void keeps_unknown_operators(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct fixture x;

	fixture_init(&x);
	x.relu.op_type = "Frobnicate";
	x.relu.domain = "com.example";
	struct graph *g = parse(a, &x);

	assert_non_null(g);
	const struct binding *b = &g->main->bindings.at[3];

	assert_int_equal(b->call.op, OPER_UNKNOWN);
	assert_string_equal(b->call.op_name, "com.example::Frobnicate");
	assert_int_equal(b->type.rank, RANK_UNKNOWN);
	arena_free(a);
}

static void binds_symbols(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct fixture x;
	size_t size;

	fixture_init(&x);
	x.dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[0].dim_param = "batch";
	unsigned char *data = fixture_pack(a, &x, &size);
	struct graph *g = onnx_parse(a, "test", data, size);

	assert_non_null(g);
	assert_int_equal(graph_infer(g), 0);
	assert_string_equal(g->main->bindings.at[3].type.dim[0].name, "batch");
	assert_false(graph_set_dim(g, "other", 4));
	assert_true(graph_set_dim(g, "batch", 4));
	assert_int_equal(graph_infer(g), 0);
	assert_shape(&g->main->bindings.at[3].type, 4, (int64_t[]){ 4, 3, 4, 4 });
	arena_free(a);
}

/* The standard's own test models, where Debian's libonnx-testdata is installed. */
static void reads_the_standards_tests(void **state)
{
	(void)state;
	glob_t files;
	int read = 0;

	if (glob("/usr/lib/python3/dist-packages/onnx/backend/test/data/node/*/model.onnx", 0, NULL,
		 &files) != 0)
		skip_test("the standard's models are not here: install libonnx-testdata");
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct arena *a = arena_new();
		struct graph *g = onnx_read(a, files.gl_pathv[i]);

		if (g && graph_infer(g) < 0)
			fail_msg("%s: %s", files.gl_pathv[i], err_get());
		read += g != NULL;
		arena_free(a);
	}
	assert_true(read > 500);
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_fixture),
		cmocka_unit_test(reads_the_bundled_model),
		cmocka_unit_test(survives_truncation),
		cmocka_unit_test(survives_truncated_file),
		cmocka_unit_test(survives_changed_bytes),
		cmocka_unit_test(refuses_bad_weights),
		cmocka_unit_test(refuses_bad_names),
		cmocka_unit_test(refuses_bad_shapes),
		cmocka_unit_test(refuses_bad_files),
		cmocka_unit_test(refuses_deep_nesting),
		cmocka_unit_test(refuses_to_explode),
		cmocka_unit_test(keeps_unknown_operators),
		cmocka_unit_test(binds_symbols),
		cmocka_unit_test(reads_the_standards_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
