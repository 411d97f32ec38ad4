/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/weight.h - a site's constants as integers. */
#ifndef HONE_GRAPH_QUANTIZE_WEIGHT_H
#define HONE_GRAPH_QUANTIZE_WEIGHT_H

#include "graph/quantize/site.h"

enum { QUANT_WEIGHT_MOST = 127 };	/* of a weight: -128 would make the grid lopsided */

struct quant_weight {
	const struct array *q;	/* i8, as the weight is shaped; symmetric, a scale for each output channel */
	const float *scale;	/* by channel, of the weight */
	/* By channel, what is added to sum(q of data * q of weight): the bias and the site's shift in steps
	 * of both scales, and what the data's zero adds to all of them taken away. */
	const int32_t *bias;
};

/* Those of S, in main of G, whose grid is known, in A. False where a sum might not fit 32 bits, or where
 * the weight has what is no number, with the reason. */
bool quant_weight_of(struct arena *a, const struct graph *g, const struct quant_site *s,
		     struct quant_weight *out, const char **why);
/* The numbers that W's integers stand for, shaped as they are. */
const struct array *quant_weight_values(struct arena *a, const struct quant_site *s,
					const struct quant_weight *w);

/* The bias of channel C of S, and what is to be shifted there. */
double quant_bias_of(const struct function *f, const struct quant_site *s, int c);

/* The largest magnitude of output channel CHANNEL of W, of f32, along dim DIM, and *SUM of all of them; infinite
 * where one is no finite number. */
double quant_channel_largest(const struct array *w, int dim, int64_t channel, double *sum);

struct quant_channel_sums {
	double sum, size;	/* of integers, of their magnitudes */
};

/* That channel in steps of SCALE, in Q. */
struct quant_channel_sums quant_round_channel(const struct array *w, int dim, int64_t channel, double scale,
					      struct array *q);

#endif
