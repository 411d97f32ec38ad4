/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_winograd.c - derived ops against the op that they stand for, by the naive evaluation of both. */
#include "te/derive/winograd.h"

#include "te/derive/cook_toom.h"
#include "tests/fixture/derive_fixture.h"

/* W ends in a tensor like OP's, and only the product reduces. */
static void check_shape(const struct op *op, const struct derived *w)
{
	const struct op *last = w->op[w->n - 1], *product = w->op[w->product];

	assert_string_equal(last->tensor.name, op->tensor.name);
	assert_int_equal(last->tensor.dtype, op->tensor.dtype);
	assert_int_equal(last->tensor.ndim, op->tensor.ndim);
	assert_memory_equal(last->tensor.shape, op->tensor.shape,
			    (size_t)op->tensor.ndim * sizeof(*op->tensor.shape));
	for (int i = 0; i < op->tensor.ndim; i++) {
		assert_string_equal(last->space[i]->name, op->space[i]->name);
		assert_ptr_not_equal(last->space[i], op->space[i]);
	}
	assert_int_equal(last->output, op->output);
	assert_int_equal(product->nreduce, op->nreduce - w->weights);
	for (int i = 0; i < w->n; i++)
		assert_true(i == w->product || w->op[i]->reducer == REDUCE_NONE);
}

/* SOURCE by TILES gives what it gives, within TOLERANCE; OPS ops take the place of its sum. */
static void check_tiles(const char *source, struct winograd_tiles tiles, int ops, double tolerance)
{
	struct run r = run_spec(source);
	const struct op *op = find_sum(r.d);
	const char *why = NULL;
	struct derived w;

	if (!winograd_derive(r.a, op, tiles, &w, &why))
		fail_msg("%s, m=%jd: %s", source, (intmax_t)tiles.m, why);
	assert_int_equal(w.n, ops);
	assert_int_equal(w.weights, ops >= 7 ? 2 : 1);
	assert_int_equal(w.product, (ops + 1) / 2);	/* as many before it as behind, and the weight's */
	check_shape(op, &w);
	check_derived_ops(source, &r, op, &w, tolerance);
	arena_free(r.a);
}

static void check_derived(const char *source, int64_t m, int ops, double tolerance)
{
	check_tiles(source, (struct winograd_tiles){ .m = m }, ops, tolerance);
}

static void check_ragged(const char *source, int64_t m, int ops, double tolerance)
{
	check_tiles(source, (struct winograd_tiles){ .m = m, .ragged = true }, ops, tolerance);
}

static void test_layouts(void **state)
{
	(void)state;
	for (int64_t m = 2; m <= 6; m++) {
		check_derived("conv2d:ic=3,h=8,w=8,oc=4,k=3,p=1,dtype=f64", m, 9, 1e-10);
		check_derived("conv2d:n=2,ic=3,h=8,w=9,oc=2,k=3,dtype=f64", m, 9, 1e-10);
		check_derived("conv2d:ic=3,h=7,w=6,oc=4,k=3,p=1,dtype=f64,layout=nhwc", m, 7, 1e-10);
		check_derived("conv2d:n=2,ic=16,h=6,w=7,oc=16,k=3,p=1,dtype=f64,layout=nchw16c", m, 7,
			      1e-10);
		check_derived("conv2d:ic=8,h=9,w=7,oc=4,k=3,p=1,g=2,dtype=f64,layout=nchw2c,bias=1,"
			      "act=relu", m, 7, 1e-10);
		check_derived("conv2d:ic=4,h=6,w=11,oc=6,k=3,p=1,g=2,dtype=f64", m, 7, 1e-10);
		check_derived("depthwise:c=3,h=6,w=7,k=3,p=1,dtype=f64", m, 7, 1e-10);
		check_derived("depthwise:c=4,h=6,w=7,k=3,p=1,dtype=f64,layout=nchw2c", m, 7, 1e-10);
	}
}

static void test_windows(void **state)
{
	(void)state;
	check_derived("conv2d:ic=2,h=9,w=9,oc=3,k=5,p=2,dtype=f64", 2, 9, 1e-10);
	check_derived("conv2d:ic=2,h=9,w=11,oc=3,k=5,p=2,dtype=f64", 4, 9, 1e-10);
	check_derived("conv2d:ic=2,h=9,w=9,oc=3,k=2,dtype=f64", 5, 9, 1e-10);
	check_derived("conv2d:ic=2,h=9,w=9,oc=3,k=2x4,dtype=f64", 3, 9, 1e-10);
	check_derived("conv2d:ic=3,h=6,w=9,oc=4,k=1x7,p=0x3,dtype=f64", 2, 6, 1e-10);
	check_derived("conv2d:ic=3,h=9,w=6,oc=4,k=7x1,p=3x0,dtype=f64,layout=nhwc", 2, 4, 1e-10);
	check_derived("conv2d:ic=3,h=9,w=9,oc=4,k=3,s=3x1,p=1,dtype=f64", 4, 6, 1e-10);
	check_derived("conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=1x2,p=1,dtype=f64", 4, 4, 1e-10);
	check_derived("conv2d:ic=3,h=9,w=11,oc=4,k=3,s=2,p=1,dtype=f64", 4, 9, 1e-10);
	check_derived("conv2d:n=2,ic=16,h=11,w=12,oc=16,k=3,s=2,p=1,dtype=f64,layout=nchw16c", 3, 7, 1e-10);
	check_derived("conv2d:ic=2,h=15,w=14,oc=3,k=7x4,s=2,p=3,dtype=f64", 4, 9, 1e-10);
	check_derived("conv2d:ic=4,h=14,w=13,oc=4,k=5,s=3x2,p=2,g=2,dtype=f64,layout=nhwc", 2, 7, 1e-10);
	check_derived("conv1d:ic=3,w=19,oc=4,k=3,s=2,p=1,dtype=f64", 6, 6, 1e-10);
	/* The longer window stays one where there is no room for it. */
	check_derived("conv2d:ic=2,h=9,w=9,oc=3,k=3x7,p=1x3,dtype=f64", 4, 4, 1e-10);
	/* A dim of fewer places than a tile has outputs stays one, too. */
	check_derived("conv2d:ic=2,h=5,w=9,oc=3,k=3,dtype=f64", 4, 6, 1e-10);
	check_derived("conv1d:n=2,ic=3,w=11,oc=4,k=3,p=1,dtype=f64", 4, 6, 1e-10);
	check_derived("conv1d:ic=4,w=10,oc=4,k=5,g=2,dtype=f64,layout=nhwc", 3, 4, 1e-10);
	check_derived("conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1,dtype=f64", 4, 9, 1e-10);
	check_derived("conv3d:ic=2,d=5,h=4,w=4,oc=2,k=3x1x3,dtype=f64,layout=nchw2c", 2, 7, 1e-10);
}

static void test_ragged(void **state)
{
	(void)state;
	/* All that can be left of a tile, in both dims and in one. */
	for (int64_t m = 3; m <= 6; m++) {
		check_ragged("conv2d:ic=3,h=7,w=11,oc=4,k=3,p=1,dtype=f64", m, 9, 1e-10);
		check_ragged("conv2d:n=2,ic=3,h=13,w=17,oc=2,k=3,p=1,dtype=f64,layout=nhwc", m, 7, 1e-10);
		check_ragged("conv2d:ic=16,h=8,w=7,oc=16,k=3,p=1,dtype=f64,layout=nchw16c", m, 7, 1e-10);
	}
	check_ragged("conv2d:ic=3,h=12,w=13,oc=4,k=3,p=1,dtype=f64", 4, 9, 1e-10);
	check_ragged("conv2d:ic=4,h=7,w=9,oc=6,k=3,p=1,g=2,dtype=f64", 4, 7, 1e-10);
	check_ragged("depthwise:c=3,h=6,w=7,k=3,p=1,dtype=f64", 4, 7, 1e-10);
	check_ragged("conv2d:ic=2,h=7,w=7,oc=3,k=5,p=2,dtype=f64", 4, 9, 1e-10);
	check_ragged("conv2d:ic=3,h=6,w=9,oc=4,k=1x7,p=0x3,dtype=f64", 2, 6, 1e-10);
	check_ragged("conv2d:ic=3,h=9,w=6,oc=4,k=7x1,p=3x0,dtype=f64,layout=nhwc", 2, 4, 1e-10);
	check_ragged("conv1d:ic=3,w=19,oc=4,k=3,s=2,p=1,dtype=f64", 6, 6, 1e-10);
	check_ragged("conv2d:ic=2,h=15,w=14,oc=3,k=7x4,s=2,p=3,dtype=f64", 3, 9, 1e-10);
	check_ragged("conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1,dtype=f64", 4, 9, 1e-10);
	check_ragged("conv2d:ic=16,h=7,w=9,oc=2,k=3,p=1", 4, 9, 1e-4);
	check_ragged("conv2d:ic=16,h=9,w=10,oc=2,k=3,p=1", 6, 9, 1e-4);
	check_ragged("conv2d:ic=16,h=9,w=9,oc=2,k=3,p=1,dtype=bf16", 4, 9, 1e-2);
}

/* The outer of two dims has tiles, and the taps of the other are summed over beside the channels. */
static void test_one_dim(void **state)
{
	static const struct {
		const char *source;
		int64_t m;
		bool ragged;
		int ops;
	} cases[] = {
		{ "conv2d:ic=3,h=8,w=8,oc=4,k=3,p=1,dtype=f64", 4, false, 4 },
		{ "conv2d:n=2,ic=3,h=7,w=9,oc=4,k=3,p=1,dtype=f64,layout=nhwc", 3, true, 4 },
		{ "conv2d:ic=16,h=9,w=7,oc=16,k=3,s=2,p=1,dtype=f64,layout=nchw16c", 4, true, 4 },
		{ "conv2d:ic=4,h=15,w=14,oc=6,k=7x4,s=2,p=3,g=2,dtype=f64", 4, false, 4 },
		{ "conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1,dtype=f64", 4, false, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_tiles(cases[i].source, (struct winograd_tiles){ cases[i].m, cases[i].ragged, true }, cases[i].ops, 1e-10);
}

/* Any extents, taps and strides for which there is an algorithm. */
static void test_ragged_extents(void **state)
{
	struct rng rng = rng_seed(15);
	int found = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct arena *a = arena_new();
		int64_t m = 2 + rng_below(&rng, 5), s = 1 + rng_below(&rng, 3), k = 2 + rng_below(&rng, 5);
		int64_t out = m + 1 + rng_below(&rng, 2 * m), padding = rng_below(&rng, k);
		int64_t w = (out - 1) * s + k - 2 * padding;

		if (cook_toom_has(m, k, s) && out % m != 0 && w > 0) {
			check_ragged(arena_printf(a, "conv1d:ic=2,w=%jd,oc=3,k=%jd,s=%jd,p=%jd,dtype=f64", (intmax_t)w,
						  (intmax_t)k, (intmax_t)s, (intmax_t)padding),
				     m, 6, 1e-9);
			found++;
		}
		arena_free(a);
	}
	assert_true(found > 50);
}

/* The terms of P that are left: N + T (r - 1) products in each dim, of T tiles. */
static void check_share(const char *source, int64_t m, double products, double of)
{
	struct run r = run_new(source);
	struct derived w;

	assert_true(winograd_derive(r.a, find_sum(r.d), (struct winograd_tiles){ .m = m, .ragged = true }, &w, NULL));
	assert_true(fabs(w.share / (products / of) - 1) < 1e-12);
	assert_true(winograd_derive(r.a, find_sum(r.d), (struct winograd_tiles){ .m = m }, &w, NULL));
	assert_true(w.share == 1);
	arena_free(r.a);
}

static void test_share(void **state)
{
	(void)state;
	check_share("conv2d:ic=2,h=7,w=7,oc=3,k=3,p=1", 4, 11 * 11, 12 * 12);
	check_share("conv2d:ic=2,h=14,w=13,oc=3,k=3,p=1", 5, 20 * 19, 21 * 21);
	check_share("conv2d:ic=2,h=14,w=14,oc=3,k=3,s=2,p=1", 4, 16 * 16, 18 * 18);
	check_share("conv1d:ic=2,w=35,oc=3,k=3,p=1", 6, 47, 48);
}

/* In f32 by a few roundings more; f16 is f32 in between. */
static void test_types(void **state)
{
	(void)state;
	check_derived("conv2d:ic=16,h=9,w=9,oc=2,k=3,p=1", 2, 9, 1e-5);
	check_derived("conv2d:ic=16,h=9,w=9,oc=2,k=3,p=1", 6, 9, 1e-4);
	check_derived("conv2d:ic=16,h=9,w=9,oc=2,k=3,p=1,dtype=f16", 4, 9, 2e-3);
	check_derived("conv2d:ic=16,h=9,w=9,oc=2,k=3,p=1,dtype=bf16", 4, 9, 1e-2);
}

static void check_text(const char *source, int64_t m, const char *want)
{
	struct run r = run_new(source);
	const struct op *op = find_sum(r.d);
	struct text t = { 0 };
	struct derived w;

	assert_true(winograd_derive(r.a, op, (struct winograd_tiles){ .m = m }, &w, NULL));
	dag_print(&t, replaced(r.a, r.d, op, &w));
	assert_string_equal(text_str(&t), want);
	text_free(&t);
	arena_free(r.a);
}

/* Rows of points p and -p are one, by a sign, and numbers are few: F(4, 3) of data without a tail, in one dim. */
static void test_shared(void **state)
{
	struct run r = run_new("conv1d:ic=4,w=10,oc=2,k=3");
	struct text t = { 0 };
	struct derived w;

	(void)state;
	assert_true(winograd_derive(r.a, find_sum(r.d), (struct winograd_tiles){ .m = 4 }, &w, NULL));
	const struct expr *row[3], *rest = w.op[2]->body;

	for (int u = 0; u < 3; u++) {
		assert_int_equal(rest->kind, EXPR_SELECT);
		row[u] = rest->arg[1];
		rest = rest->arg[2];
	}
	for (int u = 1; u < 3; u++) {
		assert_int_equal(row[u]->kind, EXPR_ADD);
		assert_int_equal(row[u]->arg[1]->kind, EXPR_MUL);
		const struct expr *sign = row[u]->arg[1]->arg[0];

		assert_int_equal(sign->kind, EXPR_SELECT);
		assert_float_equal(sign->arg[1]->f, -sign->arg[2]->f, 0);
	}
	expr_print(&t, row[0]);
	assert_string_equal(text_str(&t), "conv_X[n, tx * 4 + 4, rc] + 0.87890625 * conv_X[n, tx * 4, rc] - "
					  "2.640625 * conv_X[n, tx * 4 + 2, rc]");
	text_free(&t);
	arena_free(r.a);
}

static void test_text(void **state)
{
	(void)state;
	check_text("conv1d:ic=4,w=9,oc=2,k=3,p=1", 2,
		   "input X: f32[1, 4, 9]\n"
		   "const W: f32[2, 4, 3]\n"
		   "pad[n < 1, c < 4, x < 11] = select(1 <= x && x < 10, X[n, c, x + -1], 0)\n"
		   "conv_U[ux < 4, c < 2, rc < 4] = select(ux < 1, -W[c, rc, 0], select(ux < 3, 0.5 * "
		   "W[c, rc, 0] + 0.5 * W[c, rc, 2] + select(ux < 2, f32(0.5), -0.5) * W[c, rc, 1], W[c, rc, 2]))\n"
		   "conv_X[d0 < 1, d2 < 11, d1 < 4] = pad[d0, d1, d2]\n"
		   "conv_V[ux < 4, n < 1, tx < 5, rc < 4] = select(ux < 1, conv_X[n, tx * 2 + 2, rc] - "
		   "conv_X[n, tx * 2, rc], select(ux < 3, conv_X[n, tx * 2 + 2, rc] + select(ux < 2, f32(1), -1) "
		   "* conv_X[n, tx * 2 + 1, rc], select(tx * 2 + 3 < 11, conv_X[n, tx * 2 + 3, rc], 0) - "
		   "conv_X[n, tx * 2 + 1, rc]))\n"
		   "conv_P[ux < 4, n < 1, tx < 5, c < 2] = sum(rc < 4) conv_V[ux, n, tx, rc] * conv_U[ux, "
		   "c, rc]\n"
		   "conv_Y[n < 1, x < 9, c < 2] = select(x % 2 < 1, conv_P[0, n, x / 2, c] + (conv_P[1, n, "
		   "x / 2, c] + conv_P[2, n, x / 2, c]), conv_P[1, n, x / 2, c] - conv_P[2, n, x / 2, c] + "
		   "conv_P[3, n, x / 2, c])\n"
		   "conv[n < 1, c < 2, x < 9] = conv_Y[n, x, c]\n");
}

enum { CHANNELS = 24, REACH = TRANSFORM_MOST };

/* One tile of data, which is REACH^2 at most, and one output channel. */
struct tile {
	int64_t m, r, s;
	int dims;
	float data[CHANNELS][REACH][REACH], weight[CHANNELS][REACH][REACH];
};

/* The elements of the tile, and of a window, along dim I. */
static int64_t data_extent(const struct tile *t, int i)
{
	return i < 2 - t->dims ? 1 : (t->m - 1) * t->s + t->r;
}

static int64_t weight_extent(const struct tile *t, int i)
{
	return i < 2 - t->dims ? 1 : t->r;
}

/* The direct sum at [Y, X] in f64, and what its error is measured in. */
static double exact(const struct tile *t, int64_t y, int64_t x, double *size)
{
	double sum = 0;

	*size = 0;
	for (int c = 0; c < CHANNELS; c++) {
		double greatest = 0, weights = 0;

		for (int64_t i = 0; i < weight_extent(t, 0); i++)
			for (int64_t j = 0; j < weight_extent(t, 1); j++) {
				sum += (double)t->weight[c][i][j] * t->data[c][t->s * y + i][t->s * x + j];
				weights += fabs(t->weight[c][i][j]);
			}
		for (int64_t i = 0; i < data_extent(t, 0); i++)
			for (int64_t j = 0; j < data_extent(t, 1); j++)
				greatest = fmax(greatest, fabs(t->data[c][i][j]));
		*size += greatest * weights;
	}
	return sum;
}

/* The arguments X, W and conv of a conv2d that is no more than T. */
static void fill_tile(const struct tile *t, float *x, float *w)
{
	for (int c = 0; c < CHANNELS; c++) {
		for (int64_t i = 0; i < data_extent(t, 0); i++)
			for (int64_t j = 0; j < data_extent(t, 1); j++)
				*x++ = t->data[c][i][j];
		for (int64_t i = 0; i < weight_extent(t, 0); i++)
			for (int64_t j = 0; j < weight_extent(t, 1); j++)
				*w++ = t->weight[c][i][j];
	}
}

static double amplification_of(int64_t m, int64_t r, int64_t s, int dims)
{
	struct cook_toom c = cook_toom(m, r, s);

	return pow(cook_toom_amplification(&c), dims);
}

/* The greatest error of derived ops D on T, as a part of its bound. */
static double part_of_bound(const struct tile *t, const struct dag *d, float *x, float *w)
{
	struct cook_toom c = cook_toom(t->m, t->r, t->s);
	int64_t n = CHANNELS + t->dims * cook_toom_roundings(&c);
	double bound = (double)n * 0x1p-24 * amplification_of(t->m, t->r, t->s, t->dims);
	float out[REACH * REACH];
	double part = 0;
	int64_t at = 0;

	fill_tile(t, x, w);
	dag_eval(d, (void *[]){ x, w, out });
	for (int64_t i = 0; i < (t->dims == 2 ? t->m : 1); i++)
		for (int64_t j = 0; j < t->m; j++) {
			double size;
			double error = fabs(out[at++] - exact(t, i, j, &size));

			assert_true(error <= bound * size);
			part = fmax(part, size > 0 ? error / (bound * size) : 0);
		}
	return part;
}

static double any_sign(struct rng *rng)
{
	return rng_chance(rng, 0.5) ? 1 : -1;
}

enum drawing {
	DRAW_RANDOM,
	DRAW_TAP,		/* one tap of the weight alone */
	DRAW_NEIGHBOURS,	/* the first window is 0 */
	DRAW_ALIGNED,		/* one tap, and data that does not cancel in one row of its transform */
	DRAWINGS
};

/* A sign for place I of dim DIM, from row ROW of the transform. */
static double sign_of_row(const struct tile *t, int dim, int64_t row, int64_t i)
{
	struct cook_toom c = cook_toom(t->m, t->r, t->s);

	return data_extent(t, dim) > 1 && i < data_extent(t, dim) && c.data.at[row][i].num < 0 ? -1 : 1;
}

/* Magnitudes are of one binade, their roundings as large as can be. */
static void draw_tile(struct tile *t, enum drawing how, struct rng *rng)
{
	int64_t tap[2] = { rng_below(rng, weight_extent(t, 0)), rng_below(rng, weight_extent(t, 1)) };
	int64_t row[2] = { rng_below(rng, (t->m - 1) * t->s + t->r), rng_below(rng, (t->m - 1) * t->s + t->r) };

	for (int c = 0; c < CHANNELS; c++)
		for (int64_t i = 0; i < REACH; i++)
			for (int64_t j = 0; j < REACH; j++) {
				double x = 1 + rng_unit(rng), w = 1 + rng_unit(rng);

				if (how == DRAW_ALIGNED)
					x *= sign_of_row(t, 0, row[0], i) * sign_of_row(t, 1, row[1], j);
				else
					x *= any_sign(rng);
				w *= how == DRAW_ALIGNED ? 1 : any_sign(rng);
				if (how == DRAW_NEIGHBOURS && i < weight_extent(t, 0) &&
				    j < weight_extent(t, 1))
					x = 0;
				if ((how == DRAW_TAP || how == DRAW_ALIGNED) &&
				    (i != tap[0] || j != tap[1]))
					w = 0;
				t->data[c][i][j] = (float)x;
				t->weight[c][i][j] = (float)w;
			}
}

static void check_amplification(int64_t m, int64_t r, int64_t s, int dims)
{
	static struct tile t;
	struct rng rng = rng_seed((uint64_t)(1000 * s + 100 * m + 10 * r + dims));
	struct arena *a = arena_new();
	int w = (int)((m - 1) * s + r), h = dims == 2 ? w : 1, kh = dims == 2 ? (int)r : 1;
	struct run run = run_new(arena_printf(a, "conv2d:ic=%d,h=%d,w=%d,oc=1,k=%dx%d,s=%d", CHANNELS, h,
					      w, kh, (int)r, (int)s));
	const struct op *op = find_sum(run.d);
	struct derived derived;
	double part = 0;

	t.m = m;
	t.r = r;
	t.s = s;
	t.dims = dims;
	assert_true(winograd_derive(run.a, op, (struct winograd_tiles){ .m = m }, &derived, NULL));
	assert_int_equal(derived.n, dims == 2 ? 9 : 6);
	assert_true(fabs(derived.amplification / amplification_of(m, r, s, dims) - 1) < 1e-12);
	struct dag *d = replaced(run.a, run.d, op, &derived);

	for (int i = 0; i < 40; i++) {
		draw_tile(&t, i % DRAWINGS, &rng);
		part = fmax(part, part_of_bound(&t, d, run.args[0], run.args[1]));
	}
	print_message("F(%jd, %jd), stride %jd, in %d dims: amplification %.1f, errors up to %.2g of the bound\n",
		      (intmax_t)m, (intmax_t)r, (intmax_t)s, dims, amplification_of(m, r, s, dims), part);
	arena_free(run.a);
	arena_free(a);
}

static void test_amplification(void **state)
{
	(void)state;
	for (int64_t m = 2; m <= 6; m++)
		for (int64_t r = 2; m + r <= 9; r++)
			for (int dims = 1; dims <= 2; dims++)
				check_amplification(m, r, 1, dims);
	for (int64_t m = 2; m <= 6; m += 2)
		for (int64_t r = 3; cook_toom_has(m, r, 2); r++)
			for (int dims = 1; dims <= 2; dims++)
				check_amplification(m, r, 2, dims);
	assert_true(amplification_of(2, 3, 1, 1) == 4);
	assert_true(amplification_of(2, 3, 1, 2) == 16);
}

static void check_refused(const char *source, int64_t m, const char *want)
{
	struct run r = run_new(source);
	struct derived w;

	for (int i = 0; i < r.d->ops.n; i++) {
		const char *why = NULL;

		if (i < r.d->ops.n - 1 && r.d->ops.at[i]->kind == OP_COMPUTE)
			continue;
		assert_false(winograd_derive(r.a, r.d->ops.at[i], (struct winograd_tiles){ .m = m }, &w, NULL));
		assert_false(winograd_derive(r.a, r.d->ops.at[i], (struct winograd_tiles){ .m = m }, &w, &why));
		if (i == r.d->ops.n - 1)
			assert_string_equal(why, want);
	}
	arena_free(r.a);
}

static void test_refused(void **state)
{
	static const char still[] = "no axis moves a window of neighbours";
	static const char extent[] =
		"its windows overlap too little, are too long or too few for tiles of as many outputs";

	(void)state;
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=3,s=3", 2, extent);
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=3,dil=2", 2, still);
	check_refused("matmul:m=8,n=8,k=8", 2, still);
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=1", 2, still);
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=7", 4, extent);
	check_refused("conv2d:ic=3,h=5,w=5,oc=4,k=3", 4, extent);
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=3", 1, extent);
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=3", 7, extent);
	check_refused("max_pool:c=3,h=7,w=7,k=3", 2, "it is no sum");
	check_refused("relu:n=4x4", 2, "it is no sum");
	check_refused("conv2d:ic=3,h=9,w=9,oc=4,k=3,dtype=i64", 2,
		      "its elements are no floats: the numbers of the transforms have fractions");
	check_refused("global_avg_pool:c=3,h=4,w=4", 2, "it is no sum");
	check_refused("input X: f32[16]\nconst W: f32[3]\n"
		      "Y[i < 14] = sum(k < 3) max(X[i + k], 0) * W[k]\n", 2,
		      "it sums no products of two elements, read as they are");
	/* The channel moves with the window, the weight with the place. */
	check_refused("input X: f32[16, 16]\nconst W: f32[3]\n"
		      "Y[i < 14] = sum(k < 3) X[i + k, i] * W[k]\n", 2, still);
	check_refused("input X: f32[16]\nconst W: f32[3, 14]\n"
		      "Y[i < 14] = sum(k < 3) X[i + k] * W[k, i]\n", 2, still);
	check_refused("input X: f32[17]\nconst W: f32[3]\n"
		      "Y[i < 14] = sum(k < 3) X[i + k + 1] * W[k]\n", 2, still);
	check_refused("input X: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8]\nconst W: f32[3]\n"
		      "Y[i < 6] = sum(k < 3) X[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i + k] * W[k]\n", 2,
		      "its tensors have too many dims: transforms add to them");
}

/* What nothing is left of has whole tiles alone. */
static void test_not_ragged(void **state)
{
	struct run r = run_new("conv2d:ic=3,h=8,w=12,oc=4,k=3,p=1");
	const char *why = NULL;
	struct derived w;

	(void)state;
	assert_false(winograd_derive(r.a, find_sum(r.d), (struct winograd_tiles){ .m = 4, .ragged = true }, &w, &why));
	assert_string_equal(why, "tiles of as many outputs fill its dims");
	assert_true(winograd_derive(r.a, find_sum(r.d), (struct winograd_tiles){ .m = 3, .ragged = true }, &w, NULL));
	arena_free(r.a);
}

static void test_large(void **state)
{
	struct arena *a = arena_new();
	struct dag *d = dag_parse(a, "large.te", "input X: f32[1048576, 1048576]\nconst W: f32[3]\n"
						 "Y[i < 1048576, j < 1048574] = sum(k < 3) X[i, j + k] * "
						 "W[k]\n");
	const char *why = NULL;
	struct derived w;

	(void)state;
	assert_non_null(d);
	assert_false(winograd_derive(a, find_sum(d), (struct winograd_tiles){ .m = 2 }, &w, &why));
	assert_string_equal(why, "its transforms would be too large");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts), cmocka_unit_test(test_windows),
		cmocka_unit_test(test_types),	cmocka_unit_test(test_text),
		cmocka_unit_test(test_shared),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_amplification), cmocka_unit_test(test_large),
		cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_one_dim),	cmocka_unit_test(test_ragged_extents),
		cmocka_unit_test(test_share),	cmocka_unit_test(test_not_ragged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
