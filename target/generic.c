/* SPDX-License-Identifier: Apache-2.0 */
/* target/generic.c - C with vectors of 16 bytes, for the baseline of whatever architecture. */
#include "target/cpu.h"

static bool runs(void)
{
	return true;
}

const struct target target_generic = {
	.name = "generic",
	.isa = "generic",
	.summary = "C with vectors of 16 bytes, as the compiler makes it by itself",
	CPU_VECTORS(16, 16),
	.alike = true,
	.runs = runs,
};
