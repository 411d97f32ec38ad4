/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/vdla_fuzz.h - what must hold of any program for a VDLA that was read. */
#ifndef HONE_TESTS_VDLA_FUZZ_H
#define HONE_TESTS_VDLA_FUZZ_H

#include <stdlib.h>

#include "target/vdla/assembler.h"
#include "target/vdla/simulator.h"
#include "tests/fuzz/fuzz.h"

/* What runs within a fuzzer's patience. */
enum { VDLA_FUZZ_BYTES = 1 << 19, VDLA_FUZZ_WORK = 100000 };

static inline bool vdla_fuzz_is_small(const struct vdla_binary *b)
{
	const struct vdla_machine *m = &b->machine;
	int64_t work = 0;

	for (int i = 0; i < b->code.n; i++) {
		const struct vdla_instruction *op = &b->code.at[i];

		work += op->op == VDLA_GEMM ? (int64_t)op->gemm.count[0] * op->gemm.count[1]
			: op->op == VDLA_ALU ? (int64_t)op->vector.count[0] * op->vector.count[1]
			: vdla_transfer_entries(&op->transfer);
	}
	return work <= VDLA_FUZZ_WORK && m->input_bytes <= VDLA_FUZZ_BYTES && m->weight_bytes <= VDLA_FUZZ_BYTES
	       && m->accumulator_bytes <= VDLA_FUZZ_BYTES && b->memory_bytes <= VDLA_FUZZ_BYTES;
}

static inline void vdla_fuzz_check(struct arena *a, const struct vdla_binary *b)
{
	struct text text = { 0 }, again = { 0 }, file = { 0 };

	fuzz_must(vdla_binary_check(b, "fuzz") == 0, "it is read and not sound");
	vdla_binary_print(&text, b);
	const struct vdla_binary *parsed = vdla_binary_parse(a, "back", text.s);

	fuzz_must(parsed, "the printed form does not parse");
	vdla_binary_write(&file, b);
	const struct vdla_binary *read = vdla_binary_read(a, "back", file.s, file.n);

	fuzz_must(read, "the written form is not read");
	vdla_binary_print(&again, read);
	fuzz_must(strcmp(text.s, again.s) == 0, "it is read as another");
	struct vdla_cycles alone, both;
	uint8_t *memory = vdla_fuzz_is_small(b) ? vdla_memory_new(b) : NULL;
	int counted = vdla_simulate(b, NULL, &alone, NULL);

	if (memory && vdla_simulate(b, memory, &both, NULL) == 0) {
		fuzz_must(counted == 0, "it only runs with memory");
		fuzz_must(memcmp(&alone, &both, sizeof(alone)) == 0, "other cycles with memory");
	}
	free(memory);
	text_free(&text);
	text_free(&again);
	text_free(&file);
}

#endif
