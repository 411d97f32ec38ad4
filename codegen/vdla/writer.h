/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/writer.h - a VDLA's instructions in program order, with the tokens that they need.
 *
 * In:   instructions, one behind the other, and the entries that each touches.
 * Out:  the same with tokens: who touches what another unit touched before waits for that, and for nothing else. Where load
 *       and store would wait for each other, an instruction between them that does nothing.
 * Holds: what a channel carries is taken in the order in which it is given, and all of it. */
#ifndef HONE_CODEGEN_VDLA_WRITER_H
#define HONE_CODEGEN_VDLA_WRITER_H

#include "target/vdla/binary.h"

struct vdla_writer;

/* Entries [first, last]. */
struct vdla_access {
	enum vdla_scratchpad where;
	int first, last;
};

/* Appends to the code of B, in A. */
struct vdla_writer *vdla_writer_new(struct arena *a, struct vdla_binary *b);
/* I fits the machine of B; false where what it touches is outside of a scratchpad. */
bool vdla_writer_add(struct vdla_writer *s, const struct vdla_instruction *i, const struct vdla_access *touched, int n);

#endif
