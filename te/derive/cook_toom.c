/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/cook_toom.c - points, and the matrices that follow from them. */
#include "te/derive/cook_toom.h"

#include <assert.h>
#include <string.h>

#include "base/err.h"
#include "base/integer.h"

/* All points but infinity, for each number of products; of a pair the positive one. Found by search over 0 and pairs
 * of fractions up to 4 with denominators up to 8: of the three with the least amplification (cook_toom_amplification()) the one
 * with the least error. Root mean square in f32 against f64, over 64 to 256 channels of uniform data, two dims, as
 * a multiple of the direct sum's; then the same with the usual 0, 1, -1, 2, -2, 1/2, -1/2:
 *	F(2, 3) 0.5, 0.5	F(3, 3) 0.9, 2.2	F(4, 3) 1.7, 3.7	F(5, 3) 3.4, 5.6
 *	F(6, 3) 7.2, 7.2	F(2, 5) 1.1, 2.7
 * Data takes no more operations than with these, outputs a product more a row where no pair is 1 and -1. That
 * symmetric points near 1 do well: Barabasz, Anderson, Soodhalter and Gregg, Error Analysis and Improving the
 * Accuracy of Winograd Convolution for Deep Neural Networks, ACM TOMS 46(4), 2020; Alam, Anderson, Barabasz and Gregg,
 * Winograd Convolution for Deep Neural Networks: Efficient Point Selection, ACM TECS 21(6), 2022. */
static const struct {
	int n;
	struct rational at[COOK_TOOM_PRODUCTS / 2];
} chosen[COOK_TOOM_PRODUCTS + 1] = {
	[3] = { 1, { { 5, 8 } } },
	[4] = { 2, { { 0, 1 }, { 1, 1 } } },
	[5] = { 2, { { 3, 8 }, { 5, 4 } } },
	[6] = { 3, { { 0, 1 }, { 5, 8 }, { 3, 2 } } },
	[7] = { 3, { { 1, 4 }, { 7, 8 }, { 7, 4 } } },
	[8] = { 4, { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 1, 2 } } },
};

static int64_t product(int64_t x, int64_t y)
{
	int64_t v;

	if (__builtin_mul_overflow(x, y, &v))
		die("the matrices of a derivation need longer integers");
	return v;
}

static struct rational reduced(int64_t num, int64_t den)
{
	int64_t common = gcd(num, den) * (den < 0 ? -1 : 1);

	return (struct rational){ num / common, den / common };
}

static struct rational times(struct rational x, struct rational y)
{
	return reduced(product(x.num, y.num), product(x.den, y.den));
}

static struct rational over(struct rational x, struct rational y)
{
	return times(x, reduced(y.den, y.num));
}

static struct rational minus(struct rational x, struct rational y)
{
	int64_t num;

	if (__builtin_sub_overflow(product(x.num, y.den), product(y.num, x.den), &num))
		die("the matrices of a derivation need longer integers");
	return reduced(num, product(x.den, y.den));
}

static const struct rational zero = { 0, 1 }, one = { 1, 1 };

static struct rational power(struct rational x, int n)
{
	struct rational v = one;

	for (int i = 0; i < n; i++)
		v = times(v, x);
	return v;
}

/* The finite points for N products, pairs side by side. */
static void points_of(int n, struct rational *point)
{
	int count = 0;

	for (int i = 0; i < chosen[n].n; i++) {
		struct rational p = chosen[n].at[i];

		point[count++] = p;
		if (p.num)
			point[count++] = (struct rational){ -p.num, p.den };
	}
	assert(count == n - 1);
}

/* The coefficients, lowest first, of the product of x - POINT[i] for all i < N but LEFT_OUT. */
static void roots(const struct rational *point, int n, int left_out, struct rational *coef)
{
	int degree = 0;

	coef[0] = one;
	for (int i = 0; i < n; i++) {
		if (i == left_out)
			continue;
		coef[++degree] = one;
		for (int k = degree - 1; k > 0; k--)
			coef[k] = minus(coef[k - 1], times(coef[k], point[i]));
		coef[0] = minus(zero, times(coef[0], point[i]));
	}
}

bool cook_toom_has(int64_t m, int64_t taps, int64_t stride)
{
	if (m < 2 || m > COOK_TOOM_OUTPUTS || stride < 1 || taps <= stride || taps > TRANSFORM_MOST)
		return false;
	return m + ceil_div(taps, stride) - 1 <= COOK_TOOM_PRODUCTS && (m - 1) * stride + taps <= TRANSFORM_MOST;
}

/* Where the matrices of one sum of neighbours stand in those of all. */
struct neighbours {
	int first;	/* of its products */
	int offset;	/* of its first element and tap; the next ones are STRIDE apart */
	int stride;
	int taps;
};

/* A polynomial of degree below n is the sum of its values at the points times Lagrange's polynomials, where the
 * value at infinity is the highest coefficient. Transposed, so that interpolation is the data's matrix, these are
 * its rows; what each is divided by is left to the weight, which is transformed once. */
static void add_neighbours(struct cook_toom *out, const struct neighbours *p)
{
	struct rational point[COOK_TOOM_PRODUCTS], row[COOK_TOOM_PRODUCTS];
	int m = out->output.rows, n = m + p->taps - 1, last = p->first + n - 1;

	points_of(n, point);
	for (int u = 0; u < n; u++) {
		roots(point, n - 1, u < n - 1 ? u : -1, row);
		for (int i = 0; i < (u < n - 1 ? n - 1 : n); i++)
			out->data.at[p->first + u][p->offset + i * p->stride] = row[i];
	}
	for (int u = 0; u < n - 1; u++) {
		struct rational divisor = one;

		for (int i = 0; i < n - 1; i++)
			if (i != u)
				divisor = times(divisor, minus(point[u], point[i]));
		for (int k = 0; k < p->taps; k++)
			out->weight.at[p->first + u][p->offset + k * p->stride] = over(power(point[u], k), divisor);
		for (int j = 0; j < m; j++)
			out->output.at[j][p->first + u] = power(point[u], j);
	}
	out->weight.at[last][p->offset + (p->taps - 1) * p->stride] = out->output.at[m - 1][last] = one;
}

/* One tap: each element of the data times it is an output. */
static void add_products(struct cook_toom *out, const struct neighbours *p)
{
	for (int j = 0; j < out->output.rows; j++) {
		out->data.at[p->first + j][p->offset + j * p->stride] = one;
		out->weight.at[p->first + j][p->offset] = one;
		out->output.at[j][p->first + j] = one;
	}
}

static struct transform zeros(int rows, int cols)
{
	struct transform t = { .rows = rows, .cols = cols };

	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			t.at[i][j] = zero;
	return t;
}

struct cook_toom cook_toom(int64_t m, int64_t taps, int64_t stride)
{
	int n = (int)((m - 1) * stride + taps);
	struct cook_toom out = { zeros(n, n), zeros(n, (int)taps), zeros((int)m, n) };
	struct neighbours p = { .stride = (int)stride };

	assert(cook_toom_has(m, taps, stride));
	for (; p.offset < stride; p.offset++) {
		p.taps = (int)ceil_div(taps - p.offset, stride);
		if (p.taps > 1)
			add_neighbours(&out, &p);
		else
			add_products(&out, &p);
		p.first += (int)m + p.taps - 1;
	}
	return out;
}

/* The rows of phase P in the data of TAIL, whose points are those of WHOLE but infinity and the first; ORDER tells where
 * WHOLE has them. What its weight is divided by for each point that is gone is a factor here. */
static void add_tail(struct cook_toom *tail, const struct cook_toom *whole, const struct neighbours *p, int *order)
{
	struct rational point[COOK_TOOM_PRODUCTS], row[COOK_TOOM_PRODUCTS];
	int gone = whole->output.rows - tail->output.rows - 1, n = tail->output.rows + p->taps - 1;

	points_of(whole->output.rows + p->taps - 1, point);
	for (int u = 0; u < n; u++) {
		struct rational factor = one;

		for (int i = 0; i < gone; i++)
			factor = times(factor, minus(point[gone + u], point[i]));
		roots(point + gone, n, u, row);
		for (int i = 0; i < n; i++)
			tail->data.at[tail->data.rows][p->offset + i * p->stride] = times(row[i], factor);
		order[tail->data.rows++] = p->first + gone + u;
	}
}

/* The same where P has one tap. */
static void add_tail_products(struct cook_toom *tail, const struct neighbours *p, int *order)
{
	for (int j = 0; j < tail->output.rows; j++) {
		tail->data.at[tail->data.rows][p->offset + j * p->stride] = one;
		order[tail->data.rows++] = p->first + j;
	}
}

/* WHOLE with its products in the order that begins with the N of ORDER. */
static struct cook_toom reordered(const struct cook_toom *whole, int *order, int n)
{
	struct cook_toom out = *whole;

	for (int u = 0; u < whole->data.rows; u++) {
		bool is_there = false;

		for (int i = 0; i < n; i++)
			is_there |= order[i] == u;
		if (!is_there)
			order[n++] = u;
	}
	for (int u = 0; u < n; u++) {
		memcpy(out.data.at[u], whole->data.at[order[u]], sizeof(out.data.at[u]));
		memcpy(out.weight.at[u], whole->weight.at[order[u]], sizeof(out.weight.at[u]));
		for (int j = 0; j < out.output.rows; j++)
			out.output.at[j][u] = whole->output.at[j][order[u]];
	}
	return out;
}

void cook_toom_ragged(int64_t m, int64_t last, int64_t taps, int64_t stride, struct cook_toom *whole,
		      struct cook_toom *tail)
{
	struct cook_toom plain = cook_toom(m, taps, stride);
	struct neighbours p = { .stride = (int)stride };
	int n = (int)((last - 1) * stride + taps);
	int order[TRANSFORM_MOST];

	assert(0 < last && last < m);
	*tail = (struct cook_toom){ zeros(n, n), zeros(n, (int)taps), zeros((int)last, n) };
	tail->data.rows = 0;
	for (; p.offset < stride; p.offset++) {
		p.taps = (int)ceil_div(taps - p.offset, stride);
		if (p.taps > 1)
			add_tail(tail, &plain, &p, order);
		else
			add_tail_products(tail, &p, order);
		p.first += (int)m + p.taps - 1;
	}
	*whole = reordered(&plain, order, n);
	memcpy(tail->weight.at, whole->weight.at, (size_t)n * sizeof(*tail->weight.at));
	for (int j = 0; j < last; j++)
		memcpy(tail->output.at[j], whole->output.at[j], (size_t)n * sizeof(**tail->output.at));
}
