/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz.h - what the fuzzers share. Each is a file NAME_fuzz.c with the one function that
 * libFuzzer calls, a folder corpus/NAME of seeds and finds, and perhaps words in NAME.dict. `make
 * fuzz-NAME` runs it; `make check` runs it over the corpus alone (tests/fuzz/replay.c). */
#ifndef HONE_TESTS_FUZZ_H
#define HONE_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes up to the first zero, as text. */
static inline char *fuzz_text(struct arena *a, const uint8_t *data, size_t size)
{
	return arena_strndup(a, (const char *)data, strnlen((const char *)data, size));
}

static inline void fuzz_must(bool holds, const char *what)
{
	if (!holds)
		die("%s: %s", what, err_get());
}

#endif
