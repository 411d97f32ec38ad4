/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/execute.c - computes what a VDLA's instructions compute. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/integer.h"
#include "target/vdla/execute.h"

/* Once for each generation of vectors. */
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

struct vdla_execution {
	const struct vdla_binary *b;
	struct vdla_order *order;
	uint8_t *memory;
	uint8_t *pad[VDLA_SCRATCHPADS];
};

/* Bytes of an entry here: weights are kept as floats, [lane of the input][lane of the sum]. */
static const int64_t entry_bytes[VDLA_SCRATCHPADS] = {
	[VDLA_INPUTS] = VDLA_LANES, [VDLA_WEIGHTS] = VDLA_LANES * VDLA_LANES * sizeof(float),
	[VDLA_ACCUMULATORS] = VDLA_LANES * sizeof(int32_t),
};

struct vdla_execution *vdla_execution_new(struct arena *a, const struct vdla_binary *b, uint8_t *memory)
{
	struct vdla_execution *e = arena_one(a, struct vdla_execution);

	*e = (struct vdla_execution){ .b = b, .order = vdla_order_new(a, b), .memory = memory };
	for (int s = 0; s < VDLA_SCRATCHPADS; s++) {
		size_t bytes = (size_t)(vdla_entries(&b->machine, (enum vdla_scratchpad)s) * entry_bytes[s]);

		e->pad[s] = aligned_alloc(64, bytes);	/* of a cache line, as vectors like it */
		if (!e->pad[s])
			die("out of memory (%zu bytes)", bytes);
		arena_defer(a, free, e->pad[s]);
	}
	return e;
}

static void *entry_at(const struct vdla_execution *e, enum vdla_scratchpad s, int64_t entry)
{
	return e->pad[s] + entry * entry_bytes[s];
}

/* N blocks of weights from memory. */
static void turn_weights(float *restrict pad, const uint8_t *restrict memory, int n)
{
	for (; n > 0; n--, pad += VDLA_LANES * VDLA_LANES, memory += VDLA_LANES * VDLA_LANES)
		for (int k = 0; k < VDLA_LANES; k++)
			for (int l = 0; l < VDLA_LANES; l++)
				pad[k * VDLA_LANES + l] = (int8_t)memory[l * VDLA_LANES + k];
}

static void copy_row(void *pad, uint8_t *memory, const struct vdla_transfer *t, bool loads)
{
	size_t n = (size_t)t->columns * (size_t)vdla_entry_units(t->scratchpad, t->form) * VDLA_UNIT_BYTES;
	int32_t *wide = pad;

	if (t->scratchpad == VDLA_WEIGHTS)
		turn_weights(pad, memory, t->columns);
	else if (t->form == VDLA_PLAIN)
		memcpy(loads ? pad : memory, loads ? memory : pad, n);
	for (size_t i = 0; t->form == VDLA_NARROW && i < n; i++) {
		if (loads)
			wide[i] = (int8_t)memory[i];
		else
			memory[i] = (uint8_t)least(most(wide[i], INT8_MIN), INT8_MAX);
	}
}

/* A load or a store. */
static int transfer(struct vdla_execution *e, const struct vdla_transfer *t, bool loads)
{
	int64_t width = t->before[1] + t->columns + t->after[1], n = vdla_transfer_entries(t);
	int64_t first = t->entry + t->before[0] * width + t->before[1];	/* that is not padding */
	int64_t units = (int64_t)t->columns * vdla_entry_units(t->scratchpad, t->form);

	if (!(loads ? vdla_order_writes : vdla_order_reads)(e->order, (int)t->scratchpad, t->entry, n, 1))
		return -1;
	if (n > (int64_t)t->rows * t->columns)	/* with padding, which loads have */
		memset(entry_at(e, t->scratchpad, t->entry), 0, (size_t)(n * entry_bytes[t->scratchpad]));
	for (int r = 0; r < t->rows; r++) {
		int64_t address = t->address + r * t->row_stride;

		if (!(loads ? vdla_order_reads : vdla_order_writes)(e->order, VDLA_SCRATCHPADS, address, units, 1))
			return -1;
		copy_row(entry_at(e, t->scratchpad, first + r * width), e->memory + address * VDLA_UNIT_BYTES, t, loads);
	}
	return 0;
}

/* Sums of 16 products are below 2^24, and so exact as floats, whose products and sums all machines have in vectors. */
CLONES static void multiply(int32_t *restrict sum, const int8_t *restrict input, const float *restrict weight)
{
	float x[VDLA_LANES], s[VDLA_LANES] = { 0 };

	for (int k = 0; k < VDLA_LANES; k++)
		x[k] = input[k];
#pragma GCC unroll VDLA_LANES	/* at -O2, which clang does by itself: half as many machine instructions */
	for (int k = 0; k < VDLA_LANES; k++)
		for (int l = 0; l < VDLA_LANES; l++)
			s[l] += x[k] * weight[k * VDLA_LANES + l];
	for (int l = 0; l < VDLA_LANES; l++)
		sum[l] = (int32_t)((uint32_t)sum[l] + (uint32_t)(int32_t)s[l]);
}

static int64_t step(const struct vdla_walk *w, int i, int j)
{
	return w->base + (int64_t)i * w->stride[0] + (int64_t)j * w->stride[1];
}

/* May the instruction that runs touch, which READS (or writes), the entries of W, over COUNT? A loop that stays where it is has one
 * turn: each entry is looked at once. */
static bool may_touch(struct vdla_execution *e, bool reads, enum vdla_scratchpad s, const int count[VDLA_LOOPS],
		      const struct vdla_walk *w)
{
	int rows = w->stride[0] == 0 ? 1 : count[0], columns = w->stride[1] == 0 ? 1 : count[1];
	bool may = true;

	for (int i = 0; i < rows && may; i++)
		may = (reads ? vdla_order_reads : vdla_order_writes)(e->order, (int)s, step(w, i, 0), columns, w->stride[1]);
	return may;
}

static int gemm(struct vdla_execution *e, const struct vdla_gemm *g)
{
	if (!(g->reset || may_touch(e, true, VDLA_ACCUMULATORS, g->count, &g->sum)) ||
	    !may_touch(e, true, VDLA_INPUTS, g->count, &g->input) ||
	    !may_touch(e, true, VDLA_WEIGHTS, g->count, &g->weight) ||
	    !may_touch(e, false, VDLA_ACCUMULATORS, g->count, &g->sum))
		return -1;
	for (int i = 0; i < g->count[0]; i++) {
		int32_t *sum = entry_at(e, VDLA_ACCUMULATORS, step(&g->sum, i, 0));
		const int8_t *input = entry_at(e, VDLA_INPUTS, step(&g->input, i, 0));
		const float *weight = entry_at(e, VDLA_WEIGHTS, step(&g->weight, i, 0));

		for (int j = 0; j < g->count[1]; j++) {
			if (g->reset)
				memset(sum, 0, VDLA_LANES * sizeof(*sum));
			multiply(sum, input, weight);
			sum += g->sum.stride[1] * VDLA_LANES;
			input += g->input.stride[1] * VDLA_LANES;
			weight += g->weight.stride[1] * VDLA_LANES * VDLA_LANES;
		}
	}
	return 0;
}

/* Y is in [-31, 31]; ROUNDS: to nearest. */
static int32_t shift(int32_t x, int32_t y, bool rounds)
{
	if (y <= 0)
		return (int32_t)((uint32_t)x << -y);
	return (int32_t)((uint32_t)x + (rounds ? UINT32_C(1) << (y - 1) : 0)) >> y;
}

static int32_t element(enum vdla_alu op, int32_t x, int32_t y)
{
	int32_t low = (int32_t)(-(uint32_t)y - 1);

	switch (op) {
	case VDLA_ADD:
		return (int32_t)((uint32_t)x + (uint32_t)y);
	case VDLA_MAX:
		return x > y ? x : y;
	case VDLA_MIN:
		return x < y ? x : y;
	case VDLA_MUL:
		return (int32_t)((uint32_t)x * (uint32_t)y);
	case VDLA_SHIFT:
	case VDLA_SHIFT_DOWN:
		return shift(x, y, op == VDLA_SHIFT);
	case VDLA_CLIP:
		x = x < low ? low : x;
		return x > y ? y : x;
	case VDLA_COPY:
	case VDLA_ALUS:
		break;
	}
	return y;
}

static bool shifts_fit(const int32_t y[VDLA_LANES])
{
	for (int l = 0; l < VDLA_LANES; l++)
		if (y[l] < -31 || y[l] > 31)
			return false;
	return true;
}

static int vector(struct vdla_execution *e, const struct vdla_vector *v, int number)
{
	int32_t y[VDLA_LANES];

	for (int l = 0; l < VDLA_LANES; l++)
		y[l] = v->number;
	for (int i = 0; i < v->count[0]; i++) {
		for (int j = 0; j < v->count[1]; j++) {
			int64_t d = step(&v->destination, i, j), s = step(&v->source, i, j);
			int32_t *x = entry_at(e, VDLA_ACCUMULATORS, d);

			if ((!v->immediate && !vdla_order_reads(e->order, VDLA_ACCUMULATORS, s, 1, 1)) ||
			    (v->op != VDLA_COPY && !vdla_order_reads(e->order, VDLA_ACCUMULATORS, d, 1, 1)) ||
			    !vdla_order_writes(e->order, VDLA_ACCUMULATORS, d, 1, 1))
				return -1;
			if (!v->immediate)
				memcpy(y, entry_at(e, VDLA_ACCUMULATORS, s), sizeof(y));
			if (vdla_alu_shifts(v->op) && !shifts_fit(y))
				return vdla_refuse(e->b, number, ": a shift by more than 31 bits");
			for (int l = 0; l < VDLA_LANES; l++)
				x[l] = element(v->op, x[l], y[l]);
		}
	}
	return 0;
}

int vdla_execute(struct vdla_execution *e, int number)
{
	const struct vdla_instruction *i = &e->b->code.at[number];
	const char *why = vdla_fits(&e->b->machine, i);

	if (why)
		return vdla_refuse(e->b, number, ": %s", why);
	if (i->op == VDLA_LAUNCH) {
		vdla_order_barrier(e->order);
		return 0;
	}
	vdla_order_begin(e->order, number);
	int rc = i->op == VDLA_GEMM  ? gemm(e, &i->gemm)
		 : i->op == VDLA_ALU ? vector(e, &i->vector, number)
				     : transfer(e, &i->transfer, i->op == VDLA_LOAD);

	vdla_order_end(e->order);
	return rc;
}
