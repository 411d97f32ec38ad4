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

#endif
