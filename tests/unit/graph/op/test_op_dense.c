/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_op_dense.c - products, convolutions and pools against direct loops in doubles. */
#include "tests/op_call.h"

/* The next place below EXTENT, row-major. */
static void step(int n, const int64_t *extent, int64_t *at)
{
	for (int i = n - 1; i >= 0 && ++at[i] == extent[i]; i--)
		at[i] = 0;
}

static double element_at(const struct array *x, const int64_t *at)
{
	int64_t i = 0;

	for (int d = 0; d < x->rank; d++)
		i = i * x->dim[d] + at[d];
	return array_float(x, i);
}

/* EXPECTED, rounded once to the element type of Y, is what Y holds. */
static void assert_values(struct op_call *c, const struct array *y, const double *expected)
{
	struct array *z = array_in(c->a, y->element, y->rank, y->dim);

	element_put_f64(y->element, z->data, 0, z->count, expected);
	assert_arrays_close(y, z, y->element == ELEMENT_F64 ? 1e-12 : 1e-5);
}

/* --- matmul */

/* Element [lead..., i, k] of an operand, or [k] of a vector; AT is the place in the result. */
static double factor(const struct array *x, const int64_t *at, int lead, int64_t i, int64_t k,
		     bool trans)
{
	int64_t place[GRAPH_MAX_RANK] = { k };

	for (int d = 0; d < x->rank - 2; d++)
		place[d] = x->dim[d] == 1 ? 0 : at[lead - (x->rank - 2) + d];
	if (x->rank > 1) {
		place[x->rank - 2] = trans ? k : i;
		place[x->rank - 1] = trans ? i : k;
	}
	return element_at(x, place);
}

static void check_matmul(enum element e, enum element f, int ra, const int64_t *a, int rb,
			 const int64_t *b, bool trans_a, bool trans_b)
{
	struct op_call c = call_new(&core_matmul, 1);
	const struct array *x = call_random(&c, e, ra, a), *z = call_random(&c, f, rb, b);

	attrs_int(c.a, &c.attrs, "trans_a", trans_a);
	attrs_int(c.a, &c.attrs, "trans_b", trans_b);
	const struct array *y = call_eval(&c, 0);
	double *expected = arena_many(c.a, double, y->count + 1);
	int64_t inner = ra == 1 ? a[0] : a[ra - (trans_a ? 2 : 1)];
	int64_t at[GRAPH_MAX_RANK] = { 0 };
	int lead = y->rank - (ra > 1) - (rb > 1);

	for (int64_t i = 0; i < y->count; i++, step(y->rank, y->dim, at))
		for (int64_t k = 0; k < inner; k++)
			expected[i] += factor(x, at, lead, at[lead], k, trans_a) *
				       factor(z, at, lead, at[y->rank > 0 ? y->rank - 1 : 0], k,
					      !trans_b);
	assert_values(&c, y, expected);
	if (ra > 1 && rb > 1 && y->count && inner && element_dtype(e) != DTYPE_COUNT && e == f) {
		const struct array *te = call_express(&c, true);

		if (!te)
			fail_msg("%s", err_get());
		assert_arrays_close(y, te, 1e-5);
	}
	call_free(&c);
}

static void matrices(void **state)
{
	const enum element types[] = { ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16,
				       ELEMENT_I32, ELEMENT_I64, ELEMENT_U8, ELEMENT_U64,
				       ELEMENT_I16 };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (int trans = 0; trans < 4; trans++) {
			bool p = trans & 1, q = trans & 2;

			check_matmul(types[i], types[i], DIMS(p ? 9 : 5, p ? 5 : 9),
				     DIMS(q ? 7 : 9, q ? 9 : 7), p, q);
		}
	check_matmul(ELEMENT_U8, ELEMENT_I8, DIMS(5, 9), DIMS(9, 7), false, false);
}

/* Extents around those of tiles and blocks. */
static void blocks(void **state)
{
	static const int64_t m[] = { 1, 6, 97, 13 }, n[] = { 1, 16, 300, 33 },
			     k[] = { 1, 256, 70, 513 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(m[i], k[i]), DIMS(k[i], n[i]), false,
			     false);
		check_matmul(ELEMENT_F64, ELEMENT_F64, DIMS(k[i], m[i]), DIMS(n[i], k[i]), true,
			     true);
	}
}

static void stacks(void **state)
{
	(void)state;
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(2, 3, 4, 5), DIMS(5, 6), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(3, 1, 4, 5), DIMS(2, 6, 5), false, true);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(4, 5), DIMS(2, 3, 5, 6), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(2, 5, 4), DIMS(5, 6), true, false);
}

static void vectors_and_nothing(void **state)
{
	(void)state;
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(5), DIMS(5), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(5), DIMS(2, 5, 3), false, false);
	check_matmul(ELEMENT_I32, ELEMENT_I32, DIMS(2, 3, 5), DIMS(5), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(3, 0), DIMS(0, 2), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(0, 3, 4), DIMS(4, 2), false, false);
	check_matmul(ELEMENT_F32, ELEMENT_F32, DIMS(3, 4), DIMS(4, 0), false, false);
}

static void matmul_refusals(void **state)
{
	static const int64_t shapes[][2][2] = { { { 2, 3 }, { 4, 5 } } };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct op_call c = call_new(&core_matmul, 1);

		call_random(&c, ELEMENT_F32, 2, shapes[i][0]);
		call_random(&c, ELEMENT_F32, 2, shapes[i][1]);
		call_refused(&c);
		call_free(&c);
	}
	struct op_call c = call_new(&core_matmul, 1);

	call_random(&c, ELEMENT_F32, DIMS(2, 3));
	call_random(&c, ELEMENT_I32, DIMS(3, 2));
	call_refused(&c);
	call_free(&c);
}

/* --- windows */

/* A window with random attributes that fits an image of the extents IN. */
struct window_case {
	int nd;
	int64_t in[3], kernel[3], stride[3], dilation[3], pads[6];
};

static int64_t below(struct rng *rng, int64_t n)
{
	return (int64_t)(rng_unit(rng) * (double)n);
}

static struct window_case random_window(struct rng *rng, int nd)
{
	struct window_case w = { .nd = nd };

	for (int i = 0; i < nd; i++) {
		w.kernel[i] = 1 + below(rng, 4);
		w.stride[i] = 1 + below(rng, 3);
		w.dilation[i] = 1 + below(rng, 2);
		w.pads[i] = below(rng, w.kernel[i]);
		w.pads[nd + i] = below(rng, w.kernel[i]);
		w.in[i] = (w.kernel[i] - 1) * w.dilation[i] + 1 + below(rng, 9);
	}
	return w;
}

static void add_window(struct op_call *c, const struct window_case *w, bool pool)
{
	if (pool)
		attrs_ints(c->a, &c->attrs, "kernel", w->nd, w->kernel);
	attrs_ints(c->a, &c->attrs, "strides", w->nd, w->stride);
	attrs_ints(c->a, &c->attrs, "dilations", w->nd, w->dilation);
	attrs_ints(c->a, &c->attrs, "pads", 2 * w->nd, w->pads);
}

/* What tap K of the window at place AT of [n, c, spatial...] reads; NAN outside of the image. */
static double read_tap(const struct array *x, const struct window_case *w, const int64_t *at,
		       int64_t channel, const int64_t *k)
{
	int64_t place[GRAPH_MAX_RANK] = { at[0], channel };

	for (int i = 0; i < w->nd; i++) {
		place[2 + i] = at[2 + i] * w->stride[i] + k[i] * w->dilation[i] - w->pads[i];
		if (place[2 + i] < 0 || place[2 + i] >= x->dim[2 + i])
			return NAN;
	}
	return element_at(x, place);
}

static int64_t taps_of(const struct window_case *w)
{
	return shape_count(w->nd, w->kernel);
}

static const int64_t *image_dims(struct arena *a, int64_t n, int64_t c, int nd, const int64_t *dim)
{
	int64_t *out = arena_many(a, int64_t, 2 + nd);

	out[0] = n;
	out[1] = c;
	memcpy(out + 2, dim, sizeof(*dim) * (size_t)nd);
	return out;
}

/* --- conv */

static void check_conv(uint64_t seed, enum element e, int nd, int64_t groups, int64_t ic,
		       int64_t oc)
{
	struct op_call c = call_new(&core_conv, seed);
	struct window_case w = random_window(&c.rng, nd);
	const struct array *x = call_random(&c, e, 2 + nd,
					    image_dims(c.a, 2, ic * groups, nd, w.in));
	const struct array *z = call_random(&c, e, 2 + nd,
					    image_dims(c.a, oc * groups, ic, nd, w.kernel));

	add_window(&c, &w, false);
	attrs_int(c.a, &c.attrs, "groups", groups);
	const struct array *y = call_eval(&c, 0);
	double *expected = arena_many(c.a, double, y->count + 1);
	int64_t at[GRAPH_MAX_RANK] = { 0 };

	for (int64_t i = 0; i < y->count; i++, step(y->rank, y->dim, at)) {
		int64_t k[GRAPH_MAX_RANK] = { at[1] };

		for (int64_t j = 0; j < ic * taps_of(&w); j++, step(nd + 1, z->dim + 1, k + 1)) {
			double v = read_tap(x, &w, at, at[1] / oc * ic + k[1], k + 2);

			expected[i] += isnan(v) ? 0 : v * element_at(z, k);
		}
	}
	assert_values(&c, y, expected);
	if (element_dtype(e) != DTYPE_COUNT) {
		const struct array *te = call_express(&c, true);

		if (!te)
			fail_msg("%s", err_get());
		assert_arrays_close(y, te, 1e-5);
	}
	call_free(&c);
}

static void convolutions(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		int nd = 1 + (int)(seed % 3);

		check_conv(seed, ELEMENT_F32, nd, 1, 3, 5);
		check_conv(seed, ELEMENT_F32, nd, 2, 2, 3);
		check_conv(seed, ELEMENT_F32, nd, 4, 1, 1);
		check_conv(seed, ELEMENT_F32, nd, 3, 1, 2);
	}
	check_conv(1, ELEMENT_F64, 2, 3, 1, 1);
	check_conv(2, ELEMENT_F64, 2, 2, 3, 3);
	check_conv(3, ELEMENT_F16, 2, 1, 3, 4);
	check_conv(4, ELEMENT_U8, 2, 1, 3, 4);
	check_conv(5, ELEMENT_I32, 2, 3, 1, 1);
}

/* --- pools */

static void check_pool(uint64_t seed, const struct core_op *op, enum element e, int nd, bool ceil,
		       bool padded)
{
	struct op_call c = call_new(op, seed);
	struct window_case w = random_window(&c.rng, nd);
	bool max = op == &core_max_pool;
	const struct array *x = call_random(&c, e, 2 + nd, image_dims(c.a, 2, 3, nd, w.in));

	add_window(&c, &w, true);
	attrs_int(c.a, &c.attrs, "ceil", ceil);
	if (!max)
		attrs_int(c.a, &c.attrs, "count_include_pad", padded);
	const struct array *y = call_eval(&c, 0);
	double *expected = arena_many(c.a, double, y->count + 1);
	int64_t at[GRAPH_MAX_RANK] = { 0 };

	for (int64_t i = 0; i < y->count; i++, step(y->rank, y->dim, at)) {
		double most = element_is_float(e) ? -INFINITY : (double)element_min(e), sum = 0;
		int64_t k[3] = { 0 }, count = 0;

		for (int64_t j = 0; j < taps_of(&w); j++, step(nd, w.kernel, k)) {
			double v = read_tap(x, &w, at, at[1], k);
			bool inside = true;

			for (int d = 0; d < nd; d++)
				inside &= at[2 + d] * w.stride[d] + k[d] * w.dilation[d] <
					  w.in[d] + w.pads[d] + w.pads[nd + d];
			most = !isnan(v) && v > most ? v : most;
			sum += isnan(v) ? 0 : v;
			count += padded ? inside : !isnan(v);
		}
		expected[i] = max ? most : count ? sum / (double)count : 0;
	}
	assert_values(&c, y, expected);
	const struct array *te = element_dtype(e) == DTYPE_COUNT ? NULL : call_express(&c, true);

	if (te)
		assert_arrays_close(y, te, 1e-5);
	else
		assert_true(!max || element_dtype(e) == DTYPE_COUNT);
	call_free(&c);
}

static void pools(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		int nd = 1 + (int)(seed % 3);
		bool ceil = seed / 3 % 2, padded = seed / 6 % 2;

		check_pool(seed, &core_max_pool, ELEMENT_F32, nd, ceil, false);
		check_pool(seed, &core_avg_pool, ELEMENT_F32, nd, ceil, padded);
	}
	check_pool(1, &core_max_pool, ELEMENT_F64, 2, false, false);
	check_pool(2, &core_max_pool, ELEMENT_I8, 2, true, false);
	check_pool(3, &core_max_pool, ELEMENT_U32, 2, true, false);
	check_pool(4, &core_avg_pool, ELEMENT_F16, 2, true, true);
	check_pool(5, &core_avg_pool, ELEMENT_F64, 2, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrices),
		cmocka_unit_test(blocks),
		cmocka_unit_test(stacks),
		cmocka_unit_test(vectors_and_nothing),
		cmocka_unit_test(matmul_refusals),
		cmocka_unit_test(convolutions),
		cmocka_unit_test(pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
