/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/vdla_text_fuzz.c - libFuzzer: any text as a program for a VDLA. What parses is read back from both of its
 * forms, and runs or is refused. */
#include "tests/fuzz/vdla_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = vdla_binary_parse(a, "fuzz", fuzz_text(a, data, size));

	if (b)
		vdla_fuzz_check(a, b);
	arena_free(a);
	return 0;
}
