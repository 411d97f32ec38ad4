/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/graph_json_fuzz.c - libFuzzer: any JSON as a graph, as graph_text_fuzz.c. */
#include "tests/fuzz/graph_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	json_t *json = json_loadb((const char *)data, size, 0, NULL);
	const struct graph *g = json ? graph_from_json(a, "fuzz.json", json) : NULL;

	if (g)
		fuzz_graph(a, g);
	json_decref(json);
	arena_free(a);
	return 0;
}
