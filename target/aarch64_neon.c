/* SPDX-License-Identifier: Apache-2.0 */
/* target/aarch64_neon.c - any 64-bit Arm. */
#include "target/cpu.h"

static bool runs(void)
{
#if defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

const struct target target_aarch64_neon = {
	.name = "aarch64-neon",
	.isa = "neon",
	.summary = "Armv8-A: Advanced SIMD",
	CPU_VECTORS(16, 32),
	.arch = "aarch64",
	.march = "-march=armv8-a",
	.defined = "defined __aarch64__ && defined __ARM_NEON",
	.runs = runs,
	.emulator = "qemu-aarch64",
};
