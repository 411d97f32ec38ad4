/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_image.c - transposed and deformed convolutions, unpooling, sampling, regions,
 * transforms: against direct loops, and against what they must be in simple cases. */
#include <complex.h>

#include "tests/op_call.h"

static void add_ints(struct op_call *c, const char *name, int n, const int64_t *v)
{
	attrs_ints(c->a, &c->attrs, name, n, v);
}

static struct array *numbers(struct op_call *c, int rank, const int64_t *dim, const double *v)
{
	struct array *x = array_in(c->a, ELEMENT_F32, rank, dim);

	element_put_f64(ELEMENT_F32, x->data, 0, x->count, v);
	call_arg_add(c, x);
	return x;
}

#define NUMBERS(...) ((const double[]){ __VA_ARGS__ })

static void assert_numbers(const struct array *y, int n, const double *expected)
{
	assert_int_equal(y->count, n);
	for (int i = 0; i < n; i++)
		assert_float_equal(array_float(y, i), expected[i], 1e-5);
}

/* The direct loops of a transposed convolution with two spatial dims: each element is spread. */
static void spread_directly(const struct array *x, const struct array *w, const struct array *y,
			    int64_t groups, const int64_t *stride, const int64_t *dilation,
			    const int64_t *pads, double *out)
{
	int64_t ic = x->dim[1] / groups, oc = w->dim[1], kh = w->dim[2], kw = w->dim[3];

	for (int64_t i = 0; i < x->count; i++)
		for (int64_t j = 0; j < oc * kh * kw; j++) {
			int64_t px = i % x->dim[3], py = i / x->dim[3] % x->dim[2];
			int64_t c = i / x->dim[3] / x->dim[2] % x->dim[1];
			int64_t n = i / x->dim[3] / x->dim[2] / x->dim[1];
			int64_t oy = py * stride[0] + j / kw % kh * dilation[0] - pads[0];
			int64_t ox = px * stride[1] + j % kw * dilation[1] - pads[1];
			int64_t o = c / ic * oc + j / kw / kh;

			if (oy < 0 || oy >= y->dim[2] || ox < 0 || ox >= y->dim[3])
				continue;
			out[((n * y->dim[1] + o) * y->dim[2] + oy) * y->dim[3] + ox] +=
				array_float(x, i) * array_float(w, c * oc * kh * kw + j);
		}
}

static void transposed_convolutions(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct op_call c = call_new(&core_conv_transpose, seed);
		int64_t stride[] = { 1 + (int64_t)(seed % 3), 1 + (int64_t)(seed % 2) };
		int64_t dilation[] = { 1 + (int64_t)(seed / 4 % 2), 1 };
		int64_t pads[] = { (int64_t)(seed % 2), 0, 1, (int64_t)(seed / 2 % 2) };
		int64_t extra[] = { stride[0] - 1, 0 };
		int64_t groups = seed % 5 == 0 ? 2 : 1;
		const struct array *x = call_random(&c, ELEMENT_F32, DIMS(2, 4, 3, 4));
		const struct array *w = call_random(&c, ELEMENT_F32, DIMS(4, 3, 3, 2));

		add_ints(&c, "strides", 2, stride);
		add_ints(&c, "dilations", 2, dilation);
		add_ints(&c, "pads", 4, pads);
		add_ints(&c, "output_padding", 2, extra);
		attrs_int(c.a, &c.attrs, "groups", groups);
		const struct array *y = call_eval(&c, 0);
		double *expected = arena_many(c.a, double, y->count);

		assert_int_equal(y->dim[2], 2 * stride[0] + 2 * dilation[0] + 1 + extra[0] -
						    pads[0] - pads[2]);
		spread_directly(x, w, y, groups, stride, dilation, pads, expected);
		assert_numbers(y, (int)y->count, expected);
		const struct array *te = groups == 1 ? call_express(&c, true) : y;

		if (!te)
			fail_msg("%s", err_get());
		assert_arrays_close(y, te, 1e-5);
		call_free(&c);
	}
}

static void maxima_and_where_they_are(void **state)
{
	const int64_t kernel[] = { 2, 3 }, strides[] = { 2, 1 }, pads[] = { 1, 0, 0, 1 };

	(void)state;
	for (int columns = 0; columns < 2; columns++) {
		struct op_call c = call_new(&core_max_pool_indices, 3);
		const struct array *x = call_random(&c, ELEMENT_F32, DIMS(2, 2, 5, 4));

		add_ints(&c, "kernel", 2, kernel);
		add_ints(&c, "strides", 2, strides);
		add_ints(&c, "pads", 4, pads);
		struct attr_vec window = c.attrs;

		attrs_int(c.a, &c.attrs, "storage_order", columns);
		const struct array *y = call_eval(&c, 0), *at = call_eval(&c, 1);

		c.op = &core_max_pool;
		c.attrs = window;
		assert_true(array_equal(y, call_eval(&c, 0)));
		for (int64_t i = 0; i < y->count; i++) {
			int64_t p = array_int(at, i), rest = p % 20;

			if (columns)	/* [4][5] is [5][4] turned */
				p = p - rest + rest % 5 * 4 + rest / 5;
			assert_float_equal(array_float(x, p), array_float(y, i), 0);
		}
		call_free(&c);
	}
}

static void unpooled(void **state)
{
	struct op_call c = call_new(&core_max_unpool, 1);
	int64_t at[] = { 5, 7, 13, 15 };

	(void)state;
	numbers(&c, DIMS(1, 1, 2, 2), NUMBERS(1, 2, 3, 4));
	struct array *indices = array_in(c.a, ELEMENT_I64, DIMS(1, 1, 2, 2));

	memcpy(indices->data, at, sizeof(at));
	call_arg_add(&c, indices);
	add_ints(&c, "kernel", 2, (int64_t[]){ 2, 2 });
	add_ints(&c, "strides", 2, (int64_t[]){ 2, 2 });
	assert_numbers(call_eval(&c, 0), 16,
		       NUMBERS(0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4));
	call_ints_arg(&c, 4, (int64_t[]){ 1, 1, 4, 5 });
	assert_numbers(call_eval(&c, 0), 20,
		       NUMBERS(0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0));
	((int64_t *)indices->data)[0] = 16;
	struct graph *g = call_graph(&c, true);
	struct value v;

	assert_int_equal(call_run(&c, g, &v), -1);
	call_free(&c);
}

/* Patches of ones count how often each element is read. */
static void patches_summed_up(void **state)
{
	struct op_call c = call_new(&core_col2im, 1);
	double ones[4 * 6];

	(void)state;
	for (int i = 0; i < 24; i++)
		ones[i] = 1;
	numbers(&c, DIMS(1, 4, 6), ones);
	call_ints_arg(&c, 2, (int64_t[]){ 3, 4 });
	call_ints_arg(&c, 2, (int64_t[]){ 2, 2 });
	assert_numbers(call_eval(&c, 0), 12, NUMBERS(1, 2, 2, 1, 2, 4, 4, 2, 1, 2, 2, 1));
	call_free(&c);
}

static void responses_normalised(void **state)
{
	struct op_call c = call_new(&core_lrn, 1);
	const struct array *x = call_random(&c, ELEMENT_F32, DIMS(2, 5, 2, 3));
	double expected[60];

	(void)state;
	attrs_int(c.a, &c.attrs, "size", 4);
	attrs_float(c.a, &c.attrs, "alpha", 0.5);
	attrs_float(c.a, &c.attrs, "bias", 2);
	for (int64_t i = 0; i < x->count; i++) {
		int64_t channel = i / 6 % 5;
		double sum = 0;

		for (int64_t k = channel - 1; k <= channel + 2; k++)	/* one before, two behind */
			if (k >= 0 && k < 5)
				sum += pow(array_float(x, i + (k - channel) * 6), 2);
		expected[i] = array_float(x, i) / pow(2 + 0.5 / 4 * sum, 0.75);
	}
	const struct array *y = call_eval(&c, 0);

	assert_numbers(y, 60, expected);
	assert_arrays_close(y, call_express(&c, true), 1e-5);
	call_free(&c);
}

/* Point K of the transform of N points of X. */
static double complex transformed(const struct array *x, int64_t n, int64_t k)
{
	double complex sum = 0;

	for (int64_t j = 0; j < n && j < x->dim[1]; j++)
		sum += (array_float(x, 2 * j) + array_float(x, 2 * j + 1) * I) *
		       cexp(-2 * M_PI * I * (double)(j * k) / (double)n);
	return sum;
}

static void transforms(void **state)
{
	static const int64_t lengths[] = { 1, 2, 7, 12, 16, 30 };

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct op_call c = call_new(&core_dft, 1);
		const struct array *x = call_random(&c, ELEMENT_F64, DIMS(1, 12, 2));

		call_ints_arg(&c, 1, &lengths[i]);
		const struct array *y = call_eval(&c, 0);

		assert_int_equal(y->dim[1], lengths[i]);
		for (int64_t k = 0; k < lengths[i]; k++) {
			double complex v = transformed(x, lengths[i], k);

			assert_float_equal(array_float(y, 2 * k), creal(v), 1e-9);
			assert_float_equal(array_float(y, 2 * k + 1), cimag(v), 1e-9);
		}
		call_free(&c);
	}
}

/* There and back: of complex signals, and of real ones by half of the frequencies. */
static void transforms_back(void **state)
{
	(void)state;
	for (int onesided = 0; onesided < 2; onesided++)
		for (int64_t n = 5; n < 7; n++) {
			struct op_call c = call_new(&core_dft, 1);
			const struct array *x =
				call_random(&c, ELEMENT_F64, DIMS(2, n, 3, onesided ? 1 : 2));
			const struct array *axis = array_in(c.a, ELEMENT_I64, 0, NULL);
			const struct array *length = array_in(c.a, ELEMENT_I64, 0, NULL);

			*(int64_t *)axis->data = 1;
			*(int64_t *)length->data = n;
			call_arg_add(&c, length);
			call_arg_add(&c, axis);
			attrs_int(c.a, &c.attrs, "onesided", onesided);
			c.args[0] = call_eval(&c, 0);
			assert_int_equal(c.args[0]->dim[1], onesided ? n / 2 + 1 : n);
			attrs_int(c.a, &c.attrs, "inverse", 1);
			assert_arrays_close(call_eval(&c, 0), x, 1e-12);
			call_free(&c);
		}
}

static void determinants(void **state)
{
	struct op_call c = call_new(&core_det, 1);

	(void)state;
	numbers(&c, DIMS(2, 3, 3),
		NUMBERS(0, 2, 1, 3, 1, 4, 1, 0, 2, 1, 2, 3, 2, 4, 6, 5, 1, 1));
	assert_numbers(call_eval(&c, 0), 2, NUMBERS(-5, 0));
	call_free(&c);
}

/* The grid that reads every element is the image; half an element further is the mean of two. */
static void sampled(void **state)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct op_call c = call_new(&core_grid_sample, 1);
		const struct array *x = numbers(&c, DIMS(1, 1, 2, 3), NUMBERS(1, 2, 3, 4, 5, 6));

		numbers(&c, DIMS(1, 2, 3, 2),
			NUMBERS(-1, -1, 0, -1, 1, -1, -1, 1, 0, 1, 1, 1));
		attrs_string(c.a, &c.attrs, "mode", modes[i]);
		attrs_int(c.a, &c.attrs, "align_corners", 1);
		assert_arrays_close(call_eval(&c, 0), x, 1e-6);
		call_free(&c);
	}
	struct op_call c = call_new(&core_grid_sample, 1);

	numbers(&c, DIMS(1, 1, 2, 3), NUMBERS(1, 2, 3, 4, 5, 6));
	numbers(&c, DIMS(1, 1, 4, 2), NUMBERS(-0.5, -1, 2, 0, NAN, 0, 1e30, 1e30));
	attrs_int(c.a, &c.attrs, "align_corners", 1);
	assert_numbers(call_eval(&c, 0), 4, NUMBERS(1.5, 0, 0, 0));
	attrs_string(c.a, &c.attrs, "padding", "border");
	assert_numbers(call_eval(&c, 0), 4, NUMBERS(1.5, 4.5, 2.5, 6));
	attrs_string(c.a, &c.attrs, "padding", "zeros");
	call_free(&c);
}

/* Without offsets it is a convolution; with whole ones, that of the image moved. */
static void deformed(void **state)
{
	struct op_call c = call_new(&core_deform_conv, 5);
	const struct array *x = call_random(&c, ELEMENT_F32, DIMS(1, 2, 4, 5));
	const struct array *w = call_random(&c, ELEMENT_F32, DIMS(2, 2, 2, 2));
	struct array *offset = array_in(c.a, ELEMENT_F32, DIMS(1, 8, 3, 4));

	(void)state;
	call_arg_add(&c, offset);
	const struct array *y = call_eval(&c, 0);
	struct op_call conv = call_new(&core_conv, 1);

	call_arg_add(&conv, x);
	call_arg_add(&conv, w);
	assert_arrays_close(y, call_eval(&conv, 0), 1e-5);
	for (int64_t i = 0; i < offset->count; i++)	/* rows: one further */
		element_store(ELEMENT_F32, offset->data, i, i / 12 % 2 ? 0 : 1);
	const struct array *further = call_eval(&c, 0), *plain = call_eval(&conv, 0);

	for (int64_t i = 0; i < y->count; i++)
		if (i / 4 % 3 < 2)
			assert_float_equal(array_float(further, i), array_float(plain, i + 4), 1e-5);
	call_free(&conv);
	call_free(&c);
}

/* On a slope, the mean of a region's bin is the value in its middle. */
static void regions(void **state)
{
	struct op_call c = call_new(&core_roi_align, 1);
	double slope[2 * 64];

	(void)state;
	for (int i = 0; i < 128; i++)
		slope[i] = i / 64 * 100 + i % 8 + 2 * (i / 8 % 8);
	numbers(&c, DIMS(2, 1, 8, 8), slope);
	numbers(&c, DIMS(2, 4), NUMBERS(1, 2, 5, 6, 2, 2, 6, 4));
	call_ints_arg(&c, 2, (int64_t[]){ 0, 1 });
	attrs_int(c.a, &c.attrs, "height", 2);
	attrs_int(c.a, &c.attrs, "width", 2);
	assert_numbers(call_eval(&c, 0), 8,
		       NUMBERS(6.5, 8.5, 10.5, 12.5, 106.5, 108.5, 108.5, 110.5));
	*(int64_t *)c.args[2]->data = 2;
	struct graph *g = call_graph(&c, true);
	struct value v;

	assert_int_equal(call_run(&c, g, &v), -1);
	call_free(&c);
}

static void regions_pooled(void **state)
{
	struct op_call c = call_new(&core_max_roi_pool, 1);
	double numbers_of[36];

	(void)state;
	for (int i = 0; i < 36; i++)
		numbers_of[i] = i;
	numbers(&c, DIMS(1, 1, 6, 6), numbers_of);
	numbers(&c, DIMS(1, 5), NUMBERS(0, 1, 1, 4, 4));
	attrs_int(c.a, &c.attrs, "height", 2);
	attrs_int(c.a, &c.attrs, "width", 2);
	assert_numbers(call_eval(&c, 0), 4, NUMBERS(14, 16, 26, 28));
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transposed_convolutions),
		cmocka_unit_test(maxima_and_where_they_are),
		cmocka_unit_test(unpooled),
		cmocka_unit_test(patches_summed_up),
		cmocka_unit_test(responses_normalised),
		cmocka_unit_test(transforms),
		cmocka_unit_test(transforms_back),
		cmocka_unit_test(determinants),
		cmocka_unit_test(sampled),
		cmocka_unit_test(deformed),
		cmocka_unit_test(regions),
		cmocka_unit_test(regions_pooled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
