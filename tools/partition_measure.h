/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition_measure.h - a cut model beside the same one that hone computes alone. */
#ifndef HONE_TOOLS_PARTITION_MEASURE_H
#define HONE_TOOLS_PARTITION_MEASURE_H

#include "runtime/agree.h"
#include "runtime/open.h"
#include "runtime/versus.h"

struct partition_measured {
	struct versus times;		/* the cut model's first */
	bool agrees;			/* all results, up to AGREE_BOUND */
	double error;			/* the largest of them */
};

/* Runs the model of OPTIONS, which asks for generators, and the same without, in turns for about SECONDS, on
 * inputs at random; *CUT, in A, is the former. -1 and a message. */
int partition_measure(struct arena *a, const struct open_options *options, double seconds,
		      struct opened *cut, struct partition_measured *out);

#endif
