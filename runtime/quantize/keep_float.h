/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/keep_float.h - which sites stay float, so that a classifier names the class that it did.
 *
 * In:   a quantization with grids, the samples that gave them, and others.
 * Out:  the same, where as many sites as it takes, those first whose rounding does most to the result for
 *       their multiply-adds, are quantized no more.
 *
 * What each site's rounding does says how many that might be; the others say whether they are enough, and
 * while they are not, more stay float. */
#ifndef HONE_RUNTIME_QUANTIZE_KEEP_FLOAT_H
#define HONE_RUNTIME_QUANTIZE_KEEP_FLOAT_H

#include "runtime/quantize/calibrate.h"

/* What became of the first result that is scores of classes: f32[rows, classes]. */
struct keep_float {
	int result;		/* -1: the model has no such; nothing was decided */
	double before, after;	/* part of the rows that were expected to keep their class: with all sites
				 * rounding; with those that still do, as the samples of grids have it */
	int kept;		/* sites */
	int samples, rows;	/* of OTHERS that choices were checked on; 0: they were too few for that */
	int tries;		/* choices that were */
	int changed, may_change;	/* of ROWS: with the last choice; at most */
};

/* Has so many sites of Q stay float that OTHERS show AGREEMENT (runtime/quantize/agreement.h); no more of them are
 * taken than that needs. Where even all of OTHERS are too few, SAMPLES, of which the grids are, have it
 * expected. -1 and a message. */
int keep_float(struct quant *q, const struct open_options *o, const struct sample_source *samples,
	       const struct sample_source *others, double agreement, struct keep_float *out);

#endif
