/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/pool.c - max_pool(x), avg_pool(x): maximum and average over
 * windows. */
#include <math.h>

#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/op/dense/pool.h"
#include "graph/op/dense/window_gradient.h"

/* Integers of 64 bits fit no type that pools are computed in. */
static bool is_pooled(enum element e)
{
	return element_is_float(e) || (element_is_integer(e) && element_bits(e) <= 32);
}

/* f32, or what holds all E. */
static enum element pool_element(enum element e)
{
	return e == ELEMENT_F64 || (!element_is_float(e) && element_bits(e) > 16) ? ELEMENT_F64
										  : ELEMENT_F32;
}

static int check_element(const struct infer *x)
{
	enum element e = infer_type(x, 0)->element;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0)
		return -1;
	if (e != ELEMENT_COUNT && !is_pooled(e))
		return infer_error(x, "an operand of %s", element_name(e));
	return 0;
}

int pool_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0);
	struct dim out[GRAPH_MAX_RANK];
	struct slide s;
	const char *why;

	if (check_element(x) < 0)
		return -1;
	if (!type_is_ranked(in))
		return infer_unranked(x, in->element);
	if (in->rank < 3)
		return infer_error(x, "an image of rank %d", in->rank);
	if ((why = slide_read_pool(x->arena, x->call, in->rank - 2, &s)))
		return infer_error(x, "%s", why);
	out[0] = in->dim[0];
	out[1] = in->dim[1];
	for (int i = 0; i < s.nd; i++)
		if ((why = slide_places(x->arena, x->call, &s, i, in->dim[2 + i], &out[2 + i])))
			return infer_error(x, "%s", why);
	return infer_tensor(x, in->element, in->rank, out);
}

int pool_begin(struct eval *x, struct pooling *p)
{
	const struct array *in = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK] = { 0 };
	const char *why;

	if (in->rank < 3 || !is_pooled(in->element))
		return eval_error(x, "an image of %s of rank %d", element_name(in->element),
				  in->rank);
	if ((why = slide_read_pool(x->interp->scratch, x->call, in->rank - 2, &p->slide)) ||
	    (why = slide_fit(x->interp->scratch, x->call, in->dim + 2, &p->slide)))
		return eval_error(x, "%s", why);
	dim[0] = in->dim[0];
	dim[1] = in->dim[1];
	memcpy(dim + 2, p->slide.out, sizeof(*dim) * (size_t)p->slide.nd);
	p->y = eval_result(x, 0, in->element, in->rank, dim);
	if (!p->y)
		return -1;
	p->element = pool_element(in->element);
	p->planes = in->dim[0] * in->dim[1];
	p->plane = slide_elements(&p->slide);
	p->places = slide_places_count(&p->slide);
	p->x = product_operand(x, in, p->element);
	return 0;
}

/* NaN wins. */
#define JOINERS(T)                                                                                 \
	static void max_##T(void *to, const void *from, const void *w, int64_t n, int64_t step)    \
	{                                                                                          \
		T *restrict y = to;                                                                \
		const T *x = from;                                                                 \
                                                                                                   \
		(void)w;                                                                           \
		for (int64_t i = 0; i < n; i++)                                                    \
			y[i] = x[i * step] > y[i] || x[i * step] != x[i * step] ? x[i * step]      \
										: y[i];            \
	}                                                                                          \
                                                                                                   \
	static void sum_##T(void *to, const void *from, const void *w, int64_t n, int64_t step)    \
	{                                                                                          \
		T *restrict y = to;                                                                \
		const T *x = from;                                                                 \
                                                                                                   \
		(void)w;                                                                           \
		for (int64_t i = 0; i < n; i++)                                                    \
			y[i] += x[i * step];                                                       \
	}

JOINERS(float)
JOINERS(double)

/* BEGIN joined with all elements of all windows, to Y. -1 and a message where time is over. */
static int pool_run(struct eval *x, const struct pooling *p, double begin, slide_joiner *join,
		    char *y)
{
	int64_t size = (int64_t)element_bytes(p->element);

	for (int64_t i = 0; i < p->planes * p->places; i++)
		if (p->element == ELEMENT_F32)
			((float *)y)[i] = (float)begin;
		else
			((double *)y)[i] = begin;
	for (int64_t i = 0; i < p->planes; i++) {
		if (eval_clock(x) < 0)
			return -1;
		slide_join(&p->slide, (size_t)size, p->x + i * p->plane * size, NULL,
			   y + i * p->places * size, join);
	}
	return 0;
}

static struct op *pool_express(struct express *x, bool count_include_pad,
			       struct op *(*build_pool)(struct dag *d, struct op *x,
							const struct pool *pool))
{
	int64_t in[GRAPH_MAX_RANK];
	int rank = express_shape(x, 0, in);
	struct pool pool = { .count_include_pad = count_include_pad };
	struct slide s;
	const char *why;

	if ((why = slide_read_pool(x->dag->arena, x->call, rank - 2, &s)) ||
	    (why = slide_fit(x->dag->arena, x->call, in + 2, &s)))
		return express_error(x, "%s", why);
	if (!slide_express(x, &s, &pool.window))
		return NULL;
	for (int i = 0; i < s.nd; i++) {
		pool.kernel[i] = s.kernel[i];
		if (count_include_pad && pool.window.pad_end[i] > s.after[i])
			return express_error(x, "an average that counts padding but not what ceil "
						"goes beyond it");
	}
	return build_pool(x->dag, x->ops[0], &pool);
}

/* --- max_pool(x) */

double pool_lowest(enum element e)
{
	return element_is_float(e) ? -INFINITY : (double)element_min(e);
}

static int max_pool_eval(struct eval *x)
{
	struct pooling p;

	if (pool_begin(x, &p) < 0)
		return -1;
	void *y = product_target(x, p.y, p.element);

	if (pool_run(x, &p, pool_lowest(p.y->element), p.element == ELEMENT_F32 ? max_float : max_double,
		     y) < 0)
		return -1;
	product_store(p.y, p.element, y);
	return 0;
}

static struct op *max_pool_express(struct express *x)
{
	return pool_express(x, false, op_max_pool);
}

static int max_pool_gradient(struct gradient *x)
{
	struct attr_vec attrs = { .n = x->call->nattrs };

	attrs.at = arena_memdup(x->builder->arena, x->call->attrs,
				sizeof(*attrs.at) * (size_t)attrs.n);
	int both = build_with(x->builder, &core_max_pool_indices, &attrs, x->call->args[0]);

	x->of_arg[0] = pool_spread(x, x->of_result[0], build_field(x->builder, both, 1));
	return 0;
}

const struct core_op core_max_pool = {
	.name = "max_pool",
	.summary = "the maximum of each window of x [n, c, spatial...]; NaN wins",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){ POOL_ATTRS, { 0 } },
	.fusion = FUSION_COMPLEX,
	.type = pool_type,
	.eval = max_pool_eval,
	.express = max_pool_express,
	.gradient = max_pool_gradient,
};

/* --- avg_pool(x) */

static int avg_pool_type(struct infer *x)
{
	return infer_class(x, 0, CLASS_BIT(FLOAT)) < 0 ? -1 : pool_type(x);
}

/* What the sums of one plane are divided by; 1 for a window that sees nothing. */
static double *window_counts(struct arena *a, const struct slide *s, bool padded)
{
	int64_t wide = s->out[s->nd - 1];
	int64_t rows = wide ? slide_places_count(s) / wide : 0;
	int64_t place[SLIDE_MAX] = { 0 };
	double *counts = arena_many(a, double, rows * wide + 1), *at = counts;

	for (; rows > 0; rows--, slide_next_row(s, place)) {
		double row = 1;

		for (int i = 0; i < s->nd - 1; i++)
			row *= (double)slide_count(s, i, place[i], padded);
		for (int64_t i = 0; i < wide; i++) {
			double count = row * (double)slide_count(s, s->nd - 1, i, padded);

			*at++ = count > 0 ? count : 1;
		}
	}
	return counts;
}

static int avg_pool_eval(struct eval *x)
{
	struct pooling p;

	if (pool_begin(x, &p) < 0)
		return -1;
	if (p.y->count == 0)	/* of no planes there may be places beyond any number */
		return 0;
	void *y = product_target(x, p.y, p.element);
	const double *counts = window_counts(x->interp->scratch, &p.slide,
					     call_flag(x->call, "count_include_pad"));

	if (pool_run(x, &p, 0, p.element == ELEMENT_F32 ? sum_float : sum_double, y) < 0)
		return -1;
	for (int64_t i = 0; i < p.planes; i++)
		for (int64_t j = 0; j < p.places; j++)
			if (p.element == ELEMENT_F32)
				((float *)y)[i * p.places + j] /= (float)counts[j];
			else
				((double *)y)[i * p.places + j] /= counts[j];
	product_store(p.y, p.element, y);
	return 0;
}

static struct op *avg_pool_express(struct express *x)
{
	return pool_express(x, call_flag(x->call, "count_include_pad"), op_avg_pool);
}

/* Each place gives its gradient, divided by the number of its elements, to all of them: a transposed
 * convolution with ones. */
static int avg_pool_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	const struct type *t = build_type(b, x->call->args[0]);
	int64_t in[SLIDE_MAX], dim[GRAPH_MAX_RANK] = { 1, 1 }, channels;
	int nd = t->rank - 2;
	const char *why;
	struct slide s;

	if ((why = slide_read_pool(b->arena, x->call, nd, &s)))
		return err_set("avg_pool: %s", why);
	if (window_extents(x, x->call->args[0], in, nd) < 0)
		return -1;
	if ((why = slide_fit(b->arena, x->call, in, &s)))
		return err_set("avg_pool: %s", why);
	if (!dim_value(t->dim[1], &channels))
		return err_set("avg_pool: its gradient needs a number of channels that is known");
	memcpy(dim + 2, s.out, sizeof(*dim) * (size_t)nd);
	struct array *counts = array_in(b->arena, t->element, t->rank, dim);

	element_put_f64(t->element, counts->data, 0, counts->count,
			window_counts(b->arena, &s, call_flag(x->call, "count_include_pad")));
	dim[0] = channels;
	memcpy(dim + 2, s.kernel, sizeof(*dim) * (size_t)nd);
	int ones = build(b, &core_fill, build_ints(b, t->rank, dim), build_scalar(b, t->element, 1));
	int share = build(b, &core_div, x->of_result[0], build_const(b, counts));

	x->of_arg[0] = window_by_image(b, share, ones, &s, channels);
	return 0;
}

const struct core_op core_avg_pool = {
	.name = "avg_pool",
	.summary = "the mean of each window of x [n, c, spatial...]",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		POOL_ATTRS,
		{ "count_include_pad", ATTR_INT, 0, NULL, "1: padding is zeros among the elements" },
		{ 0 } },
	.fusion = FUSION_COMPLEX,
	.type = avg_pool_type,
	.eval = avg_pool_eval,
	.express = avg_pool_express,
	.gradient = avg_pool_gradient,
};
