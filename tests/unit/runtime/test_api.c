/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_api.c - the public library alone: what it tells of models, what goes in and comes
 * out in every form, what it refuses, several instances at once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "include/hone.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const DLDataType f32 = { kDLFloat, 32, 1 };
static const DLDataType boolean = { 6, 8, 1 };

/* X as a dense tensor. */
static DLTensor dense(void *data, DLDataType type, int ndim, int64_t *shape)
{
	return (DLTensor){ .data = data, .device = { kDLCPU, 0 }, .ndim = ndim, .dtype = type,
			   .shape = shape };
}

/* A model, and an instance of it. */
struct api_case {
	struct hone_model *model;
	struct hone_instance *instance;
};

static struct api_case open_file(const char *path, const struct hone_options *options)
{
	struct api_case o;

	if (hone_open(path, options, &o.model) < 0 || hone_instance_new(o.model, &o.instance) < 0)
		fail_msg("%s", hone_error());
	return o;
}

static struct api_case open_text(const char *text)
{
	char path[] = "/tmp/test_api.XXXXXX.graph";
	int fd = mkstemps(path, 6);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	struct api_case o = open_file(path, &(struct hone_options){ .threads = 1 });

	unlink(path);
	return o;
}

static void close_all(struct api_case o)
{
	hone_instance_free(o.instance);
	hone_close(o.model);
}

/* Runs on N inputs, which gives as many outputs as OUT has room for. */
static void run(struct api_case o, DLTensor *inputs, int n, DLManagedTensor **out, int nout)
{
	if (hone_run(o.instance, inputs, n, out, nout) < 0)
		fail_msg("%s", hone_error());
}

static void delete_all(DLManagedTensor **out, int n)
{
	for (int k = 0; k < n; k++)
		out[k]->deleter(out[k]);
}

#define ADD                                                                                        \
	"graph add\n"                                                                              \
	"fn @main(%x: f32[2, 3], %y: f32[3]) -> f32[2, 3] {\n"                                     \
	"	%sum = add(%x, %y)\n"                                                              \
	"	return %sum\n"                                                                     \
	"}\n"

static void test_inspects(void **state)
{
	struct api_case o = open_text("graph several\n"
				      "fn @main(%x: f32[2, N], %flag: bool[], %s: [f32[]]) {\n"
				      "	%y = relu(%x)\n"
				      "	return %y, %flag, %s\n"
				      "}\n");
	struct hone_tensor t;

	(void)state;
	assert_int_equal(hone_input_count(o.model), 3);
	assert_int_equal(hone_output_count(o.model), 3);
	assert_int_equal(hone_input(o.model, 0, &t), HONE_OK);
	assert_string_equal(t.name, "x");
	assert_memory_equal(&t.type, &f32, sizeof(f32));
	assert_int_equal(t.ndim, 2);
	assert_int_equal(t.shape[0], 2);
	assert_int_equal(t.shape[1], -1);
	assert_int_equal(hone_output(o.model, 1, &t), HONE_OK);
	assert_string_equal(t.name, "flag");
	assert_memory_equal(&t.type, &boolean, sizeof(boolean));
	assert_int_equal(t.ndim, 0);
	assert_int_equal(hone_input(o.model, 2, &t), HONE_OK);
	assert_int_equal(t.ndim, -1);
	assert_int_equal(t.type.bits, 0);
	assert_int_equal(hone_input(o.model, 3, &t), HONE_INVALID);
	assert_int_equal(hone_output(o.model, -1, &t), HONE_INVALID);
	close_all(o);
}

static void test_open_dims(void **state)
{
	const struct hone_dim dims[] = { { "N", 2 } };
	const struct hone_options options = { .dims = dims, .ndims = 1 };
	struct api_case o = open_file(TOP_SRCDIR "/tests/conformance/cases/symbols/model.onnx",
				      &options);
	struct hone_tensor t;

	(void)state;
	assert_int_equal(hone_input(o.model, 0, &t), HONE_OK);
	assert_int_equal(t.shape[0], 2);
	assert_int_equal(hone_output(o.model, 0, &t), HONE_OK);
	assert_int_equal(t.shape[0], 4);
	close_all(o);
}

/* The sums that ADD gives of x = 0..5 and y = 10, 20, 30. */
static const float sums[] = { 10, 21, 32, 13, 24, 35 };

static void test_runs(void **state)
{
	struct api_case o = open_text(ADD);
	float x[] = { 0, 1, 2, 3, 4, 5 }, y[] = { 10, 20, 30 };
	int64_t shape[] = { 2, 3 };
	DLTensor inputs[] = { dense(x, f32, 2, shape), dense(y, f32, 1, shape + 1) };
	DLManagedTensor *out;

	(void)state;
	for (int again = 0; again < 2; again++) {
		run(o, inputs, 2, &out, 1);
		assert_int_equal(out->dl_tensor.ndim, 2);
		assert_int_equal(out->dl_tensor.strides[0], 3);
		assert_memory_equal(&out->dl_tensor.dtype, &f32, sizeof(f32));
		assert_memory_equal(out->dl_tensor.data, sums, sizeof(sums));
		if (again == 0)
			out->deleter(out);
	}
	close_all(o);
	assert_memory_equal(out->dl_tensor.data, sums, sizeof(sums));
	out->deleter(out);
}

/* Columns before rows, every second element, backwards, and one that is not aligned. */
static void test_strided(void **state)
{
	struct api_case o = open_text(ADD);
	float columns[] = { 0, 3, 1, 4, 2, 5 }, backwards[] = { 30, -1, 20, -1, 10 };
	int64_t shape[] = { 2, 3 }, x_strides[] = { 1, 2 }, y_strides[] = { -2 };
	char odd[sizeof(sums) + 1];
	DLTensor inputs[] = { dense(columns, f32, 2, shape), dense(backwards, f32, 1, shape + 1) };
	float wide[2][5] = { { 0 } };
	int64_t wide_strides[] = { 5, 1 };
	DLTensor into = dense(wide, f32, 2, shape);

	(void)state;
	inputs[0].strides = x_strides;
	inputs[1].strides = y_strides;
	inputs[1].byte_offset = 4 * sizeof(float);
	into.strides = wide_strides;
	into.byte_offset = sizeof(float);
	assert_int_equal(hone_run_into(o.instance, inputs, 2, &into, 1), HONE_OK);
	assert_memory_equal(&wide[0][1], &sums[0], 3 * sizeof(float));
	assert_memory_equal(&wide[1][1], &sums[3], 3 * sizeof(float));
	assert_true(wide[0][0] == 0 && wide[0][4] == 0 && wide[1][4] == 0);

	float got[6], x[] = { 0, 1, 2, 3, 4, 5 };

	memcpy(odd + 1, x, sizeof(x));
	inputs[0] = dense(odd + 1, f32, 2, shape);
	into = dense(got, f32, 2, shape);
	assert_int_equal(hone_run_into(o.instance, inputs, 2, &into, 1), HONE_OK);
	assert_memory_equal(got, sums, sizeof(sums));
	close_all(o);
}

/* An input, a constant, and one value twice: each output has memory of its own. */
static void test_owns(void **state)
{
	struct api_case o = open_text("graph owns\n"
				      "fn @main(%x: f32[3]) {\n"
				      "	%c = const f32[3] [7, 8, 9]\n"
				      "	%y = neg(%x)\n"
				      "	return %x, %c, %y, %y\n"
				      "}\n");
	float x[] = { 1, 2, 3 };
	const float want[4][3] = { { 1, 2, 3 }, { 7, 8, 9 }, { -1, -2, -3 }, { -1, -2, -3 } };
	int64_t shape[] = { 3 };
	DLTensor input = dense(x, f32, 1, shape);
	DLManagedTensor *out[4];

	(void)state;
	run(o, &input, 1, out, COUNT(out));
	memset(x, 0, sizeof(x));
	close_all(o);
	for (int k = 0; k < COUNT(out); k++)
		for (int j = 0; j < k; j++)
			assert_ptr_not_equal(out[k]->dl_tensor.data, out[j]->dl_tensor.data);
	for (int k = 0; k < COUNT(out); k++)
		assert_memory_equal(out[k]->dl_tensor.data, want[k], sizeof(want[k]));
	delete_all(out, COUNT(out));
}

static void test_types(void **state)
{
	struct api_case o = open_text("graph types\n"
				      "fn @main(%b: bool[2], %i: i64[2], %h: bf16[2]) {\n"
				      "	%n = not(%b)\n"
				      "	%j = add(%i, %i)\n"
				      "	return %n, %j, %h\n"
				      "}\n");
	uint8_t flags[] = { 0, 2 };
	int64_t shape[] = { 2 }, numbers[] = { 1, -2 };
	uint16_t halves[] = { 0x3f80, 0xc000 };
	DLTensor inputs[] = { dense(flags, (DLDataType){ kDLUInt, 8, 1 }, 1, shape),
			      dense(numbers, (DLDataType){ kDLInt, 64, 1 }, 1, shape),
			      dense(halves, (DLDataType){ kDLBfloat, 16, 1 }, 1, shape) };
	DLManagedTensor *out[3];

	(void)state;
	run(o, inputs, 3, out, COUNT(out));
	assert_memory_equal(&out[0]->dl_tensor.dtype, &boolean, sizeof(boolean));
	assert_memory_equal(out[0]->dl_tensor.data, ((uint8_t[]){ 1, 0 }), 2);
	assert_memory_equal(out[1]->dl_tensor.data, ((int64_t[]){ 2, -4 }), 16);
	assert_memory_equal(out[2]->dl_tensor.data, halves, sizeof(halves));
	assert_int_equal(out[2]->dl_tensor.dtype.code, kDLBfloat);
	delete_all(out, COUNT(out));
	close_all(o);
}

/* What DLPack packs two to a byte. */
static void test_types_without_form(void **state)
{
	struct api_case o = open_text("graph formless\n"
				      "fn @main(%x: i64[2]) {\n"
				      "	%y = cast(%x) {to = i4}\n"
				      "	return %y\n"
				      "}\n");
	int64_t numbers[] = { 1, -2 }, shape[] = { 2 };
	DLTensor input = dense(numbers, (DLDataType){ kDLInt, 64, 1 }, 1, shape);
	DLManagedTensor *out;
	struct hone_tensor t;

	(void)state;
	assert_int_equal(hone_output(o.model, 0, &t), HONE_OK);
	assert_int_equal(t.type.bits, 0);
	assert_int_equal(hone_run(o.instance, &input, 1, &out, 1), HONE_UNSUPPORTED);
	assert_string_equal(hone_error(),
			    "output 'y': DLPack has no form for elements of i4");
	close_all(o);
}

static void must_refuse(struct api_case o, const DLTensor *inputs, int status,
			const char *part)
{
	DLManagedTensor *out = (DLManagedTensor *)&out;

	assert_int_equal(hone_run(o.instance, inputs, 2, &out, 1), status);
	assert_null(out);
	if (!strstr(hone_error(), part))
		fail_msg("'%s' lacks '%s'", hone_error(), part);
}

static void test_refuses(void **state)
{
	struct api_case o = open_text(ADD);
	float x[6] = { 0 }, y[3] = { 0 };
	int64_t shape[] = { 2, 3 }, negative[] = { 2, -3 }, huge[] = { INT64_MAX, INT64_MAX };
	DLTensor good = dense(x, f32, 2, shape), inputs[] = { good, dense(y, f32, 1, shape + 1) };
	DLTensor into = dense(x, f32, 1, shape + 1);

	(void)state;
	inputs[0].dtype = (DLDataType){ kDLInt, 32, 1 };
	must_refuse(o, inputs, HONE_INVALID, "input 'x' is i32[2, 3], the model wants f32[2, 3]");
	inputs[0].dtype = (DLDataType){ kDLComplex, 64, 1 };
	must_refuse(o, inputs, HONE_UNSUPPORTED, "input 'x': type code 5 of 64 bits");
	inputs[0].dtype = (DLDataType){ kDLFloat, 32, 4 };
	must_refuse(o, inputs, HONE_UNSUPPORTED, "4 lanes");
	inputs[0] = good;
	inputs[0].device.device_type = kDLCUDA;
	must_refuse(o, inputs, HONE_UNSUPPORTED, "input 'x': device type 2");
	inputs[0] = good;
	inputs[0].ndim = 9;
	must_refuse(o, inputs, HONE_UNSUPPORTED, "9 dims");
	inputs[0] = good;
	inputs[0].shape = negative;
	must_refuse(o, inputs, HONE_INVALID, "a dim is negative");
	inputs[0].shape = huge;
	must_refuse(o, inputs, HONE_INVALID, "too many elements");
	inputs[0] = good;
	inputs[0].data = NULL;
	must_refuse(o, inputs, HONE_INVALID, "input 'x': no data");
	inputs[0] = good;
	assert_int_equal(hone_run_into(o.instance, inputs, 2, &into, 1), HONE_INVALID);
	assert_non_null(strstr(hone_error(), "output 'sum': the tensor given for it has another shape"));
	assert_int_equal(hone_run_into(o.instance, inputs, 1, &into, 1), HONE_INVALID);
	assert_int_equal(hone_run(o.instance, NULL, 2, NULL, 1), HONE_INVALID);
	close_all(o);
}

/* A model in one file, which is opened as others are. */
static void test_module(void **state)
{
	char path[] = "/tmp/test_api.XXXXXX.hone", command[512];
	struct hone_model *model;
	struct hone_tensor input;
	int fd = mkstemps(path, 5);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "./hone compile %s --threads 1 -o %s >/dev/null",
		 TOP_SRCDIR "/examples/tiny_cnn.onnx", path);
	assert_int_equal(system(command), 0);
	struct api_case o = open_file(path, NULL);

	unlink(path);	/* it is open */
	assert_int_equal(hone_output_count(o.model), 1);
	assert_int_equal(hone_input(o.model, 0, &input), HONE_OK);
	assert_int_equal(input.shape[3], 64);
	static float image[3 * 64 * 64];
	DLTensor x = dense(image, f32, 4, (int64_t[]){ 1, 3, 64, 64 });
	DLManagedTensor *scores;
	double sum = 0;

	run(o, &x, 1, &scores, 1);
	for (int i = 0; i < 10; i++)
		sum += ((const float *)scores->dl_tensor.data)[i];
	assert_true(sum > 0.999 && sum < 1.001);	/* of a softmax */
	delete_all(&scores, 1);
	close_all(o);
	assert_int_equal(hone_open(path, NULL, &model), HONE_FAILED);
	assert_non_null(strstr(hone_error(), path));
}

static void test_refuses_models(void **state)
{
	struct hone_model *m = (struct hone_model *)&m;
	struct hone_options many = { .threads = -1 };

	(void)state;
	assert_int_equal(hone_open("no such.onnx", NULL, &m), HONE_FAILED);
	assert_null(m);
	assert_non_null(strstr(hone_error(), "no such.onnx"));
	assert_int_equal(hone_open(NULL, NULL, &m), HONE_INVALID);
	assert_int_equal(hone_open("a.onnx", NULL, NULL), HONE_INVALID);
	assert_int_equal(hone_open("a.onnx", &many, &m), HONE_INVALID);
	hone_close(NULL);
	hone_instance_free(NULL);
}

/* --- several at once */

enum { THREADS = 4, RUNS = 20, IMAGE = 3 * 64 * 64, CLASSES = 10 };

struct worker {
	pthread_t thread;
	const struct hone_model *model;
	float image[IMAGE], alone[CLASSES];
	int differ;
};

static int classify(struct hone_instance *i, struct worker *w, float *scores)
{
	int64_t in[] = { 1, 3, 64, 64 }, out[] = { 1, CLASSES };
	DLTensor input = dense(w->image, f32, 4, in), output = dense(scores, f32, 2, out);

	return hone_run_into(i, &input, 1, &output, 1);
}

static void *work(void *user)
{
	struct worker *w = user;
	struct hone_instance *i;

	if (hone_instance_new(w->model, &i) < 0) {
		w->differ = RUNS;
		return NULL;
	}
	for (int run = 0; run < RUNS; run++) {
		float scores[CLASSES];

		w->differ += classify(i, w, scores) < 0 ||
			     memcmp(scores, w->alone, sizeof(scores)) != 0;
	}
	hone_instance_free(i);
	return NULL;
}

static void test_instances_at_once(void **state)
{
	static struct worker workers[THREADS];
	struct hone_options two = { .threads = 2 };
	struct api_case o = open_file(TOP_SRCDIR "/examples/tiny_cnn.onnx", &two);

	(void)state;
	for (int t = 0; t < THREADS; t++) {
		workers[t].model = o.model;
		for (int k = 0; k < IMAGE; k++)
			workers[t].image[k] = (float)((k * 7 + t * 13) % 101) / 101;
		assert_int_equal(classify(o.instance, &workers[t], workers[t].alone), HONE_OK);
	}
	assert_memory_not_equal(workers[0].alone, workers[1].alone, sizeof(workers[0].alone));
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(workers[t].thread, NULL);
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(workers[t].differ, 0);
	close_all(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inspects),
		cmocka_unit_test(test_open_dims),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_strided),
		cmocka_unit_test(test_owns),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_types_without_form),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_refuses_models),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_instances_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
