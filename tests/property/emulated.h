/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/emulated.h - kernels of a target that is not this machine's, run by its emulator. */
#ifndef HONE_TESTS_PROPERTY_EMULATED_H
#define HONE_TESTS_PROPERTY_EMULATED_H

#include "tests/property/compiled.h"

struct emulation;

/* A program for TARGET that runs kernels, in A. NULL with what is absent in WHY. */
struct emulation *emulation_new(struct arena *a, const struct target *target, const char **why);
void emulation_free(struct emulation *e);
/* A case_run; USER is the emulation. */
bool emulation_run(void *user, struct schedule_sample *s, const char *object, int threads,
		   bool last_first);

#endif
