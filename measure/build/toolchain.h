/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/toolchain.h - a C compiler, and the flags that it takes for kernels of a target.
 *
 * In:   the command of a compiler, a target, and flags of the caller's.
 * Out:  the command line of a compilation, and one line that says what compiles.
 * Holds: flags are tried, not believed; what a compiler answered once is asked again when its
 *        program, the processor, the flags or hone is another. */
#ifndef HONE_MEASURE_BUILD_TOOLCHAIN_H
#define HONE_MEASURE_BUILD_TOOLCHAIN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "target/target.h"

/* Of a compiler's address space: enough for the largest sane kernel, not for a runaway one. */
#define COMPILER_MEMORY ((size_t)4 << 30)

struct strings VEC(const char *);

struct toolchain {
	const char *cc;
	const struct target *target;	/* that it compiles for */
	struct strings flags;	/* of every compilation */
	struct strings link;	/* behind the file */
	struct strings user;	/* the caller's, last */
	const char *text;	/* compiler, version and flags in one line, for the record */
};

/* CC for TARGET with USER's flags, separated by blanks (NULL: none), in A. FOLDER is for files that it
 * compiles on trial, ENV its environment. -1 and a message where it cannot be run, or makes no shared
 * object for TARGET. */
int toolchain_find(struct arena *a, const char *cc, const struct target *target, const char *user,
		   const char *folder, char **env, struct toolchain *out);
/* The target that TEXT, a toolchain's, names, as a part of it; "" where it is the device's own. */
const char *toolchain_mark(const char *text);
/* The command, with NULL at its end, that makes the shared object TO of the file FROM. */
const char *const *toolchain_command(struct arena *a, const struct toolchain *t, const char *from,
				     const char *to);

/* Where T's answers are kept, in A, by its cc and flags as they stand before it was asked; NULL where
 * one cannot tell by a file whether it is the same compiler: a script, a wrapper of another name. */
const char *toolchain_place(struct arena *a, const struct toolchain *t);
/* Fills in T from there; false where there is nothing. */
bool toolchain_recall(struct arena *a, const char *place, struct toolchain *t);
/* What cannot be written is asked again. */
void toolchain_keep(const char *place, const struct toolchain *t);

#endif
