/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/class_check.h - counts of rows whose class changes by rounding, on samples that have decided nothing
 * else.
 *
 * In:   samples, and their scores without rounding.
 * Out:  for a choice of sites that round, how many rows change; no more of them run than say whether these
 *       are too many. */
#ifndef HONE_RUNTIME_QUANTIZE_CLASS_CHECK_H
#define HONE_RUNTIME_QUANTIZE_CLASS_CHECK_H

#include "runtime/quantize/switched.h"

/* A sample and what is right for it. */
struct checked_sample {
	int at;				/* in the source */
	const struct array *scores;	/* f32[rows, classes] */
	double lead;			/* the least of its rows': of the largest score over the second */
};

struct class_check {
	const struct sample_source *samples;
	struct checked_sample *by_lead;	/* the least first */
	int n, rows;			/* samples; rows of all of them */
	int may_change;			/* rows, with the agreement shown */
};

/* The first N of SAMPLES, to show AGREEMENT by; in A, to be ended in any case. -1 and a message. */
int class_check_new(struct arena *a, struct switched *s, const struct sample_source *samples, int n,
		    double agreement, struct class_check *out);
void class_check_end(struct class_check *c);

/* How many rows change with the switches of S as they are; no more are looked for where they are too many.
 * -1 and a message. */
int class_check_count(const struct class_check *c, struct switched *s);

#endif
