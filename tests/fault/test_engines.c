/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_engines.c - engines run whole models too: several outputs, a dimension that the
 * model leaves open; and what is no model is an answer, not an end. In `hone bench --suite
 * models` they are given a setting. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>

#include "bench/models/setting.h"
#include "tests/fixture/contestant_fixture.h"
#include "tests/fixture/onnx_fixture.h"

/* Elements of two images, and of what each output is for them. */
enum { IMAGES = 2 * 2 * 4 * 4, OUTPUT = 2 * 3 * 4 * 4 };

/* The fixture's model with both of its values as outputs, of whose types only the elements are
 * known, and any number of images. */
static void write_model(struct arena *a, const char *dir)
{
	struct onnx_fixture *x = arena_one(a, struct onnx_fixture);
	Onnx__TypeProto type = ONNX__TYPE_PROTO__INIT;
	Onnx__TypeProto__Tensor tensor = ONNX__TYPE_PROTO__TENSOR__INIT;
	Onnx__ValueInfoProto hidden = ONNX__VALUE_INFO_PROTO__INIT;
	Onnx__ValueInfoProto *outputs[] = { &hidden, &x->scores };
	size_t size;

	fixture_init(x);
	x->model.has_ir_version = 1;
	x->model.ir_version = 7;	/* that of operator set 13 */
	x->graph.name = "whole";
	x->image.name = x->conv_in[0] = "arg0";
	x->dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x->dims[0].dim_param = "batch";
	tensor.has_elem_type = 1;
	tensor.elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type.tensor_type = &tensor;
	hidden.name = "hidden";
	hidden.type = x->scores.type = &type;
	x->graph.n_output = 2;
	x->graph.output = outputs;
	unsigned char *data = fixture_pack(a, x, &size);

	write_file(dir, "model.onnx", data, size);
}

static void check_outputs(const float *hidden, const float *scores)
{
	int negative = 0;

	for (int i = 0; i < OUTPUT; i++) {
		assert_true(scores[i] == (hidden[i] > 0 ? hidden[i] : 0));
		negative += hidden[i] < 0;
	}
	assert_in_range(negative, 1, OUTPUT - 1);
}

static void whole_model(void **state)
{
	struct peer p = start_or_skip(*state);
	struct arena *a = arena_new();
	const char *dir = dir_temp(a), *file = arena_printf(a, "%s/out.bin", dir);
	float image[IMAGES];
	size_t size, bytes = 2 * OUTPUT * sizeof(float);

	for (int i = 0; i < IMAGES; i++)
		image[i] = (float)(i % 7 - 3);
	write_file(dir, "arg0.bin", image, sizeof(image));
	write_model(a, dir);
	assert_true(begins(ask(&p, arena_printf(a, "prepare %s model 1", dir)), "ok"));
	assert_string_equal(ask(&p, arena_printf(a, "check %s", file)), "ok");
	const float *out = (const float *)file_read(a, file, bytes, &size);

	assert_non_null(out);
	assert_int_equal(size, bytes);
	check_outputs(out, out + OUTPUT);
	stop(&p);
	dir_remove(dir);
	arena_free(a);
}

/* The same model as `hone bench --suite models` hands it over, in MODEL below DIR. */
static void write_setting(struct arena *a, const char *dir, const char *model)
{
	const char *const names[] = { "arg0" };
	const struct onnx_dim batch = { "batch", 2 };
	struct array *x = array_in(a, ELEMENT_F32, 4, (int64_t[]){ 2, 2, 4, 4 });
	struct value image = value_of_array(x);
	struct setting s = { .model = arena_printf(a, "%s/%s", dir, model), .dims = &batch,
			     .ndims = 1, .inputs = names, .ninputs = 1 };

	assert_int_equal(x->count, IMAGES);
	for (int i = 0; i < IMAGES; i++)
		((float *)x->data)[i] = (float)(i % 7 - 3);
	assert_int_equal(setting_write(dir, &s, &image), 0);
}

static void setting(void **state)
{
	struct peer p = start_whole_or_skip(*state);
	struct arena *a = arena_new();
	const char *dir = dir_temp(a), *folder = arena_printf(a, "%s/out", dir);
	const char *prepare = arena_printf(a, "prepare %s model 1", dir);
	long long created, first;
	struct value out[2];

	write_model(a, dir);
	write_setting(a, dir, "model.onnx");
	assert_int_equal(sscanf(ask(&p, prepare), "ok %lld %lld", &created, &first), 2);
	assert_true(created > 0 && first > 0);
	assert_true(begins(ask(&p, "run 2"), "ok "));
	assert_string_equal(ask(&p, arena_printf(a, "check %s", folder)), "ok");
	assert_int_equal(tensors_read(a, folder, "output", out, 2), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(out[i].array->count, OUTPUT);
	check_outputs(out[0].array->data, out[1].array->data);
	write_setting(a, dir, "model.graph");
	assert_string_equal(ask(&p, prepare), "cannot it is no ONNX model");
	write_setting(a, dir, "none.onnx");
	assert_true(begins(ask(&p, prepare), "error "));
	assert_true(begins(ask(&p, "run 1"), "error "));
	stop(&p);
	dir_remove(dir);
	arena_free(a);
}

static void no_model(void **state)
{
	struct peer p = start_or_skip(*state);
	struct arena *a = arena_new();
	const char *dir = dir_temp(a), *prepare = arena_printf(a, "prepare %s model 1", dir);

	write_file(dir, "model.why", "it is a fixture", 15);
	assert_string_equal(ask(&p, prepare), "cannot it is a fixture");
	assert_true(begins(ask(&p, "run 1"), "error "));
	write_file(dir, "model.onnx", "no model", 8);
	assert_true(begins(ask(&p, prepare), "error "));
	assert_true(begins(ask(&p, "prepare nothing"), "error "));
	assert_true(begins(ask(&p, "dance"), "error "));
	stop(&p);
	dir_remove(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FOR(engine, test) { engine ": " #test, test, NULL, NULL, engine }
		FOR("onnxruntime", whole_model),
		FOR("onnxruntime", no_model),
		FOR("onnxruntime", setting),
		FOR("openvino", whole_model),
		FOR("openvino", no_model),
		FOR("openvino", setting),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
