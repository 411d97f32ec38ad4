/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/amplification.c - how much larger than sums over windows the numbers are that a derivation adds up. */
#include <math.h>

#include "te/derive/cook_toom.h"
#include "te/derive/winograd.h"

static double size(struct rational x)
{
	return fabs(rational_value(x));
}

/* The greatest share that tap K of output J can have in the sum of magnitudes, over all J and K. In more dims matrices
 * are Kronecker products of these, whose magnitudes multiply (Barabasz et al., ACM TOMS 46(4), 2020, section 4). */
double winograd_amplification(int64_t m, int64_t r, int dims)
{
	struct cook_toom c = cook_toom(m, r);
	double most = 0;

	for (int j = 0; j < c.output.rows; j++)
		for (int k = 0; k < c.weight.cols; k++) {
			double sum = 0;

			for (int u = 0; u < c.data.rows; u++) {
				double row = 0;

				for (int i = 0; i < c.data.cols; i++)
					row += size(c.data.at[u][i]);
				sum += size(c.output.at[j][u]) * size(c.weight.at[u][k]) * row;
			}
			most = fmax(most, sum);
		}
	return pow(most, dims);
}

/* Of the data and of the products: a term, times its number, is added to the others, the odd part to the even one; a
 * pair of products is one term. Of the weight: the same, and numbers that are rounded themselves. */
int64_t winograd_roundings(int64_t m, int64_t r)
{
	int64_t n = m + r - 1;

	return (n + 2) + (n + 2) + (r + 4);
}
