/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/simulator.h - runs a VDLA's program: exactly, and counting cycles.
 *
 * In:   a program, whose instructions fit its machine, and a memory, or none: then cycles alone are counted.
 * Out:  the memory as the program leaves it; cycles of each unit by what they went into.
 * Holds: the same program gives the same cycles, with and without memory. With memory, what a unit reads or writes
 *        without being ordered by tokens behind (before) what another one wrote or read, what was never written (of
 *        memory: what is no input or constant and was not stored), and an address outside are errors that name the
 *        instruction; so are a deadlock and tokens that are left at the end, always.
 *
 * Time. Instructions are fetched one a cycle, in program order, after launch_cycles; a full queue stops that, and a launch
 * until all units are done and launch_cycles more. A unit
 * starts an instruction when the one before has ended and its tokens are there. Products take gemm_depth cycles and
 * one each; vector operations alu_depth and one an entry (two with a source). A transfer waits dma_start cycles, then
 * for the memory port, which it has for its bytes over dma_bytes (rounded up, a row at least one cycle); zeros of padding
 * take one cycle an entry behind that, and nothing else where there are no rows. The port serves who asks first, of two at
 * once the load. */
#ifndef HONE_TARGET_VDLA_SIMULATOR_H
#define HONE_TARGET_VDLA_SIMULATOR_H

#include "target/vdla/binary.h"

/* Between neighbours: who gives. Those between units u and u + 1 are number 2 u and the one behind. */
enum vdla_channel {
	VDLA_LOAD_TO_COMPUTE,
	VDLA_COMPUTE_TO_LOAD,
	VDLA_COMPUTE_TO_STORE,
	VDLA_STORE_TO_COMPUTE,
	VDLA_CHANNELS
};
extern const char *const vdla_channel_names[VDLA_CHANNELS];

struct vdla_unit_cycles {
	int64_t instructions;
	int64_t busy;		/* all that follows and this are the total */
	int64_t waiting[VDLA_CHANNELS];	/* for a token of it */
	int64_t port;		/* of transfers: for the other's */
	int64_t idle;		/* nothing in the queue */
};

struct vdla_cycles {
	int64_t total;		/* with the launches */
	int64_t launches;
	struct vdla_unit_cycles unit[VDLA_UNITS];
	int64_t products;	/* of 16x16 */
	int64_t loaded[VDLA_SCRATCHPADS], stored;	/* bytes of memory */
};

/* When instruction I ran. */
struct vdla_span {
	int64_t start, end;
};

/* 0; -1 and a message that names the instruction (number and text) where the program is wrong. MEMORY: memory_bytes of
 * B, with constants and inputs in their places (see vdla_memory_new()); NULL: cycles alone. SPANS: NULL, or one for each
 * instruction. */
int vdla_simulate(const struct vdla_binary *b, uint8_t *memory, struct vdla_cycles *out, struct vdla_span *spans);
/* A memory for B with the constants' data, the rest zero; the caller frees it with free(). */
uint8_t *vdla_memory_new(const struct vdla_binary *b);

#endif
