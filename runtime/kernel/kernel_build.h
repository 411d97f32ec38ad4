/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/kernel_build.h - from a schedule to an object, and to a kernel in this process. */
#ifndef HONE_RUNTIME_KERNEL_KERNEL_BUILD_H
#define HONE_RUNTIME_KERNEL_KERNEL_BUILD_H

#include <stdbool.h>

#include "runtime/kernel/kernel.h"
#include "measure/build/builder.h"
#include "measure/device/device.h"
#include "schedule/state.h"

/* The builder for D's target whose compiler, version and flags are RECORDED (of db_record's toolchain_text; NULL:
 * any); where there is none here, or CC names another compiler, that or the default one, and *SAME is
 * false. NULL and a message where none works. */
struct build_pool *kernel_builder(const struct device *d, const char *cc, const char *recorded,
				  bool *same);
/* Compiles what S makes for TARGET: the object's path in A, to be removed. NULL and a message where it does
 * not compile. */
const char *kernel_compile(struct arena *a, struct build_pool *b, const struct state *s,
			   const struct target *target);
/* The same, loaded for THREADS threads. -1 and a message. */
int kernel_build(struct arena *a, struct build_pool *b, const struct state *s,
		 const struct target *target, int threads, struct kernel *k);

#endif
