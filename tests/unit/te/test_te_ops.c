/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_te_ops.c - the evaluator and the operators, each against its definition. */
#include "tests/te_run.h"

static void test_matmul(void **state)
{
	struct run r = run_spec("dense:m=3,n=4,k=5,act=relu");

	(void)state;
	for (int64_t i = 0; i < 12; i++) {
		double sum = at(&r, 2, i % 4);

		for (int64_t k = 0; k < 5; k++)
			sum += at(&r, 0, i / 4 * 5 + k) * at(&r, 1, i % 4 * 5 + k);
		check_close("dense", i, at(&r, 3, i), fmax(sum, 0), 1e-5);
	}
	arena_free(r.a);
	r = run_spec("batch_matmul:b=2,m=3,n=4,k=5,dtype=i8");
	assert_int_equal(r.op[2]->tensor.dtype, DTYPE_I32);
	for (int64_t i = 0; i < 24; i++) {
		double sum = 0;

		for (int64_t k = 0; k < 5; k++)
			sum += at(&r, 0, i / 4 * 5 + k) * at(&r, 1, (i / 12 * 5 + k) * 4 + i % 4);
		assert_true(at(&r, 2, i) == sum);
	}
	arena_free(r.a);
}

static void test_pool(void **state)
{
	struct run r = run_spec("max_pool:c=1,h=5,w=5,k=3,s=2,p=1");
	struct run s = run_spec("avg_pool:c=1,h=5,w=5,k=3,s=2,p=1");
	struct run t = run_spec("avg_pool:c=1,h=5,w=5,k=3,s=2,p=1,count_pad=1");

	(void)state;
	for (int64_t i = 0; i < 9; i++) {
		double most = -INFINITY, sum = 0, count = 0;

		for (int64_t k = 0; k < 9; k++) {
			int64_t y = i / 3 * 2 - 1 + k / 3, x = i % 3 * 2 - 1 + k % 3;

			if (y < 0 || y >= 5 || x < 0 || x >= 5)
				continue;
			most = fmax(most, at(&r, 0, y * 5 + x));
			sum += at(&r, 0, y * 5 + x);
			count++;
		}
		check_close("max_pool", i, at(&r, 1, i), most, 0);
		check_close("avg_pool", i, at(&s, 1, i), sum / count, 1e-6);
		check_close("avg_pool of all", i, at(&t, 1, i), sum / 9, 1e-6);
	}
	arena_free(r.a);
	arena_free(s.a);
	arena_free(t.a);
}

static void test_norms(void **state)
{
	struct run r = run_spec("softmax:m=2,n=5");
	struct run s = run_spec("layer_norm:m=2,n=5");
	struct run t = run_spec("matrix_norm:b=2,m=3,n=4");

	(void)state;
	for (int64_t i = 0; i < 10; i++) {
		double sum = 0, mean = 0, variance = 0;

		for (int64_t j = 0; j < 5; j++) {
			sum += exp(at(&r, 0, i / 5 * 5 + j));
			mean += at(&s, 0, i / 5 * 5 + j) / 5;
		}
		for (int64_t j = 0; j < 5; j++)
			variance += pow(at(&s, 0, i / 5 * 5 + j) - mean, 2) / 5;
		double norm = (at(&s, 0, i) - mean) / sqrt(variance + 1e-5);

		check_close("softmax", i, at(&r, 1, i), exp(at(&r, 0, i)) / sum, 1e-5);
		check_close("layer_norm", i, at(&s, 3, i),
			    norm * at(&s, 1, i % 5) + at(&s, 2, i % 5), 1e-5);
	}
	for (int64_t i = 0; i < 2; i++) {
		double sum = 0;

		for (int64_t j = 0; j < 12; j++)
			sum += pow(at(&t, 0, i * 12 + j), 2);
		check_close("matrix_norm", i, at(&t, 1, i), sqrt(sum), 1e-5);
	}
	arena_free(r.a);
	arena_free(s.a);
	arena_free(t.a);
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static void test_activations(void **state)
{
	static const char *const names[] = { "relu", "sigmoid", "silu", "gelu", "hard_swish",
					     "tanh", "leaky_relu", "hard_sigmoid", "relu6",
					     "clip" };

	(void)state;
	for (int n = 0; n < 10; n++) {
		char spec[64];

		snprintf(spec, sizeof(spec), "%s:n=50", names[n]);
		struct run r = run_new(spec);

		for (int64_t i = 0; i < 50; i++)
			((float *)r.args[0])[i] = (float)i / 3 - 8;
		dag_eval(r.d, r.args);
		for (int64_t i = 0; i < 50; i++) {
			double x = at(&r, 0, i);
			double hard = fmin(fmax(x + 3, 0), 6) / 6;
			double want[] = { fmax(x, 0), sigmoid(x), x * sigmoid(x),
					  x * 0.5 * (1 + erf(x / sqrt(2))), x * hard, tanh(x),
					  x < 0 ? 0.01 * x : x, hard, fmin(fmax(x, 0), 6),
					  fmin(fmax(x, 0), 1) };

			check_close(spec, i, at(&r, 1, i), want[n], 1e-6);
		}
		arena_free(r.a);
	}
}

static void test_capsule(void **state)
{
	struct run r = run_spec("capsule_conv2d:h=5,w=4,ic=2,oc=3,k=3,s=2,p=1,cap=2");
	const int64_t *out = r.op[2]->tensor.shape;

	(void)state;
	assert_int_equal(out[1], 3);
	assert_int_equal(out[2], 2);
	for (int64_t i = 0; i < tensor_count(&r.op[2]->tensor); i++) {
		int64_t col = i % 2, row = i / 2 % 2, oc = i / 4 % 3, ox = i / 12 % 2, oy = i / 24;
		double sum = 0;

		for (int64_t k = 0; k < 3 * 3 * 2 * 2; k++) {
			int64_t ic = k / 2 % 2, y = oy * 2 - 1 + k / 12, x = ox * 2 - 1 + k / 4 % 3;
			int64_t w = (((k / 4 * 2 + ic) * 3 + oc) * 2 + k % 2) * 2 + col;

			if (y >= 0 && y < 5 && x >= 0 && x < 4)
				sum += at(&r, 0, (((y * 4 + x) * 2 + ic) * 2 + row) * 2 + k % 2) *
				       at(&r, 1, w);
		}
		check_close("capsule", i, at(&r, 2, i), sum, 1e-5);
	}
	arena_free(r.a);
}

/* --- builders without an operator of their own */

static void test_broadcast(void **state)
{
	struct arena *a = arena_new();
	struct dag *d = dag_new(a, "broadcast");
	struct op *x = dag_input(d, "x", DTYPE_F32, 3, (int64_t[]){ 2, 1, 3 }, false);
	struct op *y = dag_input(d, "y", DTYPE_F32, 2, (int64_t[]){ 4, 1 }, false);
	struct op *z = dag_input(d, "z", DTYPE_F32, 1, (int64_t[]){ 5 }, false);
	float fx[] = { 0, 1, 2, 3, 4, 5 }, fy[] = { 10, 20, 30, 40 }, fz[5] = { 0 }, out[24];
	void *args[] = { fx, fy, fz, out };

	(void)state;
	assert_null(op_add(d, x, z));
	assert_string_equal(err_get(), "add: dimension 0 of z, 5, does not broadcast to 3 of x");
	assert_null(op_relu(d, op_matmul(d, x, y)));
	assert_non_null(op_add(d, x, y));
	assert_int_equal(dag_freeze(d), 0);
	dag_eval(d, args);
	for (int i = 0; i < 24; i++)
		assert_true(out[i] == fx[i / 12 * 3 + i % 3] + fy[i / 3 % 4]);
	arena_free(a);
}

/* --- the evaluator itself */

static void test_eval_by_hand(void **state)
{
	struct run r = run_new("input A: i64[3]\n"
			       "input H: f16[3]\n"
			       "input X: f32[3]\n"
			       "S[] = sum(k < 3) A[k]\n"
			       "P[i < 3] = A[i] / 2 - A[2 - i] % 3\n"
			       "Q[] = sum(k < 3) H[k]\n"
			       "M[] = min(k < 3) X[k]\n"
			       "T[] = prod(k < 3) X[k]\n");
	int64_t a[] = { INT64_C(9007199254740993), -7, 4 };
	int64_t p[3], s;
	uint16_t h[3], q;
	float x[] = { 2, -1.5f, 4 }, m, t;
	void *args[] = { a, h, x, &s, p, &q, &m, &t };

	(void)state;
	h[0] = f16_from_f32(2048);
	h[1] = h[2] = f16_from_f32(1);	/* each is lost where the sum is kept in f16 */
	dag_eval(r.d, args);
	assert_int_equal(s, INT64_C(9007199254740990));
	assert_int_equal(p[0], INT64_C(4503599627370496) - 1);
	assert_int_equal(p[1], -4 - 2);
	assert_int_equal(p[2], 2);
	assert_true(f16_to_f32(q) == 2050);
	assert_true(m == -1.5f && t == -12);
	arena_free(r.a);
}

/* Single elements on demand are those of the whole evaluation, for every operator. */
static void test_eval_element(void **state)
{
	static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/te/specs.def"
#undef S
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct run r = run_spec(specs[i]);
		struct evaluator *ev = evaluator_new(r.a, r.d, r.args, false);
		const struct op *out = r.op[r.n - 1];
		enum dtype t = out->tensor.dtype;
		union scalar v;

		for (int64_t j = 0; j < tensor_count(&out->tensor); j += 3) {
			assert_true(dag_eval_element(ev, out, j, &v));
			assert_true((dtype_is_float(t) ? v.f : (double)v.i) == at(&r, r.n - 1, j));
		}
		assert_false(dag_eval_element(ev, out, tensor_count(&out->tensor), &v));
		assert_false(dag_eval_element(ev, r.op[0], 0, &v));
		arena_free(r.a);
	}
}

/* --- errors */

static void test_bad_specs(void **state)
{
	static const struct {
		const char *spec, *error;
	} cases[] = {
		{ "matmull:m=1", "there is no operator 'matmull'; did you mean matmul?" },
		{ "", "there is no operator ''" },
		{ "matmul", "matmul: m is missing (rows of A)" },
		{ "matmul:m=1,n=2", "matmul: k is missing" },
		{ "matmul:m=1,n=2,k=3,z=1", "matmul: has no parameter 'z'; it has m, n, k," },
		{ "matmul:m=1,m=2,n=2,k=3", "matmul: m is given twice" },
		{ "matmul:m=0,n=2,k=3", "matmul: m=0 is not a whole number in 1.." },
		{ "matmul:m=-4,n=2,k=3", "matmul: m=-4 is not a whole number" },
		{ "matmul:m=4x4,n=2,k=3", "matmul: m=4x4 is not a whole number" },
		{ "matmul:m=99999999999999999999,n=2,k=3", "matmul: m=9999999999999999999" },
		{ "matmul:m=2000000000,n=2,k=2000000000", "matmul: A: more than 2^40" },
		{ "matmul:m=2000000000,n=2000000000,k=1", "matmul: matmul: more than 2^40" },
		{ "matmul:m=1,n=2,k=3,const=2", "matmul: const=2 is not a whole number in 0..1" },
		{ "matmul:m=1,n=2,k=3,dtype=f8", "matmul: dtype=f8 is not an element type" },
		{ "matmul:m,n=2", "matmul: 'm' is not key=value" },
		{ "conv2d:ic=3,h=8,w=8,oc=16,k=3,layout=nchw16c", "conv2d: 3 channels are not" },
		{ "conv2d:ic=16,h=8,w=8,oc=3,k=3,layout=nchw16c", "conv2d: 3 output channels" },
		{ "conv2d:ic=3,h=8,w=8,oc=16,k=3,layout=chwn", "conv2d: layout=chwn is not nchw" },
		{ "conv2d:ic=4,h=8,w=8,oc=16,k=3,g=3", "conv2d: g=3 does not divide" },
		{ "conv2d:ic=4,h=8,w=8,oc=4,k=9", "conv2d: X: a window of 9 does not fit" },
		{ "conv2d:ic=4,h=8,w=8,oc=4,k=3x3x3", "conv2d: k=3x3x3: 3 numbers for 2" },
		{ "conv2d:ic=4,h=8,w=8,oc=4,k=3,act=sin", "conv2d: act=sin is not none|relu" },
		{ "conv2d:ic=4,h=8,w=8,oc=4,k=3,dtype=i8,act=tanh", "conv2d: tanh: conv is i32" },
		{ "conv2d:ic=4,h=8,w=8,oc=4,k=3,p=2000000", "conv2d: p=2000000 is not a number" },
		{ "avg_pool:c=4,h=8,w=8,k=2,p=2", "avg_pool: X: padding of an average" },
		{ "softmax:m=4,n=4,dtype=i32", "softmax: softmax: X is i32" },
		{ "conv2d_transpose:ic=1,h=1,w=1,oc=1,k=1,p=1", "conv2d_transpose: X: a" },
		{ "nothing.te", "" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_null(source_dag(a, cases[i].spec));
		if (strncmp(err_get(), cases[i].error, strlen(cases[i].error)) != 0)
			fail_msg("%s\nexpected %s\n     got %s", cases[i].spec, cases[i].error,
				 err_get());
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_norms),
		cmocka_unit_test(test_activations),
		cmocka_unit_test(test_capsule),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_eval_by_hand),
		cmocka_unit_test(test_eval_element),
		cmocka_unit_test(test_bad_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
