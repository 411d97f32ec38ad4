/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/apply.c - sites as sums of integers.
 *
 *	q = cast u8(clip(round(x / scale) + zero))			once for each tensor
 *	y = cast f32(conv(q, weight: i8) + bias: i32) * scales: f32	of channels
 *
 * Sums of (q - zero) * w are those of q * w but for zero times the sum of a channel's weights, which the
 * bias has; so q stays in 8 bits up to the product. Where zero is not 0, what a window pads with is. */
#include "base/err.h"
#include "graph/ir/reach.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"
#include "graph/quantize/build.h"
#include "graph/quantize/scheme.h"

struct applier {
	const struct quant *quant;
	enum element narrow;	/* quant_narrow()'s; ELEMENT_COUNT: integers */
	const int *site_at;	/* by value of main, the site that it is the call of; -1 */
	const int *end_at;	/* the site that it adds the bias of */
	int *made;		/* by tensor (narrow: by value of main), what was made of it; VALUE_NONE */
	int *after;		/* struct quantized's */
};

/* S's call and its bias, of integers. */
static int build_site(struct rewrite *x, struct applier *p, const struct quant_site *s, const int *args)
{
	struct builder *b = x->builder;
	const struct binding *call = function_at(x->function, s->value);
	int *q = s->tensor < 0 ? &x->value[s->own] : &p->made[s->tensor];
	struct quant_weight w;
	const char *why;

	if (!quant_weight_of(b->arena, p->quant->graph, s, &w, &why))
		die("a site that was settled: %s", why);
	if (*q == VALUE_NONE)
		*q = quant_build_round(b, args[0], s->grid);
	return quant_build_numbers(b, call, s, *q, &w);
}

/* S's call, of 16 bits; its bias stays f32. */
static int build_narrow(struct rewrite *x, struct applier *p, const struct quant_site *s, const int *args)
{
	struct builder *b = x->builder;
	const struct array *w = array_aligned(function_const(x->function, s->weight));
	struct array *narrow = array_in(b->arena, p->narrow, w->rank, w->dim);
	int *data = &p->made[s->data];

	if (*data == VALUE_NONE)
		*data = quant_build_cast(b, args[0], p->narrow);
	element_put_f32(p->narrow, narrow->data, 0, w->count, w->data);
	return quant_build_cast(b, rewrite_copy(x, s->value, (int[]){ *data, build_const(b, narrow) }), ELEMENT_F32);
}

static int replace(struct rewrite *x, int value, const int *args)
{
	struct applier *p = x->user;

	if (x->function != graph_main(x->from))
		return REWRITE_COPY;
	if (p->site_at[value] >= 0) {
		const struct quant_site *s = &p->quant->sites.at[p->site_at[value]];

		return p->after[p->site_at[value]] = p->narrow == ELEMENT_COUNT
							     ? build_site(x, p, s, args)
							     : build_narrow(x, p, s, args);
	}
	if (p->end_at[value] >= 0)
		return x->value[p->quant->sites.at[p->end_at[value]].value];
	return REWRITE_COPY;
}

static int *filled(struct arena *a, int n, int v)
{
	int *at = arena_many(a, int, n);

	for (int i = 0; i < n; i++)
		at[i] = v;
	return at;
}

static int apply(const struct quant *q, enum element narrow, struct quantized *out)
{
	struct arena *scratch = arena_new(), *a = q->arena;
	int n = graph_main(q->graph)->bindings.n;
	int *site_at = filled(scratch, n, -1), *end_at = filled(scratch, n, -1);
	int *before = filled(a, q->sites.n, VALUE_NONE);
	struct applier p = { .quant = q, .narrow = narrow, .site_at = site_at, .end_at = end_at,
			     .made = filled(scratch, n + q->tensors.n, VALUE_NONE),
			     .after = filled(a, q->sites.n, VALUE_NONE) };

	for (int i = 0; i < q->sites.n; i++) {
		const struct quant_site *s = &q->sites.at[i];
		bool with_bias = s->out != s->value && narrow == ELEMENT_COUNT;

		if (s->why)
			continue;
		site_at[s->value] = i;
		before[i] = with_bias ? s->out : s->value;
		if (with_bias)
			end_at[s->out] = i;
	}
	struct graph *g = rewrite_graph(a, q->graph, &(struct rewriter){ .binding = replace, .user = &p });

	*out = (struct quantized){ .raw = g, .before = before, .after = p.after };
	/* without the weights that they were */
	if (g)
		out->graph = rewrite_graph(a, g, &(struct rewriter){ .keep = graph_reached(a, g) });
	arena_free(scratch);
	return out->graph ? 0 : -1;
}

int sums_apply(const struct quant *q, struct quantized *out)
{
	return apply(q, ELEMENT_COUNT, out);
}

int quant_narrow(const struct quant *q, enum element e, struct quantized *out)
{
	return apply(q, e, out);
}
