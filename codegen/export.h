/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export.h - kernels as files for somebody else's build.
 *
 * In:   programs, and what is known of where they come from.
 * Out:  in a folder: SYMBOL.c for each, hone_kernels.h with their prototypes, manifest.json.
 * Holds: each C file compiles alone; a file is there whole or not at all, the manifest last; the
 *        same kernels give the same bytes. */
#ifndef HONE_CODEGEN_EXPORT_H
#define HONE_CODEGEN_EXPORT_H

#include <jansson.h>

#include "schedule/nest.h"

/* SPDX of what hone writes, which has texts of hone's own in it (target/vectors/). */
#define EXPORT_LICENCE "Apache-2.0"

struct export_kernel {
	const struct program *program;
	const char *task;	/* its name for people */
	const char *key;	/* 32 hex digits */
	const char *op, *shape;
	const char *steps;	/* as the record has them */
	const char *device, *fingerprint, *toolchain;	/* that it was measured on and with */
	int threads;
	int rank;		/* among the kernels of its task: 1 is the best */
	double time_us;		/* 0: nobody measured it, it stands in for one that is missing */
	const char *caveat;	/* what one must know of that time; "" */
	json_t *evidence;	/* for the manifest, which takes a reference of its own */
	json_t *uses;		/* for the manifest: where a model needs it, with which weights; NULL:
				 * it is no model's. The manifest takes a reference of its own */
	const char *refused;	/* why it is left out of header and manifest; NULL: it is not */
};

struct export_set {
	const struct export_kernel *kernels;
	int n;
	const char *command;	/* that asked for them, for the comments */
	json_t *misses;		/* for the manifest, which takes a reference of its own: tasks without a
				 * kernel, an array; NULL: there are none */
};

/* What an exported file for TARGET is compiled with, in A. Higher levels and unrolled loops undo what
 * the schedule decided (docs/performance.md). */
const char *export_flags(struct arena *a, const struct target *target);

/* hone_ and OP as a C identifier, _ and the first DIGITS of KEY; in A. */
const char *export_symbol(struct arena *a, const char *op, const char *key, int digits);

/* That of kernel I, which no other of SET has, with its rank behind it from the second on; in A. */
const char *export_symbol_of(struct arena *a, const struct export_set *set, int i);

/* Writes the C file of kernel I into the folder DIR, which is made where it is missing. Its path,
 * in A; NULL and a message where it cannot be written, or the program not as C. */
const char *export_kernel(struct arena *a, const char *dir, const struct export_set *set, int i);
/* Then the header and the manifest of those that are not refused. The manifest, a new reference;
 * NULL and a message where a file cannot be written. */
json_t *export_index(const char *dir, const struct export_set *set);

#endif
