/* SPDX-License-Identifier: Apache-2.0 */
/* target/cpu.h - what kernels in C have in common, whatever the processor. */
#ifndef HONE_TARGET_CPU_H
#define HONE_TARGET_CPU_H

#include "target/target.h"

extern const struct unit_costs cpu_costs;

/* Fields of a target with REGISTERS vectors of BYTES.
 *
 * Register scope: twice what there is leaves the compiler a choice of what to spill; of more an array is
 * the better place. Stack: a kernel needs at most 64 KiB of it in each thread, a quarter of which is for
 * what compilers keep there. Workspace: arrays beyond a quarter of a usual second-level cache (2 MiB) are
 * no longer near. Statements: gcc takes about half a second for so many of vectors, clang a sixth
 * of one. */
#define CPU_VECTORS(bytes, registers)                                                               \
	.vector_bytes = (bytes), .vector_registers = (registers),                                   \
	.scope_bytes = { [SCOPE_REGISTERS] = 2 * (bytes) * (registers), [SCOPE_STACK] = 48 * 1024,  \
			 [SCOPE_WORKSPACE] = 512 * 1024 },                                          \
	.line_bytes = 64, .frame_bytes = 16 * 1024, .statements = 720, .costs = &cpu_costs,                         \
	.bindings = { [ANNOTATION_NONE] = "a loop",                                                 \
		      [ANNOTATION_PARALLEL] = "turns shared by a team of threads",                  \
		      [ANNOTATION_VECTOR] = "GNU vectors", [ANNOTATION_UNROLL] = "copies" }

#endif
