/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/compiler.h - which C compilers are here, and whether they do what hone needs of them.
 *
 * Tried, not believed: a small kernel with vector types is compiled for this machine, linked and
 * run, with OpenMP and then without. */
#ifndef HONE_MEASURE_BUILD_COMPILER_H
#define HONE_MEASURE_BUILD_COMPILER_H

#include <stdbool.h>

#include "base/arena.h"

struct compiler {
	const char *command;	/* as asked for */
	const char *version;	/* first line of --version; NULL: not found */
	bool works;		/* compiles, links and runs the kernel with -O3 -march=native */
	bool openmp;		/* and with -fopenmp */
	int openmp_version;	/* _OPENMP, the date of the specification; 0 without */
	const char *why;	/* first line of what failed; NULL where nothing did */
};

/* Tries COMMAND (a name or path, no options); a second or less. -1 and a message only where no
 * temporary file can be made: a compiler that is missing or broken is a result. */
int compiler_check(struct arena *a, const char *command, struct compiler *out);

#endif
