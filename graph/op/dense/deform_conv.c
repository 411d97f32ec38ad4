/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/deform_conv.c - deform_conv(x, w, offset, mask): a convolution of which each tap
 * reads where an offset says [Dai et al. 2017], weighted by a mask [Zhu et al. 2019]. */
#include "graph/eval/interp.h"
#include "graph/op/dense/convolve.h"
#include "graph/op/dense/sample.h"

static int check_operands(const struct infer *x, int rank)
{
	for (int i = 1; i < 4; i++)
		if (infer_rank(x, i) != RANK_UNKNOWN && infer_rank(x, i) != rank)
			return infer_error(x, "operand %d of rank %d instead of %d", i,
					   infer_rank(x, i), rank);
	return 0;
}

static int deform_conv_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0), *weight = infer_type(x, 1);
	const struct type *offset = infer_type(x, 2);
	struct dim out[GRAPH_MAX_RANK];
	int64_t parts = call_int(x->call, "offset_groups");
	struct slide s;
	const char *why;

	for (int i = 0; i < 4; i++)
		if (infer_class(x, i, CLASS_BIT(FLOAT)) < 0)
			return -1;
	if (infer_groups(x) < 0)
		return -1;
	if (parts < 1 || parts > GRAPH_MAX_DIM)
		return infer_error(x, "%lld groups of offsets", (long long)parts);
	if (!type_is_ranked(in) || !type_is_ranked(weight) || !type_is_ranked(offset))
		return infer_unranked(x, in->element);
	if (in->rank < 3 || check_operands(x, in->rank) < 0)
		return in->rank < 3 ? infer_error(x, "an image of rank %d", in->rank) : -1;
	if ((why = slide_read(x->arena, x->call, in->rank - 2, &s)))
		return infer_error(x, "%s", why);
	out[0] = in->dim[0];
	out[1] = weight->dim[0];
	memcpy(out + 2, offset->dim + 2, sizeof(*out) * (size_t)s.nd);
	return infer_tensor(x, in->element, in->rank, out);
}

/* What a deformed convolution has on top of a convolution. */
struct deformation {
	struct sampling sampling;
	int64_t groups, ic;		/* of offsets, and channels of each */
	const void *offset;		/* [images, groups * taps * nd, places] */
	const void *mask;		/* [images, groups * taps, places]; NULL: ones */
};

static void read_deformed(const struct patches *from, int64_t channel, int64_t tap, int64_t j,
			  int64_t n, void *out)
{
	const struct convolution *c = from->of;
	const struct deformation *d = c->more;
	const struct slide *s = &c->slide;
	int64_t group = (from->group * c->ic + channel) / d->ic;
	int64_t first = (from->image * d->groups + group) * c->taps + tap;
	struct slide_tap t = slide_tap(s, tap);
	const char *plane = from->x + (size_t)(channel * c->plane) * element_bytes(c->element);

	for (int64_t p = j; p < j + n; p++) {
		double at[SLIDE_MAX];
		struct sample_point sample;

		for (int64_t i = s->nd - 1, rest = p; i >= 0; rest /= s->out[i], i--)
			at[i] = (double)(rest % s->out[i] * s->stride[i] + t.at[i]) +
				element_load(c->element, d->offset,
					     (first * s->nd + i) * c->places + p);
		sample_at(&d->sampling, at, &sample);
		double v = sample_read(&d->sampling, &sample, c->element, plane);

		if (d->mask)
			v *= element_load(c->element, d->mask, first * c->places + p);
		element_store(c->element, out, p - j, v);
	}
}

/* Is V [images, groups * taps * parts, places...]? */
static bool is_map(const struct array *v, const struct convolution *c, int64_t groups, int parts)
{
	return v->dim[0] == c->images && v->dim[1] % (c->taps * parts) == 0 &&
	       v->dim[1] / (c->taps * parts) == groups &&
	       memcmp(v->dim + 2, c->slide.out, sizeof(*v->dim) * (size_t)c->slide.nd) == 0;
}

/* The window and the extents of a call. -1 and a message where operands do not fit. */
static int deform_begin(struct eval *x, struct convolution *c, struct deformation *d)
{
	const struct array *in = eval_array(x, 0), *weight = eval_array(x, 1);
	const struct array *offset = eval_array(x, 2), *mask = eval_array(x, 3);
	int64_t groups = call_int(x->call, "groups");
	const char *why;

	d->groups = call_int(x->call, "offset_groups");
	if (in->rank < 3 || weight->rank != in->rank || offset->rank != in->rank ||
	    (mask && mask->rank != in->rank) || !element_is_float(in->element) ||
	    weight->element != in->element || offset->element != in->element ||
	    (mask && mask->element != in->element))
		return eval_error(x, "operands of different ranks or element types");
	if (in->dim[1] % groups || in->dim[1] / groups != weight->dim[1] ||
	    weight->dim[0] % groups || in->dim[1] % d->groups)
		return eval_error(x, "%lld channels, the weight wants %lld, in %lld groups, offsets "
				  "in %lld", (long long)in->dim[1], (long long)weight->dim[1],
				  (long long)groups, (long long)d->groups);
	if ((why = slide_read(x->interp->scratch, x->call, in->rank - 2, &c->slide)))
		return eval_error(x, "%s", why);
	memcpy(c->slide.kernel, weight->dim + 2, sizeof(*weight->dim) * (size_t)c->slide.nd);
	if ((why = slide_fit(x->interp->scratch, x->call, in->dim + 2, &c->slide)))
		return eval_error(x, "%s", why);
	c->taps = slide_taps(&c->slide);
	c->places = slide_places_count(&c->slide);
	c->plane = slide_elements(&c->slide);
	c->images = in->dim[0];
	c->groups = groups;
	c->ic = weight->dim[1];
	c->oc = weight->dim[0] / groups;
	d->ic = in->dim[1] / d->groups;
	if (!is_map(offset, c, d->groups, c->slide.nd) ||
	    (mask && !is_map(mask, c, d->groups, 1)))
		return eval_error(x, "offset or mask are not for %lld taps at %lld places",
				  (long long)c->taps, (long long)c->places);
	return 0;
}

static int deform_conv_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0), *mask = eval_array(x, 3);
	struct convolution c = { .element = product_element(in->element), .read = read_deformed };
	struct deformation d = { .sampling = { .interpolation = INTERPOLATE_LINEAR,
					       .outside = OUTSIDE_ZEROS } };
	int64_t dim[GRAPH_MAX_RANK];

	if (deform_begin(x, &c, &d) < 0)
		return -1;
	dim[0] = c.images;
	dim[1] = c.groups * c.oc;
	memcpy(dim + 2, c.slide.out, sizeof(*dim) * (size_t)c.slide.nd);
	struct array *y = eval_result(x, 0, in->element, in->rank, dim);

	if (!y)
		return -1;
	d.sampling.nd = c.slide.nd;
	memcpy(d.sampling.dim, c.slide.in, sizeof(d.sampling.dim));
	d.offset = product_operand(x, eval_array(x, 2), c.element);
	d.mask = mask ? product_operand(x, mask, c.element) : NULL;
	c.more = &d;
	c.x = product_operand(x, in, c.element);
	c.w = product_operand(x, eval_array(x, 1), c.element);
	c.y = product_target(x, y, c.element);
	if (convolve(x, &c) < 0)
		return -1;
	product_store(y, c.element, c.y);
	return 0;
}

const struct core_op core_deform_conv = {
	.name = "deform_conv",
	.summary = "the convolution of x with w of which tap k of group g reads offset [n, (g, k, "
		   "spatial dim), places...] further, times mask [n, (g, k), places...]",
	.min_args = 3,
	.max_args = 4,
	.attrs = (const struct attr_spec[]){
		SLIDE_ATTRS,
		{ "groups", ATTR_INT, 1, NULL, "of channels that do not see each other" },
		{ "offset_groups", ATTR_INT, 1, NULL, "of channels with the same offsets" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = deform_conv_type,
	.eval = deform_conv_eval,
};
