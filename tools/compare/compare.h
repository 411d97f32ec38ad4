/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/compare.h - two sides, task by task.
 *
 * In:   the records of two sides (tools/compare/side.h).
 * Out:  of each task that both have a kernel of, how the best of the one compares with that of the other; what
 *       only one of them has; means and sums.
 * Holds: like is compared with like: threads, cache state and, unless asked otherwise, the device. What
 *        counts is what was measured: records are not replayed, for hone may have changed between both. Verdicts
 *        are of the comparison as a whole: with less than 5% is any of them a false alarm (docs/compare.md). */
#ifndef HONE_TOOLS_COMPARE_COMPARE_H
#define HONE_TOOLS_COMPARE_COMPARE_H

#include "base/text.h"
#include "measure/timing/verdict.h"
#include "tools/compare/side.h"

enum { BEFORE, NOW, SIDES };

enum compare_again { AGAIN_NONE, AGAIN_UNCLEAR, AGAIN_ALL };

struct compare_options {
	struct compare_side side[SIDES];
	bool devices;		/* also of different ones */
	double margin;		/* of the verdicts */
	enum compare_again again;	/* what is timed again on this machine */
	const char *cc;		/* that builds for it; NULL: that of the records */
};

struct compare_row {
	struct side_kernel side[SIDES];
	struct comparison with;	/* ours is the second side's; more than 1: it is faster */
	bool calibrated;	/* in units of the fixed kernel that each was timed in turn with */
	/* Both times were confirmed, or taken again here, or it is one kernel. A trial's time is the least of many noisy
	 * ones: what rests on one is UNCLEAR, and in no mean and no total. */
	bool sound;
	bool same;		/* one text by one toolchain on one device: whatever was measured, the ratio is 1 */
	bool again;		/* of pairs that were taken here and now */
	enum verdict was;	/* where it is again: before that */
	const char *caveat;	/* what one must know of the records; "" */
	const char *again_note;	/* what timing it again came to, or why it was not; "" */
};
struct compare_row_vec VEC(struct compare_row);

/* What one side alone has. */
struct compare_alone {
	struct side_kernel kernel;
	bool withheld;		/* both may have it, but it is imported or a guess, which nobody asked for */
	const char *why;	/* there is nothing to compare it with, where that is to be told; "" */
};
struct compare_alone_vec VEC(struct compare_alone);

/* Of all sound rows that are of one model, number of threads, cache state and device: what they take with the model's
 * occurrences, as timed alone. */
struct compare_total {
	const char *source;
	int threads;
	const char *cache;
	double us[SIDES];	/* that of before at the speed that the device has now */
	struct comparison with;
	int tasks, missing;	/* rows, and tasks of the model that are none */
};
struct compare_total_vec VEC(struct compare_total);

struct compare_table {
	const struct compare_options *options;
	struct compare_row_vec rows;	/* by name */
	struct compare_alone_vec alone[SIDES];	/* by name */
	struct side_weight_vec weights;
	struct comparison mean;		/* geometric, of the rows that are sound; where none is, of all, and UNCLEAR */
	int sound;			/* rows */
	struct compare_total_vec totals;	/* of models whose occurrences are known */
	int verdicts[4];		/* rows of each */
	int retimed;			/* rows that were timed again, and of these... */
	int settled;			/* ...those that were UNCLEAR and are no more */
};

/* Reads both sides into rows, without verdicts; in A. -1 and a message. */
int compare_read(struct arena *a, const struct compare_options *o, struct compare_table *out);

/* Of a kernel with itself, of which both sides have as many samples at least. */
struct comparison comparison_of_one(int pairs);

/* Gives each row its verdict, as one of many; those that are to be timed again later take half of the false alarms
 * that are allowed. */
void compare_judge_rows(struct arena *a, struct compare_table *t);
/* Means, sums, counts, and the verdicts of these and of what was timed again. */
void compare_judge(struct arena *a, struct compare_table *t);
/* Whether a row, the mean or a total is SLOWER. */
bool compare_is_slower(const struct compare_table *t);

/* Builds and verifies both kernels of each row that the options ask for, times them in turn on this machine, and
 * compares these pairs; where that cannot be, the row says why. -1 and a message. */
int compare_again(struct arena *a, struct compare_table *t);

/* --- what the forms have in common: tools/compare/words.c */

/* The versions, toolchains and devices of SIDE's rows: "hone 0.2.0+g01234567; gcc 12.2.0 ...; device 01234567". */
const char *compare_about(struct arena *a, const struct compare_table *t, int side);
/* What one must know of R: its caveats, that it is one of many, what timing it again came to. */
const char *compare_note(struct arena *a, const struct compare_table *t, const struct compare_row *r);
/* "2 FASTER, 1 SLOWER, 9 SAME, 1 UNCLEAR", without those that are none. */
const char *compare_counts(struct arena *a, const struct compare_table *t);
/* What TOTAL sums: "occurrences x time of 12 kernels of 15, 1 thread, warm". */
const char *compare_total_words(struct arena *a, const struct compare_total *total);
/* "geometric mean of 12", or "of 9 of 12" where three are not sound. */
const char *compare_mean_words(struct arena *a, const struct compare_table *t);

/* What plots go to: from 1 / this to this, at least beyond the threshold; intervals that are wider are cut. */
double compare_reach(const struct compare_table *t);

/* The forms of a table, one file tools/compare/format_NAME.c each. */
struct compare_format {
	const char *name;
	void (*print)(const struct compare_table *t);
};
#define X(name, meaning) extern const struct compare_format compare_format_##name;
#include "tools/compare/formats.def"
#undef X

#endif
