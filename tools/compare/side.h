/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/side.h - one side of a comparison: records of a file, all or some, and the best of each task in them.
 *
 * In:   FILE or FILE#KEY=VALUE,KEY=VALUE.
 * Out:  of each task, number of threads, cache state and device the record that is surest to be the best.
 * Holds: of some of the records, only these are looked at: a kernel that another campaign has measured again
 *        since is still what this campaign found. */
#ifndef HONE_TOOLS_COMPARE_SIDE_H
#define HONE_TOOLS_COMPARE_SIDE_H

#include "db/db.h"

struct compare_side {
	const char *name;	/* as it was given */
	const char *path;
	const char *campaign;	/* its number or the beginning of its uid */
	const char *device;	/* the beginning of a fingerprint */
	const char *toolchain;	/* words of it */
	const char *hone;	/* the version that measured */
	enum db_whence from;
	int threads;		/* 0: any */
};

/* The best kernel of a task on a side. */
struct side_kernel {
	struct db_record record;
	const char *name;	/* of the task */
	const char *text;	/* its DAG in .te form; "": it is none */
};
struct side_kernel_vec VEC(struct side_kernel);

/* What TEXT says, in A. -1 and a message. */
int side_parse(struct arena *a, const char *text, struct compare_side *out);
/* In A, in no order. -1 and a message. */
int side_read(struct arena *a, const struct compare_side *s, struct side_kernel_vec *out);

#endif
