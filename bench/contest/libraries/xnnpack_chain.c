/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/xnnpack_chain.c - what follows a sum and does not fit its operator, as further
 * operators of XNNPACK; a clamp behind an addition or product is a part of it. */
#include "bench/contest/libraries/xnnpack.h"

#include <math.h>

#include "base/err.h"

/* XNNPACK reads that much past the end of what it is given. */
enum { EXTRA = XNN_EXTRA_BYTES / sizeof(float) };

struct view xnnpack_nhwc(const struct view *v)
{
	struct view own = { .tensor = v->tensor };
	int64_t stride[TENSOR_MAX_DIMS] = { 0, 1 }, size = v->dim[1].extent;

	for (int i = v->ndim - 1; i > 1; i--) {
		stride[i] = size;
		size *= v->dim[i].extent;
	}
	stride[0] = size;
	for (int i = 0; i < v->ndim; i++)
		view_add_strided(&own, v->dim[i].extent, stride[i]);
	return own;
}

float *xnnpack_room(struct arena *a, const struct view *v)
{
	return arena_many(a, float, view_count(v) + EXTRA);
}

/* Channels, and how many pixels have them. */
struct extent {
	size_t channels, pixels;
};

static struct extent extent_of(const struct work *w)
{
	size_t channels = (size_t)w->y.view.dim[1].extent;

	return (struct extent){ channels, (size_t)view_count(&w->y.view) / channels };
}

/* The extents of V in the order of NHWC. */
static void shape_of(const struct view *v, size_t *shape)
{
	shape[0] = (size_t)v->dim[0].extent;
	for (int i = 2; i < v->ndim; i++)
		shape[i - 1] = (size_t)v->dim[i].extent;
	shape[v->ndim - 1] = (size_t)v->dim[1].extent;
}

void xnnpack_take_clamp(const struct epilogue_vec *steps, int *i, float *low, float *high)
{
	const struct epilogue *e = &steps->at[*i];

	*low = -INFINITY;
	*high = INFINITY;
	if (*i == steps->n)
		return;
	if (e->kind == EPILOGUE_RELU && e->alpha == 0) {
		*low = 0;
		++*i;
	} else if (e->kind == EPILOGUE_CLIP) {
		*low = (float)e->alpha;
		*high = (float)e->beta;
		++*i;
	}
}

/* Y = clamp(Y + OTHER) or the product, OTHER of the extents of V. */
static enum xnn_status make_binary(struct xnnpack_step *s, enum epilogue_kind kind,
				   const struct work *w, const struct view *v, const float bound[2],
				   float *y, pthreadpool_t pool)
{
	size_t n = (size_t)w->y.view.ndim, shape[TENSOR_MAX_DIMS], other[TENSOR_MAX_DIMS];
	bool adds = kind == EPILOGUE_ADD;
	enum xnn_status status =
		adds ? xnn_create_add_nd_f32(bound[0], bound[1], 0, &s->op)
		     : xnn_create_multiply_nd_f32(bound[0], bound[1], 0, &s->op);

	if (status != xnn_status_success)
		return status;
	shape_of(&w->y.view, shape);
	shape_of(v, other);
	return adds ? xnn_setup_add_nd_f32(s->op, n, shape, n, other, y, s->other, y, pool)
		    : xnn_setup_multiply_nd_f32(s->op, n, shape, n, other, y, s->other, y, pool);
}

static enum xnn_status make_operand(struct arena *a, struct xnnpack_step *s,
				    const struct epilogue *e, const struct work *w,
				    const float bound[2], float *y, pthreadpool_t pool)
{
	struct view own = xnnpack_nhwc(&e->operand.view);

	if (!reorder_plan(&s->reorder, &e->operand.view, &own))
		return xnn_status_unsupported_parameter;
	s->operand = &e->operand;
	s->other = xnnpack_room(a, &own);
	return make_binary(s, e->kind, w, &own, bound, y, pool);
}

static enum xnn_status make_clamp(struct xnnpack_step *s, struct extent x, const float bound[2],
				  float *y, pthreadpool_t pool)
{
	enum xnn_status status = xnn_create_clamp_nc_f32(x.channels, x.channels, x.channels,
							 bound[0], bound[1], 0, &s->op);

	return status != xnn_status_success
		       ? status
		       : xnn_setup_clamp_nc_f32(s->op, x.pixels, y, y, pool);
}

static enum xnn_status make_leaky(struct xnnpack_step *s, struct extent x, double slope, float *y,
				  pthreadpool_t pool)
{
	enum xnn_status status = xnn_create_leaky_relu_nc_f32(x.channels, x.channels, x.channels,
							      (float)slope, 0, &s->op);

	return status != xnn_status_success
		       ? status
		       : xnn_setup_leaky_relu_nc_f32(s->op, x.pixels, y, y, pool);
}

static enum xnn_status make_sigmoid(struct xnnpack_step *s, struct extent x, const float *from,
				    float *to, pthreadpool_t pool)
{
	enum xnn_status status = xnn_create_sigmoid_nc_f32(x.channels, x.channels, x.channels, 0,
							   &s->op);

	return status != xnn_status_success
		       ? status
		       : xnn_setup_sigmoid_nc_f32(s->op, x.pixels, from, to, pool);
}

static enum xnn_status make_hard_swish(struct xnnpack_step *s, struct extent x, float *y,
				       pthreadpool_t pool)
{
	enum xnn_status status = xnn_create_hardswish_nc_f32(x.channels, x.channels, x.channels, 0,
							     &s->op);

	return status != xnn_status_success
		       ? status
		       : xnn_setup_hardswish_nc_f32(s->op, x.pixels, y, y, pool);
}

/* x * sigmoid(x) are two operators. */
static enum xnn_status make_silu(struct arena *a, struct xnnpack_chain *c, const struct work *w,
				 float *y, pthreadpool_t pool)
{
	const float all[2] = { -INFINITY, INFINITY };
	struct xnnpack_step *sigmoid = &c->step[c->n - 1], *product = &c->step[c->n++];
	float *room = xnnpack_room(a, &w->y.view);
	enum xnn_status status = make_sigmoid(sigmoid, extent_of(w), y, room, pool);

	product->other = room;
	return status != xnn_status_success
		       ? status
		       : make_binary(product, EPILOGUE_MUL, w, &w->y.view, all, y, pool);
}

/* The operators of step *I, which moves behind what they do. */
static enum xnn_status make_step(struct arena *a, struct xnnpack_chain *c, const struct work *w,
				 int *i, float *y, pthreadpool_t pool)
{
	const struct epilogue *e = &w->epilogue.at[*i];
	struct xnnpack_step *s = &c->step[c->n++];
	struct extent x = extent_of(w);
	float bound[2];

	xnnpack_take_clamp(&w->epilogue, i, &bound[0], &bound[1]);
	if (e != &w->epilogue.at[*i])
		return make_clamp(s, x, bound, y, pool);
	++*i;
	switch (e->kind) {
	case EPILOGUE_ADD:
	case EPILOGUE_MUL:
		xnnpack_take_clamp(&w->epilogue, i, &bound[0], &bound[1]);
		return make_operand(a, s, e, w, bound, y, pool);
	case EPILOGUE_RELU:
		return make_leaky(s, x, e->alpha, y, pool);
	case EPILOGUE_SIGMOID:
		return make_sigmoid(s, x, y, y, pool);
	case EPILOGUE_SILU:
		return make_silu(a, c, w, y, pool);
	case EPILOGUE_HARD_SWISH:
		return make_hard_swish(s, x, y, pool);
	case EPILOGUE_CLIP:
	case EPILOGUE_LINEAR:
	case EPILOGUE_ROUND:
	case EPILOGUE_CAST:
	case EPILOGUE_GELU:
	case EPILOGUE_TANH:
		break;
	}
	return xnn_status_unsupported_parameter;
}

const char *xnnpack_chain_make(struct arena *a, struct xnnpack_chain *c, const struct work *w,
			       int first, float *y, pthreadpool_t pool)
{
	for (int i = first; i < w->epilogue.n;) {
		enum epilogue_kind kind = w->epilogue.at[i].kind;

		if (c->n + 2 > XNNPACK_MAX_STEPS)	/* one step may be two operators */
			return "too much follows the sum";
		if (make_step(a, c, w, &i, y, pool) != xnn_status_success)
			return arena_printf(a, "XNNPACK has no %s like that", epilogue_name(kind));
	}
	return NULL;
}

int xnnpack_chain_run(const struct xnnpack_chain *c, pthreadpool_t pool)
{
	for (int i = 0; i < c->n; i++)
		if (xnn_run_operator(c->step[i].op, pool) != xnn_status_success)
			return err_set("XNNPACK does not run it");
	return 0;
}

void xnnpack_chain_free(struct xnnpack_chain *c)
{
	for (int i = 0; i < c->n; i++)
		if (c->step[i].op)
			xnn_delete_operator(c->step[i].op);
	c->n = 0;
}
