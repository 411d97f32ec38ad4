/* SPDX-License-Identifier: Apache-2.0 */
/* search/kernel_text.h - a schedule as the C text that is built and measured: the one way there. */
#ifndef HONE_SEARCH_KERNEL_TEXT_H
#define HONE_SEARCH_KERNEL_TEXT_H

#include "schedule/nest.h"
#include "schedule/state.h"

/* The C text of the kernel P, in A; NULL with a reason in WHY (may be NULL) where it cannot be
 * written. */
const char *program_source(struct arena *a, const struct program *p, const char **why);
/* The same of the program that STATE makes for TARGET, where it can be lowered. */
const char *state_source(struct arena *a, const struct state *s, const struct target *target,
			 const char **why);

#endif
