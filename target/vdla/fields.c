/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/fields.c - the fields of a VDLA's instructions, which target/device/fields.h has as bits and as text.
 *
 * docs/vdla.md has the table. Numbers of entries are as wide as
 * the machine's scratchpads are large; strides and counts share what is left. */
#include "target/vdla/assembler.h"

#include <string.h>

#include "base/integer.h"
#include "target/device/fields.h"

enum {
	BITS = 8 * VDLA_INSTRUCTION_BYTES,
	OP_BITS = 3, ALU_BITS = 3, NUMBER_BITS = 16,
	GEMM_HEAD = OP_BITS + 4 + 1,	/* 4: tokens */
	ALU_HEAD = OP_BITS + 4 + ALU_BITS + 1 + NUMBER_BITS,
	STRIDE_BITS = 10, COUNT_BITS = 14,	/* at most */
	COUNT_BITS_LEAST = 8,	/* strides are narrower before counts are */
	SCRATCHPAD_BITS = 2, ENTRY_BITS = 20 /* of the largest */, ROW_BITS = 11, COLUMN_BITS = 11,
	ROW_STRIDE_BITS = 20, PADDING_BITS = 6,
};

_Static_assert(OP_BITS + 4 + SCRATCHPAD_BITS + 1 + ENTRY_BITS + VDLA_ADDRESS_BITS + ROW_BITS + COLUMN_BITS + ROW_STRIDE_BITS
		       + 4 * PADDING_BITS == BITS, "a transfer has all bits");

const char *const vdla_op_names[VDLA_OPS] = { "load", "store", "gemm", "alu", "launch" };
const char *const vdla_alu_names[VDLA_ALUS] = { "add", "max", "min", "mul", "shift", "clip", "shiftdown", "copy" };

/* What OP's walks are over, but for the weights of GEMM. */
static enum vdla_scratchpad source_of(enum vdla_op op)
{
	return op == VDLA_GEMM ? VDLA_INPUTS : VDLA_ACCUMULATORS;
}

/* Bits that are left when OP's head and bases are there. */
static int bits_left(const struct vdla_machine *m, enum vdla_op op)
{
	int bases = vdla_entry_bits(m, VDLA_ACCUMULATORS) + vdla_entry_bits(m, source_of(op));

	return op == VDLA_GEMM ? BITS - GEMM_HEAD - bases - vdla_entry_bits(m, VDLA_WEIGHTS) : BITS - ALU_HEAD - bases;
}

static int stride_bits(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s)
{
	int strides = VDLA_LOOPS * (op == VDLA_GEMM ? 3 : 2);
	int share = (bits_left(m, op) - VDLA_LOOPS * COUNT_BITS_LEAST) / strides;

	return (int)least(vdla_entry_bits(m, s), least(STRIDE_BITS, share));
}

static int count_bits(const struct vdla_machine *m, enum vdla_op op)
{
	int strides = stride_bits(m, op, VDLA_ACCUMULATORS) + stride_bits(m, op, source_of(op))
		      + (op == VDLA_GEMM ? stride_bits(m, op, VDLA_WEIGHTS) : 0);

	return (int)least(COUNT_BITS, bits_left(m, op) / VDLA_LOOPS - strides);
}

int vdla_count_most(const struct vdla_machine *m, enum vdla_op op)
{
	return op == VDLA_LOAD || op == VDLA_STORE ? VDLA_ROWS_MOST : 1 << count_bits(m, op);
}

int vdla_stride_most(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s)
{
	return op == VDLA_LOAD || op == VDLA_STORE ? VDLA_ROW_STRIDE_MOST : (1 << stride_bits(m, op, s)) - 1;
}

/* --- what fields there are */

static void counts(struct fields *v, const struct vdla_machine *m, enum vdla_op op, int count[VDLA_LOOPS])
{
	int width = count_bits(m, op);

	count[0] = (int)field_number(v, "", width, 1, count[0]);
	count[1] = (int)field_number(v, "x", width, 1, count[1]);
}

static void walk(struct fields *v, const struct vdla_machine *m, const char *word, enum vdla_op op, enum vdla_scratchpad s,
		 struct vdla_walk *w)
{
	int width = stride_bits(m, op, s);

	w->base = (int)field_number(v, word, vdla_entry_bits(m, s), 0, w->base);
	w->stride[0] = (int)field_number(v, "+", width, 0, w->stride[0]);
	w->stride[1] = (int)field_number(v, ",", width, 0, w->stride[1]);
}

static void gemm(struct fields *v, const struct vdla_machine *m, struct vdla_gemm *g)
{
	g->reset = field_flag(v, "reset", g->reset);
	counts(v, m, VDLA_GEMM, g->count);
	walk(v, m, "sum", VDLA_GEMM, VDLA_ACCUMULATORS, &g->sum);
	walk(v, m, "input", VDLA_GEMM, VDLA_INPUTS, &g->input);
	walk(v, m, "weight", VDLA_GEMM, VDLA_WEIGHTS, &g->weight);
}

static void vector(struct fields *v, const struct vdla_machine *m, struct vdla_vector *x)
{
	x->op = (enum vdla_alu)field_name(v, ALU_BITS, VDLA_ALUS, vdla_alu_names, (int)x->op);
	x->immediate = field_flag(v, "number", x->immediate);
	if (x->immediate || !fields_are_text(v))
		x->number = (int32_t)field_number(v, "", NUMBER_BITS, INT16_MIN, x->number);
	counts(v, m, VDLA_ALU, x->count);
	walk(v, m, "destination", VDLA_ALU, VDLA_ACCUMULATORS, &x->destination);
	if (!x->immediate || !fields_are_text(v))
		walk(v, m, "source", VDLA_ALU, VDLA_ACCUMULATORS, &x->source);
}

static void transfer(struct fields *v, struct vdla_transfer *t)
{
	bool padded = t->before[0] || t->before[1] || t->after[0] || t->after[1];

	t->scratchpad = (enum vdla_scratchpad)field_name(v, SCRATCHPAD_BITS, VDLA_SCRATCHPADS, vdla_scratchpad_names, (int)t->scratchpad);
	t->form = field_flag(v, "narrow", t->form == VDLA_NARROW) ? VDLA_NARROW : VDLA_PLAIN;
	t->entry = (int)field_number(v, "", ENTRY_BITS, 0, t->entry);
	t->address = field_number(v, "memory", VDLA_ADDRESS_BITS, 0, t->address);
	t->rows = (int)field_number(v, "", ROW_BITS, 0, t->rows);
	t->columns = (int)field_number(v, "x", COLUMN_BITS, 1, t->columns);
	t->row_stride = field_number(v, "every", ROW_STRIDE_BITS, 0, t->row_stride);
	if (fields_are_text(v))
		padded = field_flag(v, "zeros", padded);
	if (!padded && fields_are_text(v))
		return;
	t->before[0] = (int)field_number(v, "", PADDING_BITS, 0, t->before[0]);
	t->before[1] = (int)field_number(v, ",", PADDING_BITS, 0, t->before[1]);
	t->after[0] = (int)field_number(v, ",", PADDING_BITS, 0, t->after[0]);
	t->after[1] = (int)field_number(v, ",", PADDING_BITS, 0, t->after[1]);
}

static void tokens(struct fields *v, struct vdla_instruction *i)
{
	i->pop_before = field_flag(v, "pop before", i->pop_before);
	i->pop_behind = field_flag(v, "pop behind", i->pop_behind);
	i->push_before = field_flag(v, "push before", i->push_before);
	i->push_behind = field_flag(v, "push behind", i->push_behind);
}

/* Tokens stand before the rest in bits, behind it in texts. */
static void instruction(struct fields *v, const struct vdla_machine *m, struct vdla_instruction *i)
{
	i->op = (enum vdla_op)field_name(v, OP_BITS, VDLA_OPS, vdla_op_names, (int)i->op);
	if (!fields_are_text(v))
		tokens(v, i);
	if (i->op == VDLA_GEMM)
		gemm(v, m, &i->gemm);
	else if (i->op == VDLA_ALU)
		vector(v, m, &i->vector);
	else if (i->op != VDLA_LAUNCH)
		transfer(v, &i->transfer);
	if (fields_are_text(v) && !v->why)
		tokens(v, i);
}

const char *vdla_lacks_bits(const struct vdla_machine *m, const struct vdla_instruction *i)
{
	struct fields v = { .way = FIELDS_CHECK };
	struct vdla_instruction copy = *i;

	instruction(&v, m, &copy);
	return v.why;
}

void vdla_encode(const struct vdla_machine *m, const struct vdla_instruction *i, uint8_t out[VDLA_INSTRUCTION_BYTES])
{
	struct fields v = { .way = FIELDS_ENCODE, .bytes = out };
	struct vdla_instruction copy = *i;

	memset(out, 0, VDLA_INSTRUCTION_BYTES);
	instruction(&v, m, &copy);
}

const char *vdla_decode(const struct vdla_machine *m, const uint8_t in[VDLA_INSTRUCTION_BYTES],
			struct vdla_instruction *out)
{
	uint8_t bytes[VDLA_INSTRUCTION_BYTES];
	struct fields v = { .way = FIELDS_DECODE, .bytes = bytes };

	memcpy(bytes, in, sizeof(bytes));
	memset(out, 0, sizeof(*out));
	instruction(&v, m, out);
	if (!v.why && !fields_end(&v, BITS))
		return "bits behind the last field";
	return v.why ? v.why : vdla_fits(m, out);
}

void vdla_instruction_print(struct text *out, const struct vdla_instruction *i)
{
	struct fields v = { .way = FIELDS_PRINT, .out = out };
	struct vdla_instruction copy = *i;

	instruction(&v, &vdla_machine_default, &copy);	/* texts have no widths */
}

int vdla_instruction_scan(struct scan *s, const struct vdla_machine *m, struct vdla_instruction *out)
{
	struct fields v = { .way = FIELDS_PARSE, .scan = s };

	memset(out, 0, sizeof(*out));
	instruction(&v, m, out);
	if (v.why)
		return -1;
	const char *why = vdla_fits(m, out);

	return why ? scan_error(s, "%s", why) : 0;
}
