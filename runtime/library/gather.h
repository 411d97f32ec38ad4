/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/gather.h - from what a session runs to what a library has. */
#ifndef HONE_RUNTIME_LIBRARY_GATHER_H
#define HONE_RUNTIME_LIBRARY_GATHER_H

#include "runtime/code.h"
#include "runtime/library/content.h"

/* The content of the library of CODE, for at least THREADS threads, in A; it refers to CODE. NULL and
 * a message where an input is no tensor whose shape is known, or an output none whose rank is. */
struct library_content *library_gather(struct arena *a, const struct model_code *code,
				       int threads);

#endif
