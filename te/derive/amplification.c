/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/amplification.c - how much larger than sums over windows the numbers are that a derivation adds up. */
#include <math.h>

#include "te/derive/winograd.h"

static double magnitude(struct rational x)
{
	return fabs(rational_value(x));
}

double cook_toom_amplification(const struct cook_toom *c)
{
	double most = 0;

	for (int j = 0; j < c->output.rows; j++)
		for (int k = 0; k < c->weight.cols; k++) {
			double sum = 0;

			for (int u = 0; u < c->data.rows; u++) {
				double row = 0;

				for (int i = 0; i < c->data.cols; i++)
					row += magnitude(c->data.at[u][i]);
				sum += magnitude(c->output.at[j][u]) *
				       magnitude(c->weight.at[u][k]) * row;
			}
			most = fmax(most, sum);
		}
	return most;
}

/* Of the data and of the products: a term, times its number, is added to the others, the odd part to the even one; a
 * pair of products is one term. Of the weight: the same, and numbers that are rounded themselves. */
int64_t cook_toom_roundings(const struct cook_toom *c)
{
	return (c->data.cols + 2) + (c->output.cols + 2) + (c->weight.cols + 4);
}
