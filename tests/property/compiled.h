/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/compiled.h - the C of many cases, built by a few runs of the compiler. */
#ifndef HONE_TESTS_PROPERTY_COMPILED_H
#define HONE_TESTS_PROPERTY_COMPILED_H

#include "tests/property/sample.h"

struct batch;

struct batch *batch_new(void);
/* Frees the samples too. */
void batch_free(struct batch *b);
bool batch_has_room(const struct batch *b);
/* Emits the C of S and owns it from then on. False where emit_c refuses: S stays the caller's. */
bool batch_add(struct batch *b, struct sample *s);
/* Builds, runs and compares all; CURRENT is set to the seed of the case that runs. Returns how many
 * failed, each printed with its C; their sources are then kept. */
int batch_run(struct batch *b, volatile uint64_t *current);

#endif
