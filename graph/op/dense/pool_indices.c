/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/pool_indices.c - max_pool_indices(x): maxima of windows and where they are; and
 * max_unpool(x, indices, shape), which brings them back. */
#include <math.h>

#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/dense/pool.h"

/* --- max_pool_indices(x) */

static int max_pool_indices_type(struct infer *x)
{
	if (pool_type(x) < 0)
		return -1;
	const struct type *values = x->result;
	const struct type *indices =
		type_is_ranked(values)
			? type_tensor(x->arena, ELEMENT_I64, values->rank, values->dim)
			: type_unranked(x->arena, ELEMENT_I64);

	return infer_tuple(x, 2, (const struct type *[]){ values, indices });
}

/* Joins values and indices of a row with those of one tap. The first maximum stays. */
#define JOIN_INDEXED(T)                                                                            \
	static void join_indexed_##T(T *y, int64_t *index, const T *x, int64_t first, int64_t n,   \
				     int64_t step)                                                 \
	{                                                                                          \
		for (int64_t i = 0; i < n; i++) {                                                  \
			T v = x[first + i * step];                                                 \
                                                                                                   \
			if (index[i] >= 0 && !(v > y[i]) && (!isnan(v) || isnan(y[i])))            \
				continue;                                                          \
			y[i] = v;                                                                  \
			index[i] = first + i * step;                                               \
		}                                                                                  \
	}

JOIN_INDEXED(float)
JOIN_INDEXED(double)

static void pool_plane(const struct pooling *p, const void *x, char *y, int64_t *index)
{
	const struct slide *s = &p->slide;
	int64_t wide = s->out[s->nd - 1], step = s->stride[s->nd - 1], place[SLIDE_MAX] = { 0 };
	struct slide_run r;

	for (int64_t row = 0; row < p->places; row += wide, slide_next_row(s, place))
		for (bool more = slide_first_run(s, place, &r); more;
		     more = slide_next_run(s, place, &r))
			if (p->element == ELEMENT_F32)
				join_indexed_float((float *)y + row + r.from, index + row + r.from,
						   x, r.first, r.to - r.from, step);
			else
				join_indexed_double((double *)y + row + r.from,
						    index + row + r.from, x, r.first,
						    r.to - r.from, step);
}

/* Element I of a plane, row-major, counted with the first dim fastest. */
static int64_t column_major(const struct slide *s, int64_t i)
{
	int64_t out = 0, at[SLIDE_MAX];

	for (int d = s->nd - 1; d >= 0; d--) {
		at[d] = i % s->in[d];
		i /= s->in[d];
	}
	for (int d = s->nd - 1; d >= 0; d--)
		out = out * s->in[d] + at[d];
	return out;
}

static int max_pool_indices_eval(struct eval *x)
{
	bool columns = call_int(x->call, "storage_order") != 0;
	struct pooling p;

	if (pool_begin(x, &p) < 0)
		return -1;
	struct array *indices = eval_result(x, 1, ELEMENT_I64, p.y->rank, p.y->dim);

	if (!indices)
		return -1;
	int64_t size = (int64_t)element_bytes(p.element), *index = indices->data;
	char *y = product_target(x, p.y, p.element);

	for (int64_t i = 0; i < indices->count; i++) {
		index[i] = -1;
		element_store(p.element, y, i, pool_lowest(p.y->element));
	}
	for (int64_t i = 0; i < p.planes; i++) {
		int64_t *at = index + i * p.places;

		if (eval_clock(x) < 0)
			return -1;
		pool_plane(&p, p.x + i * p.plane * size, y + i * p.places * size, at);
		for (int64_t j = 0; j < p.places; j++)	/* a window of padding has none: its plane's 0 */
			at[j] = i * p.plane + (at[j] < 0  ? 0
					       : columns ? column_major(&p.slide, at[j])
							 : at[j]);
	}
	product_store(p.y, p.element, y);
	return 0;
}

static int flat(struct builder *b, int x)
{
	return build(b, &core_reshape, x, build_ints(b, 1, (int64_t[]){ -1 }));
}

int pool_spread(struct gradient *x, int g, int indices)
{
	struct builder *b = x->builder;
	int in = x->call->args[0];
	int zeros = build(b, &core_fill, build(b, &core_shape_of, flat(b, in)),
			  build_scalar(b, build_type(b, in)->element, 0));
	struct attr_vec attrs = { 0 };

	attrs_string(b->arena, &attrs, "reduction", "add");
	int sum = build_with(b, &core_scatter_elements, &attrs, zeros, flat(b, indices), flat(b, g));

	return build(b, &core_reshape, sum, build(b, &core_shape_of, in));
}

static int max_pool_indices_gradient(struct gradient *x)
{
	if (call_int(x->call, "storage_order"))
		return err_set("max_pool_indices: with storage_order its gradient is not known");
	if (x->of_result[0] != VALUE_NONE)
		x->of_arg[0] = pool_spread(x, x->of_result[0],
					   build_field(x->builder, x->result, 1));
	return 0;
}

const struct core_op core_max_pool_indices = {
	.name = "max_pool_indices",
	.summary = "the maximum of each window of x [n, c, spatial...], and its place among the "
		   "elements of x",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		POOL_ATTRS,
		{ "storage_order", ATTR_INT, 0, NULL, "1: places count the first spatial dim fastest" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = max_pool_indices_type,
	.eval = max_pool_indices_eval,
	.gradient = max_pool_indices_gradient,
};

/* --- max_unpool(x, indices, shape?) */

/* The extent that windows along dim I reach, where IN is the number of them. */
static struct dim unpooled(struct arena *a, const struct slide *s, int i, struct dim in)
{
	struct dim places = dim_sub(a, in, dim_number(1));
	int64_t rest = s->kernel[i] - s->before[i] - s->after[i];

	return dim_add(a, dim_mul(a, places, dim_number(s->stride[i])), dim_of(a, rest));
}

static int max_unpool_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	struct slide s;
	const char *why;
	int n;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0)
		return -1;
	if (!type_is_ranked(in))
		return infer_unranked(x, in->element);
	if (in->rank < 3)
		return infer_error(x, "an image of rank %d", in->rank);
	if ((why = slide_read_pool(x->arena, x->call, in->rank - 2, &s)))
		return infer_error(x, "%s", why);
	const struct dim *shape = infer_has(x, 2) ? infer_elements(x, 2, &n) : NULL;

	if (shape && n != in->rank)
		return infer_error(x, "a shape of %d dims for rank %d", n, in->rank);
	for (int i = 0; i < in->rank; i++)
		out[i] = shape ? shape[i]
		       : infer_has(x, 2) ? dim_unknown()
		       : i < 2 ? in->dim[i] : unpooled(x->arena, &s, i - 2, in->dim[i]);
	return infer_tensor(x, in->element, in->rank, out);
}

/* Element I of a tensor of the extents FROM, in one of the extents TO; -1 where it is not there. */
static int64_t moved(int rank, const int64_t *from, const int64_t *to, int64_t i)
{
	int64_t out = 0, step = 1;

	for (int d = rank - 1; d >= 0; d--) {
		if (i % from[d] >= to[d])
			return -1;
		out += i % from[d] * step;
		step *= to[d];
		i /= from[d];
	}
	return out;
}

/* The extents that the indices count in, and those of the result. -1 and a message. */
static int unpool_shapes(struct eval *x, int64_t *inner, int64_t *outer)
{
	const struct array *in = eval_array(x, 0);
	struct slide s;
	const char *why;
	int n;

	if (in->rank < 3)
		return eval_error(x, "an image of rank %d", in->rank);
	if ((why = slide_read_pool(x->interp->scratch, x->call, in->rank - 2, &s)))
		return eval_error(x, "%s", why);
	for (int i = 0; i < in->rank; i++) {
		inner[i] = in->dim[i];
		if (i >= 2 && !dim_value(unpooled(x->interp->scratch, &s, i - 2,
						  dim_number(in->dim[i])), &inner[i]))
			return eval_error(x, "an extent beyond any size");
		outer[i] = inner[i];
	}
	if (!eval_has(x, 2))
		return 0;
	const int64_t *shape = eval_ints(x, 2, &n);

	if (n != in->rank)
		return eval_error(x, "a shape of %d dims for rank %d", n, in->rank);
	memcpy(outer, shape, sizeof(*shape) * (size_t)n);
	return 0;
}

static int max_unpool_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0), *indices = eval_array(x, 1);
	int64_t inner[GRAPH_MAX_RANK], outer[GRAPH_MAX_RANK];

	if (!array_same_shape(in, indices) || !element_is_integer(indices->element) ||
	    in->element == ELEMENT_STRING)
		return eval_error(x, "indices do not fit");
	if (unpool_shapes(x, inner, outer) < 0)
		return -1;
	struct array *y = eval_result(x, 0, in->element, in->rank, outer);
	int64_t count = shape_count(in->rank, inner);
	size_t size = element_bytes(in->element);

	if (!y)
		return -1;
	memset(y->data, 0, array_bytes(y));
	for (int64_t i = 0; i < in->count; i++) {
		int64_t at = array_int(indices, i);

		if (at < 0 || at >= count)
			return eval_error(x, "index %lld of %lld elements", (long long)at,
					  (long long)count);
		at = moved(in->rank, inner, outer, at);
		if (at >= 0)
			memcpy((char *)y->data + (size_t)at * size,
			       (const char *)in->data + (size_t)i * size, size);
	}
	return 0;
}

static int max_unpool_gradient(struct gradient *x)
{
	struct builder *b = x->builder;

	if (call_arg(x->call, 2) != VALUE_NONE)
		return err_set("max_unpool: with a shape its gradient is not known");
	x->of_arg[0] = build(b, &core_gather, flat(b, x->of_result[0]), x->call->args[1]);
	return 0;
}

const struct core_op core_max_unpool = {
	.name = "max_unpool",
	.summary = "zeros with the elements of x at the places that indices say, as max_pool_indices "
		   "gives them; in a result of the given shape, larger than what the windows reach",
	.min_args = 2,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){
		{ "kernel", ATTR_INTS, 0, NULL, "extents of the window" },
		SLIDE_ATTRS,
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = max_unpool_type,
	.eval = max_unpool_eval,
	.gradient = max_unpool_gradient,
};
