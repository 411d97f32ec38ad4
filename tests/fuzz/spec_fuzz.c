/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/spec_fuzz.c - libFuzzer: any text as an operator of the library. What builds has a
 * text form that parses back with the same key. */
#include <stdint.h>
#include <stdlib.h>

#include "search/campaign/admit.h"
#include "te/operator.h"
#include "te/text/text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct dag *d = operator_build(a, fuzz_text(a, data, size));

	if (d) {
		const struct task *t = task_new(a, d, "fuzz", 1);
		const struct dag *back = dag_parse(a, "back", t->text);

		fuzz_must(back, "the text form of an operator does not parse");
		fuzz_must(hash_equal(dag_key(back), dag_key(d)), "it has another key");
		task_admit(t, 1e9);
	}
	arena_free(a);
	return 0;
}
