/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/target.c - a simulated accelerator, as schedules see it: scratchpads, products of blocks, virtual threads.
 *
 * A register of its vectors is an entry of the accumulators: tiles are what these hold. */
#include "target/target.h"

enum {
	INPUT_BYTES = 32768,
	WEIGHT_BYTES = 262144,
	ACCUMULATOR_BYTES = 131072,
};

/* Cycles of its units; nothing is decoded, spilled or cached. */
static const struct unit_costs costs = {
	.pipes = 1,
	.latency = 1,
	.memory_latency = 1,
	.decode = 1,
	.cached_code = 1e9,
	.loop_instructions = 0,
	.loads = 1,
	.spill = 0,
	.spill_share = 0,
	.start_ns = 0,
};

static const struct operand_scopes operands = {
	.a = SCOPE_INPUTS, .b = SCOPE_WEIGHTS, .sum = SCOPE_ACCUMULATORS,
};

static bool runs(void)
{
	return false;
}

const struct target target_vdla = {
	.name = "vdla",
	.isa = "vdla",
	.summary = "a simulated accelerator: products of 16x16 bytes, scratchpads, three units side by side",
	.vector_bytes = 64,
	.vector_registers = ACCUMULATOR_BYTES / 64,
	.scope_bytes = { [SCOPE_INPUTS] = INPUT_BYTES, [SCOPE_WEIGHTS] = WEIGHT_BYTES,
			 [SCOPE_ACCUMULATORS] = ACCUMULATOR_BYTES,
			 [SCOPE_WORKSPACE] = INPUT_BYTES + WEIGHT_BYTES + ACCUMULATOR_BYTES },
	.statements = 720,
	.operands = &operands,
	.bindings = { [ANNOTATION_NONE] = "a loop of an instruction, or of whoever writes the stream",
		      [ANNOTATION_VTHREAD] = "turns interleaved in one stream", [ANNOTATION_VECTOR] = "lanes",
		      [ANNOTATION_UNROLL] = "rows of a block" },
	.costs = &costs,
	.runs = runs,
};
