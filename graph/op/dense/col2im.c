/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/col2im.c - col2im(x, image, block): patches [n, c * taps, places] summed up where
 * they overlap in the image [n, c, image...]. */
#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/dense/product.h"
#include "graph/op/dense/slide.h"
#include "graph/op/gradient.h"

static int col2im_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	int n, nblock;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0 ||
	    infer_class(x, 2, CLASS_INTEGERS) < 0)
		return -1;
	const struct dim *image = infer_elements(x, 1, &n), *block = infer_elements(x, 2, &nblock);

	if (!type_is_ranked(in) || !image || !block)
		return infer_unranked(x, in->element);
	if (in->rank != 3 || n != nblock || n < 1 || n > SLIDE_MAX)
		return infer_error(x, "patches of rank %d, %d extents of the image, %d of the block",
				   in->rank, n, nblock);
	out[0] = in->dim[0];
	out[1] = in->dim[1];
	for (int i = 0; i < n; i++) {
		int64_t v;

		if (dim_value(block[i], &v) && v < 1)
			return infer_error(x, "a block of extent %lld", (long long)v);
		out[1] = dim_div(x->arena, out[1], block[i]);
		out[2 + i] = image[i];
	}
	return infer_tensor(x, in->element, n + 2, out);
}

/* The window of the patches over the image. */
static int read_window(struct eval *x, const struct array *in, struct slide *s)
{
	int n, nblock;
	const int64_t *image = eval_ints(x, 1, &n), *block = eval_ints(x, 2, &nblock);
	const char *why;

	if (in->rank != 3 || n != nblock || n < 1 || n > SLIDE_MAX ||
	    !(CLASS_NUMBERS >> element_class(in->element) & 1))
		return eval_error(x, "patches of rank %d, %d extents of the image, %d of the block",
				  in->rank, n, nblock);
	if ((why = slide_read(x->interp->scratch, x->call, n, s)))
		return eval_error(x, "%s", why);
	for (int i = 0; i < n; i++) {
		s->kernel[i] = block[i];
		if (image[i] < 0 || image[i] > GRAPH_MAX_DIM)
			return eval_error(x, "an image of extent %lld", (long long)image[i]);
	}
	if (shape_count(n, block) < 1 || shape_count(n, image) < 0)
		return eval_error(x, "an image or a block that cannot be");
	if ((why = slide_fit(x->interp->scratch, x->call, image, s)))
		return eval_error(x, "%s", why);
	if (in->dim[1] % slide_taps(s) || in->dim[2] != slide_places_count(s))
		return eval_error(x, "patches [%lld, %lld] of windows with %lld taps at %lld places",
				  (long long)in->dim[1], (long long)in->dim[2],
				  (long long)slide_taps(s), (long long)slide_places_count(s));
	return 0;
}

#define ADD(T)                                                                                     \
	static void add_##T(void *to, const void *from, int64_t n, int64_t step)                   \
	{                                                                                          \
		T *y = to;                                                                         \
		const T *x = from;                                                                 \
                                                                                                   \
		for (int64_t i = 0; i < n; i++)                                                    \
			y[i * step] += x[i];                                                       \
	}

ADD(float)
ADD(double)
ADD(uint32_t)
ADD(uint64_t)

typedef void adder(void *y, const void *x, int64_t n, int64_t step);

static adder *adder_of(enum element e)
{
	return e == ELEMENT_F32 ? add_float
	     : e == ELEMENT_F64 ? add_double
	     : e == ELEMENT_U32 ? add_uint32_t
				: add_uint64_t;
}

/* Adds the patches X [taps, places] of one channel to its plane Y. */
static void add_patches(const struct slide *s, int64_t size, const char *x, char *y, adder *add)
{
	int64_t wide = s->out[s->nd - 1], places = slide_places_count(s);

	for (int64_t tap = 0; tap < slide_taps(s); tap++) {
		struct slide_tap t = slide_tap(s, tap);
		int64_t place[SLIDE_MAX] = { 0 };

		for (int64_t row = 0; row < places; row += wide, slide_next_row(s, place)) {
			int64_t first = slide_read_row(s, &t, place);

			if (first >= 0)
				add(y + first * size, x + (tap * places + row + t.from) * size,
				    t.to - t.from, s->stride[s->nd - 1]);
		}
	}
}

static int col2im_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK];
	struct slide s;

	if (read_window(x, in, &s) < 0)
		return -1;
	dim[0] = in->dim[0];
	dim[1] = in->dim[1] / slide_taps(&s);
	memcpy(dim + 2, s.in, sizeof(*dim) * (size_t)s.nd);
	struct array *y = eval_result(x, 0, in->element, s.nd + 2, dim);
	enum element e = product_element(in->element);
	int64_t size = (int64_t)element_bytes(e), plane = slide_elements(&s);

	if (!y)
		return -1;
	const char *patches = product_operand(x, in, e);
	char *out = product_target(x, y, e);

	memset(out, 0, (size_t)(y->count * size));
	for (int64_t i = 0; i < dim[0] * dim[1]; i++) {
		if (eval_clock(x) < 0)
			return -1;
		add_patches(&s, size, patches + i * slide_taps(&s) * in->dim[2] * size,
			    out + i * plane * size, adder_of(e));
	}
	product_store(y, e, out);
	return 0;
}

/* The weights that pick taps are as many as their square: 16 MiB of floats. */
enum { MOST_TAPS = 2048 };

/* Each tap picks what it reads of the image: a convolution by weights with a single 1. */
static int col2im_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	const struct array *image = build_array(b, x->call->args[1]);
	const struct array *block = build_array(b, x->call->args[2]);
	enum element e = build_type(b, x->call->args[0])->element;
	int64_t single[GRAPH_MAX_RANK] = { -1, 1 }, weight[GRAPH_MAX_RANK] = { 1, 1 };
	struct attr_vec attrs = { 0 };

	if (!image || !block)
		return err_set("col2im: its gradient needs constant extents of image and block");
	for (int i = 0; i < block->count; i++) {
		single[2 + i] = array_int(image, i);
		weight[2 + i] = array_int(block, i);
		if (weight[2 + i] > MOST_TAPS || (weight[0] *= weight[2 + i]) > MOST_TAPS)
			return err_set("col2im: its gradient has at most %d taps", MOST_TAPS);
	}
	int rank = (int)block->count + 2;
	struct array *picks = array_in(b->arena, e, rank, weight);

	for (int64_t i = 0; i < weight[0]; i++)
		element_store(e, picks->data, i * weight[0] + i, 1);
	for (int i = 0; i < x->call->nattrs; i++)
		vec_push(b->arena, &attrs, x->call->attrs[i]);
	int images = build(b, &core_reshape, x->of_result[0], build_ints(b, rank, single));

	x->of_arg[0] = build(b, &core_reshape,
			     build_with(b, &core_conv, &attrs, images, build_const(b, picks)),
			     build(b, &core_shape_of, x->call->args[0]));
	return 0;
}

const struct core_op core_col2im = {
	.name = "col2im",
	.summary = "the patches x [n, c * taps, places], of the block's extents, summed up in images of "
		   "the given extents",
	.min_args = 3,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){ SLIDE_ATTRS, { 0 } },
	.fusion = FUSION_OPAQUE,
	.type = col2im_type,
	.eval = col2im_eval,
	.gradient = col2im_gradient,
};
