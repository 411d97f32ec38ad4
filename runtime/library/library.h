/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/library.h - a model as a C library that needs nothing of hone.
 *
 * In:   a model that is ready to run: its lists of steps, the C text of its kernels, its constants.
 * Out:  a folder: C sources, weights, header, Makefile, pkg-config and CMake files, an example.
 * Holds: built by the compilers that built these kernels, it gives the same bits as a
 *        session; it depends on libc, libm and OpenMP, and works without the last. */
#ifndef HONE_RUNTIME_LIBRARY_LIBRARY_H
#define HONE_RUNTIME_LIBRARY_LIBRARY_H

#include "runtime/library/check.h"

struct library_order {
	const struct model_code *code;
	const char *folder;	/* made where it is missing */
	const char *name;	/* of the library, an identifier */
	const char *model;	/* that it is made of, for comments */
	const struct library_check *check;	/* comes with it, for make check; NULL: none does */
	int threads;		/* the most that will run it, at least; the kernels' may be more */
};

/* The name of a library for the file MODEL: an identifier, in A. */
const char *library_name(struct arena *a, const char *model);
bool library_name_is_fit(const char *name);

/* Writes it. -1 and a message where the model is none that can be written, or a file cannot be. */
int library_write(const struct library_order *o);

#endif
