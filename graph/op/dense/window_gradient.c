/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/window_gradient.c - gradients of what slides a window.
 *
 * The weight's gradient is a convolution itself: of the image with the places for a kernel, channels
 * and batch having changed their parts, strides and dilations too. */
#include "graph/op/dense/window_gradient.h"

#include "base/err.h"

int window_extents(const struct gradient *x, int value, int64_t *dim, int n)
{
	const struct type *t = build_type(x->builder, value);

	for (int i = 0; i < n; i++)
		if (!type_is_ranked(t) || t->rank != n + 2 || !dim_value(t->dim[2 + i], &dim[i]))
			return err_set("%s: its gradient needs spatial extents that are known",
				       x->call->op->name);
	return 0;
}

/* The attributes of a window with padding such that the image is read to its end and no further. */
static struct attr_vec attrs_of(struct builder *b, const struct slide *s, bool swapped,
				int64_t groups)
{
	struct attr_vec attrs = { 0 };
	int64_t pads[2 * SLIDE_MAX];

	for (int i = 0; i < s->nd; i++) {
		pads[i] = s->before[i];
		pads[s->nd + i] = (s->out[i] - 1) * s->stride[i] +
				  (s->kernel[i] - 1) * s->dilation[i] + 1 - s->in[i] - s->before[i];
	}
	attrs_ints(b->arena, &attrs, "strides", s->nd, swapped ? s->dilation : s->stride);
	attrs_ints(b->arena, &attrs, "dilations", s->nd, swapped ? s->stride : s->dilation);
	attrs_ints(b->arena, &attrs, "pads", 2 * s->nd, pads);
	attrs_int(b->arena, &attrs, "groups", groups);
	return attrs;
}

int window_places(struct builder *b, int image, int w, const struct slide *s, int64_t groups)
{
	struct attr_vec attrs = attrs_of(b, s, false, groups);

	return build_with(b, &core_conv, &attrs, image, w);
}

int window_by_image(struct builder *b, int places, int w, const struct slide *s, int64_t groups)
{
	struct attr_vec attrs = attrs_of(b, s, false, groups);

	return build_with(b, &core_conv_transpose, &attrs, places, w);
}

/* X with the dims PERM[0..N) in front of its last ND. */
static int turned(struct builder *b, int x, int n, const int64_t *perm, int nd)
{
	struct attr_vec attrs = { 0 };
	int64_t all[GRAPH_MAX_RANK];

	for (int i = 0; i < n + nd; i++)
		all[i] = i < n ? perm[i] : i;
	attrs_ints(b->arena, &attrs, "perm", n + nd, all);
	return build_with(b, &core_transpose, &attrs, x);
}

/* X as [LEAD[0..N), dims of S's image]. */
static int reshaped(struct builder *b, int x, int n, const int64_t *lead, const struct slide *s)
{
	int64_t shape[GRAPH_MAX_RANK];

	memcpy(shape, lead, sizeof(*lead) * (size_t)n);
	memcpy(shape + n, s->in, sizeof(*s->in) * (size_t)s->nd);
	return build(b, &core_reshape, x, build_ints(b, n + s->nd, shape));
}

int window_by_weight(struct builder *b, int image, int places, const struct slide *s,
		     int64_t groups)
{
	const struct type *t = build_type(b, image);
	const int64_t swap[] = { 1, 0 }, apart[] = { 2, 1, 0 };
	struct attr_vec attrs = attrs_of(b, s, true, groups);
	int64_t channels;

	if (image == VALUE_FAILED || places == VALUE_FAILED)
		return VALUE_FAILED;
	if (groups == 1) {
		image = turned(b, image, 2, swap, s->nd);
	} else {	/* [n, groups, c, ...] becomes [c, groups * n, ...] */
		if (!dim_value(t->dim[1], &channels)) {
			err_set("conv: its gradient needs a number of channels that is known");
			return VALUE_FAILED;
		}
		image = reshaped(b, image, 3, (int64_t[]){ -1, groups, channels / groups }, s);
		image = turned(b, image, 3, apart, s->nd);
		image = reshaped(b, image, 2, (int64_t[]){ channels / groups, -1 }, s);
	}
	places = turned(b, places, 2, swap, s->nd);
	return turned(b, build_with(b, &core_conv, &attrs, image, places), 2, swap, s->nd);
}
