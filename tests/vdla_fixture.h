/* SPDX-License-Identifier: Apache-2.0 */
/* tests/vdla_fixture.h - machines and random instructions of a VDLA, for tests. */
#ifndef HONE_TESTS_VDLA_FIXTURE_H
#define HONE_TESTS_VDLA_FIXTURE_H

#include "base/rng.h"
#include "target/vdla/assembler.h"

enum { VDLA_SOME_MACHINES = 4 };

/* The default, the smallest, the largest, an uneven one. */
static inline struct vdla_machine some_machine(int i)
{
	static const int bytes[VDLA_SOME_MACHINES][3] = {
		{ 32768, 262144, 131072 }, { 4096, 4096, 4096 }, { 16777216, 16777216, 16777216 }, { 4096, 16777216, 8192 },
	};
	struct vdla_machine m = vdla_machine_default;

	m.input_bytes = bytes[i][0];
	m.weight_bytes = bytes[i][1];
	m.accumulator_bytes = bytes[i][2];
	return m;
}

/* Up to MOST, small ones and the extremes often. */
static inline int some_number(struct rng *r, int from, int most)
{
	int64_t small = (int64_t)most - from < 4 ? most - from + 1 : 4;

	switch (rng_below(r, 4)) {
	case 0:
		return most;
	case 1:
		return from + (int)rng_below(r, (int64_t)most - from + 1);
	}
	return from + (int)rng_below(r, small);
}

static inline struct vdla_walk some_walk(struct rng *r, const struct vdla_machine *m, enum vdla_op op,
					 enum vdla_scratchpad s)
{
	struct vdla_walk w = { .base = some_number(r, 0, vdla_entries(m, s) - 1) };

	for (int i = 0; i < VDLA_LOOPS; i++)
		w.stride[i] = some_number(r, 0, vdla_stride_most(m, op, s));
	return w;
}

static inline void some_transfer(struct rng *r, const struct vdla_machine *m, struct vdla_instruction *i)
{
	struct vdla_transfer *t = &i->transfer;

	t->scratchpad = i->op == VDLA_STORE ? VDLA_ACCUMULATORS : (enum vdla_scratchpad)rng_below(r, VDLA_SCRATCHPADS);
	t->form = t->scratchpad == VDLA_ACCUMULATORS ? (enum vdla_form)rng_below(r, 2) : VDLA_PLAIN;
	t->entry = some_number(r, 0, vdla_entries(m, t->scratchpad) - 1);
	t->address = some_number(r, 0, INT32_MAX);
	t->rows = some_number(r, i->op == VDLA_STORE, VDLA_ROWS_MOST);
	t->columns = some_number(r, 1, VDLA_COLUMNS_MOST);
	t->row_stride = some_number(r, 0, VDLA_ROW_STRIDE_MOST);
	for (int k = 0; k < 2 && i->op == VDLA_LOAD && rng_chance(r, 0.5); k++) {
		t->before[k] = some_number(r, 0, VDLA_PADDING_MOST);
		t->after[k] = some_number(r, 0, VDLA_PADDING_MOST);
	}
}

/* One that may fit. */
static inline struct vdla_instruction some_try(struct rng *r, const struct vdla_machine *m)
{
	struct vdla_instruction i;

	memset(&i, 0, sizeof(i));
	i.op = (enum vdla_op)rng_below(r, VDLA_OPS);
	if (i.op == VDLA_LAUNCH)
		return i;
	i.pop_before = i.op != VDLA_LOAD && rng_chance(r, 0.5);
	i.pop_behind = i.op != VDLA_STORE && rng_chance(r, 0.5);
	i.push_before = i.op != VDLA_LOAD && rng_chance(r, 0.5);
	i.push_behind = i.op != VDLA_STORE && rng_chance(r, 0.5);
	if (i.op == VDLA_LOAD || i.op == VDLA_STORE) {
		some_transfer(r, m, &i);
		return i;
	}
	int *count = i.op == VDLA_GEMM ? i.gemm.count : i.vector.count;

	for (int k = 0; k < VDLA_LOOPS; k++)
		count[k] = some_number(r, 1, vdla_count_most(m, i.op));
	if (i.op == VDLA_GEMM) {
		i.gemm.reset = rng_chance(r, 0.2);
		i.gemm.sum = some_walk(r, m, i.op, VDLA_ACCUMULATORS);
		if (i.gemm.reset)
			return i;
		i.gemm.input = some_walk(r, m, i.op, VDLA_INPUTS);
		i.gemm.weight = some_walk(r, m, i.op, VDLA_WEIGHTS);
		return i;
	}
	i.vector.op = (enum vdla_alu)rng_below(r, VDLA_ALUS);
	i.vector.destination = some_walk(r, m, i.op, VDLA_ACCUMULATORS);
	i.vector.immediate = rng_chance(r, 0.5);
	if (i.vector.immediate)
		i.vector.number = vdla_alu_shifts(i.vector.op) ? some_number(r, -31, 31) : some_number(r, INT16_MIN, INT16_MAX);
	else
		i.vector.source = some_walk(r, m, i.op, VDLA_ACCUMULATORS);
	return i;
}

static inline struct vdla_instruction some_instruction(struct rng *r, const struct vdla_machine *m)
{
	struct vdla_instruction i;

	do
		i = some_try(r, m);
	while (vdla_fits(m, &i));
	return i;
}

/* A program of no meaning that a file may hold. */
static inline struct vdla_binary *some_binary(struct arena *a, struct rng *r, struct vdla_machine m)
{
	static const char data[100] = { 1, 2, 3 };
	struct vdla_binary *b = arena_one(a, struct vdla_binary);

	b->machine = m;
	b->memory_bytes = 1LL << 36;
	vec_push(a, &b->tensors, (struct vdla_tensor){ "x", VDLA_INPUT, 16, 33, NULL });
	vec_push(a, &b->tensors, (struct vdla_tensor){ "a weight", VDLA_CONSTANT, 0, sizeof(data), data });
	vec_push(a, &b->tensors, (struct vdla_tensor){ "y", VDLA_OUTPUT, 1000, 4096, NULL });
	vec_push(a, &b->tensors, (struct vdla_tensor){ "w", VDLA_CONSTANT, 2000, 256, NULL });
	for (int n = 0; n < 30; n++) {
		struct vdla_instruction i = some_instruction(r, &m);

		if (i.op == VDLA_LOAD || i.op == VDLA_STORE)
			i.transfer.address /= 4;	/* the rest stays inside */
		vec_push(a, &b->code, i);
	}
	return b;
}

static inline bool same_instruction(const struct vdla_machine *m, const struct vdla_instruction *x,
				    const struct vdla_instruction *y)
{
	uint8_t bits[2][VDLA_INSTRUCTION_BYTES];

	vdla_encode(m, x, bits[0]);
	vdla_encode(m, y, bits[1]);
	return memcmp(bits[0], bits[1], sizeof(bits[0])) == 0;
}

#endif
