/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/exported.h - whether an exported file, compiled as its head says, computes its task.
 *
 * In:   a C file of codegen/export.h.
 * Out:  a verdict of hone-runner, which compares it with the task's reference.
 * Holds: what is loaded is what a user gets: the file itself, its flags, and `cc`. */
#ifndef HONE_SEARCH_TRUST_EXPORTED_H
#define HONE_SEARCH_TRUST_EXPORTED_H

#include "search/task.h"

struct exported;

/* A compiler for references, a runner and a folder for objects. NULL and a message where one of
 * them cannot be had. */
struct exported *exported_new(const struct target *target);
void exported_free(struct exported *e);		/* NULL is allowed */

/* The file at PATH defines SYMBOL, a kernel of T for THREADS threads. 1 where it is right; 0 and a
 * reason in WHY (in A); -1 and a message where the outside world fails. */
int exported_check(struct exported *e, struct arena *a, const struct task *t, int threads,
		   const char *path, const char *symbol, const char **why);

#endif
