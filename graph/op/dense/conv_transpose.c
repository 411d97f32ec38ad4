/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/conv_transpose.c - conv_transpose(x, w): the transposed convolution, which spreads
 * [n, ic, spatial...] by [ic, oc / groups, kernel...].
 *
 * It is the convolution whose places are the elements of x and whose image is the result: element o
 * of the result gets x[p] * w[k] wherever tap k at place p would read o. */
#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/dense/convolve.h"
#include "graph/op/dense/window_gradient.h"

/* An entry of the list NAME of N entries; 0 where the list is empty. NULL, or what is wrong. */
static const char *read_entry(struct arena *a, const struct binding *call, const char *name, int n,
			      int i, int64_t *out)
{
	int given;
	const int64_t *list = call_ints(call, name, &given);

	if (given && given != n)
		return arena_printf(a, "%s has %d entries instead of %d", name, given, n);
	*out = given ? list[i] : 0;
	if (*out < 0 || *out > GRAPH_MAX_DIM)
		return arena_printf(a, "%s is %lld", name, (long long)*out);
	return NULL;
}

/* The extent of the result along dim I where that of x is IN. With output_shape or auto_pad, the
 * padding in S becomes what leads to it. NULL, or what is wrong. */
static const char *spread(struct arena *a, const struct binding *call, struct slide *s, int i,
			  struct dim in, struct dim *out)
{
	const char *mode = call_string(call, "auto_pad"), *why;
	int64_t wanted, extra, total, v;

	if ((why = read_entry(a, call, "output_shape", s->nd, i, &wanted)) ||
	    (why = read_entry(a, call, "output_padding", s->nd, i, &extra)))
		return why;
	if (s->kernel[i] < 1)
		return "a weight without taps";
	struct dim full = dim_mul(a, dim_sub(a, in, dim_number(1)), dim_number(s->stride[i]));

	full = dim_add(a, full, dim_number((s->kernel[i] - 1) * s->dilation[i] + 1 + extra));
	if (!wanted && strcmp(mode, "explicit") == 0) {
		*out = dim_sub(a, full, dim_of(a, s->before[i] + s->after[i]));
		return NULL;
	}
	*out = wanted ? dim_number(wanted) : dim_mul(a, in, dim_number(s->stride[i]));
	if (!dim_value(dim_sub(a, full, *out), &total))
		return NULL;
	/* what is missing is zeros at the end */
	v = total < 0 ? 0 : strcmp(mode, "same_upper") == 0 ? total / 2 : total - total / 2;
	s->before[i] = v;
	s->after[i] = total - v;
	return NULL;
}

static int spread_channels(const struct infer *x, const struct type *image,
			   const struct type *weight, struct dim *out)
{
	struct dim read;

	*out = dim_mul(x->arena, weight->dim[1], dim_number(call_int(x->call, "groups")));
	return infer_agree(x, image->dim[1], weight->dim[0], false, &read);
}

static int conv_transpose_type(struct infer *x)
{
	return infer_convolution(x, spread_channels, spread);
}

/* The window that reads the result at the places of X, of ND dims IN: its `in` is the result, its
 * `out` is X. NULL, or what is wrong. */
static const char *window_of_result(struct arena *a, const struct binding *call, int nd,
				    const int64_t *in, const int64_t *kernel, struct slide *s)
{
	const char *why = slide_read(a, call, nd, s);

	for (int i = 0; !why && i < s->nd; i++) {
		struct dim out;

		s->kernel[i] = kernel[i];
		s->out[i] = in[i];
		why = spread(a, call, s, i, dim_number(in[i]), &out);
		if (!why && (!dim_value(out, &s->in[i]) || s->in[i] < 0))
			why = arena_printf(a, "padding leaves less than nothing of %lld elements",
					   (long long)in[i]);
	}
	return why;
}

/* Tap TAP of the elements [at, at + n) of one row of the result, whose places in the other dims are
 * ROW: x[p], from CHANNEL, where place p reads them; the rest stays. */
static void spread_row(const struct convolution *c, const struct slide_tap *t, const char *channel,
		       const int64_t *row, int64_t at, int64_t n, char *out)
{
	const struct slide *s = &c->slide;
	int last = s->nd - 1;
	int64_t size = (int64_t)element_bytes(c->element), first = 0;

	for (int i = 0; i < last; i++) {
		int64_t from = row[i] - t->at[i];

		if (from < 0 || from % s->stride[i] || from / s->stride[i] >= s->out[i])
			return;
		first = first * s->out[i] + from / s->stride[i];
	}
	int64_t stride = s->stride[last], begin = at - t->at[last];
	int64_t p = begin <= t->from * stride ? t->from : (begin - 1) / stride + 1;

	for (; p < t->to && p * stride - begin < n; p++)
		memcpy(out + (p * stride - begin) * size,
		       channel + (first * s->out[last] + p) * size, (size_t)size);
}

/* The elements of the result stand where the places of a convolution do. */
static void spread_patches(const struct patches *from, int64_t channel, int64_t tap, int64_t j,
			   int64_t n, void *out)
{
	const struct convolution *c = from->of;
	const struct slide *s = &c->slide;
	int64_t size = (int64_t)element_bytes(c->element);
	int64_t wide = s->in[s->nd - 1], row[SLIDE_MAX], rest = j / wide;
	struct slide_tap t = slide_tap(s, tap);

	for (int i = s->nd - 2; i >= 0; i--, rest /= s->in[i + 1])
		row[i] = rest % s->in[i];
	memset(out, 0, (size_t)(n * size));
	for (int64_t done = 0, part; done < n; done += part) {
		int64_t at = (j + done) % wide;

		part = n - done < wide - at ? n - done : wide - at;
		spread_row(c, &t, from->x + channel * c->plane * size, row, at, part,
			   (char *)out + done * size);
		for (int i = s->nd - 2; i >= 0 && ++row[i] == s->in[i]; i--)
			row[i] = 0;
	}
}

/* The weight with the channels of the result before those of x: [groups * oc, ic, taps]. */
static const void *turn_weight(struct eval *x, const struct convolution *c, const void *weight)
{
	size_t tap_bytes = (size_t)c->taps * element_bytes(c->element);
	char *out = eval_scratch(x, (size_t)(c->groups * c->oc * c->ic) * tap_bytes), *at = out;
	const char *from = weight;

	for (int64_t g = 0; g < c->groups; g++, from += (size_t)(c->ic * c->oc) * tap_bytes)
		for (int64_t o = 0; o < c->oc; o++)
			for (int64_t i = 0; i < c->ic; i++, at += tap_bytes)
				memcpy(at, from + (size_t)(i * c->oc + o) * tap_bytes, tap_bytes);
	return out;
}

static int conv_transpose_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0), *weight = eval_array(x, 1);
	int64_t groups = call_int(x->call, "groups"), dim[GRAPH_MAX_RANK];
	struct convolution c = { .groups = groups, .read = spread_patches };
	enum element e;
	const char *why;

	if (eval_product_element(x, &e) < 0)
		return -1;
	if (in->rank < 3 || in->rank != weight->rank || in->dim[1] != weight->dim[0] ||
	    in->dim[1] % groups)
		return eval_error(x, "an image of rank %d and a weight of rank %d in %lld groups",
				  in->rank, weight->rank, (long long)groups);
	if ((why = window_of_result(x->interp->scratch, x->call, in->rank - 2, in->dim + 2,
				    weight->dim + 2, &c.slide)))
		return eval_error(x, "%s", why);
	dim[0] = in->dim[0];
	if (__builtin_mul_overflow(weight->dim[1], groups, &dim[1]))
		return eval_error(x, "%lld groups", (long long)groups);
	memcpy(dim + 2, c.slide.in, sizeof(*dim) * (size_t)c.slide.nd);
	struct array *y = eval_result(x, 0, e, in->rank, dim);

	if (!y)
		return -1;
	c.element = product_element(e);
	c.images = in->dim[0];
	c.ic = in->dim[1] / groups;
	c.oc = weight->dim[1];
	c.plane = slide_places_count(&c.slide);
	c.places = slide_elements(&c.slide);
	c.taps = slide_taps(&c.slide);
	c.x = product_operand(x, in, c.element);
	c.w = turn_weight(x, &c, product_operand(x, weight, c.element));
	c.y = product_target(x, y, c.element);
	if (convolve(x, &c) < 0)
		return -1;
	product_store(y, c.element, c.y);
	return 0;
}

static struct op *conv_transpose_express(struct express *x)
{
	int64_t in[GRAPH_MAX_RANK], weight[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, in);
	int64_t extra[2] = { 0 };
	struct conv conv;
	struct slide s;
	const char *why;

	express_shape(x, 1, weight);
	if ((why = window_of_result(x->dag->arena, x->call, rank - 2, in + 2, weight + 2, &s)))
		return express_error(x, "%s", why);
	if (s.nd != 2 || call_int(x->call, "groups") != 1)
		return express_error(x, "only two spatial dims and one group are tunable");
	conv = conv_plain(s.nd, LAYOUT_NCHW);
	for (int i = 0; i < s.nd; i++) {
		conv.stride[i] = s.stride[i];
		conv.dilation[i] = s.dilation[i];
		conv.pad_begin[i] = s.before[i];
		conv.pad_end[i] = s.after[i];
		extra[i] = s.in[i] + s.before[i] + s.after[i] - (s.out[i] - 1) * s.stride[i] -
			   (s.kernel[i] - 1) * s.dilation[i] - 1;
	}
	return op_conv_transpose(x->dag, x->ops[0], x->ops[1], &conv, extra);
}

static int conv_transpose_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int in = x->call->args[0], w = x->call->args[1], g = x->of_result[0];
	int64_t groups = call_int(x->call, "groups"), dim[SLIDE_MAX], kernel[SLIDE_MAX];
	int nd = build_type(b, in)->rank - 2;
	const char *why;
	struct slide s;

	if (window_extents(x, in, dim, nd) < 0 || window_extents(x, w, kernel, nd) < 0)
		return -1;
	if ((why = window_of_result(b->arena, x->call, nd, dim, kernel, &s)))
		return err_set("conv_transpose: %s", why);
	x->of_arg[0] = window_places(b, g, w, &s, groups);
	x->of_arg[1] = window_by_weight(b, g, in, &s, groups);
	return 0;
}

const struct core_op core_conv_transpose = {
	.name = "conv_transpose",
	.summary = "transposed convolution of x [n, ic, spatial...] with w [ic, oc / groups, "
		   "kernel...]",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		SLIDE_ATTRS,
		{ "groups", ATTR_INT, 1, NULL, "of channels that do not see each other" },
		{ "output_padding", ATTR_INTS, 0, NULL, "elements more at the end" },
		{ "output_shape", ATTR_INTS, 0, NULL,
		  "spatial extents of the result, which the padding then follows from" },
		{ 0 } },
	.fusion = FUSION_COMPLEX,
	.type = conv_transpose_type,
	.eval = conv_transpose_eval,
	.express = conv_transpose_express,
	.gradient = conv_transpose_gradient,
};
