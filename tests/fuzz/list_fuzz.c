/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/list_fuzz.c - libFuzzer: any text as a list of tasks. No two of them have one key, and
 * each counts at least once. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tools/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct task_vec tasks = { 0 };

	if (list_parse(a, "fuzz.tasks", fuzz_text(a, data, size), &tasks) == 0)
		for (int i = 0; i < tasks.n; i++) {
			fuzz_must(tasks.at[i]->weight >= 1, "a task that counts less than once");
			for (int j = 0; j < i; j++)
				fuzz_must(strcmp(tasks.at[i]->key, tasks.at[j]->key) != 0,
					  "one task twice");
		}
	arena_free(a);
	return 0;
}
