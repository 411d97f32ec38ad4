/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/observe.c - main built once more, with more results. */
#include "graph/quantize/observe.h"

#include "graph/ir/reach.h"
#include "graph/pass/rewrite.h"

/* Main of G as it is, in B, and VALUES behind its results. The new function's index. */
static int build_main(struct builder *b, const struct function *f, struct arena *scratch, int n,
		      const int *results)
{
	int *made = arena_many(scratch, int, f->bindings.n);
	int *out = arena_many(scratch, int, n);

	b->plain = true;
	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *of = function_at(f, v);
		int *args = arena_many(scratch, int, of->nargs);

		if (v < f->nparams) {
			made[v] = build_param(b, of->name, of->type);
			continue;
		}
		for (int i = 0; i < of->nargs; i++)
			args[i] = of->args[i] < 0 ? of->args[i] : made[of->args[i]];
		b->origin = of->origin;
		made[v] = build_copy(b, of, args, NULL);
		if (made[v] == VALUE_FAILED)
			return FUNCTION_NONE;
		build_name(b, made[v], of->name);
	}
	for (int i = 0; i < n; i++)
		out[i] = made[results[i]];
	return builder_end(b, n, out);
}

/* A graph of the functions of G, which are not changed, for more. */
static struct graph *copy(struct arena *a, const struct graph *g)
{
	return rewrite_graph(a, g, &(struct rewriter){ .keep = NULL });
}

struct quant_watch *quant_watch_new(struct arena *a, const struct graph *g, int n, const int *values)
{
	struct quant_watch *w = arena_one(a, struct quant_watch);
	const struct function *f = graph_main(g);
	int *place = arena_many(a, int, n), nresults = f->nresults;
	int *results = arena_many(a, int, f->nresults + n);
	struct arena *scratch = arena_new();
	struct graph *more = copy(a, g);

	memcpy(results, f->results, sizeof(int) * (size_t)f->nresults);
	for (int i = 0; i < n; i++) {
		place[i] = values[i] < f->nparams ? -1 - values[i] : nresults;
		if (place[i] >= 0)
			results[nresults++] = values[i];
	}
	struct builder b = more ? builder_begin(more, "watched") : (struct builder){ 0 };

	int made = more ? build_main(&b, f, scratch, nresults, results) : FUNCTION_NONE;

	arena_free(scratch);
	if (made == FUNCTION_NONE)
		return NULL;
	more->main = made;
	*w = (struct quant_watch){ .nresults = f->nresults, .n = n, .place = place };
	w->graph = rewrite_graph(a, more, &(struct rewriter){ .keep = graph_reached(a, more) });
	return w->graph ? w : NULL;
}

const struct array *quant_watched(const struct quant_watch *w, int i, const struct value *args,
				  const struct value *results)
{
	int place = w->place[i];
	struct value v = place < 0 ? args[-1 - place] : results[place];

	return v.array;
}
