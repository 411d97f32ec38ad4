/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/machine.h - sizes and latencies of a VDLA, a simulated accelerator for 8-bit networks.
 *
 * In:   a text, a line "field number" for each field of machine.def that is not its default; # begins a comment.
 * Out:  a description, which whoever generates, encodes or runs its code reads.
 * Holds: scratchpads are powers of two bytes. */
#ifndef HONE_TARGET_VDLA_MACHINE_H
#define HONE_TARGET_VDLA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Lanes of all vectors, and rows of a block of weights. */
enum { VDLA_LANES = 16 };

/* Where loads write and stores read; an entry is what one instruction's product or vector operation works on. */
enum vdla_scratchpad {
	VDLA_INPUTS,		/* entries of 16 i8 */
	VDLA_WEIGHTS,		/* of 16x16 i8: [lane of the sum][lane of the input] */
	VDLA_ACCUMULATORS,	/* of 16 i32 */
	VDLA_SCRATCHPADS
};

struct vdla_machine {
#define X(field, ...) int field;
#include "target/vdla/machine.def"
#undef X
};

extern const struct vdla_machine vdla_machine_default;

/* Reads TEXT; -1 and a message with FILE, line, what and what is allowed. */
int vdla_machine_parse(struct vdla_machine *out, const char *file, const char *text);
/* The same of the file PATH; -1 and a message where it cannot be read, too. */
int vdla_machine_load(struct vdla_machine *out, const char *path);
/* One such line; -1 and a message. */
int vdla_machine_scan(struct vdla_machine *out, struct scan *s);
/* NULL, or the first field of M whose value is not allowed. */
const char *vdla_machine_wrong(const struct vdla_machine *m);
/* All of M's fields, in the order of machine.def, as is read back. */
void vdla_machine_print(struct text *out, const struct vdla_machine *m);
bool vdla_machine_equal(const struct vdla_machine *a, const struct vdla_machine *b);

/* Bytes of an entry: 16, 256, 64. */
static inline int vdla_entry_bytes(enum vdla_scratchpad s)
{
	return s == VDLA_INPUTS ? VDLA_LANES : s == VDLA_WEIGHTS ? VDLA_LANES * VDLA_LANES : VDLA_LANES * 4;
}

/* Entries of a scratchpad, and bits of their numbers. */
static inline int vdla_entries(const struct vdla_machine *m, enum vdla_scratchpad s)
{
	int bytes = s == VDLA_INPUTS ? m->input_bytes : s == VDLA_WEIGHTS ? m->weight_bytes : m->accumulator_bytes;

	return bytes / vdla_entry_bytes(s);
}

static inline int vdla_entry_bits(const struct vdla_machine *m, enum vdla_scratchpad s)
{
	return __builtin_ctz((unsigned)vdla_entries(m, s));
}

extern const char *const vdla_scratchpad_names[VDLA_SCRATCHPADS];

#endif
