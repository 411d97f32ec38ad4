/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/stream.h - a VDLA's instructions in program order, with the tokens that they need.
 *
 * In:   how entries of scratchpads belong together; instructions, one behind the other, and the entries that each touches.
 * Out:  the same with tokens: who touches what another unit touched before waits for that, and for nothing else.
 * Holds: what a channel carries is taken in the order in which it is given, and all of it. */
#ifndef HONE_CODEGEN_VDLA_STREAM_H
#define HONE_CODEGEN_VDLA_STREAM_H

#include "target/vdla/binary.h"

struct vdla_stream;

/* Entries [first, last]. */
struct vdla_touched {
	enum vdla_scratchpad where;
	int first, last;
};

/* Appends to the code of B, in A. */
struct vdla_stream *vdla_stream_new(struct arena *a, struct vdla_binary *b);
/* N entries from FIRST on are PARTS regions of equal size from now on: who touches an entry is taken to touch its region. */
void vdla_stream_divide(struct vdla_stream *s, enum vdla_scratchpad where, int first, int n, int parts);
/* False where I does not fit B's machine, or would wait for a unit that no channel joins it with; then WHY. What it touches
 * is in regions. */
bool vdla_stream_add(struct vdla_stream *s, struct vdla_instruction i, const struct vdla_touched *touched, int n,
		     const char **why);

#endif
