/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/instruction.c - what instructions are legal, and their bits.
 *
 * Fields follow one another from the lowest bit of the first byte; docs/vdla.md has the table. Numbers of entries are as
 * wide as the machine's scratchpads are large; strides and counts share what is left. */
#include "target/vdla/instruction.h"

#include <string.h>

#include "base/integer.h"

enum {
	BITS = 8 * VDLA_INSTRUCTION_BYTES,
	OP_BITS = 3, TOKEN_BITS = 4, ALU_BITS = 3, NUMBER_BITS = 16,
	GEMM_HEAD = OP_BITS + TOKEN_BITS + 1,
	ALU_HEAD = OP_BITS + TOKEN_BITS + ALU_BITS + 1 + NUMBER_BITS,
	STRIDE_BITS = 10, COUNT_BITS = 14,	/* at most */
	COUNT_BITS_LEAST = 8,	/* strides are narrower before counts are */
	ENTRY_BITS = 20,	/* of transfers: of the largest scratchpad */
	ADDRESS_BITS = 32, ROW_BITS = 11, COLUMN_BITS = 11, ROW_STRIDE_BITS = 20, PADDING_BITS = 6,
};

_Static_assert(OP_BITS + TOKEN_BITS + 2 + 1 + ENTRY_BITS + ADDRESS_BITS + ROW_BITS + COLUMN_BITS + ROW_STRIDE_BITS
		       + 4 * PADDING_BITS == BITS, "a transfer has all bits");

enum vdla_unit vdla_unit_of(const struct vdla_instruction *i)
{
	static const enum vdla_unit units[VDLA_OPS] = {
		[VDLA_LOAD] = VDLA_LOAD_UNIT, [VDLA_STORE] = VDLA_STORE_UNIT,
		[VDLA_GEMM] = VDLA_COMPUTE_UNIT, [VDLA_ALU] = VDLA_COMPUTE_UNIT,
	};

	return units[i->op];
}

const char *vdla_unit_name(enum vdla_unit u)
{
	static const char *const names[] = { "load", "compute", "store" };

	return names[u];
}

const char *vdla_alu_name(enum vdla_alu op)
{
	static const char *const names[] = { "add", "max", "min", "mul", "shift", "clip", "mulhigh", "copy" };

	return names[op];
}

int vdla_entry_units(enum vdla_scratchpad s, enum vdla_form f)
{
	return f == VDLA_NARROW ? 1 : vdla_entry_bytes(s) / VDLA_UNIT_BYTES;
}

int64_t vdla_transfer_entries(const struct vdla_transfer *t)
{
	return (int64_t)(t->before[0] + t->rows + t->after[0]) * (t->before[1] + t->columns + t->after[1]);
}

/* The scratchpads that walks of OP are in, and how many walks there are. */
static int walked(enum vdla_op op, enum vdla_scratchpad out[3])
{
	out[0] = VDLA_ACCUMULATORS;
	out[1] = op == VDLA_GEMM ? VDLA_INPUTS : VDLA_ACCUMULATORS;
	out[2] = VDLA_WEIGHTS;
	return op == VDLA_GEMM ? 3 : 2;
}

static int head_bits(enum vdla_op op)
{
	return op == VDLA_GEMM ? GEMM_HEAD : ALU_HEAD;
}

static int stride_bits(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s)
{
	enum vdla_scratchpad pads[3];
	int n = walked(op, pads), left = BITS - head_bits(op) - VDLA_LOOPS * COUNT_BITS_LEAST;

	for (int i = 0; i < n; i++)
		left -= vdla_entry_bits(m, pads[i]);
	return (int)least(vdla_entry_bits(m, s), least(STRIDE_BITS, left / (VDLA_LOOPS * n)));
}

static int count_bits(const struct vdla_machine *m, enum vdla_op op)
{
	enum vdla_scratchpad pads[3];
	int n = walked(op, pads), left = BITS - head_bits(op);

	for (int i = 0; i < n; i++)
		left -= vdla_entry_bits(m, pads[i]) + VDLA_LOOPS * stride_bits(m, op, pads[i]);
	return (int)least(COUNT_BITS, left / VDLA_LOOPS);
}

int vdla_count_most(const struct vdla_machine *m, enum vdla_op op)
{
	return op == VDLA_LOAD || op == VDLA_STORE ? VDLA_ROWS_MOST : 1 << count_bits(m, op);
}

int vdla_stride_most(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s)
{
	return op == VDLA_LOAD || op == VDLA_STORE ? VDLA_ROW_STRIDE_MOST : (1 << stride_bits(m, op, s)) - 1;
}

/* --- what is legal */

static bool within(int64_t x, int64_t from, int64_t to)
{
	return x >= from && x <= to;
}

static const char *walk_fits(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s,
			     const int count[VDLA_LOOPS], const struct vdla_walk *w)
{
	int64_t last = w->base;

	for (int i = 0; i < VDLA_LOOPS; i++) {
		if (!within(count[i], 1, vdla_count_most(m, op)))
			return "a count that has no bits";
		if (!within(w->stride[i], 0, vdla_stride_most(m, op, s)))
			return "a stride that has no bits";
		last += (int64_t)(count[i] - 1) * w->stride[i];
	}
	return w->base < 0 || last >= vdla_entries(m, s) ? "an entry outside of its scratchpad" : NULL;
}

static bool walk_is_none(const struct vdla_walk *w)
{
	return w->base == 0 && w->stride[0] == 0 && w->stride[1] == 0;
}

static const char *gemm_fits(const struct vdla_machine *m, const struct vdla_gemm *g)
{
	const char *why = walk_fits(m, VDLA_GEMM, VDLA_ACCUMULATORS, g->count, &g->sum);

	if (!why)
		why = walk_fits(m, VDLA_GEMM, VDLA_INPUTS, g->count, &g->input);
	if (!why)
		why = walk_fits(m, VDLA_GEMM, VDLA_WEIGHTS, g->count, &g->weight);
	if (!why && g->reset && !(walk_is_none(&g->input) && walk_is_none(&g->weight)))
		why = "a reset with operands";
	return why;
}

static const char *vector_fits(const struct vdla_machine *m, const struct vdla_vector *v)
{
	const char *why = walk_fits(m, VDLA_ALU, VDLA_ACCUMULATORS, v->count, &v->destination);

	if (!why)
		why = walk_fits(m, VDLA_ALU, VDLA_ACCUMULATORS, v->count, &v->source);
	if (why)
		return why;
	if (!within((int64_t)v->op, 0, VDLA_ALUS - 1))
		return "an unknown operation on vectors";
	if (!within(v->number, INT16_MIN, INT16_MAX))
		return "a number of more than 16 bits";
	if (v->immediate ? !walk_is_none(&v->source) : v->number != 0)
		return "a source and a number";
	if (v->immediate && v->op == VDLA_SHIFT && !within(v->number, -31, 31))
		return "a shift by more than 31 bits";
	return NULL;
}

static const char *transfer_fits(const struct vdla_machine *m, enum vdla_op op, const struct vdla_transfer *t)
{
	int padding = 0;

	if (!within((int64_t)t->scratchpad, 0, VDLA_SCRATCHPADS - 1))
		return "an unknown scratchpad";
	for (int i = 0; i < 2; i++) {
		if (!within(t->before[i], 0, VDLA_PADDING_MOST) || !within(t->after[i], 0, VDLA_PADDING_MOST))
			return "a padding that has no bits";
		padding += t->before[i] + t->after[i];
	}
	if (!within((int64_t)t->form, VDLA_PLAIN, VDLA_NARROW)
	    || (t->form == VDLA_NARROW && t->scratchpad != VDLA_ACCUMULATORS))
		return "a form that its scratchpad does not have";
	if (op == VDLA_STORE && (t->scratchpad != VDLA_ACCUMULATORS || padding || t->rows == 0))
		return "a store of what is no accumulators, with padding, or of no rows";
	if (!within(t->rows, 0, VDLA_ROWS_MOST) || !within(t->columns, 1, VDLA_COLUMNS_MOST))
		return "rows or columns that have no bits";
	if (!within(t->row_stride, 0, VDLA_ROW_STRIDE_MOST) || !within(t->address, 0, (int64_t)UINT32_MAX))
		return "a row stride or an address that has no bits";
	if (vdla_transfer_entries(t) == 0)
		return "a transfer of nothing";
	if (t->entry < 0 || t->entry + vdla_transfer_entries(t) > vdla_entries(m, t->scratchpad))
		return "an entry outside of its scratchpad";
	return NULL;
}

const char *vdla_fits(const struct vdla_machine *m, const struct vdla_instruction *i)
{
	if (!within((int64_t)i->op, 0, VDLA_OPS - 1))
		return "an unknown operation";
	if (i->op == VDLA_LOAD && (i->pop_before || i->push_before))
		return "a token between load and what is before it";
	if (i->op == VDLA_STORE && (i->pop_behind || i->push_behind))
		return "a token between store and what is behind it";
	if (i->op == VDLA_GEMM)
		return gemm_fits(m, &i->gemm);
	if (i->op == VDLA_ALU)
		return vector_fits(m, &i->vector);
	return transfer_fits(m, i->op, &i->transfer);
}

/* --- bits: one description of fields, for both directions */

struct vdla_bits {
	uint8_t *bytes;
	int at;
	bool write;
};

/* The next WIDTH bits: VALUE is written there, or what is there comes back. */
static int64_t bits(struct vdla_bits *b, int width, int64_t value)
{
	uint64_t v = b->write ? (uint64_t)value : 0;

	for (int i = 0; i < width; i++, b->at++) {
		int bit = b->at % 8;

		if (b->write)
			b->bytes[b->at / 8] |= (uint8_t)((v >> i & 1) << bit);
		else
			v |= (uint64_t)(b->bytes[b->at / 8] >> bit & 1) << i;
	}
	return (int64_t)v;
}

static void field(struct vdla_bits *b, int width, int *value)
{
	*value = (int)bits(b, width, *value);
}

static void flag(struct vdla_bits *b, bool *value)
{
	*value = bits(b, 1, *value) != 0;
}

/* At least 1. */
static void count(struct vdla_bits *b, int width, int *value)
{
	*value = 1 + (int)bits(b, width, *value - 1);
}

static void walk(struct vdla_bits *b, const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s,
		 struct vdla_walk *w)
{
	field(b, vdla_entry_bits(m, s), &w->base);
	for (int i = 0; i < VDLA_LOOPS; i++)
		field(b, stride_bits(m, op, s), &w->stride[i]);
}

static void gemm(struct vdla_bits *b, const struct vdla_machine *m, struct vdla_gemm *g)
{
	flag(b, &g->reset);
	for (int i = 0; i < VDLA_LOOPS; i++)
		count(b, count_bits(m, VDLA_GEMM), &g->count[i]);
	walk(b, m, VDLA_GEMM, VDLA_ACCUMULATORS, &g->sum);
	walk(b, m, VDLA_GEMM, VDLA_INPUTS, &g->input);
	walk(b, m, VDLA_GEMM, VDLA_WEIGHTS, &g->weight);
}

static void vector(struct vdla_bits *b, const struct vdla_machine *m, struct vdla_vector *v)
{
	v->op = (enum vdla_alu)bits(b, ALU_BITS, (int64_t)v->op);
	flag(b, &v->immediate);
	v->number = (int16_t)bits(b, NUMBER_BITS, v->number);
	for (int i = 0; i < VDLA_LOOPS; i++)
		count(b, count_bits(m, VDLA_ALU), &v->count[i]);
	walk(b, m, VDLA_ALU, VDLA_ACCUMULATORS, &v->destination);
	walk(b, m, VDLA_ALU, VDLA_ACCUMULATORS, &v->source);
}

static void transfer(struct vdla_bits *b, struct vdla_transfer *t)
{
	t->scratchpad = (enum vdla_scratchpad)bits(b, 2, (int64_t)t->scratchpad);
	t->form = (enum vdla_form)bits(b, 1, (int64_t)t->form);
	field(b, ENTRY_BITS, &t->entry);
	t->address = bits(b, ADDRESS_BITS, t->address);
	field(b, ROW_BITS, &t->rows);
	count(b, COLUMN_BITS, &t->columns);
	t->row_stride = bits(b, ROW_STRIDE_BITS, t->row_stride);
	for (int i = 0; i < 2; i++) {
		field(b, PADDING_BITS, &t->before[i]);
		field(b, PADDING_BITS, &t->after[i]);
	}
}

/* The whole of I, of a known operation. */
static void instruction(struct vdla_bits *b, const struct vdla_machine *m, struct vdla_instruction *i)
{
	flag(b, &i->pop_before);
	flag(b, &i->pop_behind);
	flag(b, &i->push_before);
	flag(b, &i->push_behind);
	if (i->op == VDLA_GEMM)
		gemm(b, m, &i->gemm);
	else if (i->op == VDLA_ALU)
		vector(b, m, &i->vector);
	else
		transfer(b, &i->transfer);
}

void vdla_encode(const struct vdla_machine *m, const struct vdla_instruction *i, uint8_t out[VDLA_INSTRUCTION_BYTES])
{
	struct vdla_bits b = { .bytes = out, .write = true };
	struct vdla_instruction copy = *i;

	memset(out, 0, VDLA_INSTRUCTION_BYTES);
	bits(&b, OP_BITS, (int64_t)copy.op);
	instruction(&b, m, &copy);
}

const char *vdla_decode(const struct vdla_machine *m, const uint8_t in[VDLA_INSTRUCTION_BYTES],
			struct vdla_instruction *out)
{
	uint8_t bytes[VDLA_INSTRUCTION_BYTES];
	struct vdla_bits b = { .bytes = bytes };

	memcpy(bytes, in, sizeof(bytes));
	memset(out, 0, sizeof(*out));
	out->op = (enum vdla_op)bits(&b, OP_BITS, 0);
	if (out->op >= VDLA_OPS)
		return "an unknown operation";
	instruction(&b, m, out);
	while (b.at < BITS)
		if (bits(&b, 1, 0))
			return "bits behind the last field";
	return vdla_fits(m, out);
}
