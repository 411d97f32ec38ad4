/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/scheme.h - what becomes of sites, and what of the values between them.
 *
 * A scheme is what the calls of graph/quantize/quantize.h come to: which tensors it needs to have seen, how
 * grids follow, how biases make up for rounding, and the graph. */
#ifndef HONE_GRAPH_QUANTIZE_SCHEME_H
#define HONE_GRAPH_QUANTIZE_SCHEME_H

#include "graph/quantize/quantize.h"
#include "graph/quantize/weight.h"

struct quant_scheme {
	void (*begin)(struct quant *q);		/* sites are there: the tensors */
	void (*settle)(struct quant *q);
	int (*correct)(struct quant *q);
	int (*apply)(const struct quant *q, struct quantized *out);
};

/* quant_sums: sums of integers between floats (calibrate.c, correct.c, apply.c). */
void sums_begin(struct quant *q);
void sums_settle(struct quant *q);
int sums_correct(struct quant *q);
int sums_apply(const struct quant *q, struct quantized *out);

/* quant_integers: integers from the first site to the last (graph/quantize/integer/). */
void integers_begin(struct quant *q);
void integers_settle(struct quant *q);
int integers_correct(struct quant *q);
int integers_apply(const struct quant *q, struct quantized *out);

/* By channel, how far S's call is off in the mean where its data is rounded as tensor T of Q says and its weight
 * is what WEIGHT stands for; in Q's arena. NULL and a message. */
double *quant_mean_error(struct arena *scratch, const struct quant *q, const struct quant_site *s,
			 const struct quant_tensor *t, const struct quant_weight *weight);

#endif
