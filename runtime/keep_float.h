/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/keep_float.h - which sites stay float, so that a classifier names the class that it did.
 *
 * In:   a quantization with grids, samples.
 * Out:  the same, where as many sites as it takes, those first whose rounding does most to the result for
 *       their multiply-adds, are quantized no more. */
#ifndef HONE_RUNTIME_KEEP_FLOAT_H
#define HONE_RUNTIME_KEEP_FLOAT_H

#include "runtime/calibrate.h"

/* What is expected of the first result that is scores of classes: f32[rows, classes]. */
struct keep_float {
	int result;		/* -1: the model has no such; nothing was decided */
	double before, after;	/* part of the rows whose largest element is expected to stay where it is */
	int kept;		/* sites */
};

/* Has so many sites of Q stay float that AGREEMENT is expected. -1 and a message. */
int keep_float(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	       double agreement, struct keep_float *out);

#endif
