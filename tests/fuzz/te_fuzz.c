/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/te_fuzz.c - libFuzzer: any text as a .te file. What parses prints, parses back with
 * the same key, has a cost, and where that is bearable sketches, becomes C and can be evaluated. */
#include <stdint.h>
#include <stdlib.h>

#include "search/campaign/admit.h"
#include "search/kernel_text.h"
#include "search/space/sketch.h"
#include "te/eval.h"
#include "te/text/text.h"
#include "tests/fuzz/fuzz.h"

/* Of a machine that the fuzzed task is for. */
#define MEMORY 1e9
/* What the naive evaluator does in some milliseconds; bytes of arguments. */
#define WORK_MAX 1e5
#define BYTES_MAX 1e6

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 2,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

static void must_round_trip(struct arena *a, const struct dag *d, const char *text)
{
	const struct dag *back = dag_parse(a, "back", text);
	struct text again = { 0 };

	fuzz_must(back, "the printed form does not parse");
	fuzz_must(hash_equal(dag_key(back), dag_key(d)), "the printed form has another key");
	dag_print(&again, back);
	fuzz_must(strcmp(text_str(&again), text) == 0, "the printed form does not print alike");
	text_free(&again);
}

static void evaluate(struct arena *a, const struct dag *d)
{
	void **args = arena_many(a, void *, dag_arg_count(d));

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (dag_arg(d, op) >= 0)
			args[dag_arg(d, op)] = arena_many(a, char, (int)tensor_bytes(&op->tensor));
	}
	dag_eval(d, args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_parse(a, "fuzz.te", fuzz_text(a, data, size));

	if (d) {
		const struct task *t = task_new(a, d, "fuzz", 1);

		must_round_trip(a, d, t->text);
		if (task_admit(t, MEMORY) == 0) {
			struct task_cost c = task_cost(t);

			sketches_of(a, d, &aim);
			state_source(a, state_new(a, d), &target_x86_64_avx2, NULL);
			if (c.work < WORK_MAX && c.arguments + c.temporaries < BYTES_MAX)
				evaluate(a, d);
		}
	}
	arena_free(a);
	return 0;
}
