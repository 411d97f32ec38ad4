/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_onnx.c - models from files and from spoiled bytes. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx/onnx.h"
#include "tests/fixture/onnx_fixture.h"
#include "tests/skip.h"

static struct graph *parse(struct arena *a, struct onnx_fixture *x, const struct onnx_options *options)
{
	size_t size;
	unsigned char *data = fixture_pack(a, x, &size);

	return onnx_parse(a, "test", NULL, data, size, options);
}

/* X is refused with a message that has TEXT in it. */
static void refused(struct onnx_fixture *x, const char *text)
{
	struct arena *a = arena_new();

	assert_null(parse(a, x, NULL));
	if (!strstr(err_get(), text))
		fail_msg("'%s' does not say '%s'", err_get(), text);
	arena_free(a);
}

static void assert_shape(const struct type *t, int rank, const int64_t *shape)
{
	int64_t dim[GRAPH_MAX_RANK];

	assert_int_equal(t->element, ELEMENT_F32);
	assert_int_equal(t->rank, rank);
	assert_true(type_shape(t, dim));
	assert_memory_equal(dim, shape, (size_t)rank * sizeof(*dim));
}

static void reads_the_fixture(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct onnx_fixture x;

	fixture_init(&x);
	struct graph *g = parse(a, &x, NULL);

	assert_non_null(g);
	const struct function *f = graph_main(g);

	assert_int_equal(f->nparams, 1);
	assert_string_equal(f->bindings.at[0].name, "image");
	assert_int_equal(f->nresults, 1);
	assert_string_equal(f->bindings.at[f->results[0]].name, "scores");
	assert_shape(f->result, 4, (int64_t[]){ 1, 3, 4, 4 });
	const struct binding *w = &f->bindings.at[1];

	assert_string_equal(w->name, "w");
	assert_non_null(w->array);
	assert_int_equal((uintptr_t)w->array->data % sizeof(float), 0);
	assert_memory_equal(w->array->data, x.weight_data, sizeof(x.weight_data));
	arena_free(a);
}

static void reads_the_bundled_model(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct graph *g = onnx_read(a, TOP_SRCDIR "/examples/tiny_cnn.onnx", NULL);

	assert_non_null(g);
	const struct function *f = graph_main(g);

	assert_shape(f->bindings.at[0].type, 4, (int64_t[]){ 1, 3, 64, 64 });
	assert_shape(f->result, 2, (int64_t[]){ 1, 10 });
	for (int i = 0; i < f->bindings.n; i++)
		assert_true(type_is_static(f->bindings.at[i].type));
	arena_free(a);
}

/* A file cut anywhere is an error. */
static void survives_truncation(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct onnx_fixture x;
	size_t size;

	fixture_init(&x);
	unsigned char *data = fixture_pack(a, &x, &size);

	for (size_t n = 0; n < size; n++) {
		struct arena *b = arena_new();
		unsigned char *cut = malloc(n ? n : 1);	/* exact, for ASan */

		memcpy(cut, data, n);
		assert_null(onnx_parse(b, "cut", NULL, cut, n, NULL));
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

		assert_null(onnx_parse(b, "cut", NULL, arena_memdup(b, data, n), n, NULL));
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
	struct onnx_fixture x;
	size_t size;

	fixture_init(&x);
	unsigned char *data = fixture_pack(a, &x, &size);

	for (size_t i = 0; i < size * sizeof(masks); i++) {
		struct arena *b = arena_new();
		unsigned char *copy = arena_memdup(b, data, size);

		copy[i / sizeof(masks)] ^= masks[i % sizeof(masks)];
		onnx_parse(b, "changed", NULL, copy, size, NULL);
		arena_free(b);
	}
	arena_free(a);
}

static void refuses_bad_weights(void **state)
{
	(void)state;
	struct onnx_fixture x;

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
	x.weight.data_type = 14;
	refused(&x, "tensors of complex64 are not supported");
	fixture_init(&x);
	x.weight.data_type = 8;
	refused(&x, "strings do not come as raw data");
	fixture_init(&x);
	x.weight.has_raw_data = 0;
	refused(&x, "0 elements of data, its shape wants 54");
}

static void refuses_bad_names(void **state)
{
	(void)state;
	struct onnx_fixture x;

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
	x.graph.n_output = 0;
	refused(&x, "the model has no output");
}

static void refuses_bad_shapes(void **state)
{
	(void)state;
	struct onnx_fixture x;

	fixture_init(&x);
	x.dims[1].dim_value = 5;
	refused(&x, "(Conv, operator set 13)");
	fixture_init(&x);
	x.pads.n_ints = 3;
	refused(&x, "(Conv, operator set 13)");
	fixture_init(&x);
	x.dims[2].dim_value = -7;
	refused(&x, "a dim of -7");
	fixture_init(&x);
	x.conv.n_input = 1;
	refused(&x, "(Conv, operator set 13)");
}

static void refuses_bad_files(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct onnx_fixture x;

	fixture_init(&x);
	x.opset.version = 0;
	refused(&x, "operator set 0");
	fixture_init(&x);
	x.opset.version = ONNX_MAX_OPSET + 1;
	refused(&x, "export with version");
	fixture_init(&x);
	x.model.graph = NULL;
	refused(&x, "no graph");
	assert_null(onnx_read(a, "/nonexistent/model.onnx", NULL));
	assert_non_null(strstr(err_get(), "/nonexistent/model.onnx"));
	assert_null(onnx_parse(a, "text", NULL, arena_memdup(a, "hello, world", 12), 12, NULL));
	assert_non_null(strstr(err_get(), "not an ONNX model"));
	arena_free(a);
}

/* Where the bytes of a weight are may be said by a file from anywhere. */
static void refuses_external_data_outside(void **state)
{
	(void)state;
	static const char *const places[] = { "/etc/passwd", "../secret", "a/../../secret", "..", "" };
	Onnx__StringStringEntryProto place = ONNX__STRING_STRING_ENTRY_PROTO__INIT;
	Onnx__StringStringEntryProto *entries[] = { &place };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct arena *a = arena_new();
		struct onnx_fixture x;
		size_t size;

		fixture_init(&x);
		place.key = "location";
		place.value = arena_strdup(a, places[i]);
		x.weight.has_raw_data = 0;
		x.weight.has_data_location = 1;
		x.weight.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
		x.weight.n_external_data = 1;
		x.weight.external_data = entries;
		unsigned char *data = fixture_pack(a, &x, &size);

		assert_null(onnx_parse(a, "test", TOP_SRCDIR, data, size, NULL));
		assert_non_null(strstr(err_get(), "is not below the model's folder"));
		arena_free(a);
	}
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
	assert_null(onnx_parse(a, "deep", NULL, data + at, ROOM - at, NULL));
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
	assert_null(onnx_parse(a, "many", NULL, data, 5 + n, NULL));
	arena_free(a);
}

/* All nodes that hone does not know are told, not those that only need what these give. */
static void tells_all_problems(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct onnx_problems problems = { .arena = a };
	struct onnx_options options = { .problems = &problems };
	struct onnx_fixture x;

	fixture_init(&x);
	x.conv.op_type = "Frobnicate";
	x.conv.domain = "com.example";
	assert_null(parse(a, &x, &options));
	assert_int_equal(problems.list.n, 1);
	assert_string_equal(problems.list.at[0].op, "com.example::Frobnicate");
	x.relu.op_type = "Mangle";
	x.relu_in[0] = "image";
	problems.list.n = 0;
	assert_null(parse(a, &x, &options));
	assert_int_equal(problems.list.n, 2);
	assert_string_equal(problems.list.at[1].op, "Mangle");
	assert_non_null(strstr(err_get(), "and 1 more"));
	arena_free(a);
}

static void binds_symbols(void **state)
{
	(void)state;
	static const struct onnx_dim four = { "batch", 4 };
	struct onnx_options options = { .dims = &four, .ndims = 1 };
	struct arena *a = arena_new();
	struct onnx_fixture x;

	fixture_init(&x);
	x.dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[0].dim_param = "batch";
	struct graph *g = parse(a, &x, NULL);

	assert_non_null(g);
	assert_true(dim_equal(graph_main(g)->result->dim[0],
			      graph_main(g)->bindings.at[0].type->dim[0]));
	assert_non_null(graph_find_symbol(g, "batch"));
	g = parse(a, &x, &options);
	assert_non_null(g);
	assert_shape(graph_main(g)->result, 4, (int64_t[]){ 4, 3, 4, 4 });
	options.dims = &(struct onnx_dim){ "bach", 4 };
	assert_null(parse(a, &x, &options));
	assert_string_equal(err_get(), "test: --dim 'bach': the model has no such open dim; give one of "
				       "batch");
	arena_free(a);
}

static void binds_dims_without_names(void **state)
{
	(void)state;
	static const struct onnx_dim sizes[] = { { "image.2", 6 }, { "image.3", 8 }, { "image.1", 7 } };
	struct onnx_options options = { .dims = sizes, .ndims = 1 };
	struct arena *a = arena_new();
	struct onnx_fixture x;

	fixture_init(&x);
	x.dims[2].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET;
	x.dims[3].dim_value = -1;	/* as some exporters write it */
	struct graph *g = parse(a, &x, &options);

	assert_non_null(g);
	const struct dim *dim = graph_main(g)->bindings.at[0].type->dim;

	assert_int_equal(dim[2].n, 6);
	assert_false(dim_is_number(dim[3]));
	options.ndims = 2;
	g = parse(a, &x, &options);
	assert_non_null(g);
	assert_shape(graph_main(g)->result, 4, (int64_t[]){ 1, 3, 6, 8 });
	options.ndims = 3;	/* the last is the model's own */
	assert_null(parse(a, &x, &options));
	assert_string_equal(err_get(), "test: --dim 'image.1': the model has no such open dim; give one "
				       "of image.2, image.3");
	arena_free(a);
}

/* Names of dims in expressions are given as others are; where no dim is open, none. */
static void tells_which_dims_are_open(void **state)
{
	(void)state;
	static const struct onnx_dim dims[] = { { "n", 2 }, { "odd one", 4 } };
	struct onnx_options options = { .dims = dims, .ndims = 2 };
	struct arena *a = arena_new();
	struct onnx_fixture x;

	fixture_init(&x);
	assert_null(parse(a, &x, &options));
	assert_string_equal(err_get(), "test: --dim 'n': the model leaves no dim open");
	x.dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[0].dim_param = "2*n";
	x.dims[2].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[2].dim_param = "odd one";
	struct graph *g = parse(a, &x, &options);

	assert_non_null(g);
	assert_shape(graph_main(g)->result, 4, (int64_t[]){ 4, 3, 4, 4 });
	options.dims = &(struct onnx_dim){ "2*n", 4 };
	options.ndims = 1;
	assert_null(parse(a, &x, &options));
	assert_string_equal(err_get(), "test: --dim '2*n': the model has no such open dim; give one of n, "
				       "dim_odd_one");
	arena_free(a);
}

/* The dim NAME as the first of the fixture's image, printed. */
static void assert_dim(const char *name, const char *printed)
{
	struct arena *a = arena_new();
	struct text t = { 0 };
	struct onnx_fixture x;

	fixture_init(&x);
	x.dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[0].dim_param = arena_strdup(a, name);
	struct graph *g = parse(a, &x, NULL);

	assert_non_null(g);
	dim_print(&t, graph_main(g)->bindings.at[0].type->dim[0]);
	assert_string_equal(text_str(&t), printed);
	text_free(&t);
	arena_free(a);
}

static void reads_expressions_of_dims(void **state)
{
	(void)state;
	assert_dim("N", "N");
	assert_dim("2*N", "N * 2");
	assert_dim("N + N", "N * 2");
	assert_dim("(N + 1)*3 - 3", "N * 3");
	assert_dim("4 * 2 / 2", "4");
	assert_dim("batch-size?", "dim_batch_size_");
	assert_dim("((((((((((((((((((((N))))))))))))))))))))", "dim_____________________N____________________");
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
		cmocka_unit_test(refuses_external_data_outside),
		cmocka_unit_test(refuses_deep_nesting),
		cmocka_unit_test(refuses_to_explode),
		cmocka_unit_test(tells_all_problems),
		cmocka_unit_test(binds_symbols),
		cmocka_unit_test(binds_dims_without_names),
		cmocka_unit_test(tells_which_dims_are_open),
		cmocka_unit_test(reads_expressions_of_dims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
