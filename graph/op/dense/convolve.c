/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/convolve.c - convolutions as products of weights and patches. */
#include "graph/op/dense/convolve.h"

int infer_groups(const struct infer *x)
{
	int64_t groups = call_int(x->call, "groups");

	if (groups < 1 || groups > GRAPH_MAX_DIM)
		return infer_error(x, "%lld groups", (long long)groups);
	return 0;
}

int infer_convolution(struct infer *x,
		      int (*channels)(const struct infer *x, const struct type *image,
				      const struct type *weight, struct dim *out),
		      const char *(*extent)(struct arena *a, const struct binding *call,
					    struct slide *s, int i, struct dim in, struct dim *out))
{
	const struct type *in = infer_type(x, 0), *weight = infer_type(x, 1);
	struct dim out[GRAPH_MAX_RANK];
	enum element e;
	struct slide s;
	const char *why;

	if (infer_product_element(x, &e) < 0 || infer_groups(x) < 0)
		return -1;
	if (!type_is_ranked(in) || !type_is_ranked(weight))
		return infer_unranked(x, e);
	if (in->rank < 3 || in->rank != weight->rank)
		return infer_error(x, "an image of rank %d and a weight of rank %d", in->rank,
				   weight->rank);
	if ((why = slide_read(x->arena, x->call, in->rank - 2, &s)))
		return infer_error(x, "%s", why);
	out[0] = in->dim[0];
	if (channels(x, in, weight, &out[1]) < 0)
		return -1;
	for (int i = 0; i < s.nd; i++) {
		out[2 + i] = dim_unknown();
		if (!dim_value(weight->dim[2 + i], &s.kernel[i]))
			continue;
		if ((why = extent(x->arena, x->call, &s, i, in->dim[2 + i], &out[2 + i])))
			return infer_error(x, "%s", why);
	}
	return infer_tensor(x, e, in->rank, out);
}

static void fill_patches(const void *user, int64_t p, int64_t j, int64_t n, void *out)
{
	const struct patches *from = user;

	from->of->read(from, p / from->of->taps, p % from->of->taps, j, n, out);
}

int convolve(struct eval *x, const struct convolution *c)
{
	int64_t size = (int64_t)element_bytes(c->element);
	int64_t weights = c->oc * c->ic * c->taps;
	struct patches from = { .of = c };
	struct dense_product g = { .element = c->element, .m = c->oc, .n = c->places,
				   .k = c->ic * c->taps, .a_row = c->ic * c->taps, .a_column = 1,
				   .fill = fill_patches, .user = &from };

	product_room(x, &g);
	for (int64_t i = 0; i < c->images * c->groups; i++) {
		from.image = i / c->groups;
		from.group = i % c->groups;
		from.x = c->x + i * c->ic * c->plane * size;
		g.a = (const char *)c->w + from.group * weights * size;
		g.c = c->y + i * c->oc * c->places * size;
		if (product_run(x, &g) < 0)
			return -1;
	}
	return 0;
}
