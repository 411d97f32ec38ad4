/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/te_fuzz.c - libFuzzer: any text as a .te file. What parses prints, parses back with
 * the same key, has a cost, and where that is bearable sketches. */
#include <stdint.h>
#include <stdlib.h>

#include "search/admit.h"
#include "search/sketch.h"
#include "te/text.h"
#include "tests/fuzz/fuzz.h"

/* Of a machine that the fuzzed task is for. */
#define MEMORY 1e9

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct dag *d = dag_parse(a, "fuzz.te", fuzz_text(a, data, size));

	if (d) {
		const struct task *t = task_new(a, d, "fuzz", 1);

		must_round_trip(a, d, t->text);
		if (task_admit(t, MEMORY) == 0)
			sketches_of(a, d);
	}
	arena_free(a);
	return 0;
}
