/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/accuracy.h - how far a model's numbers are from those that they stand for. */
#ifndef HONE_GRAPH_QUANTIZE_ACCURACY_H
#define HONE_GRAPH_QUANTIZE_ACCURACY_H

#include "graph/ir/array.h"

/* Sums over elements of runs. */
struct quant_error {
	double signal, noise;	/* of squares: of the right elements, of the differences */
	double most;		/* largest difference */
	double largest;		/* magnitude of a right element */
	int64_t rows, agree;	/* along the last dim; those whose largest element is at the same place */
};

/* Adds GOT against WANT, tensors of floats of one shape; nothing of any other. */
void quant_error_add(struct quant_error *e, const struct array *got, const struct array *want);
/* Root of noise over signal; 0 where both are. */
double quant_error_rms(const struct quant_error *e);
/* The same as a ratio of powers in dB; infinite where there is no noise. */
double quant_error_sqnr(const struct quant_error *e);
/* Part of the rows that agree; 1 where there are none. */
double quant_error_top1(const struct quant_error *e);

#endif
