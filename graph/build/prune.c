/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/prune.c - drops what a function being made computes for nobody. */
#include "graph/build/push.h"

/* Which bindings of F the N RESULTS need; the parameters in any case. */
static bool *needed(struct arena *a, const struct function *f, int n, const int *results)
{
	bool *need = arena_many(a, bool, f->bindings.n);

	for (int i = 0; i < n; i++)
		if (results[i] >= 0)
			need[results[i]] = true;
	for (int i = f->bindings.n - 1; i >= f->nparams; i--) {
		const struct binding *of = &f->bindings.at[i];

		for (int j = 0; need[i] && j < of->nargs; j++)
			if (of->args[j] >= 0)
				need[of->args[j]] = true;
	}
	for (int i = 0; i < f->nparams; i++)
		need[i] = true;
	return need;
}

void build_prune(struct builder *b, int n, int *results)
{
	struct function *f = b->function;
	struct arena *scratch = arena_new();
	const bool *need = needed(scratch, f, n, results);
	int *to = arena_many(scratch, int, f->bindings.n);
	int kept = 0;

	for (int i = 0; i < f->bindings.n; i++) {
		struct binding of = f->bindings.at[i];
		int *args;

		if (!need[i])
			continue;
		args = arena_memdup(b->arena, of.args, (size_t)of.nargs * sizeof(*args));
		for (int j = 0; j < of.nargs; j++)
			args[j] = args[j] < 0 ? args[j] : to[args[j]];
		of.args = args;
		to[i] = kept;
		f->bindings.at[kept++] = of;
	}
	f->bindings.n = kept;
	for (int i = 0; i < n; i++)
		results[i] = results[i] < 0 ? results[i] : to[results[i]];
	arena_free(scratch);
}
