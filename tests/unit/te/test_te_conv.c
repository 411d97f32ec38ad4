/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_te_conv.c - convolutions against direct loops; layouts against each other. */
#include "tests/te_run.h"

/* Convolution of nchw data with three spatial dimensions by the book. */
struct direct {
	int64_t n, ic, oc, groups;
	int64_t in[3], k[3], s[3], p[3], dil[3];
};

static double direct_at(const struct run *r, const struct direct *c, int64_t n, int64_t oc,
			const int64_t *y)
{
	int64_t icg = c->ic / c->groups;
	int64_t kernel = c->k[0] * c->k[1] * c->k[2];
	int64_t first = oc / (c->oc / c->groups) * icg;
	double sum = 0;

	for (int64_t i = 0; i < icg * kernel; i++) {
		int64_t k[] = { i / c->k[2] / c->k[1] % c->k[0], i / c->k[2] % c->k[1],
				i % c->k[2] };
		int64_t from = n * c->ic + first + i / kernel;
		bool inside = true;

		for (int j = 0; j < 3; j++) {
			int64_t pos = y[j] * c->s[j] - c->p[j] + k[j] * c->dil[j];

			inside &= pos >= 0 && pos < c->in[j];
			from = from * c->in[j] + pos;
		}
		if (inside)
			sum += at(r, 0, from) * at(r, 1, oc * icg * kernel + i);
	}
	return sum;
}

static void check_direct(const char *spec, struct direct c)
{
	struct run r = run_spec(spec);
	int64_t out[3];
	int64_t i = 0;

	for (int j = 0; j < 3; j++)
		out[j] = (c.in[j] + 2 * c.p[j] - c.dil[j] * (c.k[j] - 1) - 1) / c.s[j] + 1;
	int64_t points = out[0] * out[1] * out[2];

	assert_int_equal(tensor_count(&r.op[2]->tensor), c.n * c.oc * points);
	for (int64_t j = 0; j < c.n * c.oc; j++)
		for (int64_t p = 0; p < points; p++, i++) {
			int64_t y[] = { p / out[2] / out[1], p / out[2] % out[1], p % out[2] };

			check_close(spec, i, at(&r, 2, i), direct_at(&r, &c, j / c.oc, j % c.oc, y),
				    1e-5);
		}
	arena_free(r.a);
}

static void test_conv(void **state)
{
	(void)state;
	check_direct("conv1d:n=2,ic=4,w=11,oc=6,k=3,s=2,p=1,dil=2",
		     (struct direct){ 2, 4, 6, 1, { 1, 1, 11 }, { 1, 1, 3 }, { 1, 1, 2 },
				      { 0, 0, 1 }, { 1, 1, 2 } });
	check_direct("conv2d:n=2,ic=4,h=7,w=6,oc=6,k=3,s=2,p=1",
		     (struct direct){ 2, 4, 6, 1, { 1, 7, 6 }, { 1, 3, 3 }, { 1, 2, 2 },
				      { 0, 1, 1 }, { 1, 1, 1 } });
	check_direct("conv2d:n=1,ic=6,h=9,w=8,oc=4,k=3x2,s=1x3,p=2x1,dil=2x1,g=2",
		     (struct direct){ 1, 6, 4, 2, { 1, 9, 8 }, { 1, 3, 2 }, { 1, 1, 3 },
				      { 0, 2, 1 }, { 1, 2, 1 } });
	check_direct("conv2d:n=1,ic=5,h=8,w=8,oc=5,k=3,p=1,s=2,g=5",
		     (struct direct){ 1, 5, 5, 5, { 1, 8, 8 }, { 1, 3, 3 }, { 1, 2, 2 },
				      { 0, 1, 1 }, { 1, 1, 1 } });
	check_direct("depthwise:n=2,c=5,h=8,w=8,k=3,p=1,s=2",
		     (struct direct){ 2, 5, 5, 5, { 1, 8, 8 }, { 1, 3, 3 }, { 1, 2, 2 },
				      { 0, 1, 1 }, { 1, 1, 1 } });
	check_direct("conv3d:n=1,ic=3,d=4,h=5,w=4,oc=2,k=3,p=1,s=1x2x1",
		     (struct direct){ 1, 3, 2, 1, { 4, 5, 4 }, { 3, 3, 3 }, { 1, 2, 1 },
				      { 1, 1, 1 }, { 1, 1, 1 } });
}

/* Scatter form: every input element adds to the outputs that the kernel reaches from it. */
static void check_transpose(const char *spec, int64_t s, int64_t p, int64_t dil)
{
	struct run r = run_spec(spec);
	const int64_t *in = r.op[0]->tensor.shape;
	const int64_t *w = r.op[1]->tensor.shape;
	const int64_t *out = r.op[2]->tensor.shape;
	int64_t count = tensor_count(&r.op[2]->tensor);
	double *sum = arena_many(r.a, double, count);

	for (int64_t i = 0; i < tensor_count(&r.op[0]->tensor); i++)
		for (int64_t j = 0; j < w[1] * w[2] * w[3]; j++) {
			int64_t n = i / in[3] / in[2] / in[1];
			int64_t ic = i / in[3] / in[2] % in[1];
			int64_t y = i / in[3] % in[2] * s + j / w[3] % w[2] * dil - p;
			int64_t x = i % in[3] * s + j % w[3] * dil - p;
			int64_t oc = j / w[3] / w[2];

			if (y >= 0 && y < out[2] && x >= 0 && x < out[3])
				sum[((n * out[1] + oc) * out[2] + y) * out[3] + x] +=
					at(&r, 0, i) * at(&r, 1, ic * w[1] * w[2] * w[3] + j);
		}
	for (int64_t i = 0; i < count; i++)
		check_close(spec, i, at(&r, 2, i), sum[i], 1e-5);
	arena_free(r.a);
}

static void test_conv_transpose(void **state)
{
	(void)state;
	check_transpose("conv2d_transpose:n=2,ic=3,h=4,w=5,oc=2,k=3", 1, 0, 1);
	check_transpose("conv2d_transpose:ic=3,h=4,w=5,oc=2,k=3,p=2,dil=2", 1, 2, 2);
	check_transpose("conv2d_transpose:ic=3,h=4,w=5,oc=2,k=4,s=2,p=1", 2, 1, 1);
	check_transpose("conv2d_transpose:ic=3,h=4,w=5,oc=2,k=2,s=3,p=2,op=1", 3, 2, 1);
}

/* --- layouts */

/* Where element I of the nchw image is in T, the same image in LAYOUT. */
static int64_t image_place(const struct tensor *t, enum layout layout, int64_t i)
{
	bool nhwc = layout == LAYOUT_NHWC;
	int64_t b = layout == LAYOUT_BLOCKED ? t->shape[4] : 1;
	int64_t h = t->shape[nhwc ? 1 : 2];
	int64_t w = t->shape[nhwc ? 2 : 3];
	int64_t c = t->shape[nhwc ? 3 : 1] * b;
	int64_t n = i / w / h / c, ci = i / w / h % c, y = i / w % h, x = i % w;

	if (nhwc)
		return ((n * h + y) * w + x) * c + ci;
	return (((n * (c / b) + ci / b) * h + y) * w + x) * b + ci % b;
}

/* The same for a weight [oc, ic, kh, kw], or [c, kh, kw] where DEPTHWISE. */
static int64_t weight_place(const struct tensor *t, enum layout layout, bool depthwise, int64_t i)
{
	bool nhwc = layout == LAYOUT_NHWC;
	int kernel = nhwc ? 0 : depthwise ? 1 : 2;
	int64_t h = t->shape[kernel], w = t->shape[kernel + 1];
	int64_t y = i / w % h, x = i % w;
	int64_t b = layout == LAYOUT_BLOCKED ? t->shape[t->ndim - 1] : 1;

	if (depthwise && nhwc)
		return (y * w + x) * t->shape[2] + i / w / h;
	if (depthwise)
		return ((i / w / h / b * h + y) * w + x) * b + i / w / h % b;
	int64_t ic = t->shape[nhwc ? 2 : 1] * b;
	int64_t ci = i / w / h % ic, co = i / w / h / ic;

	if (nhwc)
		return ((y * w + x) * ic + ci) * t->shape[3] + co;
	return ((((co / b * (ic / b) + ci / b) * h + y) * w + x) * b + ci % b) * b + co % b;
}

static void check_layout(const char *spec, const char *name, enum layout layout, bool depthwise)
{
	char other[256];
	struct run r = run_spec(spec);

	snprintf(other, sizeof(other), "%s,layout=%s", spec, name);
	struct run s = run_new(other);
	int result = r.n - 1;

	assert_int_equal(r.n, s.n);
	for (int a = 0; a < result; a++)
		for (int64_t i = 0; i < tensor_count(&r.op[a]->tensor); i++) {
			const struct tensor *t = &s.op[a]->tensor;
			int64_t to = t->ndim == 1 ? i : a == 0 ? image_place(t, layout, i)
				   : weight_place(t, layout, depthwise, i);

			dtype_store(DTYPE_F32, s.args[a], to, at(&r, a, i));
		}
	dag_eval(s.d, s.args);
	for (int64_t i = 0; i < tensor_count(&r.op[result]->tensor); i++)
		check_close(other, i,
			    at(&s, result, image_place(&s.op[result]->tensor, layout, i)),
			    at(&r, result, i), 1e-5);
	arena_free(r.a);
	arena_free(s.a);
}

static void test_layouts_agree(void **state)
{
	static const struct {
		const char *spec;
		bool depthwise;
		const char *block;
	} cases[] = {
		{ "conv2d:n=2,ic=4,h=7,w=6,oc=8,k=3x2,s=2x1,p=1,bias=1,act=relu", false, "nchw4c" },
		{ "conv2d:n=1,ic=8,h=5,w=6,oc=4,k=3,g=2,p=1,dil=2", false, "nchw2c" },
		{ "depthwise:n=2,c=4,h=7,w=6,k=3x2,s=2,p=1,bias=1", true, "nchw2c" },
		{ "max_pool:n=2,c=4,h=7,w=6,k=3,s=2,p=1", false, "nchw4c" },
		{ "avg_pool:n=2,c=4,h=7,w=6,k=3,s=2,p=1", false, "nchw2c" },
		{ "global_avg_pool:n=2,c=4,h=7,w=6", false, "nchw2c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		check_layout(cases[i].spec, "nhwc", LAYOUT_NHWC, cases[i].depthwise);
		check_layout(cases[i].spec, cases[i].block, LAYOUT_BLOCKED, cases[i].depthwise);
	}
}

/* Sizes of real networks are built, in bounds, and count the operations they are known for. */
static void test_real_sizes(void **state)
{
	static const struct {
		const char *spec;
		double flop;
	} cases[] = {
		{ "matmul:m=512,n=512,k=512", 2.0 * 512 * 512 * 512 },
		{ "conv2d:n=1,ic=64,h=56,w=56,oc=64,k=3,s=1,p=1,layout=nchw16c",
		  2.0 * 64 * 64 * 9 * 56 * 56 },
		{ "conv2d:n=1,ic=3,h=224,w=224,oc=64,k=7,s=2,p=3",
		  2.0 * 3 * 64 * 49 * 112 * 112 },
		{ "depthwise:n=1,c=96,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
		  2.0 * 96 * 9 * 56 * 56 },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag *d = operator_build(a, cases[i].spec);

		if (!d)
			fail_msg("%s: %s", cases[i].spec, err_get());
		assert_true(dag_flop(d) == cases[i].flop);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conv),
		cmocka_unit_test(test_conv_transpose),
		cmocka_unit_test(test_layouts_agree),
		cmocka_unit_test(test_real_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
