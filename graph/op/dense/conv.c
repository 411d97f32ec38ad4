/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/conv.c - conv(x, w): convolution of [n, ic, spatial...] with
 * [oc, ic / groups, kernel...]. */
#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/dense/convolve.h"
#include "graph/op/dense/window_gradient.h"

static int conv_channels(const struct infer *x, const struct type *image,
			 const struct type *weight, struct dim *out)
{
	int64_t groups = call_int(x->call, "groups");
	int64_t c, each, o;

	*out = weight->dim[0];
	if (dim_value(*out, &o) && o % groups)
		return infer_error(x, "%lld groups of %lld outputs", (long long)groups,
				   (long long)o);
	if (dim_value(image->dim[1], &c) && dim_value(weight->dim[1], &each) &&
	    (c % groups || c / groups != each))
		return infer_error(x, "%lld channels, the weight wants %lld in %lld groups",
				   (long long)c, (long long)each, (long long)groups);
	return 0;
}

static const char *conv_extent(struct arena *a, const struct binding *call, struct slide *s, int i,
			       struct dim in, struct dim *out)
{
	return slide_places(a, call, s, i, in, out);
}

static int conv_type(struct infer *x)
{
	return infer_convolution(x, conv_channels, conv_extent);
}

/* A window of one tap that reads every element: all rows are one. */
static void join_rows(struct slide *s)
{
	for (int i = 0; i < s->nd; i++)
		if (s->kernel[i] != 1 || s->stride[i] != 1 || s->before[i] || s->out[i] != s->in[i])
			return;
	*s = (struct slide){ .nd = 1, .in = { slide_elements(s) }, .out = { slide_elements(s) },
			     .kernel = { 1 }, .stride = { 1 }, .dilation = { 1 } };
}

/* The part of a row of patches from place J of it on, N of them, that a tap reads at FIRST and
 * following elements of a channel; zeros where that is outside. */
static void read_row(const struct convolution *c, const struct slide_tap *t, const char *channel,
		     int64_t first, int64_t j, int64_t n, char *out)
{
	int last = c->slide.nd - 1;
	int64_t size = (int64_t)element_bytes(c->element);
	int64_t from = t->from < j ? j : t->from;
	int64_t to = t->to < j + n ? t->to : j + n;

	if (first < 0 || from >= to) {
		memset(out, 0, (size_t)(n * size));
		return;
	}
	memset(out, 0, (size_t)((from - j) * size));
	copy_strided(out + (from - j) * size,
		     channel + (first + (from - t->from) * c->slide.stride[last]) * size, to - from,
		     c->slide.stride[last], size);
	memset(out + (to - j) * size, 0, (size_t)((j + n - to) * size));
}

static void read_patches(const struct patches *from, int64_t channel, int64_t tap, int64_t j,
			 int64_t n, void *out)
{
	const struct convolution *c = from->of;
	const struct slide *s = &c->slide;
	int64_t size = (int64_t)element_bytes(c->element);
	int64_t wide = s->out[s->nd - 1], place[SLIDE_MAX];
	struct slide_tap t = slide_tap(s, tap);

	slide_row(s, j / wide, place);
	for (int64_t done = 0, part; done < n; done += part) {
		int64_t at = (j + done) % wide;

		part = n - done < wide - at ? n - done : wide - at;
		read_row(c, &t, from->x + channel * c->plane * size, slide_read_row(s, &t, place),
			 at, part, (char *)out + done * size);
		slide_next_row(s, place);
	}
}

#define DEPTHWISE(T)                                                                               \
	static void depthwise_##T(void *to, const void *from, const void *weight, int64_t n,       \
				  int64_t step)                                                    \
	{                                                                                          \
		T *restrict y = to;                                                                \
		const T *x = from, w = *(const T *)weight;                                         \
                                                                                                   \
		for (int64_t i = 0; i < n; i++)                                                    \
			y[i] += x[i * step] * w;                                                   \
	}

DEPTHWISE(float)
DEPTHWISE(double)

static bool is_depthwise(const struct convolution *c)
{
	return c->ic == 1 && c->oc == 1 && c->groups > 1 && element_is_float(c->element);
}

static int run_depthwise(struct eval *x, const struct convolution *c)
{
	size_t size = element_bytes(c->element);
	slide_joiner *join = c->element == ELEMENT_F32 ? depthwise_float : depthwise_double;

	memset(c->y, 0, (size_t)(c->images * c->groups * c->places) * size);
	for (int64_t i = 0; i < c->images * c->groups; i++) {
		if (eval_clock(x) < 0)
			return -1;
		slide_join(&c->slide, size, c->x + (size_t)(i * c->plane) * size,
			   (const char *)c->w + (size_t)(i % c->groups * c->taps) * size,
			   c->y + (size_t)(i * c->places) * size, join);
	}
	return 0;
}

/* What shapes alone say of the call. -1 and a message. */
static int conv_begin(struct eval *x, const struct array *in, const struct array *weight,
		      struct convolution *c)
{
	int64_t groups = call_int(x->call, "groups");
	const char *why;

	if (in->rank < 3 || in->rank != weight->rank)
		return eval_error(x, "an image of rank %d and a weight of rank %d", in->rank,
				  weight->rank);
	if (weight->dim[0] % groups || in->dim[1] % groups ||
	    in->dim[1] / groups != weight->dim[1])
		return eval_error(x, "%lld channels, the weight [%lld, %lld, ...] and %lld groups",
				  (long long)in->dim[1], (long long)weight->dim[0],
				  (long long)weight->dim[1], (long long)groups);
	*c = (struct convolution){ .images = in->dim[0], .groups = groups, .ic = weight->dim[1],
				   .oc = weight->dim[0] / groups, .read = read_patches };
	if ((why = slide_read(x->interp->scratch, x->call, in->rank - 2, &c->slide)))
		return eval_error(x, "%s", why);
	memcpy(c->slide.kernel, weight->dim + 2, sizeof(*weight->dim) * (size_t)c->slide.nd);
	if ((why = slide_fit(x->interp->scratch, x->call, in->dim + 2, &c->slide)))
		return eval_error(x, "%s", why);
	return 0;
}

static int conv_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0), *weight = eval_array(x, 1);
	int64_t dim[GRAPH_MAX_RANK] = { in->dim[0], weight->dim[0] };
	enum element e;
	struct convolution c;

	if (eval_product_element(x, &e) < 0 || conv_begin(x, in, weight, &c) < 0)
		return -1;
	memcpy(dim + 2, c.slide.out, sizeof(*dim) * (size_t)c.slide.nd);
	struct array *y = eval_result(x, 0, e, in->rank, dim);

	if (!y)
		return -1;
	join_rows(&c.slide);
	c.element = product_element(e);
	c.plane = slide_elements(&c.slide);
	c.taps = slide_taps(&c.slide);
	c.places = slide_places_count(&c.slide);
	c.x = product_operand(x, in, c.element);
	c.w = product_operand(x, weight, c.element);
	c.y = product_target(x, y, c.element);
	if ((is_depthwise(&c) ? run_depthwise(x, &c) : convolve(x, &c)) < 0)
		return -1;
	product_store(y, c.element, c.y);
	return 0;
}

/* With a group for each channel the weight is [c, kernel...]. */
static struct op *conv_express(struct express *x)
{
	int64_t in[GRAPH_MAX_RANK], weight[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, in);
	int64_t groups = call_int(x->call, "groups");
	struct slide s;
	struct conv conv;
	const char *why;

	express_shape(x, 1, weight);
	if ((why = slide_read(x->dag->arena, x->call, rank - 2, &s)))
		return express_error(x, "%s", why);
	memcpy(s.kernel, weight + 2, sizeof(*weight) * (size_t)s.nd);
	if ((why = slide_fit(x->dag->arena, x->call, in + 2, &s)))
		return express_error(x, "%s", why);
	if (!slide_express(x, &s, &conv))
		return NULL;
	conv.groups = groups;
	if (groups == 1 || groups != in[1] || groups != weight[0])
		return op_conv(x->dag, x->ops[0], x->ops[1], &conv);
	memmove(weight + 1, weight + 2, sizeof(*weight) * (size_t)s.nd);
	return op_depthwise(x->dag, x->ops[0], express_view(x, 1, rank - 1, weight), &conv);
}

static int conv_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int image = x->call->args[0], w = x->call->args[1], g = x->of_result[0];
	int64_t groups = call_int(x->call, "groups"), in[SLIDE_MAX];
	int nd = build_type(b, image)->rank - 2;
	const char *why;
	struct slide s;

	if ((why = slide_read(b->arena, x->call, nd, &s)))
		return err_set("conv: %s", why);
	if (window_extents(x, image, in, nd) < 0 || window_extents(x, w, s.kernel, nd) < 0)
		return -1;
	if ((why = slide_fit(b->arena, x->call, in, &s)))
		return err_set("conv: %s", why);
	x->of_arg[0] = window_by_image(b, g, w, &s, groups);
	x->of_arg[1] = window_by_weight(b, image, g, &s, groups);
	return 0;
}

const struct core_op core_conv = {
	.name = "conv",
	.summary = "convolution of x [n, ic, spatial...] with w [oc, ic / groups, kernel...]",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		SLIDE_ATTRS,
		{ "groups", ATTR_INT, 1, NULL, "of channels that do not see each other" },
		{ 0 } },
	.fusion = FUSION_COMPLEX,
	.type = conv_type,
	.eval = conv_eval,
	.express = conv_express,
	.gradient = conv_gradient,
};
