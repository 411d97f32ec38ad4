/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/cook_toom.h - a short sum over windows as products: the matrices of F(m, r), in exact numbers.
 *
 * M outputs y[j] = sum over k < R of d[j + k] g[k] take m + r - 1 products instead of m r:
 *	y = output ((weight g) . (data d))		. element by element
 * This is the algorithm of Toom and Cook for products of polynomials, transposed (Winograd, Arithmetic
 * Complexity of Computations, 1980; Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, CVPR 2016). */
#ifndef HONE_TE_DERIVE_COOK_TOOM_H
#define HONE_TE_DERIVE_COOK_TOOM_H

#include <stdbool.h>
#include <stdint.h>

/* M and the number of products: errors grow exponentially with these (cook_toom.c has figures). */
enum { COOK_TOOM_OUTPUTS = 6, COOK_TOOM_PRODUCTS = 8 };

struct rational {
	int64_t num, den;	/* in lowest terms, den > 0 */
};

static inline double rational_value(struct rational x)
{
	return (double)x.num / (double)x.den;
}

struct transform {
	int rows, cols;
	struct rational at[COOK_TOOM_PRODUCTS][COOK_TOOM_PRODUCTS];
};

struct cook_toom {
	struct transform data;		/* [m + r - 1, m + r - 1]: dyadic, the highest coefficient is 1 */
	struct transform weight;	/* [m + r - 1, r] */
	struct transform output;	/* [m, m + r - 1] */
};

/* Is there F(M, R)? */
bool cook_toom_has(int64_t m, int64_t r);
/* The matrices of F(M, R), which is there. */
struct cook_toom cook_toom(int64_t m, int64_t r);

/* How much larger than a direct sum's the rounding errors may be: at most
 *	n u amplification sum over channels of (greatest |data| of the tile * sum of |weight|)
 * to first order in u, the unit roundoff of what is between data and output, where
 *	n = the terms of the product's sum + cook_toom_roundings() of each window dim
 * are the roundings that a product of an element and a weight passes through; a direct sum of n terms has the
 * same bound with 1. It is the greatest share that a tap of an output can have in the sum of magnitudes. In more
 * dims matrices are Kronecker products of these, so that amplifications multiply (Barabasz et al., ACM TOMS
 * 46(4), 2020, section 4). */
double cook_toom_amplification(const struct cook_toom *c);
int64_t cook_toom_roundings(int64_t m, int64_t r);

#endif
