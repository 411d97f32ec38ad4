/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/apply.c - sites as sums of integers.
 *
 *	q = cast u8(clip(round(x / scale) + zero))			once for each tensor
 *	y = cast f32(conv(q, weight: i8) + bias: i32) * scales: f32	of channels
 *
 * Sums of (q - zero) * w are those of q * w but for zero times the sum of a channel's weights, which the
 * bias has; so q stays in 8 bits up to the product. Where zero is not 0, what a window pads with is. */
#include <assert.h>

#include "base/err.h"
#include "graph/ir/reach.h"
#include "graph/op/dense/slide.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/weight.h"

struct applier {
	const struct quant *quant;
	enum element narrow;	/* quant_narrow()'s; ELEMENT_COUNT: integers */
	const int *site_at;	/* by value of main, the site that it is the call of; -1 */
	const int *end_at;	/* the site that it adds the bias of */
	int *made;		/* by tensor (narrow: by value of main), what was made of it; VALUE_NONE */
	int *after;		/* struct quantized's */
};

static int cast(struct builder *b, int x, enum element to)
{
	struct attr_vec attrs = { 0 };

	attrs_element(b->arena, &attrs, "to", to);
	return build_with(b, &core_cast, &attrs, x);
}

static int build_round(struct builder *b, int x, struct quant_grid grid)
{
	int r = build(b, &core_round,
		      build(b, &core_div, x, build_scalar(b, ELEMENT_F32, (double)grid.scale)));

	if (grid.zero)
		r = build(b, &core_add, r, build_scalar(b, ELEMENT_F32, grid.zero));
	r = build(b, &core_clip, r, build_scalar(b, ELEMENT_F32, (double)element_min(grid.element)),
		  build_scalar(b, ELEMENT_F32, (double)element_max(grid.element)));
	return cast(b, r, grid.element);
}

/* The constants of channels as they stand beside a result of RANK dims: [c, 1, ...] behind CHANNEL. */
static int by_channel(struct builder *b, enum element e, const struct quant_site *s, int rank,
		      const void *data)
{
	int64_t dim[GRAPH_MAX_RANK] = { s->channels };
	int n = rank - s->channel;

	for (int i = 1; i < n; i++)
		dim[i] = 1;
	return build_const(b, array_around(b->arena, e, n, dim, data));
}

/* Q, the data of CALL, padded with ZERO as its windows would pad with 0; *ATTRS: of the call without. */
static int pad(struct builder *b, const struct binding *call, int q, struct quant_grid grid,
	       struct attr_vec *attrs)
{
	const struct type *image = build_type(b, q), *weight = build_type(b, call->args[1]);
	int64_t pads[2 * GRAPH_MAX_RANK] = { 0 }, in[GRAPH_MAX_RANK], kernel[GRAPH_MAX_RANK];
	int rank = image->rank;
	struct slide s;
	const char *why;
	bool any = false;

	type_shape(image, in);
	type_shape(weight, kernel);
	if (!(why = slide_read(b->arena, call, rank - 2, &s))) {
		memcpy(s.kernel, kernel + 2, sizeof(*kernel) * (size_t)s.nd);
		why = slide_fit(b->arena, call, in + 2, &s);
	}
	if (why) {
		err_set("conv: %s", why);
		return VALUE_FAILED;
	}
	for (int i = 0; i < call->nattrs; i++)
		if (strcmp(call->attrs[i].name, "pads") != 0 &&
		    strcmp(call->attrs[i].name, "auto_pad") != 0)
			vec_push(b->arena, attrs, call->attrs[i]);
	for (int i = 0; i < s.nd; i++) {
		pads[2 + i] = s.before[i];
		pads[rank + 2 + i] = s.after[i];
		any |= s.before[i] || s.after[i];
	}
	return any ? build(b, &core_pad, q, build_ints(b, 2 * rank, pads),
			   build_scalar(b, grid.element, grid.zero))
		   : q;
}

/* The call of S of integers Q and its weight, in i32. */
static int build_sum(struct builder *b, const struct binding *call, const struct quant_site *s, int q,
		     const struct quant_weight *w)
{
	int weight = build_const(b, w->q);
	struct binding of = *call;
	struct attr_vec attrs = { 0 };

	if (call->op == &core_conv && s->grid.zero != 0) {
		of.args = (int[]){ q, weight };
		q = pad(b, &of, q, s->grid, &attrs);
		of.attrs = attrs.at;
		of.nattrs = attrs.n;
	}
	return q == VALUE_FAILED ? q : build_copy(b, &of, (int[]){ q, weight }, NULL);
}

static bool any_of(const int32_t *v, int n)
{
	for (int i = 0; i < n; i++)
		if (v[i])
			return true;
	return false;
}

/* S's call and its bias, of integers. */
static int build_site(struct rewrite *x, struct applier *p, const struct quant_site *s, const int *args)
{
	struct builder *b = x->builder;
	const struct binding *call = function_at(x->function, s->value);
	int *q = s->tensor < 0 ? &x->value[s->own] : &p->made[s->tensor];
	struct quant_weight w;
	const char *why;
	int rank = call->type->rank;

	if (!quant_weight_of(b->arena, p->quant->graph, s, &w, &why))
		die("a site that was settled: %s", why);
	if (*q == VALUE_NONE)
		*q = build_round(b, args[0], s->grid);
	float *scale = arena_many(b->arena, float, s->channels);

	for (int c = 0; c < s->channels; c++)
		scale[c] = w.scale[c] * s->grid.scale;
	int sum = build_sum(b, call, s, *q, &w);

	if (any_of(w.bias, s->channels))
		sum = build(b, &core_add, sum, by_channel(b, ELEMENT_I32, s, rank, w.bias));
	return build(b, &core_mul, cast(b, sum, ELEMENT_F32),
		     by_channel(b, ELEMENT_F32, s, rank, scale));
}

/* S's call, of 16 bits; its bias stays f32. */
static int build_narrow(struct rewrite *x, struct applier *p, const struct quant_site *s, const int *args)
{
	struct builder *b = x->builder;
	const struct array *w = array_aligned(function_const(x->function, s->weight));
	struct array *narrow = array_in(b->arena, p->narrow, w->rank, w->dim);
	int *data = &p->made[s->data];

	if (*data == VALUE_NONE)
		*data = cast(b, args[0], p->narrow);
	element_put_f32(p->narrow, narrow->data, 0, w->count, w->data);
	return cast(b, rewrite_copy(x, s->value, (int[]){ *data, build_const(b, narrow) }), ELEMENT_F32);
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

int quant_apply(const struct quant *q, struct quantized *out)
{
	return apply(q, ELEMENT_COUNT, out);
}

int quant_narrow(const struct quant *q, enum element e, struct quantized *out)
{
	return apply(q, e, out);
}
