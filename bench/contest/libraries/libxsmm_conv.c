/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/libxsmm_conv.c - libxsmm's direct convolution over one or two dimensions, in the
 * blocked layouts that it asks for; one dimension is an image of a single row. */
#include <libxsmm.h>
#include <omp.h>

#include "base/err.h"
#include "bench/contest/libraries/libxsmm.h"
#include "bench/contest/libraries/reorder.h"
#include "te/eval.h"

enum { SCRATCH_ALIGN = 1 << 21 };	/* as the library's own examples do: a large page */

/* A tensor of the library: its memory, and how it becomes the DAG's. */
struct xsmm_side {
	libxsmm_dnn_tensor_type type;
	libxsmm_dnn_tensor *tensor;
	struct reorder reorder;		/* from the DAG's; of the result to it */
	float *memory;
	float *first;			/* in MEMORY, behind the padding */
};

struct xsmm_conv {
	const struct contestant_task *task;
	bool plain;		/* reorders are in the clock */
	libxsmm_dnn_layer *layer;
	struct xsmm_side x, weight, y;
	void *scratch;
};

static int last(const struct work *w)
{
	return w->spatial - 1;
}

/* A window's parameter along the height: OTHERWISE where there is none. */
static int height(const struct work *w, const int64_t *v, int otherwise)
{
	return w->spatial == 2 ? (int)v[0] : otherwise;
}

static const char *refusal(const struct work *w)
{
	if (w->spatial > 2)
		return "libxsmm has no convolutions over three dimensions";
	if (w->groups > 1)
		return "libxsmm has no groups";
	for (int i = 0; i < w->spatial; i++) {
		int64_t room = w->a.view.dim[2 + i].extent + 2 * w->pad_begin[i] -
			       w->b.view.dim[2 + i].extent;

		if (w->dilation[i] > 1)
			return "libxsmm has no dilation";
		if (room / w->stride[i] + 1 != w->y.view.dim[2 + i].extent)
			return "libxsmm pads both sides alike";
	}
	return NULL;
}

static libxsmm_dnn_conv_desc describe(const struct contestant_task *t)
{
	const struct work *w = t->work;
	int64_t size[2], kernel[2];

	for (int i = 0; i < w->spatial; i++) {
		size[i] = w->a.view.dim[2 + i].extent;
		kernel[i] = w->b.view.dim[2 + i].extent;
	}
	return (libxsmm_dnn_conv_desc){
		.N = (int)w->a.view.dim[0].extent,
		.C = (int)w->a.view.dim[1].extent,
		.H = height(w, size, 1),
		.W = (int)size[last(w)],
		.K = (int)w->y.view.dim[1].extent,
		.R = height(w, kernel, 1),
		.S = (int)kernel[last(w)],
		.u = height(w, w->stride, 1),
		.v = (int)w->stride[last(w)],
		.pad_h = height(w, w->pad_begin, 0),
		.pad_w = (int)w->pad_begin[last(w)],
		.pad_h_in = height(w, w->pad_begin, 0),
		.pad_w_in = (int)w->pad_begin[last(w)],
		.threads = t->threads,
		.datatype_in = LIBXSMM_DNN_DATATYPE_F32,
		.datatype_out = LIBXSMM_DNN_DATATYPE_F32,
		.buffer_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM,
		.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM,
		.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT,
		.options = LIBXSMM_DNN_CONV_OPTION_OVERWRITE,
		.fuse_ops = LIBXSMM_DNN_CONV_FUSE_NONE,
	};
}

/* The dimensions of an image and of weights, as the DAG's views have them. */
static const libxsmm_dnn_tensor_dimtype image_dims[] = {
	LIBXSMM_DNN_TENSOR_DIMTYPE_N, LIBXSMM_DNN_TENSOR_DIMTYPE_C, LIBXSMM_DNN_TENSOR_DIMTYPE_H,
	LIBXSMM_DNN_TENSOR_DIMTYPE_W,
};
static const libxsmm_dnn_tensor_dimtype weight_dims[] = {
	LIBXSMM_DNN_TENSOR_DIMTYPE_K, LIBXSMM_DNN_TENSOR_DIMTYPE_C, LIBXSMM_DNN_TENSOR_DIMTYPE_R,
	LIBXSMM_DNN_TENSOR_DIMTYPE_S,
};

/* Dimension D of V in the library's layout L, which lists them from the fastest on. A padded one
 * has more places than V and is in one part. */
static void add_dim(struct view *own, const struct view *v, int d,
		    const libxsmm_dnn_tensor_datalayout *l, libxsmm_dnn_tensor_dimtype type)
{
	int64_t stride = 1;
	struct view_part parts[VIEW_MAX_PARTS];
	int n = 0;

	for (unsigned int i = 0; i < l->num_dims; i++) {
		if (l->dim_type[i] == type && n < VIEW_MAX_PARTS)
			parts[n++] = (struct view_part){ .extent = l->dim_size[i],
							 .stride = stride };
		stride *= l->dim_size[i];
	}
	if (n == 1)
		parts[0].extent = v->dim[d].extent;
	view_add_dim(own);
	while (n-- > 0)
		view_add_inner(own, parts[n].extent, parts[n].stride);
}

static struct view own_view(const struct view *v, const libxsmm_dnn_tensor_datalayout *l,
			    const libxsmm_dnn_tensor_dimtype *dims)
{
	struct view own = { .tensor = v->tensor };

	for (int d = 0; d < v->ndim; d++)	/* a single row has no height */
		add_dim(&own, v, d, l, d >= 2 && v->ndim == 3 ? dims[d + 1] : dims[d]);
	return own;
}

static int check(libxsmm_dnn_err_t status)
{
	return status == LIBXSMM_DNN_SUCCESS ? 0 : err_set("libxsmm: %s",
							   libxsmm_dnn_get_error(status));
}

/* Makes the tensor S and hands it to the layer. -1 and a message. */
static int bind(struct xsmm_conv *c, struct xsmm_side *s, const struct operand *o)
{
	const struct work *w = c->task->work;
	libxsmm_dnn_err_t status;
	libxsmm_dnn_tensor_datalayout *l =
		libxsmm_dnn_create_tensor_datalayout(c->layer, s->type, &status);
	int64_t count = 1, pad = 0;

	if (!l)
		return check(status);
	for (unsigned int i = 0; i < l->num_dims; i++)
		count *= l->dim_size[i];
	struct view own = own_view(&o->view, l, o == &w->b ? weight_dims : image_dims);

	for (int i = 0; i < w->spatial && o == &w->a; i++)
		pad += w->pad_begin[i] * own.dim[2 + i].part[0].stride;
	s->memory = libxsmm_aligned_malloc((size_t)count * sizeof(float), 64);
	if (!s->memory)
		die("out of memory");
	memset(s->memory, 0, (size_t)count * sizeof(float));
	s->first = s->memory + pad;
	s->tensor = libxsmm_dnn_link_tensor(l, s->memory, &status);
	libxsmm_dnn_destroy_tensor_datalayout(l);
	if (check(status) < 0 ||
	    check(libxsmm_dnn_bind_tensor(c->layer, s->tensor, s->type)) < 0)
		return -1;
	if (o == &w->y ? !reorder_plan(&s->reorder, &own, &o->view)
		       : !reorder_plan(&s->reorder, &o->view, &own))
		return err_set("its layout does not become libxsmm's");
	return 0;
}

static float *arg(const struct xsmm_conv *c, const struct operand *o)
{
	return c->task->args[dag_arg(c->task->dag, o->op)];
}

static int bind_all(struct xsmm_conv *c)
{
	const struct work *w = c->task->work;
	libxsmm_dnn_err_t status;

	if (bind(c, &c->x, &w->a) < 0 || bind(c, &c->weight, &w->b) < 0 || bind(c, &c->y, &w->y) < 0)
		return -1;
	size_t size = libxsmm_dnn_get_scratch_size(c->layer, LIBXSMM_DNN_COMPUTE_KIND_FWD, &status);

	if (check(status) < 0)
		return -1;
	c->scratch = libxsmm_aligned_malloc(size, SCRATCH_ALIGN);
	return check(libxsmm_dnn_bind_scratch(c->layer, LIBXSMM_DNN_COMPUTE_KIND_FWD, c->scratch));
}

static void reorder_all(const struct xsmm_conv *c, const struct reorder *r, const float *from,
			float *to)
{
#pragma omp parallel for num_threads(c->task->threads)
	for (int i = 0; i < c->task->threads; i++)
		reorder_run(r, from, to, i, c->task->threads);
}

static void take(const struct xsmm_conv *c, const struct xsmm_side *s, const struct operand *o)
{
	reorder_all(c, &s->reorder, arg(c, o), s->first);
}

static void release_side(const struct xsmm_conv *c, struct xsmm_side *s)
{
	if (s->tensor) {
		libxsmm_dnn_release_tensor(c->layer, s->type);
		libxsmm_dnn_destroy_tensor(s->tensor);
	}
	libxsmm_free(s->memory);
}

static void release(void *handle)
{
	struct xsmm_conv *c = handle;

	if (!c->layer)
		return;
	if (c->scratch)
		libxsmm_dnn_release_scratch(c->layer, LIBXSMM_DNN_COMPUTE_KIND_FWD);
	libxsmm_free(c->scratch);
	release_side(c, &c->x);
	release_side(c, &c->weight);
	release_side(c, &c->y);
	libxsmm_dnn_destroy_conv_layer(c->layer);
}

static void *prepare(struct arena *a, const struct contestant_task *t, bool plain, const char **why)
{
	struct xsmm_conv *c = arena_one(a, struct xsmm_conv);
	libxsmm_dnn_err_t status;

	*c = (struct xsmm_conv){ .task = t, .plain = plain };
	c->x.type = LIBXSMM_DNN_REGULAR_INPUT;
	c->weight.type = LIBXSMM_DNN_REGULAR_FILTER;
	c->y.type = LIBXSMM_DNN_REGULAR_OUTPUT;
	*why = refusal(t->work);
	if (*why)
		return NULL;
	c->layer = libxsmm_dnn_create_conv_layer(describe(t), &status);
	if (check(status) < 0 || bind_all(c) < 0) {
		*why = arena_strdup(a, err_get());
		release(c);
		return NULL;
	}
	take(c, &c->x, &t->work->a);
	take(c, &c->weight, &t->work->b);
	return c;
}

static void run(void *handle)
{
	const struct xsmm_conv *c = handle;
	const struct work *w = c->task->work;

	if (w->b.op->kind != OP_CONST)
		take(c, &c->weight, &w->b);
	if (c->plain)
		take(c, &c->x, &w->a);
#pragma omp parallel num_threads(c->task->threads)
	libxsmm_dnn_execute_st(c->layer, LIBXSMM_DNN_COMPUTE_KIND_FWD, 0, omp_get_thread_num());
	if (c->plain)
		reorder_all(c, &c->y.reorder, c->y.first, arg(c, &w->y));
}

static const char *kernel(void *handle)
{
	(void)handle;
	return "direct convolution";
}

static void output(void *handle, void *out)
{
	const struct xsmm_conv *c = handle;

	reorder_run(&c->y.reorder, c->y.first, out, 0, 1);
}

const struct xsmm_kind xsmm_convolution = {
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};
