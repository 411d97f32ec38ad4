/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/vdla_binary_fuzz.c - libFuzzer: any bytes as a file of a program for a VDLA, as they are and with the hash
 * that they should have. What is read is read back from both of its forms, and runs or is refused. */
#include "base/bytes.h"
#include "tests/fuzz/vdla_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = vdla_binary_read(a, "fuzz", data, size);

	if (!b && size > BYTES_SEAL) {
		struct text sealed = { 0 };

		text_putn(&sealed, (const char *)data, size - BYTES_SEAL);
		bytes_seal(&sealed, 0);
		b = vdla_binary_read(a, "fuzz", sealed.s, sealed.n);
		text_free(&sealed);
	}
	if (b)
		vdla_fuzz_check(a, b);
	arena_free(a);
	return 0;
}
