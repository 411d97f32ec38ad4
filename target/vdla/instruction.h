/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/instruction.h - the instructions of a VDLA, and how they are 128 bits.
 *
 * Three units run side by side, each the instructions of its own queue in their order: load, compute, store. A unit
 * waits for another only by tokens: an instruction takes one from each channel that it pops before it starts, and
 * gives one to each that it pushes when it ends. Channels join neighbours, in both directions: load and compute,
 * compute and store.
 *
 * Memory is addressed in units of 16 bytes.
 *
 * Holds: an instruction that vdla_fits() has an encoding, which decodes to the same. */
#ifndef HONE_TARGET_VDLA_INSTRUCTION_H
#define HONE_TARGET_VDLA_INSTRUCTION_H

#include "target/vdla/machine.h"

enum { VDLA_UNIT_BYTES = 16, VDLA_INSTRUCTION_BYTES = 16, VDLA_LOOPS = 2 };

/* The most that a transfer has room for, on any machine; addresses are below 2^32 units. */
enum { VDLA_ADDRESS_BITS = 32, VDLA_ROWS_MOST = 2047, VDLA_COLUMNS_MOST = 2048, VDLA_PADDING_MOST = 63, VDLA_ROW_STRIDE_MOST = (1 << 20) - 1 };

enum vdla_unit { VDLA_LOAD_UNIT, VDLA_COMPUTE_UNIT, VDLA_STORE_UNIT, VDLA_UNITS };

enum vdla_op {
	VDLA_LOAD,	/* memory to a scratchpad, padded with zeros */
	VDLA_STORE,	/* accumulators to memory */
	VDLA_GEMM,
	VDLA_ALU,
	VDLA_LAUNCH,	/* what follows begins when all units are done, and no token is left */
	VDLA_OPS
};

/* How entries lie in memory. */
enum vdla_form {
	VDLA_PLAIN,	/* as in the scratchpad */
	VDLA_NARROW,	/* accumulators as i8: loads extend the sign, stores limit to [-128, 127] */
};

/* What the vector unit computes, x an element of the destination, y of the source or the immediate; 32 bits, wrapping. */
enum vdla_alu {
	VDLA_ADD,	/* x + y */
	VDLA_MAX,
	VDLA_MIN,
	VDLA_MUL,	/* x * y */
	VDLA_SHIFT,	/* (x + 2^(y - 1)) >> y, arithmetic: to nearest, halves up; x << -y for y <= 0; y in [-31, 31] */
	VDLA_CLIP,	/* x limited to [-y - 1, y] */
	VDLA_SHIFT_DOWN,	/* x >> y, arithmetic: rounded down; as VDLA_SHIFT for y <= 0 */
	VDLA_COPY,	/* y */
	VDLA_ALUS
};

/* Entries of a scratchpad that a loop-compressed instruction works on: base + i * stride[0] + j * stride[1]. */
struct vdla_walk {
	int base;
	int stride[VDLA_LOOPS];
};

/* A 2-D transfer: rows of columns entries, row_stride units of memory from a row to the next, which in the
 * scratchpad lie one behind the other. Of a load that is surrounded by zeros, entries before[0] rows above and after[0] below,
 * before[1] columns left and after[1] right. */
struct vdla_transfer {
	enum vdla_scratchpad scratchpad;	/* of a store: accumulators */
	enum vdla_form form;	/* narrow: of accumulators alone */
	int entry;		/* the first in the scratchpad */
	int64_t address;	/* of the first element that is not padding, in units */
	int rows, columns;	/* without padding; 0 rows: padding alone */
	int64_t row_stride;
	int before[2], after[2];
};

/* for i < count[0], for j < count[1]: a product of 16 inputs with a block of weights is added to 16 accumulators, or with
 * reset takes their place: sum[l] += sum(k < 16) input[k] * weight[l][k]. */
struct vdla_gemm {
	bool reset;
	int count[VDLA_LOOPS];
	struct vdla_walk sum, input, weight;
};

struct vdla_vector {
	enum vdla_alu op;
	bool immediate;		/* y is the number, else of the source; what is not used is 0 */
	int32_t number;		/* 16 bits */
	int count[VDLA_LOOPS];
	struct vdla_walk destination, source;
};

struct vdla_instruction {
	enum vdla_op op;
	/* Tokens: from and to the unit before (load of compute, compute of store) and the one behind. */
	bool pop_before, pop_behind, push_before, push_behind;
	union {
		struct vdla_transfer transfer;	/* LOAD, STORE */
		struct vdla_gemm gemm;
		struct vdla_vector vector;	/* ALU */
	};
};

/* VDLA_UNITS: none's. */
static inline enum vdla_unit vdla_unit_of(const struct vdla_instruction *i)
{
	static const enum vdla_unit units[VDLA_OPS] = {
		[VDLA_LOAD] = VDLA_LOAD_UNIT, [VDLA_STORE] = VDLA_STORE_UNIT, [VDLA_GEMM] = VDLA_COMPUTE_UNIT,
		[VDLA_ALU] = VDLA_COMPUTE_UNIT, [VDLA_LAUNCH] = VDLA_UNITS,
	};

	return units[i->op];
}

extern const char *const vdla_unit_names[VDLA_UNITS];
extern const char *const vdla_op_names[VDLA_OPS];
extern const char *const vdla_alu_names[VDLA_ALUS];

/* y is a number of bits. */
static inline bool vdla_alu_shifts(enum vdla_alu op)
{
	return op == VDLA_SHIFT || op == VDLA_SHIFT_DOWN;
}

/* Units of memory that an entry takes there in a form. */
static inline int vdla_entry_units(enum vdla_scratchpad s, enum vdla_form f)
{
	return f == VDLA_NARROW ? 1 : vdla_entry_bytes(s) / VDLA_UNIT_BYTES;
}

/* Entries of the scratchpad that a load fills with its padding, or a store reads. */
static inline int64_t vdla_transfer_entries(const struct vdla_transfer *t)
{
	return (int64_t)(t->before[0] + t->rows + t->after[0]) * (t->before[1] + t->columns + t->after[1]);
}

/* The greatest count of a loop (of transfers: rows), and stride (of transfers: of rows), that instructions for M have
 * room for. */
int vdla_count_most(const struct vdla_machine *m, enum vdla_op op);
int vdla_stride_most(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s);
/* NULL, or what of I is more than its bits can say: the part of vdla_fits() that fields alone decide. */
const char *vdla_lacks_bits(const struct vdla_machine *m, const struct vdla_instruction *i);
/* NULL where I has an encoding for M and all that it touches is in its scratchpads; else what is wrong. */
const char *vdla_fits(const struct vdla_machine *m, const struct vdla_instruction *i);
/* I must fit. */
void vdla_encode(const struct vdla_machine *m, const struct vdla_instruction *i, uint8_t out[VDLA_INSTRUCTION_BYTES]);
/* NULL, or what is wrong with IN: an unknown operation, bits that mean nothing, what does not fit. */
const char *vdla_decode(const struct vdla_machine *m, const uint8_t in[VDLA_INSTRUCTION_BYTES],
			struct vdla_instruction *out);

#endif
