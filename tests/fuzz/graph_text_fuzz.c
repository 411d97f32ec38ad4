/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/graph_text_fuzz.c - libFuzzer: any text as a graph. What parses prints, reads back as
 * the same in both forms, and can be run. */
#include "tests/fuzz/graph_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct graph *g = graph_parse(a, "fuzz.graph", fuzz_text(a, data, size));

	if (g)
		fuzz_graph(a, g);
	arena_free(a);
	return 0;
}
