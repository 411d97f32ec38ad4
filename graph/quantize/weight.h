/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/weight.h - a site's constants as integers. */
#ifndef HONE_GRAPH_QUANTIZE_WEIGHT_H
#define HONE_GRAPH_QUANTIZE_WEIGHT_H

#include "graph/quantize/site.h"

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

#endif
