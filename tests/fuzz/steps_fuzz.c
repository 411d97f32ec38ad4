/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/steps_fuzz.c - libFuzzer: a digit, which chooses a DAG, and any text as its steps. What
 * applies round-trips; what lowers computes what the DAG does, and can be written as C. The last DAG is for a VDLA: what
 * has instructions computes it, too. */
#include <stdint.h>
#include <stdlib.h>

#include "codegen/emit.h"
#include "codegen/vdla/generate.h"
#include "schedule/text/nest_text.h"
#include "schedule/text/step_text.h"
#include "target/vdla/simulator.h"
#include "te/text/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/property/library.h"
#include "tests/property/sample.h"

/* Odd extents, windows, reductions in a row, several readers, integers: small enough for the naive
 * evaluator to take a millisecond. */
static const char *const dags[] = {
	"input A: f32[7, 12]\nconst B: f32[12, 10]\n"
	"M[i, j] = sum(k < 12) A[i, k] * B[k, j]\nC[i, j] = max(M[i, j], 0)\n",
	"input X: f32[2, 6, 6]\nconst W: f32[3, 2, 3, 3]\n"
	"P[c, y < 8, x < 8] = select(y >= 1 && y < 7 && x >= 1 && x < 7, X[c, y - 1, x - 1], 0)\n"
	"Y[o, y < 6, x < 6] = sum(c < 2, r < 3, s < 3) P[c, y + r, x + s] * W[o, c, r, s]\n",
	"input X: f32[5, 13]\nM[i] = max(j < 13) X[i, j]\n"
	"E[i, j] = exp(X[i, j] - M[i])\nS[i] = sum(j < 13) E[i, j]\nY[i, j] = E[i, j] / S[i]\n",
	"input A: i32[9, 11]\nB[i, j] = A[i, j] * 3\nC[i, j] = B[i, j] + A[i, j]\n"
	"D[i] = sum(j < 11) C[i, j]\noutput C\n",
	"input X: u8[3, 10, 10]\nY[c, y < 5, x < 5] = max(r < 2, s < 2) X[c, 2 * y + r, 2 * x + s]\n",
	"input A: i8[6, 32]\nconst B: i8[32, 48]\nconst D: i32[48]\n"
	"M[i, j] = sum(k < 32) i32(A[i, k]) * i32(B[k, j])\n"
	"C[i, j] = i8(min(max((M[i, j] + D[j] + 64) / 128, -128), 127))\n",
};

enum { DAGS = sizeof(dags) / sizeof(dags[0]), OF_VDLA = DAGS - 1 };

/* Beyond this it would take the interpreter longer than the fuzzer allows. */
enum { NEST_MAX = 1 << 18 };

static void must_compute(struct schedule_sample *s)
{
	void *args[8];

	sample_prepare(s);
	fuzz_must(s->nargs <= 8, "more arguments than the DAGs have");
	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	program_interpret(s->program, args);
	fuzz_must(sample_matches(s, "interpreted"), "the program computes something else");
}

/* Copies arguments to the memory of B, or those that are outputs from there. */
static void copy_arguments(const struct schedule_sample *s, const struct vdla_binary *b, uint8_t *memory, bool outputs)
{
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];
		uint8_t *at = memory + t->address * VDLA_UNIT_BYTES;

		if (!outputs && t->role != VDLA_OUTPUT)
			memcpy(at, s->args[i].data, s->args[i].bytes);
		else if (outputs && t->role == VDLA_OUTPUT)
			memcpy(s->args[i].data, at, s->args[i].bytes);
	}
}

/* Behind must_compute(). */
static void must_run(struct schedule_sample *s)
{
	const char *why;
	const struct vdla_binary *b = vdla_generate(s->arena, s->program, &vdla_machine_default, &why);
	struct vdla_cycles cycles;

	if (!b)
		return;
	uint8_t *memory = vdla_memory_new(b);

	copy_arguments(s, b, memory, false);
	fuzz_must(vdla_simulate(b, memory, &cycles, NULL) == 0, "the instructions are no program");
	sample_poison(s);
	copy_arguments(s, b, memory, true);
	free(memory);
	fuzz_must(sample_matches(s, "simulated"), "the instructions compute something else");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);

	s->arena = a;
	int dag = (uint8_t)(data[0] - '0') % DAGS;

	s->text = dags[dag];
	s->dag = dag_parse(a, "fuzz", s->text);
	fuzz_must(s->dag, "a DAG of the table does not parse");
	s->target = dag == OF_VDLA ? &target_vdla : &target_x86_64_avx2;
	s->state = state_parse(a, s->dag, "steps", fuzz_text(a, data + 1, size - 1));
	if (s->state)
		s->agreement = agreement_of(s->dag, s->state);
	if (s->state && sample_lower(s)) {
		struct text t = { 0 };

		fuzz_must(sample_round_trips(s), "the steps do not round-trip");
		if (dag == OF_VDLA)
			program_print(&t, s->program);
		else
			emit_c(&t, s->program, "hone_kernel", NULL);
		if (t.n < NEST_MAX) {
			must_compute(s);
			if (dag == OF_VDLA)
				must_run(s);
		}
		text_free(&t);
	}
	sample_free(s);
	return 0;
}
