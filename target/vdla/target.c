/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/target.c - a simulated accelerator, as schedules see it: scratchpads, products of blocks, virtual threads.
 *
 * A register of its vectors is an entry of the accumulators: tiles are what these hold. */
#include "target/vdla/target.h"

/* Of the machine that is described by default: latency is what an instruction takes beside its elements, memory_latency a
 * transfer, start_ns the launch. Its units are another estimate's (costmodel/features/units.c), which asks for no more. */
static const struct unit_costs costs = {
	.pipes = VDLA_LANES,	/* multiply-adds of vectors: a product */
	.latency = 8,
	.memory_latency = 64,
	.start_ns = 10000,
};

static const struct operand_scopes operands = {
	.a = SCOPE_INPUTS, .b = SCOPE_WEIGHTS, .sum = SCOPE_ACCUMULATORS,
};

static bool runs(void)
{
	return false;
}

/* Of the machine that is described by default. */
const struct target target_vdla = {
	.name = "vdla",
	.isa = "vdla",
	.summary = "a simulated accelerator: products of 16x16 bytes, scratchpads, three units side by side",
	.vector_bytes = 64,
	.vector_registers = 2048,
	.scope_bytes = { [SCOPE_INPUTS] = 32768, [SCOPE_WEIGHTS] = 262144, [SCOPE_ACCUMULATORS] = 131072,
			 [SCOPE_WORKSPACE] = 32768 + 262144 + 131072 },
	.frame_bytes = 1,
	.statements = 720,
	.operands = &operands,
	.bindings = { [ANNOTATION_NONE] = "a loop of an instruction, or of whoever writes the stream",
		      [ANNOTATION_VTHREAD] = "turns interleaved in one stream", [ANNOTATION_VECTOR] = "lanes",
		      [ANNOTATION_UNROLL] = "rows of a block" },
	.costs = &costs,
	.arch = "vdla",
	.runs = runs,
};

const struct target *vdla_target(struct arena *a, const struct vdla_machine *m)
{
	struct target *t = arena_memdup(a, &target_vdla, sizeof(*t));
	struct unit_costs *c = arena_memdup(a, &costs, sizeof(*c));

	c->latency = m->gemm_depth;
	c->memory_latency = m->dma_start;
	c->start_ns = m->launch_cycles * 1e3 / m->clock_mhz;
	t->costs = c;

	t->scope_bytes[SCOPE_INPUTS] = (size_t)m->input_bytes;
	t->scope_bytes[SCOPE_WEIGHTS] = (size_t)m->weight_bytes;
	t->scope_bytes[SCOPE_ACCUMULATORS] = (size_t)m->accumulator_bytes;
	t->scope_bytes[SCOPE_WORKSPACE] = (size_t)m->input_bytes + (size_t)m->weight_bytes + (size_t)m->accumulator_bytes;
	t->vector_registers = vdla_entries(m, VDLA_ACCUMULATORS);
	return t;
}
