/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_kernels.h - the fastest kernel of each task of a query as C files, verified as they were written.
 *
 * A task is a hit where the database has a kernel of it, a miss where it has none, and else has a fallback. */
#ifndef HONE_TOOLS_RECORD_EXPORT_KERNELS_H
#define HONE_TOOLS_RECORD_EXPORT_KERNELS_H

#include "codegen/export.h"
#include "tools/args/query.h"

struct export_wants {
	const char *dir;	/* that files are written to */
	const char *depfile;	/* a rule of make for the manifest; NULL: none */
	bool complete;		/* no manifest where a kernel is wrong */
	bool fallback;		/* the cost model's guess where nothing that was measured fits */
	int top;		/* kernels of each task, at least 1: the best, and those that come next */
	bool alone;		/* of a model without the weights that its nodes give them */
};

/* What is exported, by its task, and what is not. */
struct exports {
	struct export_kernel *kernels;
	const struct task **tasks;
	int n, refused;
	int found;		/* tasks that have one */
	json_t *misses;		/* as in docs/json.md */
};

/* Finds a kernel for each task of Q; a line on stderr for each that has none. -1 and a message where the database fails,
 * or where no task has one and they need not be complete. X is to be released in any case. */
int exports_find(const struct query *q, const struct export_wants *w, struct exports *x);
void exports_release(struct exports *x);
/* Writes them into W's folder, with a line on stderr for each that is wrong and left out. The manifest, a new reference;
 * NULL and a message. */
json_t *exports_write(const struct query *q, const struct export_wants *w, struct exports *x);
/* Hits, fallbacks and misses, a line each, to stdout. */
void exports_print(const struct query *q, const struct exports *x);

#endif
