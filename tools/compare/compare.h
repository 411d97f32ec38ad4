/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/compare.h - two sides, task by task.
 *
 * In:   the records of two sides (tools/compare/side.h).
 * Out:  of each task that both have a kernel of, how the best of the one compares with that of the other.
 * Holds: like is compared with like: threads, cache state and, unless asked otherwise, the device. What
 *        counts is what was measured: records are not replayed, for hone may have changed between both. */
#ifndef HONE_TOOLS_COMPARE_COMPARE_H
#define HONE_TOOLS_COMPARE_COMPARE_H

#include "measure/timing/verdict.h"
#include "tools/compare/side.h"

struct compare_options {
	struct compare_side side[2];
	bool devices;		/* also of different ones */
	double margin;		/* of the verdicts */
	const char *cc;		/* of what is measured again; NULL: the builder's own choice */
};

struct compare_row {
	struct side_kernel side[2];
	struct comparison with;	/* ours is the second side's; more than 1: it is faster */
	bool calibrated;	/* in units of the fixed kernel that each was timed in turn with */
	bool again;		/* of pairs that were taken here and now */
	const char *caveat;	/* what one must know of it; "" */
};
struct compare_row_vec VEC(struct compare_row);

struct compare_table {
	const struct compare_options *options;
	struct compare_row_vec rows;	/* by name */
	struct comparison mean;		/* of the rows, where there are any */
	struct side_kernel_vec alone[2];	/* that only this side has; by name */
	int slower;			/* rows */
};

/* In A. -1 and a message. */
int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out);
/* Counts what is SLOWER and takes the mean, once verdicts are there, or others. */
void compare_sum_up(struct arena *a, struct compare_table *t);

/* Builds and verifies both kernels of each row that is UNCLEAR, or of ALL, times them in turn on this machine, and
 * takes the verdict of these pairs; where that cannot be, the row says why. -1 and a message. */
int compare_again(struct arena *a, struct compare_table *t, bool all);

/* The forms of a table, one file tools/compare/format_NAME.c each. */
struct compare_format {
	const char *name;
	void (*print)(const struct compare_table *t);
};
#define X(name) extern const struct compare_format compare_format_##name;
#include "tools/compare/formats.def"
#undef X

#endif
