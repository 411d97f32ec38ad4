/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/calibrate.c - tensors seen in runs, and the grids that follow. */
#include "base/err.h"
#include "graph/quantize/scheme.h"
#include "graph/quantize/weight.h"

static bool same_grid(struct quant_grid x, struct quant_grid y)
{
	return x.element == y.element && x.scale == y.scale && x.zero == y.zero;
}

/* The tensor that is VALUE on GRID. */
static int tensor_of(struct quant *q, int value, struct quant_grid grid)
{
	for (int i = 0; i < q->tensors.n; i++)
		if (q->tensors.at[i].value == value && same_grid(q->tensors.at[i].grid, grid))
			return i;
	struct quant_tensor t = { .value = value, .grid = grid };

	if (grid.scale == 0)
		t.seen = arena_one(q->arena, struct histogram);
	vec_push(q->arena, &q->tensors, t);
	return q->tensors.n - 1;
}

void sums_begin(struct quant *q)
{
	for (int i = 0; i < q->sites.n; i++) {
		struct quant_site *s = &q->sites.at[i];

		if (s->why || s->own >= 0)
			continue;
		if (s->grid.scale == 0)
			s->grid.element = q->options.element;
		s->tensor = tensor_of(q, s->data, s->grid);
	}
}

struct quant_watch *quant_watch_tensors(struct quant *q)
{
	int *values = arena_many(q->arena, int, q->tensors.n);

	for (int i = 0; i < q->tensors.n; i++)
		values[i] = q->tensors.at[i].value;
	return quant_watch_new(q->arena, q->graph, q->tensors.n, values);
}

void quant_see(struct quant *q, const struct quant_watch *w, const struct value *args,
	       const struct value *results)
{
	for (int i = 0; i < q->tensors.n; i++) {
		const struct array *x = quant_watched(w, i, args, results);
		const struct array *lifted = q->tensors.at[i].seen ? array_lift(x) : NULL;

		if (lifted)
			histogram_add(q->tensors.at[i].seen, lifted->data, lifted->count);
		array_release(lifted);
	}
}

static void add_to_mean(struct quant *q, struct quant_tensor *t, const struct array *x)
{
	if (!t->sum) {
		t->sum = arena_many(q->arena, float, x->count);
		t->sum_rounded = arena_many(q->arena, float, x->count);
	}
	t->samples++;
	for (int64_t i = 0; i < x->count; i++) {
		float v = (float)element_load(x->element, x->data, i);

		t->sum[i] += v;
		t->sum_rounded[i] += quant_value(t->grid, quant_round(t->grid, v));
	}
}

void quant_mean(struct quant *q, const struct quant_watch *w, const struct value *args,
		const struct value *results)
{
	for (int i = 0; i < q->tensors.n; i++) {
		const struct array *x = quant_watched(w, i, args, results);

		if (q->tensors.at[i].grid.scale > 0)
			add_to_mean(q, &q->tensors.at[i], x);
	}
}

/* Why a site may not use T; NULL: it may. */
static const char *settle_tensor(const struct quant *q, struct quant_tensor *t)
{
	double low, high;

	if (!t->seen)
		return NULL;
	if (t->seen->odd || t->seen->count == 0)
		return "its data is not finite, or was not seen";
	quant_range(t->seen, q->options.method, q->options.percentile, &low, &high);
	t->grid = quant_grid_of(t->grid.element, low, high);
	return NULL;
}

void sums_settle(struct quant *q)
{
	const char **why = arena_many(q->arena, const char *, q->tensors.n);
	struct arena *scratch = arena_new();

	for (int i = 0; i < q->tensors.n; i++)
		why[i] = settle_tensor(q, &q->tensors.at[i]);
	for (int i = 0; i < q->sites.n; i++) {
		struct quant_site *s = &q->sites.at[i];
		struct quant_weight w;

		if (s->why)
			continue;
		if (s->tensor >= 0) {
			s->why = why[s->tensor];
			s->grid = q->tensors.at[s->tensor].grid;
		}
		if (!s->why)
			quant_weight_of(scratch, q->graph, s, &w, &s->why);
		arena_reset(scratch);
	}
	arena_free(scratch);
}
