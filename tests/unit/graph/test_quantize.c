/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_quantize.c - ranges of known distributions, integers against a plain loop, tables. */
#include "tests/fixture/quantize_fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "graph/quantize/accuracy.h"
#include "graph/quantize/switch.h"
#include "graph/quantize/table.h"
#include "graph/quantize/weight.h"

/* --- histograms and ranges */

enum { MANY = 100000 };

static float normal(struct rng *rng)
{
	/* Box and Muller 1958 */
	return (float)(sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * 3.14159265358979 * rng_unit(rng)));
}

/* MANY elements, a part of them with each call. */
static struct histogram *seen(struct arena *a, const float *x)
{
	struct histogram *h = arena_one(a, struct histogram);

	for (int i = 0, n = 100; i < MANY; i += n, n = 900)
		histogram_add(h, x + i, i + n < MANY ? n : MANY - i);
	return h;
}

static void test_histogram(void **state)
{
	struct arena *a = arena_new();
	struct rng rng = rng_seed(1);
	float *x = arena_many(a, float, MANY);

	(void)state;
	for (int i = 0; i < MANY; i++)	/* uniform in [-1, 3], of a range that grows behind 100 */
		x[i] = (float)((rng_unit(&rng) * 4 - 1) * (i < 100 ? 0x1p-6 : 1));
	x[7] = NAN;
	x[MANY - 1] = INFINITY;
	struct histogram *h = seen(a, x);

	assert_int_equal(h->count, MANY - 2);
	assert_int_equal(h->odd, 2);
	assert_true(h->low > -1.0001 && h->low < -0.99 && h->high > 2.99 && h->high < 3.0001);
	for (double q = 0.1; q < 0.95; q += 0.1)
		if (fabs(histogram_quantile(h, q) - (q * 4 - 1)) > 0.05)
			fail_msg("quantile %g: %g", q, histogram_quantile(h, q));
	assert_true(histogram_quantile(h, 1) == h->high);
	assert_true(histogram_quantile(h, 0) == h->low);
	/* the bins in use reach as far as the data, and not twice as far */
	assert_true(h->width * HISTOGRAM_SIDE > 3 && h->width * HISTOGRAM_SIDE <= 6.1);
	int64_t all = 0, by_size[HISTOGRAM_SIDE];

	histogram_magnitudes(h, by_size);
	for (int i = 0; i < HISTOGRAM_SIDE; i++)
		all += by_size[i];
	assert_int_equal(all, h->count);
	arena_free(a);
}

static void test_histogram_of_zeros(void **state)
{
	struct histogram h = { .count = 0 };
	double low, high;

	(void)state;
	histogram_add(&h, (float[]){ 0, 0, NAN }, 3);
	for (int m = 0; m < QUANT_METHOD_COUNT; m++) {
		quant_range(&h, (enum quant_method)m, 99.99, &low, &high);
		assert_true(low == 0 && high == 0);
	}
	assert_true(quant_grid_of(ELEMENT_U8, low, high).scale == 1);
	histogram_add(&h, (float[]){ -5 }, 1);
	assert_true(h.low == -5 && h.high == 0 && h.count == 3 && h.odd == 1);
}

static void test_ranges(void **state)
{
	struct arena *a = arena_new();
	struct rng rng = rng_seed(2);
	float *x = arena_many(a, float, MANY);
	double low, high;

	(void)state;
	for (int i = 0; i < MANY; i++)
		x[i] = normal(&rng);
	x[100] = 80;	/* 5 of 100,000 are far off */
	x[2000] = x[40000] = x[60000] = x[99999] = 60;
	struct histogram *h = seen(a, x);

	quant_range(h, QUANT_MINMAX, 0, &low, &high);
	assert_true(high == 80 && low < -3.5 && low > -6);
	quant_range(h, QUANT_PERCENTILE, 99.99, &low, &high);
	/* of a normal distribution 1e-4 lies above 3.72, half of that above 3.89; the bins are 0.06 wide */
	assert_true(high > 3.6 && high < 4.3);
	assert_true(low < -3.4 && low > -4.2);
	quant_range(h, QUANT_ENTROPY, 0, &low, &high);
	if (!(high > 3 && high < 20))
		fail_msg("entropy cuts off at %g", high);
	assert_true(-low <= high && low < -3);

	for (int i = 0; i < MANY; i++)	/* nothing to cut off */
		x[i] = (float)rng_unit(&rng);
	h = seen(a, x);
	quant_range(h, QUANT_ENTROPY, 0, &low, &high);
	if (!(low == 0 && high > 0.99))
		fail_msg("entropy cuts a uniform distribution off at %g", high);
	arena_free(a);
}

static void test_grids(void **state)
{
	static const double ranges[][2] = { { 0, 6 }, { -1, 1 }, { -3, 0 }, { -0.001, 250 }, { -1e-3, 2e-3 } };

	(void)state;
	for (int signed_too = 0; signed_too < 2; signed_too++)
		for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
			enum element e = signed_too ? ELEMENT_I8 : ELEMENT_U8;
			double low = ranges[i][0], high = ranges[i][1];
			struct quant_grid g = quant_grid_of(e, low, high);

			assert_true(quant_value(g, quant_round(g, 0)) == 0);
			for (double v = low; v <= high; v += (high - low) / 1000) {
				double off = (double)quant_value(g, quant_round(g, (float)v)) - v;

				/* the zero is moved by half a step at most, and the ends with it */
				if (fabs(off) > (double)g.scale * 1.001)
					fail_msg("%g in [%g, %g] is off by %g", v, low, high, off);
			}
			assert_int_equal(quant_round(g, 1e9f), element_max(e));
			assert_int_equal(quant_round(g, -1e9f), element_min(e));
		}
}

/* --- integers against a plain loop */

static int constant_of(struct graph_maker *m, int rank, const int64_t *dim, double offset)
{
	struct array *x = array_in(m->a, ELEMENT_F32, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, rng_unit(&m->rng) * 2 - 1 + offset);
	return build_const(&m->b, x);
}

static struct value sample(struct graph_maker *m, int param, double low)
{
	const struct type *t = build_type(&m->b, param);
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	struct array *x = array_in(m->a, ELEMENT_F32, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, low + rng_unit(&m->rng) * (1 - low));
	return value_of_array(x);
}

static struct quantized quantized(struct quant *q)
{
	struct quantized z;

	if (quant_apply(q, &z) < 0)
		fail_msg("%s", err_get());
	return z;
}

static struct quant quant_of(struct graph_maker *m, const struct graph *g, enum element e)
{
	struct quant_options o = { .method = QUANT_MINMAX, .element = e };
	struct quant q;

	if (quant_new(m->a, g, &o, &q) < 0)
		fail_msg("%s", err_get());
	return q;
}

/* A convolution as it is written down. */
struct plain_conv {
	int64_t c, h, w, oc, k, pad, stride, groups;
	const float *x, *weight, *bias;
};

static int plain_weight(const struct plain_conv *p, int64_t o, int64_t i, float *scale)
{
	int64_t n = p->c / p->groups * p->k * p->k;
	double most = 0;

	for (int64_t j = 0; j < n; j++)
		most = fmax(most, fabs((double)p->weight[o * n + j]));
	*scale = (float)(most / 127);
	return (int)fmin(fmax(rint((double)p->weight[o * n + i] / (double)*scale), -127), 127);
}

static float plain_at(const struct plain_conv *p, struct quant_grid g, int64_t o, int64_t y, int64_t x)
{
	int64_t ic = p->c / p->groups, group = o / (p->oc / p->groups);
	int32_t sum = 0;
	float scale = 0;

	for (int64_t i = 0; i < ic * p->k * p->k; i++) {
		int64_t row = y * p->stride - p->pad + i / p->k % p->k;
		int64_t col = x * p->stride - p->pad + i % p->k;
		int weight = plain_weight(p, o, i, &scale);

		if (row < 0 || row >= p->h || col < 0 || col >= p->w)
			continue;
		float v = p->x[((group * ic + i / (p->k * p->k)) * p->h + row) * p->w + col];
		double q = rint((double)(v / g.scale)) + g.zero;

		q = fmin(fmax(q, (double)element_min(g.element)), (double)element_max(g.element));
		sum += ((int32_t)q - g.zero) * weight;
	}
	sum += (int32_t)rint((double)p->bias[o] / ((double)scale * (double)g.scale));
	return (float)sum * (scale * g.scale);
}

static void check_conv(struct plain_conv p, enum element e, double low)
{
	struct graph_maker m = graph_maker_new();
	struct attr_vec attrs = { 0 };
	int x = input(&m, 1, p.c, p.h, p.w);
	int w = constant_of(&m, DIMS(p.oc, p.c / p.groups, p.k, p.k), 0);
	int b = constant_of(&m, DIMS(1, p.oc, 1, 1), 0);
	struct value in = sample(&m, x, low), out;

	attrs_ints(m.a, &attrs, "pads", 4, (int64_t[]){ p.pad, p.pad, p.pad, p.pad });
	attrs_ints(m.a, &attrs, "strides", 2, (int64_t[]){ p.stride, p.stride });
	attrs_int(m.a, &attrs, "groups", p.groups);
	p.x = in.array->data;
	p.weight = build_array(&m.b, w)->data;
	p.bias = build_array(&m.b, b)->data;
	finish(&m, build(&m.b, &core_add, build_with(&m.b, &core_conv, &attrs, x, w), b));
	struct quant q = quant_of(&m, m.g, e);

	calibrate_by(&q, 1, &in, false);
	struct quantized z = quantized(&q);
	struct quant_grid g = q.sites.at[0].grid;

	assert_int_equal(q.sites.n, 1);
	assert_int_equal(g.element, e);
	assert_true((g.zero == (int)element_min(e)) == (low >= 0));
	run_main(m.a, z.graph, &in, &out);
	const struct array *y = out.array;

	for (int64_t i = 0; i < y->count; i++) {
		float want = plain_at(&p, g, i / (y->dim[2] * y->dim[3]), i / y->dim[3] % y->dim[2],
				      i % y->dim[3]);

		if (((float *)y->data)[i] != want)
			fail_msg("element %d is %.9g, by hand %.9g", (int)i,
				 (double)((float *)y->data)[i], (double)want);
	}
	value_release(out);
	arena_free(m.a);
}

static void test_conv(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		enum element e = i & 1 ? ELEMENT_I8 : ELEMENT_U8;
		double low = i & 2 ? 0 : -0.7;

		check_conv((struct plain_conv){ 6, 7, 8, 9, 3, 1, 1, 3, 0, 0, 0 }, e, low);
		check_conv((struct plain_conv){ 4, 9, 9, 4, 3, 1, 2, 4, 0, 0, 0 }, e, low);
		check_conv((struct plain_conv){ 5, 4, 6, 3, 1, 0, 1, 1, 0, 0, 0 }, e, low);
		check_conv((struct plain_conv){ 3, 11, 10, 2, 5, 2, 2, 1, 0, 0, 0 }, e, low);
	}
}

static void test_matmul(void **state)
{
	enum { ROWS = 5, K = 33, N = 7 };

	(void)state;
	for (int trans = 0; trans < 2; trans++) {
		struct graph_maker m = graph_maker_new();
		struct attr_vec attrs = { 0 };
		int x = input(&m, ROWS, K);
		int w = constant_of(&m, 2, trans ? (int64_t[]){ N, K } : (int64_t[]){ K, N }, 0.2);
		struct value in = sample(&m, x, -2), out;
		const float *data = in.array->data, *weight = build_array(&m.b, w)->data;

		attrs_int(m.a, &attrs, "trans_b", trans);
		finish(&m, build_with(&m.b, &core_matmul, &attrs, x, w));
		struct quant q = quant_of(&m, m.g, ELEMENT_U8);

		calibrate_by(&q, 1, &in, false);
		struct quantized z = quantized(&q);
		struct quant_grid g = q.sites.at[0].grid;

		run_main(m.a, z.graph, &in, &out);
		for (int i = 0; i < ROWS * N; i++) {
			int32_t sum = 0;
			double most = 0;

			for (int k = 0; k < K; k++)
				most = fmax(most, fabs((double)weight[trans ? i % N * K + k : k * N + i % N]));
			float scale = (float)(most / 127);

			for (int k = 0; k < K; k++) {
				double v = (double)weight[trans ? i % N * K + k : k * N + i % N];

				sum += (quant_round(g, data[i / N * K + k]) - g.zero) *
				       (int32_t)rint(v / (double)scale);
			}
			assert_true(((float *)out.array->data)[i] == (float)sum * (scale * g.scale));
		}
		value_release(out);
		arena_free(m.a);
	}
}

static bool in_integers(const struct graph *g)
{
	const struct function *f = graph_main(g);

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		if (b->kind == BIND_CALL && (b->op == &core_conv || b->op == &core_matmul) &&
		    (b->type->element != ELEMENT_I32 || function_at(f, b->args[0])->type->element != ELEMENT_U8))
			return false;
	}
	return true;
}

/* Two layers that share data, a residual sum; as a whole, and quantized once more. */
static void test_graph(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int c = build(&m.b, &core_relu, conv(&m, x, 8, 8, 3, 1));
	int d = build(&m.b, &core_add, conv(&m, c, 8, 8, 3, 1), conv(&m, c, 8, 8, 1, 0));
	struct value in[3] = { sample(&m, x, -1), sample(&m, x, -1), sample(&m, x, -1) }, y[2];

	(void)state;
	finish(&m, d);
	struct quant q = quant_of(&m, m.g, ELEMENT_U8);

	assert_int_equal(q.sites.n, 3);
	assert_int_equal(q.tensors.n, 2);
	calibrate_by(&q, 3, in, true);
	struct quantized z = quantized(&q);

	assert_true(in_integers(z.graph));
	run_main(m.a, m.g, in, &y[0]);
	run_main(m.a, z.graph, in, &y[1]);
	struct quant_error e = { .rows = 0 };

	quant_error_add(&e, y[1].array, y[0].array);
	assert_true(quant_error_sqnr(&e) > 35);
	assert_int_equal(e.rows, 48);
	struct quant again = quant_of(&m, z.graph, ELEMENT_U8);

	for (int i = 0; i < again.sites.n; i++)
		assert_string_equal(again.sites.at[i].why, "it is made of integers already");
	values_release(y, 2);
	arena_free(m.a);
}

/* Switches: none is the graph of floats, all are that of integers. */
static void test_switches(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	int c = build(&m.b, &core_add, conv(&m, x, 8, 8, 3, 1), weight(&m, 8, 1, 1));
	struct value in[2] = { sample(&m, x, -1) }, y[2];

	(void)state;
	finish(&m, conv(&m, build(&m.b, &core_relu, c), 8, 4, 3, 1));
	struct quant q = quant_of(&m, m.g, ELEMENT_U8);

	calibrate_by(&q, 1, in, true);
	struct quantized z = quantized(&q);
	struct quant_switches *s = quant_switches_new(&q);
	struct array *on = array_in(m.a, ELEMENT_BOOL, 1, (int64_t[]){ 2 });

	assert_non_null(s);
	assert_int_equal(s->n, 2);
	in[1] = value_of_array(on);
	for (int all = 0; all < 2; all++) {
		struct quant_error e = { .rows = 0 };

		memset(on->data, all, 2);
		run_main(m.a, all ? z.graph : m.g, in, &y[0]);
		run_main(m.a, s->graph, in, &y[1]);
		quant_error_add(&e, y[1].array, y[0].array);
		/* but for rounding of f32, and where that puts a number on the next step */
		assert_true(e.most <= (all ? 1e-3 * e.largest : 0));
		values_release(y, 2);
	}
	arena_free(m.a);
}

/* What rounding adds to a channel as a whole is taken away: weights of which most are rounded down. */
static void test_correction(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 4, 64);
	struct array *w = array_in(m.a, ELEMENT_F32, 2, (int64_t[]){ 64, 2 });
	double mean[2] = { 0, 0 };

	(void)state;
	for (int i = 0; i < 128; i++)	/* steps of 1/127: 0.4 of one is lost */
		((float *)w->data)[i] = i < 2 ? 1 : (float)(0.4 / 127);
	struct value in = sample(&m, x, 0), y, right;

	finish(&m, build(&m.b, &core_matmul, x, build_const(&m.b, w)));
	run_main(m.a, m.g, &in, &right);
	for (int correct = 0; correct < 2; correct++) {
		struct quant q = quant_of(&m, m.g, ELEMENT_U8);

		calibrate_by(&q, 1, &in, correct);
		run_main(m.a, quantized(&q).graph, &in, &y);
		for (int i = 0; i < 8; i++)
			mean[correct] += (array_float(y.array, i) - array_float(right.array, i)) / 8;
		value_release(y);
	}
	value_release(right);
	assert_true(fabs(mean[0]) > 0.05);
	assert_true(fabs(mean[1]) < 0.001);
	arena_free(m.a);
}

/* A model's own quantization: its grid stays, and weights on a grid are the integers that they were. */
static void test_own(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct attr_vec wide = { 0 }, real = { 0 };
	int q8 = build_param(&m.b, "", type_shaped(m.a, ELEMENT_U8, DIMS(2, 16)));
	struct array *w = array_in(m.a, ELEMENT_F32, 2, (int64_t[]){ 16, 3 });
	struct array *x = array_in(m.a, ELEMENT_U8, 2, (int64_t[]){ 2, 16 });
	int steps[48];

	(void)state;
	for (int i = 0; i < 48; i++) {
		steps[i] = (int)rng_below(&m.rng, 81) - 40;
		((float *)w->data)[i] = (float)steps[i] * 0.013f;
	}
	for (int i = 0; i < 32; i++)
		((uint8_t *)x->data)[i] = (uint8_t)rng_below(&m.rng, 256);
	attrs_element(m.a, &wide, "to", ELEMENT_I32);
	attrs_element(m.a, &real, "to", ELEMENT_F32);
	int zero = build_scalar(&m.b, ELEMENT_I32, 117);
	int less = build(&m.b, &core_sub, build_with(&m.b, &core_cast, &wide, q8), zero);
	int data = build(&m.b, &core_mul, build_with(&m.b, &core_cast, &real, less),
			 build_scalar(&m.b, ELEMENT_F32, 0.02));

	finish(&m, build(&m.b, &core_matmul, data, build_const(&m.b, w)));
	struct quant q = quant_of(&m, m.g, ELEMENT_I8);
	struct value in = value_of_array(x), y;

	assert_null(q.sites.at[0].why);
	assert_int_equal(q.sites.at[0].own, q8);
	assert_int_equal(q.tensors.n, 0);
	quant_settle(&q);
	struct quantized z = quantized(&q);

	assert_true(in_integers(z.graph));
	run_main(m.a, z.graph, &in, &y);
	for (int i = 0; i < 6; i++) {
		int sum = 0;

		for (int k = 0; k < 16; k++)
			sum += (((uint8_t *)x->data)[i / 3 * 16 + k] - 117) * steps[k * 3 + i % 3];
		double want = sum * 0.02 * 0.013;

		assert_true(fabs(array_float(y.array, i) - want) <= 1e-5 * fabs(want));
	}
	value_release(y);
	arena_free(m.a);
}

static void test_refused(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct array *w = array_in(m.a, ELEMENT_F32, 2, (int64_t[]){ 90000, 1 });
	int x = input(&m, 1, 90000), y = input(&m, 1, 1);
	struct value in[2] = { sample(&m, x, 0), sample(&m, y, 0) }, results[4];

	(void)state;
	for (int i = 0; i < 90000; i++)
		((float *)w->data)[i] = (float)(0.9 + 0.1 * rng_unit(&m.rng));
	int product = build(&m.b, &core_matmul, x, build_const(&m.b, w));

	finish(&m, build(&m.b, &core_matmul, product, y));
	struct quant q = quant_of(&m, m.g, ELEMENT_U8);
	struct quant_watch *watch = quant_watch_tensors(&q);

	assert_non_null(watch);
	assert_int_equal(q.sites.n, 2);
	assert_string_equal(q.sites.at[1].why, "its weight is no constant");
	run_main(m.a, watch->graph, in, results);
	quant_see(&q, watch, in, results);
	values_release(results, graph_main(watch->graph)->nresults);
	quant_settle(&q);
	assert_string_equal(q.sites.at[0].why, "its sums might not fit 32 bits");
	assert_true(q.sites.at[0].macs == 90000);

	struct quant_options o = { .sites = { (const char *const[]){ "nowhere" }, 1 } };

	assert_int_equal(quant_new(m.a, m.g, &o, &q), -1);
	assert_non_null(strstr(err_get(), "labelled 'nowhere'"));
	arena_free(m.a);
}

static void test_narrow(void **state)
{
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 6, 6);
	struct value in = sample(&m, x, -1), y[2];
	struct quantized z;
	struct quant_error e = { .rows = 0 };

	(void)state;
	finish(&m, build(&m.b, &core_add, conv(&m, x, 8, 8, 3, 1), weight(&m, 8, 1, 1)));
	struct quant q = quant_of(&m, m.g, ELEMENT_U8);

	assert_int_equal(quant_narrow(&q, ELEMENT_BF16, &z), 0);
	run_main(m.a, m.g, &in, &y[0]);
	run_main(m.a, z.graph, &in, &y[1]);
	quant_error_add(&e, y[1].array, y[0].array);
	assert_true(e.most > 0);
	/* 72 products of two roundings of 2^-9 each, and one of their sum */
	assert_true(e.most < (72 * 2 * 1.5 + e.largest) * 0x1p-9);
	values_release(y, 2);
	arena_free(m.a);
}

/* --- tables */

static const char *write_text(struct arena *a, const char *dir, const char *text)
{
	const char *path = arena_printf(a, "%s/table.json", dir);

	assert_int_equal(file_write(path, text, strlen(text)), 0);
	return path;
}

static struct graph *labelled(struct graph_maker *m)
{
	int x = build_param(&m->b, "image", type_shaped(m->a, ELEMENT_F32, DIMS(1, 8, 6, 6)));

	m->b.origin = origin_new(m->a, "first", (struct demand){ 0 });
	int c = conv(m, x, 8, 8, 3, 1);

	build_name(&m->b, c, "middle");
	m->b.origin = origin_new(m->a, "second", (struct demand){ 0 });
	finish(m, conv(m, c, 8, 4, 3, 1));
	return m->g;
}

static void test_bad_tables(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "{", "table.json:1:" },
		{ "[]", "no JSON object" },
		{ "{\"tensor\": {}}", "\"tensor\" is neither" },
		{ "{\"tensors\": []}", "\"tensors\" must be an object" },
		{ "{\"tensors\": {\"image\": 3}}", "tensors \"image\": give \"float\"" },
		{ "{\"tensors\": {\"image\": \"int\"}}", "give \"float\"" },
		{ "{\"tensors\": {\"image\": {\"scale\": 0}}}", "\"scale\" must be a number above 0" },
		{ "{\"tensors\": {\"image\": {\"scale\": -1}}}", "\"scale\" must be" },
		{ "{\"tensors\": {\"image\": {\"scale\": 1e300}}}", "\"scale\" must be" },
		{ "{\"tensors\": {\"image\": {\"scale\": \"1\"}}}", "\"scale\" must be" },
		{ "{\"tensors\": {\"image\": {\"zero_point\": 1}}}", "\"scale\" must be" },
		{ "{\"tensors\": {\"image\": {\"scale\": 1, \"zero_point\": 256}}}", "256 is no u8" },
		{ "{\"tensors\": {\"image\": {\"scale\": 1, \"zero_point\": 0.5}}}", "must be an integer" },
		{ "{\"tensors\": {\"image\": {\"scale\": 1, \"type\": \"i16\"}}}", "\"type\" must be" },
		{ "{\"tensors\": {\"image\": {\"scale\": 1, \"zero\": 1}}}", "there is no \"zero\"" },
		{ "{\"tensors\": {\"picture\": \"float\"}}", "tensor \"picture\": no convolution" },
		{ "{\"nodes\": {\"third\": \"float\"}}", "node \"third\": no convolution" },
	};
	struct graph_maker m = graph_maker_new();
	const char *dir = dir_temp(m.a);
	const struct graph *g = labelled(&m);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct quant_options o = { .element = ELEMENT_U8,
			.table = quant_table_read(m.a, write_text(m.a, dir, bad[i].text)) };
		struct quant q;

		if (o.table)
			assert_int_equal(quant_new(m.a, g, &o, &q), -1);
		if (!strstr(err_get(), bad[i].says) || !strstr(err_get(), "table.json"))
			fail_msg("%s: %s", bad[i].text, err_get());
	}
	assert_null(quant_table_read(m.a, arena_printf(m.a, "%s/none.json", dir)));
	dir_remove(dir);
	arena_free(m.a);
}

static void test_table(void **state)
{
	struct graph_maker m = graph_maker_new();
	const char *dir = dir_temp(m.a);
	const struct graph *g = labelled(&m);
	struct value in = value_of_array(array_in(m.a, ELEMENT_F32, 4, (int64_t[]){ 1, 8, 6, 6 }));
	const char *path = arena_printf(m.a, "%s/out.json", dir);
	struct quant_options o = { .element = ELEMENT_U8, .method = QUANT_MINMAX };
	struct quant q, again;

	(void)state;
	((float *)in.array->data)[3] = -1;
	/* one tensor is given, the other seen */
	o.table = quant_table_read(m.a, write_text(m.a, dir,
		"{\"tensors\": {\"image\": {\"type\": \"i8\", \"scale\": 0.1, \"zero_point\": -3}}}"));
	assert_int_equal(quant_new(m.a, g, &o, &q), 0);
	calibrate_by(&q, 1, &in, false);
	assert_true(q.sites.at[0].grid.scale == 0.1f && q.sites.at[0].grid.zero == -3);
	assert_int_equal(q.sites.at[0].grid.element, ELEMENT_I8);
	assert_int_equal(q.sites.at[1].grid.element, ELEMENT_U8);
	assert_int_equal(quant_table_write(path, &q), 0);
	/* what was written says all of it, bit by bit */
	o.table = quant_table_read(m.a, path);
	assert_int_equal(quant_new(m.a, g, &o, &again), 0);
	quant_settle(&again);
	for (int i = 0; i < 2; i++)
		assert_memory_equal(&again.sites.at[i].grid, &q.sites.at[i].grid, sizeof(struct quant_grid));
	/* a node's own, and one that stays float */
	o.table = quant_table_read(m.a, write_text(m.a, dir,
		"{\"nodes\": {\"first\": \"float\", \"second\": {\"scale\": 2}}}"));
	assert_int_equal(quant_new(m.a, g, &o, &q), 0);
	assert_string_equal(q.sites.at[0].why, "the table has it stay float");
	assert_true(q.sites.at[1].grid.scale == 2 && q.sites.at[1].grid.zero == 0);
	assert_int_equal(quant_table_write(path, &q), 0);
	o.table = quant_table_read(m.a, path);
	assert_int_equal(quant_new(m.a, g, &o, &again), 0);
	assert_non_null(again.sites.at[0].why);
	dir_remove(dir);
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram),  cmocka_unit_test(test_histogram_of_zeros),
		cmocka_unit_test(test_ranges),	   cmocka_unit_test(test_grids),
		cmocka_unit_test(test_conv),	   cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_graph),	   cmocka_unit_test(test_switches),
		cmocka_unit_test(test_correction), cmocka_unit_test(test_own),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_bad_tables), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
