/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/indices/known.h - what follows for indices and conditions where some variables are numbers, as in a
 * turn of a loop that is written out. */
#ifndef HONE_SCHEDULE_PASS_INDICES_KNOWN_H
#define HONE_SCHEDULE_PASS_INDICES_KNOWN_H

#include "te/index/index.h"

enum { MAX_KNOWN = 64 };

struct known_axes {
	struct {
		const struct axis *axis;
		int64_t value;
	} at[MAX_KNOWN];
	int n;
};

enum truth { UNKNOWN, HOLDS, FAILS };

/* Bounds of the index E; of what is no sum, product, quotient or remainder as expr_range() has them. */
struct range known_range(const struct known_axes *k, const struct expr *e);
enum truth known_truth(const struct known_axes *k, const struct expr *e);

#endif
