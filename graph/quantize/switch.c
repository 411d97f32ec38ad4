/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/switch.c - main built once more, with a switch at each site. */
#include "graph/quantize/switch.h"

#include "base/err.h"
#include "graph/ir/reach.h"
#include "graph/pass/rewrite.h"
#include "graph/quantize/weight.h"

struct switcher {
	const struct quant *q;
	struct builder b;
	const int *switch_at;	/* by value of main; -1 */
	int switches;		/* the parameter */
	int *made;		/* by value */
	int *rounded;		/* by value, on the grid of a tensor of it; VALUE_NONE */
};

/* X on GRID, as f32. */
static int build_rounded(struct builder *b, int x, struct quant_grid grid)
{
	int scale = build_scalar(b, ELEMENT_F32, (double)grid.scale);
	int low = build_scalar(b, ELEMENT_F32, (double)(element_min(grid.element) - grid.zero));
	int high = build_scalar(b, ELEMENT_F32, (double)(element_max(grid.element) - grid.zero));
	int r = build(b, &core_round, build(b, &core_div, x, scale));

	return build(b, &core_mul, build(b, &core_clip, r, low, high), scale);
}

static int constant(struct builder *b, int rank, const int64_t *dim, const float *data)
{
	return build_const(b, array_around(b->arena, ELEMENT_F32, rank, dim, data));
}

/* What S adds to its channels where it rounds. */
static int build_shift(struct switcher *w, const struct quant_site *s, int on, int rank)
{
	struct builder *b = &w->b;
	int64_t dim[GRAPH_MAX_RANK] = { s->channels };
	float *shift = arena_many(b->arena, float, s->channels);

	for (int i = 1; i < rank - s->channel; i++)
		dim[i] = 1;
	for (int c = 0; c < s->channels; c++)
		shift[c] = (float)s->shift[c];
	return build(b, &core_where, on, constant(b, rank - s->channel, dim, shift),
		     build_scalar(b, ELEMENT_F32, 0));
}

static int build_site(struct switcher *w, const struct quant_site *s, int at)
{
	struct builder *b = &w->b;
	const struct binding *call = quant_site_call(w->q->graph, s);
	int data = w->made[s->data], *rounded = &w->rounded[s->data];
	struct quant_weight weight;
	const char *why;

	if (!quant_weight_of(b->arena, w->q->graph, s, &weight, &why))
		die("a site that was settled: %s", why);
	const struct array *values = quant_weight_values(b->arena, s, &weight);
	int on = build(b, &core_slice, w->switches, build_ints(b, 1, (int64_t[]){ at }),
		       build_ints(b, 1, (int64_t[]){ at + 1 }), build_ints(b, 1, (int64_t[]){ 0 }));

	/* nodes that have the tensor on grids of their own round anew */
	if (s->tensor >= 0 && (*rounded == VALUE_NONE || !w->q->tensors.at[s->tensor].seen))
		*rounded = build_rounded(b, data, s->grid);
	if (s->tensor >= 0)
		data = build(b, &core_where, on, *rounded, data);
	int taps = build(b, &core_where, on, build_const(b, values), w->made[s->weight]);
	int y = build_copy(b, call, (int[]){ data, taps }, NULL);

	return s->shift ? build(b, &core_add, y, build_shift(w, s, on, call->type->rank)) : y;
}

static int build_value(struct switcher *w, const struct function *f, int v)
{
	const struct binding *of = function_at(f, v);
	int *args = arena_many(w->b.arena, int, of->nargs);

	w->b.origin = of->origin;
	if (w->switch_at[v] < 0) {
		for (int i = 0; i < of->nargs; i++)
			args[i] = of->args[i] < 0 ? of->args[i] : w->made[of->args[i]];
		return build_copy(&w->b, of, args, NULL);
	}
	for (int i = 0; i < w->q->sites.n; i++) {
		const struct quant_site *s = &w->q->sites.at[i];

		if (!s->why && s->value == v)
			return build_site(w, s, w->switch_at[v]);
	}
	return VALUE_FAILED;
}

/* Main with switches at N sites. The new function's index. */
static int build_main(struct switcher *w, const struct function *f, int n, struct arena *scratch)
{
	int *results = arena_many(scratch, int, f->nresults);

	w->b.plain = true;
	for (int v = 0; v < f->nparams; v++)
		w->made[v] = build_param(&w->b, function_at(f, v)->name, function_at(f, v)->type);
	w->switches = build_param(&w->b, "", type_shaped(w->b.arena, ELEMENT_BOOL, 1,
							  (int64_t[]){ n }));
	for (int v = f->nparams; v < f->bindings.n; v++)
		if ((w->made[v] = build_value(w, f, v)) == VALUE_FAILED)
			return FUNCTION_NONE;
	for (int i = 0; i < f->nresults; i++)
		results[i] = w->made[f->results[i]];
	return builder_end(&w->b, f->nresults, results);
}

struct quant_switches *quant_switches_new(const struct quant *q)
{
	const struct function *f = graph_main(q->graph);
	struct quant_switches *out = arena_one(q->arena, struct quant_switches);
	struct arena *scratch = arena_new();
	int *site = arena_many(q->arena, int, q->sites.n), n = f->bindings.n;
	int *switch_at = arena_many(scratch, int, n);
	struct switcher w = { .q = q, .switch_at = switch_at, .made = arena_many(scratch, int, n),
			      .rounded = arena_many(scratch, int, n) };

	for (int v = 0; v < n; v++) {
		switch_at[v] = -1;
		w.rounded[v] = VALUE_NONE;
	}
	for (int i = 0; i < q->sites.n; i++)
		if (!q->sites.at[i].why) {
			switch_at[q->sites.at[i].value] = out->n;
			site[out->n++] = i;
		}
	out->site = site;
	struct graph *g = rewrite_graph(q->arena, q->graph, &(struct rewriter){ .keep = NULL });

	if (g) {
		w.b = builder_begin(g, "switched");
		g->main = build_main(&w, f, out->n, scratch);
	}
	arena_free(scratch);
	if (!g || g->main == FUNCTION_NONE)
		return NULL;
	out->graph = rewrite_graph(q->arena, g, &(struct rewriter){ .keep = graph_reached(q->arena, g) });
	return out->graph ? out : NULL;
}
