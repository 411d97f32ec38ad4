/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export.h - kernels as files for somebody else's build.
 *
 * In:   programs, and what is known of where they come from.
 * Out:  in a folder: SYMBOL.c for each, hone_kernels.h with their prototypes, manifest.json.
 * Holds: each C file compiles alone; a file is there whole or not at all, the manifest last. */
#ifndef HONE_CODEGEN_EXPORT_H
#define HONE_CODEGEN_EXPORT_H

#include <jansson.h>

#include "schedule/nest.h"

struct export_kernel {
	const struct program *program;
	const char *task;	/* its name for people */
	const char *key;	/* 32 hex digits */
	const char *op, *shape;
	const char *steps;	/* as the record has them */
	const char *device, *fingerprint, *toolchain;	/* that it was measured on and with */
	int threads;
	double time_us;
	int vector_bytes;	/* of the device's registers */
};

struct export_set {
	const struct export_kernel *kernels;
	int n;
	const char *command;	/* that asked for them, for the comments */
};

/* hone_ and OP as a C identifier, _ and the first DIGITS of KEY; in A. */
const char *export_symbol(struct arena *a, const char *op, const char *key, int digits);

/* Writes all files into the folder DIR, which is made where it is missing. The manifest, a new
 * reference; NULL and a message where a file cannot be written, or a program not as C. */
json_t *export_write(const char *dir, const struct export_set *set);

#endif
