/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/xnnpack.c - XNNPACK's convolution over NHWC images and its fully connected layer,
 * with bias and clamp in them. A one-dimensional image is one of a single row. What else follows is
 * done by further operators of the library. */
#include "config.h"

#include "bench/contest/libraries/xnnpack.h"

#include <pthreadpool.h>

#include "base/err.h"
#include "te/eval.h"

struct layer {
	const struct contestant_task *task;
	const struct work *work;
	bool plain;		/* reorders are in the clock */
	pthreadpool_t pool;
	xnn_operator_t op;
	struct reorder in, out, weight;
	float *x, *y, *kernel;	/* in the library's layout */
	float *bias;		/* NULL: none */
	float low, high;	/* of the clamp */
	int fused;		/* steps of the epilogue that these are */
	struct xnnpack_chain chain;	/* the others */
};

/* Weights are [oc, kernel..., ic], which is NHWC again; those of a product [k, n] are [n, k]. */
static struct view own_weight(const struct work *w)
{
	struct view own = { .tensor = w->b.view.tensor };

	if (w->kind == WORK_CONV)
		return xnnpack_nhwc(&w->b.view);
	view_add_strided(&own, w->b.view.dim[0].extent, 1);
	view_add_strided(&own, w->b.view.dim[1].extent, w->b.view.dim[0].extent);
	return own;
}

static float *arg(const struct layer *l, const struct operand *o)
{
	return l->task->args[dag_arg(l->task->dag, o->op)];
}

static bool is_bias(const struct work *w, const struct epilogue *e)
{
	const struct view *v = &e->operand.view;

	if (e->kind != EPILOGUE_ADD || e->operand.op->kind != OP_CONST)
		return false;
	for (int i = 0; i < v->ndim; i++)
		if (v->dim[i].extent != (i == 1 ? w->y.view.dim[1].extent : 1))
			return false;
	return true;
}

/* Bias and clamp, where the epilogue begins with them. */
static void read_epilogue(struct arena *a, struct layer *l)
{
	const struct epilogue_vec *steps = &l->work->epilogue;

	if (steps->n > 0 && is_bias(l->work, &steps->at[0])) {
		l->bias = xnnpack_room(a, &steps->at[0].operand.view);
		view_gather(&steps->at[0].operand.view, arg(l, &steps->at[0].operand), l->bias);
		l->fused = 1;
	}
	xnnpack_take_clamp(steps, &l->fused, &l->low, &l->high);
}

static const char *refusal(const struct work *w)
{
	if (w->kind == WORK_MATMUL)
		return w->nbatch > 0 ? "XNNPACK multiplies no batches of matrices" : NULL;
	if (w->spatial > 2)
		return "XNNPACK has no convolutions over three dimensions";
	for (int i = 0; i < w->spatial; i++)
		if (work_pad_end(w, i) < 0)
			return "its last windows are left out";
	return NULL;
}

/* Of a window's parameter the one in direction D of height and width; OTHERWISE where the image
 * has a single row. */
static uint32_t window(const struct work *w, const int64_t *v, int d, int64_t otherwise)
{
	int i = w->spatial - 2 + d;

	return (uint32_t)(i < 0 ? otherwise : v[i]);
}

static enum xnn_status create_conv(struct layer *l)
{
	const struct work *w = l->work;
	const int64_t groups = w->groups, ic = w->a.view.dim[1].extent;
	const int64_t oc = w->y.view.dim[1].extent;
	int64_t end[WORK_MAX_SPATIAL], kernel[WORK_MAX_SPATIAL], size[WORK_MAX_SPATIAL];

	for (int i = 0; i < w->spatial; i++) {
		end[i] = work_pad_end(w, i);
		kernel[i] = w->b.view.dim[2 + i].extent;
		size[i] = w->a.view.dim[2 + i].extent;
	}
	enum xnn_status status = xnn_create_convolution2d_nhwc_f32(
		window(w, w->pad_begin, 0, 0), window(w, end, 1, 0), window(w, end, 0, 0),
		window(w, w->pad_begin, 1, 0), window(w, kernel, 0, 1), window(w, kernel, 1, 1),
		window(w, w->stride, 0, 1), window(w, w->stride, 1, 1),
		window(w, w->dilation, 0, 1), window(w, w->dilation, 1, 1), (uint32_t)groups,
		(size_t)(ic / groups), (size_t)(oc / groups), (size_t)ic, (size_t)oc, l->kernel,
		l->bias, l->low, l->high, 0, &l->op);

	if (status != xnn_status_success)
		return status;
	return xnn_setup_convolution2d_nhwc_f32(l->op, (size_t)w->a.view.dim[0].extent,
						window(w, size, 0, 1), window(w, size, 1, 1), l->x,
						l->y, l->pool);
}

static enum xnn_status create_product(struct layer *l)
{
	const struct work *w = l->work;
	size_t m = (size_t)w->y.view.dim[0].extent, n = (size_t)w->y.view.dim[1].extent;
	size_t k = (size_t)w->a.view.dim[1].extent;
	enum xnn_status status = xnn_create_fully_connected_nc_f32(
		k, n, k, n, l->kernel, l->bias, l->low, l->high, 0, &l->op);

	if (status != xnn_status_success)
		return status;
	return xnn_setup_fully_connected_nc_f32(l->op, m, l->x, l->y, l->pool);
}

struct reorder_share {
	const struct reorder *r;
	const float *from;
	float *to;
	int parts;
};

static void run_share(void *user, size_t part)
{
	const struct reorder_share *s = user;

	reorder_run(s->r, s->from, s->to, (int)part, s->parts);
}

static void reorder_all(const struct layer *l, const struct reorder *r, const float *from,
			float *to)
{
	struct reorder_share s = { r, from, to, l->task->threads };

	pthreadpool_parallelize_1d(l->pool, run_share, &s, (size_t)s.parts, 0);
}

/* Makes the operator, which packs the weights. -1 and a message. */
static int pack(struct layer *l)
{
	reorder_all(l, &l->weight, arg(l, &l->work->b), l->kernel);
	enum xnn_status status = l->work->kind == WORK_CONV ? create_conv(l) : create_product(l);

	return status == xnn_status_success ? 0 : err_set("XNNPACK refuses it (status %d)", status);
}

static void unpack(struct layer *l)
{
	if (l->op)
		xnn_delete_operator(l->op);
	l->op = NULL;
}

/* What the chain adds or multiplies: constants, or what changes with each call. */
static void take_operands(const struct layer *l, bool constants)
{
	for (int i = 0; i < l->chain.n; i++) {
		const struct xnnpack_step *s = &l->chain.step[i];

		if (s->operand && (s->operand->op->kind == OP_CONST) == constants)
			reorder_all(l, &s->reorder, arg(l, s->operand), s->other);
	}
}

static int run(void *handle)
{
	struct layer *l = handle;

	if (l->work->b.op->kind != OP_CONST) {
		unpack(l);
		if (pack(l) < 0)
			return -1;
	}
	if (l->plain) {
		reorder_all(l, &l->in, arg(l, &l->work->a), l->x);
		take_operands(l, false);
	}
	if (xnn_run_operator(l->op, l->pool) != xnn_status_success)
		return err_set("XNNPACK does not run it");
	if (xnnpack_chain_run(&l->chain, l->pool) < 0)
		return -1;
	if (l->plain)
		reorder_all(l, &l->out, l->y, arg(l, &l->work->y));
	return 0;
}

static void release(void *handle)
{
	struct layer *l = handle;

	unpack(l);
	xnnpack_chain_free(&l->chain);
	pthreadpool_destroy(l->pool);
}

/* What is known before anything is made. */
static const char *plan(struct arena *a, struct layer *l)
{
	const struct work *w = l->work;
	const char *why = refusal(w);

	if (why)
		return why;
	read_epilogue(a, l);
	struct view x = xnnpack_nhwc(&w->a.view), y = xnnpack_nhwc(&w->y.view), weight = own_weight(w);

	if (!reorder_plan(&l->in, &w->a.view, &x) || !reorder_plan(&l->out, &y, &w->y.view) ||
	    !reorder_plan(&l->weight, &w->b.view, &weight))
		return "its layout does not become NHWC";
	if (l->plain && reorder_is_copy(&l->in) && reorder_is_copy(&l->out))
		return "its layout is the library's own: see nhwc";
	l->x = xnnpack_room(a, &x);
	l->y = xnnpack_room(a, &y);
	l->kernel = xnnpack_room(a, &weight);
	return NULL;
}

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	struct layer *l = arena_one(a, struct layer);

	*l = (struct layer){ .task = t, .work = t->work, .plain = strcmp(t->entry, "plain") == 0 };
	*why = t->work ? plan(a, l) : t->why;
	if (*why)
		return NULL;
	if (xnn_initialize(NULL) != xnn_status_success) {
		*why = "XNNPACK does not support this machine";
		return NULL;
	}
	l->pool = pthreadpool_create((size_t)t->threads);
	if (!l->pool)
		die("no threads");
	*why = xnnpack_chain_make(a, &l->chain, t->work, l->fused, l->y, l->pool);
	if (!*why && pack(l) < 0)
		*why = arena_strdup(a, err_get());
	if (*why) {
		release(l);
		return NULL;
	}
	reorder_all(l, &l->in, arg(l, &l->work->a), l->x);
	take_operands(l, true);
	take_operands(l, false);
	return l;
}

static const char *kernel(void *handle)
{
	const struct layer *l = handle;

	return l->work->kind == WORK_CONV ? "convolution2d_nhwc_f32" : "fully_connected_nc_f32";
}

static int output(void *handle, void *out)
{
	struct layer *l = handle;

	reorder_run(&l->out, l->y, out, 0, 1);
	return 0;
}

static const char *version(struct arena *a)
{
	return arena_printf(a, "XNNPACK %s, pthreadpool", XNNPACK_VERSION);
}

static const struct contestant_entry entries[] = {
	{ "nhwc", "constant weights packed before, others in the clock; activations in its NHWC" },
	{ "plain", "constant weights packed before, others in the clock; activations reordered "
		   "from the task's layout to NHWC and back in the clock" },
	{ NULL, NULL },
};

const struct contestant contestant = {
	.name = "xnnpack",
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};
