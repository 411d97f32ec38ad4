/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/objects.h - shared objects of kernels, kept by the content of their source.
 *
 * In:   trials with C texts.
 * Out:  trials with objects, compiled now or by an earlier run.
 * Holds: an object is found only by the hash of the very text and toolchain that made it; the folder
 *        has a bound, and what was found longest ago goes first, but nothing that a process has found
 *        within the hour: it may be about to open it. What was opened may go. */
#ifndef HONE_RUNTIME_KERNEL_OBJECTS_H
#define HONE_RUNTIME_KERNEL_OBJECTS_H

#include <stdbool.h>

#include "measure/build/builder.h"

/* As build_all(), but objects live in the user's cache folder and stay there; *MADE (may be NULL)
 * counts those that were compiled. Without such a folder objects are the builder's. */
int objects_get(struct arena *a, struct build_pool *b, struct trial *trials, int n, int *made);

/* Is there an object at PATH, kept by this process or another? Then it stays for an hour at least. */
bool objects_find(const char *path);

#endif
