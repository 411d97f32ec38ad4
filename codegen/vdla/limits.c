/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/limits.c - a VDLA, as whoever makes leaves knows it. */
#include "codegen/vdla/limits.h"

static const enum memory_scope scopes[VDLA_SCRATCHPADS] = {
	[VDLA_INPUTS] = SCOPE_INPUTS, [VDLA_WEIGHTS] = SCOPE_WEIGHTS, [VDLA_ACCUMULATORS] = SCOPE_ACCUMULATORS,
};

static struct leaf_steps steps(const struct vdla_machine *m, enum vdla_op op)
{
	struct leaf_steps s = { .count = vdla_count_most(m, op) };

	for (enum vdla_scratchpad p = 0; p < VDLA_SCRATCHPADS; p++)
		s.stride[scopes[p]] = vdla_stride_most(m, op, p);
	return s;
}

struct leaf_limits vdla_limits(const struct vdla_machine *m)
{
	struct leaf_limits l = {
		.operands = target_vdla.operands,
		.unit_bytes = VDLA_UNIT_BYTES,
		.loops = VDLA_LOOPS,
		.products = steps(m, VDLA_GEMM),
		.vectors = steps(m, VDLA_ALU),
		.rows = VDLA_ROWS_MOST,
		.narrow = true,
		.number_least = INT16_MIN,
		.number_most = INT16_MAX,
	};

	for (enum vdla_scratchpad p = 0; p < VDLA_SCRATCHPADS; p++) {
		l.entry_bytes[scopes[p]] = vdla_entry_bytes(p);
		l.entries[scopes[p]] = vdla_entries(m, p);
	}
	for (int op = 0; op < LEAF_OPERATIONS; op++)
		l.computes[op] = true;
	return l;
}

enum vdla_scratchpad vdla_scratchpad_of(const struct buffer *b)
{
	return b->scratchpad == SCOPE_INPUTS ? VDLA_INPUTS : b->scratchpad == SCOPE_WEIGHTS ? VDLA_WEIGHTS : VDLA_ACCUMULATORS;
}

enum vdla_form vdla_form_of(const struct leaf *l)
{
	return l->narrow ? VDLA_NARROW : VDLA_PLAIN;
}

const enum vdla_alu vdla_alu_of[LEAF_OPERATIONS] = {
	[LEAF_ADD] = VDLA_ADD, [LEAF_MAX] = VDLA_MAX, [LEAF_MIN] = VDLA_MIN, [LEAF_MUL] = VDLA_MUL,
	[LEAF_SHIFT] = VDLA_SHIFT, [LEAF_SHIFT_DOWN] = VDLA_SHIFT_DOWN, [LEAF_COPY] = VDLA_COPY,
};
