/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/vdla_binary_fuzz.c - libFuzzer: any bytes as a file of a program for a VDLA, as they are and with the hash
 * that they should have. What is read is read back from both of its forms, and runs or is refused. */
#include "base/hash.h"
#include "tests/fuzz/vdla_fuzz.h"

enum { HASH = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = vdla_binary_read(a, "fuzz", data, size);

	if (!b && size >= HASH) {
		uint8_t *sealed = arena_memdup(a, data, size);
		struct hash128 h = hash_bytes(data, size - HASH);

		for (int i = 0; i < HASH; i++)
			sealed[size - HASH + (size_t)i] = (uint8_t)((i < 8 ? h.lo : h.hi) >> 8 * (i % 8));
		b = vdla_binary_read(a, "fuzz", sealed, size);
	}
	if (b)
		vdla_fuzz_check(a, b);
	arena_free(a);
	return 0;
}
