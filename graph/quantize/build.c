/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/build.c - rounding, sums, and numbers of them. */
#include "graph/quantize/build.h"

#include "base/err.h"
#include "graph/op/dense/slide.h"

int quant_build_cast(struct builder *b, int x, enum element to)
{
	struct attr_vec attrs = { 0 };

	attrs_element(b->arena, &attrs, "to", to);
	return build_with(b, &core_cast, &attrs, x);
}

int quant_build_round(struct builder *b, int x, struct quant_grid grid)
{
	int r = build(b, &core_round,
		      build(b, &core_div, x, build_scalar(b, ELEMENT_F32, (double)grid.scale)));

	if (grid.zero)
		r = build(b, &core_add, r, build_scalar(b, ELEMENT_F32, grid.zero));
	r = build(b, &core_clip, r, build_scalar(b, ELEMENT_F32, (double)element_min(grid.element)),
		  build_scalar(b, ELEMENT_F32, (double)element_max(grid.element)));
	return quant_build_cast(b, r, grid.element);
}

/* [c, 1, ...] behind the channel. */
int quant_build_by_channel(struct builder *b, enum element e, const struct quant_site *s, int rank,
			   const void *data)
{
	int64_t dim[GRAPH_MAX_RANK] = { s->channels };
	int n = rank - s->channel;

	for (int i = 1; i < n; i++)
		dim[i] = 1;
	return build_const(b, array_around(b->arena, e, n, dim, data));
}

int quant_build_pad(struct builder *b, int q, int nd, const int64_t *before, const int64_t *after, double zero)
{
	const struct type *image = build_type(b, q);
	int64_t pads[2 * GRAPH_MAX_RANK] = { 0 };
	bool any = false;

	for (int i = 0; i < nd; i++) {
		pads[2 + i] = before[i];
		pads[image->rank + 2 + i] = after[i];
		any |= before[i] || after[i];
	}
	return any ? build(b, &core_pad, q, build_ints(b, 2 * image->rank, pads),
			   build_scalar(b, image->element, zero))
		   : q;
}

/* Q, the data of CALL, padded with ZERO as its windows would pad with 0; *ATTRS: of the call without. */
static int pad(struct builder *b, const struct binding *call, int q, struct quant_grid grid,
	       struct attr_vec *attrs)
{
	const struct type *image = build_type(b, q), *weight = build_type(b, call->args[1]);
	int64_t in[GRAPH_MAX_RANK], kernel[GRAPH_MAX_RANK];
	struct slide s;
	const char *why;

	type_shape(image, in);
	type_shape(weight, kernel);
	if (!(why = slide_read(b->arena, call, image->rank - 2, &s))) {
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
	return quant_build_pad(b, q, s.nd, s.before, s.after, grid.zero);
}

int quant_build_sums(struct builder *b, const struct binding *call, const struct quant_site *s, int q,
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

int quant_build_numbers(struct builder *b, const struct binding *call, const struct quant_site *s, int q,
			const struct quant_weight *w)
{
	float *scale = arena_many(b->arena, float, s->channels);
	int rank = call->type->rank, sum = quant_build_sums(b, call, s, q, w);

	for (int c = 0; c < s->channels; c++)
		scale[c] = w->scale[c] * s->grid.scale;
	if (any_of(w->bias, s->channels))
		sum = build(b, &core_add, sum, quant_build_by_channel(b, ELEMENT_I32, s, rank, w->bias));
	return build(b, &core_mul, quant_build_cast(b, sum, ELEMENT_F32),
		     quant_build_by_channel(b, ELEMENT_F32, s, rank, scale));
}
