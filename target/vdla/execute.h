/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/execute.h - what a VDLA's instructions do, and whether tokens order who does it.
 *
 * In:   instructions one at a time, each when its tokens are there.
 * Out:  scratchpads and memory as they leave them.
 * Holds: two instructions of different units of which one writes what the other reads or writes are ordered by tokens,
 *        or the later one is refused. */
#ifndef HONE_TARGET_VDLA_EXECUTE_H
#define HONE_TARGET_VDLA_EXECUTE_H

#include "target/vdla/simulator.h"

/* The channels that I takes tokens from (gives tokens to), in OUT; their number: of most instructions none. */
static inline int vdla_pops(const struct vdla_instruction *i, enum vdla_channel out[2])
{
	int n = 0, u = (int)vdla_unit_of(i);

	if (i->pop_before)
		out[n++] = (enum vdla_channel)(2 * u - 2);
	if (i->pop_behind)
		out[n++] = (enum vdla_channel)(2 * u + 1);
	return n;
}

static inline int vdla_pushes(const struct vdla_instruction *i, enum vdla_channel out[2])
{
	int n = 0, u = (int)vdla_unit_of(i);

	if (i->push_before)
		out[n++] = (enum vdla_channel)(2 * u - 1);
	if (i->push_behind)
		out[n++] = (enum vdla_channel)(2 * u);
	return n;
}

/* What units have touched, and what they know of each other. */
struct vdla_order;
/* Clocks of B's units and of what is in its memory: inputs and constants are written before. */
struct vdla_order *vdla_order_new(struct arena *a, const struct vdla_binary *b);
/* Instruction NUMBER begins: it knows what those knew whose tokens it takes. */
void vdla_order_begin(struct vdla_order *o, int number);
/* It ends, and gives tokens. */
void vdla_order_end(struct vdla_order *o);
/* All units know what any of them has done. */
void vdla_order_barrier(struct vdla_order *o);
/* It reads (writes) N entries of the scratchpad WHERE, or (VDLA_SCRATCHPADS) units of memory, from FIRST on, each STRIDE behind the
 * one before; false, with a message, where it may not. */
bool vdla_order_reads(struct vdla_order *o, int where, int64_t first, int64_t n, int64_t stride);
bool vdla_order_writes(struct vdla_order *o, int where, int64_t first, int64_t n, int64_t stride);

struct vdla_execution;
struct vdla_execution *vdla_execution_new(struct arena *a, const struct vdla_binary *b, uint8_t *memory);
/* Runs instruction NUMBER of the program; -1 and a message. */
int vdla_execute(struct vdla_execution *e, int number);

/* Sets the message "instruction 12 (gemm ...)" and what FMT says; returns -1. */
int vdla_refuse(const struct vdla_binary *b, int number, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
