/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/execute.c - computes what a VDLA's instructions compute. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/integer.h"
#include "target/vdla/execute.h"

struct vdla_execution {
	const struct vdla_binary *b;
	struct vdla_order *order;
	uint8_t *memory;
	uint8_t *pad[VDLA_SCRATCHPADS];
};

struct vdla_execution *vdla_execution_new(struct arena *a, const struct vdla_binary *b, uint8_t *memory)
{
	struct vdla_execution *e = arena_one(a, struct vdla_execution);

	*e = (struct vdla_execution){ .b = b, .order = vdla_order_new(a, b), .memory = memory };
	for (int s = 0; s < VDLA_SCRATCHPADS; s++) {
		size_t bytes = (size_t)vdla_entries(&b->machine, (enum vdla_scratchpad)s)
			       * (size_t)vdla_entry_bytes((enum vdla_scratchpad)s);

		e->pad[s] = aligned_alloc(64, bytes);	/* of a cache line, as vectors like it */
		if (!e->pad[s])
			die("out of memory (%zu bytes)", bytes);
		arena_defer(a, free, e->pad[s]);
	}
	return e;
}

static void *entry_at(const struct vdla_execution *e, enum vdla_scratchpad s, int64_t entry)
{
	return e->pad[s] + entry * vdla_entry_bytes(s);
}

static int32_t *accumulators_at(const struct vdla_execution *e, int64_t entry)
{
	return entry_at(e, VDLA_ACCUMULATORS, entry);
}

static void copy_row(void *pad, uint8_t *memory, const struct vdla_transfer *t, bool loads)
{
	size_t n = (size_t)t->columns * (size_t)vdla_entry_units(t->scratchpad, t->form) * VDLA_UNIT_BYTES;
	int32_t *wide = pad;

	if (t->form == VDLA_PLAIN)
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

	if (!(loads ? vdla_order_writes : vdla_order_reads)(e->order, (int)t->scratchpad, t->entry, n))
		return -1;
	if (loads)
		memset(entry_at(e, t->scratchpad, t->entry), 0, (size_t)(n * vdla_entry_bytes(t->scratchpad)));
	for (int r = 0; r < t->rows; r++) {
		int64_t address = t->address + r * t->row_stride;

		if (!(loads ? vdla_order_reads : vdla_order_writes)(e->order, VDLA_SCRATCHPADS, address, units))
			return -1;
		copy_row(entry_at(e, t->scratchpad, first + r * width), e->memory + address * VDLA_UNIT_BYTES, t, loads);
	}
	return 0;
}

/* The inputs are widened once, which leaves the loop over k to a multiplication of pairs. */
static void multiply(int32_t *restrict sum, const int8_t *restrict input, const int8_t *restrict weight)
{
	int16_t x[VDLA_LANES];

	for (int k = 0; k < VDLA_LANES; k++)
		x[k] = input[k];
	for (int l = 0; l < VDLA_LANES; l++) {
		int32_t s = 0;

		for (int k = 0; k < VDLA_LANES; k++)
			s += x[k] * weight[l * VDLA_LANES + k];
		sum[l] = (int32_t)((uint32_t)sum[l] + (uint32_t)s);
	}
}

static int64_t step(const struct vdla_walk *w, int i, int j)
{
	return w->base + (int64_t)i * w->stride[0] + (int64_t)j * w->stride[1];
}

static int gemm(struct vdla_execution *e, const struct vdla_gemm *g)
{
	for (int i = 0; i < g->count[0]; i++) {
		for (int j = 0; j < g->count[1]; j++) {
			int64_t s = step(&g->sum, i, j), x = step(&g->input, i, j), w = step(&g->weight, i, j);
			int32_t *sum = accumulators_at(e, s);

			if (!(g->reset || vdla_order_reads(e->order, VDLA_ACCUMULATORS, s, 1))
			    || !vdla_order_reads(e->order, VDLA_INPUTS, x, 1) || !vdla_order_reads(e->order, VDLA_WEIGHTS, w, 1)
			    || !vdla_order_writes(e->order, VDLA_ACCUMULATORS, s, 1))
				return -1;
			if (g->reset)
				memset(sum, 0, VDLA_LANES * sizeof(*sum));
			multiply(sum, entry_at(e, VDLA_INPUTS, x), entry_at(e, VDLA_WEIGHTS, w));
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
			int32_t *x = accumulators_at(e, d);

			if (!v->immediate && !vdla_order_reads(e->order, VDLA_ACCUMULATORS, s, 1))
				return -1;
			if (v->op != VDLA_COPY && !vdla_order_reads(e->order, VDLA_ACCUMULATORS, d, 1))
				return -1;
			if (!vdla_order_writes(e->order, VDLA_ACCUMULATORS, d, 1))
				return -1;
			if (!v->immediate)
				memcpy(y, accumulators_at(e, s), sizeof(y));
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
	int rc = 0;

	if (why)
		return vdla_refuse(e->b, number, ": %s", why);
	if (i->op == VDLA_LAUNCH) {
		vdla_order_barrier(e->order);
		return 0;
	}
	vdla_order_begin(e->order, number);
	switch (i->op) {
	case VDLA_LOAD:
	case VDLA_STORE:
		rc = transfer(e, &i->transfer, i->op == VDLA_LOAD);
		break;
	case VDLA_GEMM:
		rc = gemm(e, &i->gemm);
		break;
	case VDLA_ALU:
		rc = vector(e, &i->vector, number);
		break;
	case VDLA_LAUNCH:
	case VDLA_OPS:
		break;
	}
	vdla_order_end(e->order);
	return rc;
}
