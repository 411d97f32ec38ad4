/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_engines.c - engines run whole models too: several outputs, a dimension that the
 * model leaves open; and what is no model is an answer, not an end. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>

#include "tests/contestant_fixture.h"
#include "tests/onnx_fixture.h"

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

static void whole_model(void **state)
{
	struct peer p = start_or_skip(*state);
	struct arena *a = arena_new();
	const char *dir = dir_temp(a), *file = arena_printf(a, "%s/out.bin", dir);
	float image[IMAGES];
	size_t size, bytes = 2 * OUTPUT * sizeof(float);
	int negative = 0;

	for (int i = 0; i < IMAGES; i++)
		image[i] = (float)(i % 7 - 3);
	write_file(dir, "arg0.bin", image, sizeof(image));
	write_model(a, dir);
	assert_true(begins(ask(&p, arena_printf(a, "prepare %s model 1", dir)), "ok"));
	assert_string_equal(ask(&p, arena_printf(a, "check %s", file)), "ok");
	const float *out = (const float *)file_read(a, file, bytes, &size);

	assert_non_null(out);
	assert_int_equal(size, bytes);
	for (int i = 0; i < OUTPUT; i++) {
		assert_true(out[OUTPUT + i] == (out[i] > 0 ? out[i] : 0));
		negative += out[i] < 0;
	}
	assert_in_range(negative, 1, OUTPUT - 1);
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
		FOR("openvino", whole_model),
		FOR("openvino", no_model),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
