/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/fields.c - the fields of a VDLA's instructions, as bits and as text: one description for all ways.
 *
 * Bits follow one another from the lowest of the first byte; docs/vdla.md has the table. Numbers of entries are as wide as
 * the machine's scratchpads are large; strides and counts share what is left. */
#include "target/vdla/assembler.h"

#include <string.h>

#include "base/integer.h"

enum {
	BITS = 8 * VDLA_INSTRUCTION_BYTES,
	OP_BITS = 3, ALU_BITS = 3, NUMBER_BITS = 16,
	GEMM_HEAD = OP_BITS + 4 + 1,	/* 4: tokens */
	ALU_HEAD = OP_BITS + 4 + ALU_BITS + 1 + NUMBER_BITS,
	STRIDE_BITS = 10, COUNT_BITS = 14,	/* at most */
	COUNT_BITS_LEAST = 8,	/* strides are narrower before counts are */
	SCRATCHPAD_BITS = 2, ENTRY_BITS = 20 /* of the largest */, ADDRESS_BITS = 32, ROW_BITS = 11, COLUMN_BITS = 11,
	ROW_STRIDE_BITS = 20, PADDING_BITS = 6,
};

_Static_assert(OP_BITS + 4 + SCRATCHPAD_BITS + 1 + ENTRY_BITS + ADDRESS_BITS + ROW_BITS + COLUMN_BITS + ROW_STRIDE_BITS
		       + 4 * PADDING_BITS == BITS, "a transfer has all bits");

static const char *const op_names[] = { [VDLA_LOAD] = "load", [VDLA_STORE] = "store", [VDLA_GEMM] = "gemm", [VDLA_ALU] = "alu",
					[VDLA_LAUNCH] = "launch" };
static const char *const alu_names[] = { "add", "max", "min", "mul", "shift", "clip", "shiftdown", "copy" };

/* What is done with fields, one behind the other. */
struct vdla_visit {
	enum { ENCODE, DECODE, CHECK, PRINT, PARSE } way;
	const struct vdla_machine *m;
	uint8_t *bytes;		/* ENCODE, DECODE */
	int at;			/* the next bit */
	struct text *out;	/* PRINT */
	struct scan *scan;	/* PARSE */
	const char *why;	/* what was wrong first: nothing is done from then on */
};

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

const char *vdla_op_name(enum vdla_op op)
{
	return op_names[op];
}

const char *vdla_alu_name(enum vdla_alu op)
{
	return alu_names[op];
}

/* --- one field, in all ways: VALUE goes in, what it is from then on comes back */

static int64_t bits(struct vdla_visit *v, int width, int64_t value)
{
	uint64_t x = v->way == ENCODE ? (uint64_t)value : 0;

	for (int i = 0; i < width; i++, v->at++) {
		uint8_t *byte = &v->bytes[v->at / 8];

		if (v->way == ENCODE)
			*byte |= (uint8_t)((x >> i & 1) << v->at % 8);
		else
			x |= (uint64_t)(*byte >> v->at % 8 & 1) << i;
	}
	return (int64_t)x;
}

/* Of WIDTH bits, LEAST or more, behind WORD in texts. */
static int64_t number(struct vdla_visit *v, const char *word, int width, int64_t least, int64_t value)
{
	bool spaced = strlen(word) != 1;
	int64_t last = least + (1LL << width) - 1;

	if (v->why)
		return value;
	if (v->way <= DECODE)
		return bits(v, width, value - least) + least;
	if (v->way == PRINT) {
		text_printf(v->out, "%s%s%s%lld", spaced ? " " : "", word, spaced && *word ? " " : "", (long long)value);
		return value;
	}
	if (v->way == PARSE) {
		scan_blanks(v->scan);
		if (strncmp(v->scan->at, word, strlen(word)) != 0)	/* no whole word: 14x14 */
			v->why = word;
		else
			v->scan->at += strlen(word);
		if (v->why || !scan_int(v->scan, &value) || value < least || value > last) {
			v->why = word;
			scan_error(v->scan, "expected %s%sa number from %lld to %lld", word, *word ? " " : "",
				   (long long)least, (long long)last);
		}
	}
	if (value < least || value > last)
		v->why = "a number that has no bits";
	return value;
}

static bool flag(struct vdla_visit *v, const char *word, bool value)
{
	if (v->why)
		return value;
	if (v->way <= DECODE)
		return bits(v, 1, value) != 0;
	if (v->way == PARSE)
		return scan_token(v->scan, word);
	if (v->way == PRINT && value)
		text_printf(v->out, " %s", word);
	return value;
}

/* One of N that have names. */
static int name(struct vdla_visit *v, int width, int n, const char *const *names, int value)
{
	if (v->why)
		return value;
	if (v->way <= DECODE)
		value = (int)bits(v, width, value);
	else if (v->way == PRINT)
		text_printf(v->out, "%s%s", v->at++ ? " " : "", names[value]);	/* at: no blank before the first */
	for (value = v->way == PARSE ? 0 : value; v->way == PARSE && value < n && !scan_token(v->scan, names[value]);)
		value++;
	if (value >= 0 && value < n)
		return value;
	v->why = "a number that means nothing";
	if (v->way == PARSE)
		scan_error(v->scan, "expected one of %s, ..., %s", names[0], names[n - 1]);
	return 0;
}

/* --- what fields there are */

static void counts(struct vdla_visit *v, enum vdla_op op, int count[VDLA_LOOPS])
{
	int width = count_bits(v->m, op);

	count[0] = (int)number(v, "", width, 1, count[0]);
	count[1] = (int)number(v, "x", width, 1, count[1]);
}

static void walk(struct vdla_visit *v, const char *word, enum vdla_op op, enum vdla_scratchpad s, struct vdla_walk *w)
{
	int width = stride_bits(v->m, op, s);

	w->base = (int)number(v, word, vdla_entry_bits(v->m, s), 0, w->base);
	w->stride[0] = (int)number(v, "+", width, 0, w->stride[0]);
	w->stride[1] = (int)number(v, ",", width, 0, w->stride[1]);
}

/* Texts leave out what is not used, and 0. */
static bool leaves_out(const struct vdla_visit *v, bool unused)
{
	return v->way >= PRINT && unused;
}

static void gemm(struct vdla_visit *v, struct vdla_gemm *g)
{
	g->reset = flag(v, "reset", g->reset);
	counts(v, VDLA_GEMM, g->count);
	walk(v, "sum", VDLA_GEMM, VDLA_ACCUMULATORS, &g->sum);
	walk(v, "input", VDLA_GEMM, VDLA_INPUTS, &g->input);
	walk(v, "weight", VDLA_GEMM, VDLA_WEIGHTS, &g->weight);
}

static void vector(struct vdla_visit *v, struct vdla_vector *x)
{
	x->op = (enum vdla_alu)name(v, ALU_BITS, VDLA_ALUS, alu_names, (int)x->op);
	x->immediate = flag(v, "number", x->immediate);
	if (!leaves_out(v, !x->immediate))
		x->number = (int32_t)number(v, "", NUMBER_BITS, INT16_MIN, x->number);
	counts(v, VDLA_ALU, x->count);
	walk(v, "destination", VDLA_ALU, VDLA_ACCUMULATORS, &x->destination);
	if (!leaves_out(v, x->immediate))
		walk(v, "source", VDLA_ALU, VDLA_ACCUMULATORS, &x->source);
}

static void transfer(struct vdla_visit *v, struct vdla_transfer *t)
{
	bool padded = t->before[0] || t->before[1] || t->after[0] || t->after[1];

	t->scratchpad = (enum vdla_scratchpad)name(v, SCRATCHPAD_BITS, VDLA_SCRATCHPADS, vdla_scratchpad_names, (int)t->scratchpad);
	t->form = flag(v, "narrow", t->form == VDLA_NARROW) ? VDLA_NARROW : VDLA_PLAIN;
	t->entry = (int)number(v, "", ENTRY_BITS, 0, t->entry);
	t->address = number(v, "memory", ADDRESS_BITS, 0, t->address);
	t->rows = (int)number(v, "", ROW_BITS, 0, t->rows);
	t->columns = (int)number(v, "x", COLUMN_BITS, 1, t->columns);
	t->row_stride = number(v, "every", ROW_STRIDE_BITS, 0, t->row_stride);
	if (v->way >= PRINT)
		padded = flag(v, "zeros", padded);
	if (leaves_out(v, !padded))
		return;
	t->before[0] = (int)number(v, "", PADDING_BITS, 0, t->before[0]);
	t->before[1] = (int)number(v, ",", PADDING_BITS, 0, t->before[1]);
	t->after[0] = (int)number(v, ",", PADDING_BITS, 0, t->after[0]);
	t->after[1] = (int)number(v, ",", PADDING_BITS, 0, t->after[1]);
}

static void tokens(struct vdla_visit *v, struct vdla_instruction *i)
{
	i->pop_before = flag(v, "pop before", i->pop_before);
	i->pop_behind = flag(v, "pop behind", i->pop_behind);
	i->push_before = flag(v, "push before", i->push_before);
	i->push_behind = flag(v, "push behind", i->push_behind);
}

/* Tokens stand before the rest in bits, behind it in texts. */
static void instruction(struct vdla_visit *v, struct vdla_instruction *i)
{
	i->op = (enum vdla_op)name(v, OP_BITS, VDLA_OPS, op_names, (int)i->op);
	if (v->way < PRINT)
		tokens(v, i);
	if (i->op == VDLA_GEMM)
		gemm(v, &i->gemm);
	else if (i->op == VDLA_ALU)
		vector(v, &i->vector);
	else if (i->op != VDLA_LAUNCH)
		transfer(v, &i->transfer);
	if (v->way >= PRINT && !v->why)
		tokens(v, i);
}

const char *vdla_lacks_bits(const struct vdla_machine *m, const struct vdla_instruction *i)
{
	struct vdla_visit v = { .way = CHECK, .m = m };
	struct vdla_instruction copy = *i;

	instruction(&v, &copy);
	return v.why;
}

void vdla_encode(const struct vdla_machine *m, const struct vdla_instruction *i, uint8_t out[VDLA_INSTRUCTION_BYTES])
{
	struct vdla_visit v = { .way = ENCODE, .m = m, .bytes = out };
	struct vdla_instruction copy = *i;

	memset(out, 0, VDLA_INSTRUCTION_BYTES);
	instruction(&v, &copy);
}

const char *vdla_decode(const struct vdla_machine *m, const uint8_t in[VDLA_INSTRUCTION_BYTES],
			struct vdla_instruction *out)
{
	uint8_t bytes[VDLA_INSTRUCTION_BYTES];
	struct vdla_visit v = { .way = DECODE, .m = m, .bytes = bytes };

	memcpy(bytes, in, sizeof(bytes));
	memset(out, 0, sizeof(*out));
	instruction(&v, out);
	while (!v.why && v.at < BITS)
		if (bits(&v, 1, 0))
			return "bits behind the last field";
	return v.why ? v.why : vdla_fits(m, out);
}

void vdla_instruction_print(struct text *out, const struct vdla_instruction *i)
{
	struct vdla_visit v = { .way = PRINT, .m = &vdla_machine_default, .out = out };
	struct vdla_instruction copy = *i;

	instruction(&v, &copy);
}

int vdla_instruction_scan(struct scan *s, const struct vdla_machine *m, struct vdla_instruction *out)
{
	struct vdla_visit v = { .way = PARSE, .m = m, .scan = s };

	memset(out, 0, sizeof(*out));
	instruction(&v, out);
	if (v.why)
		return -1;
	const char *why = vdla_fits(m, out);

	return why ? scan_error(s, "%s", why) : 0;
}
