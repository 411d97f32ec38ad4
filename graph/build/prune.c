/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/prune.c - drops what a function being made computes for nobody. */
#include "graph/build/push.h"
#include "graph/ir/reach.h"

void build_prune(struct builder *b, int n, int *results)
{
	struct function *f = b->function;

	for (int i = 0; i < n; i++)
		if (results[i] == VALUE_FAILED)
			return;	/* builder_end refuses it */
	struct arena *scratch = arena_new();

	f->results = results;
	f->nresults = n;
	const bool *need = function_needed(scratch, f);
	int *to = arena_many(scratch, int, f->bindings.n);
	int kept = 0;

	for (int i = 0; i < f->bindings.n; i++) {
		struct binding of = f->bindings.at[i];
		int *args;

		if (i >= f->nparams && !need[i])
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
		results[i] = to[results[i]];
	f->results = NULL;	/* builder_end keeps a copy */
	f->nresults = 0;
	arena_free(scratch);
}
