/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/cook_toom.h - a short sum over windows as products: the matrices of F(m, r), in exact numbers, and those
 * of windows with strides.
 *
 * M outputs y[j] = sum over k < R of d[j + k] g[k] take m + r - 1 products instead of m r:
 *	y = output ((weight g) . (data d))		. element by element
 * This is the algorithm of Toom and Cook for products of polynomials, transposed (Winograd, Arithmetic
 * Complexity of Computations, 1980; Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, CVPR 2016).
 *
 * Windows STRIDE s apart, y[j] = sum over k < R of d[s j + k] g[k], are s sums of neighbours: elements and taps p, s + p,
 * 2 s + p, ... for each p < s. Their matrices are those of F(m, r) side by side, with the r taps that p has, where
 * r is 1 the products themselves: m s + R - s of them instead of m R.
 *
 * Fewer outputs of the same windows need fewer points. A polynomial's values are the same whatever other points there
 * are, so that F(l, r) at some of the points of F(m, r), l < m, reads some of its rows of the transformed weight: what
 * these are divided by in addition its data is multiplied by. Infinity, which the last output alone needs, is the first
 * to go. */
#ifndef HONE_TE_DERIVE_COOK_TOOM_H
#define HONE_TE_DERIVE_COOK_TOOM_H

#include <stdbool.h>
#include <stdint.h>

/* M and the products of one F(m, r): errors grow exponentially with these (cook_toom.c has figures). All products of a
 * window with a stride: the text of transforms grows with them; 7 taps at stride 2 and 4 outputs have 13. */
enum { COOK_TOOM_OUTPUTS = 6, COOK_TOOM_PRODUCTS = 8, TRANSFORM_MOST = 14 };

struct rational {
	int64_t num, den;	/* in lowest terms, den > 0 */
};

static inline double rational_value(struct rational x)
{
	return (double)x.num / (double)x.den;
}

struct transform {
	int rows, cols;
	struct rational at[TRANSFORM_MOST][TRANSFORM_MOST];
};

/* Of n products. */
struct cook_toom {
	struct transform data;		/* [n, n]: dyadic, the highest coefficient is 1 */
	struct transform weight;	/* [n, r] */
	struct transform output;	/* [m, n] */
};

/* Is there an algorithm of fewer products for M outputs of windows of TAPS elements, STRIDE apart? */
bool cook_toom_has(int64_t m, int64_t taps, int64_t stride);
/* Its matrices. */
struct cook_toom cook_toom(int64_t m, int64_t taps, int64_t stride);
/* The same in another order of products, and an algorithm for LAST < M outputs, at least 1, whose products are the first of
 * those of M: with the first rows of that weight, and the first rows and columns of that output. */
void cook_toom_ragged(int64_t m, int64_t last, int64_t taps, int64_t stride, struct cook_toom *whole,
		      struct cook_toom *tail);

/* How much larger than a direct sum's the rounding errors may be: at most
 *	n u amplification sum over channels of (greatest |data| of the tile * sum of |weight|)
 * to first order in u, the unit roundoff of what is between data and output, where
 *	n = the terms of the product's sum + cook_toom_roundings() of each window dim
 * are the roundings that a product of an element and a weight passes through; a direct sum of n terms has the
 * same bound with 1. It is the greatest share that a tap of an output can have in the sum of magnitudes. In more
 * dims matrices are Kronecker products of these, so that amplifications multiply (Barabasz et al., ACM TOMS
 * 46(4), 2020, section 4). */
double cook_toom_amplification(const struct cook_toom *c);
int64_t cook_toom_roundings(const struct cook_toom *c);

#endif
