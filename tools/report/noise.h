/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/noise.h - how steady the machine was while a campaign measured.
 *
 * In:   records that tell what the fixed kernel took meanwhile, and samples of each.
 * Out:  for spans of the time at which they were taken, what the fixed kernel took and how far samples of
 *       one kernel lay apart. */
#ifndef HONE_TOOLS_REPORT_NOISE_H
#define HONE_TOOLS_REPORT_NOISE_H

#include "db/db.h"

struct noise_sample {
	int64_t record;
	int64_t created;	/* seconds since 1970 */
	double fixed_us;	/* of the fixed kernel at its clock; NAN */
	double spread;		/* of its samples: quartiles apart, in parts of the median; NAN */
};
struct noise_sample_vec VEC(struct noise_sample);

/* Of the records of one span of time; medians and deciles. */
struct noise_span {
	int64_t from, to;	/* when the first and the last was taken */
	int64_t records;
	double low_us, fixed_us, high_us;	/* NAN where nothing is known */
	double spread;
};
struct noise_span_vec VEC(struct noise_span);

struct noise_sample noise_of(struct arena *a, const struct db_record *r);
/* Spans of equal numbers of records, at most MOST, in A; the order of SAMPLES changes. */
struct noise_span_vec noise_spans(struct arena *a, struct noise_sample_vec *samples, int most);

#endif
