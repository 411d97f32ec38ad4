/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/multiply.h - integers that bring sums to the scale of their result.
 *
 * A multiplier that was rounded would be off by its part of a step for each number that it multiplies. Here it
 * comes first: an integer of 15 bits for each channel, and then the scale of the channel's weights is what makes
 * it exact, wider than their range needs by less than 1/by.
 *
 * Holds: with any data, no sum leaves 32 bits: that of the weights as they were rounded is added up. */
#ifndef HONE_GRAPH_QUANTIZE_INTEGER_MULTIPLY_H
#define HONE_GRAPH_QUANTIZE_INTEGER_MULTIPLY_H

#include "graph/quantize/weight.h"

enum {
	INTEGER_REACH = 128,		/* largest magnitude of data, i8 */
	INTEGER_MOST_SHIFT = 24,
	INTEGER_MOST_FACTOR = INT16_MAX,	/* what vector units multiply by */
	INTEGER_LEAST_FACTOR = 8,	/* of the channel whose is largest: its weights lose 1/8 of a step at most */
};

struct integer_scale {
	int shift;		/* 1..INTEGER_MOST_SHIFT */
	const int32_t *by;	/* by channel of the site; NULL: there is none */
	const int32_t *add;	/* the bias, and the half that rounds */
	int32_t term[2];	/* of what is added, of the sum that a mean is of */
	struct quant_weight weight;	/* q and scale */
};

/* Of site S of F, whose data has a grid, and of tensors of the scales TERM, to a result of scale OUT; in A. False
 * where there is none, with the reason. */
bool integer_scale_site(struct arena *a, const struct function *f, const struct quant_site *s, double out,
			int nterms, const double *term, struct integer_scale *r, const char **why);
/* Of N sums without weights: RATIO, a step of the sum in steps of the result, COUNT, elements that are summed. */
bool integer_scale_terms(int n, const double *ratio, const double *count, struct integer_scale *r);

#endif
