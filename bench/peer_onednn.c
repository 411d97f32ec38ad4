/* SPDX-License-Identifier: Apache-2.0 */
/* bench/peer_onednn.c - oneDNN's matmul, and its direct convolution (never Winograd).
 *
 * A constant weight is packed beforehand. Matrices are read and written as the DAG has them; images
 * are in the library's own layout, reordered outside of timing, as they are between the layers of a
 * model that it runs. */
#include "config.h"

#include "bench/peer.h"

#ifdef HAVE_DNNL

#include <dlfcn.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench/onednn.h"

static const char *version(struct arena *a)
{
	const dnnl_version_t *v = dnnl_version();

	return arena_printf(a, "oneDNN %d.%d.%d, %s", v->major, v->minor, v->patch,
			    v->cpu_runtime == DNNL_RUNTIME_OMP ? "OpenMP" : "one thread");
}

static int create(struct onednn *h, const_dnnl_op_desc_t op, const char *what)
{
	return onednn_check(dnnl_primitive_desc_create(&h->desc, op, h->attr, h->engine, NULL),
			    what);
}

/* A bias along the channels: of a matrix it has the rank of the result. */
static const dnnl_memory_desc_t *bias_desc(const struct onednn *h, dnnl_memory_desc_t *md)
{
	dnnl_dims_t dims;

	if (!h->bias)
		return NULL;
	onednn_dense(&h->bias->view, 0, md);
	if (h->task->work->kind == WORK_CONV) {
		dims[0] = md->dims[1];
		dnnl_memory_desc_init_by_tag(md, 1, dims, dnnl_f32, dnnl_a);
	}
	return md;
}

static int describe_matmul(struct onednn *h)
{
	const struct work *w = h->task->work;
	dnnl_memory_desc_t a, b, y, bias;
	dnnl_matmul_desc_t op;

	if (!onednn_strided(&w->a.view, &a) || !onednn_strided(&w->b.view, &b) ||
	    !onednn_strided(&w->y.view, &y))
		return err_set("its layout is none that oneDNN's matmul reads");
	if (w->b.op->kind == OP_CONST)
		onednn_any(&b);
	if (onednn_epilogue(h, false) < 0 ||
	    onednn_check(dnnl_matmul_desc_init(&op, &a, &b, bias_desc(h, &bias), &y),
			 "matmul") < 0)
		return -1;
	return create(h, &op, "matmul");
}

static int describe_conv(struct onednn *h)
{
	const struct work *w = h->task->work;
	dnnl_memory_desc_t x, weight, y, bias;
	dnnl_dims_t stride, dilation, begin, end;
	dnnl_convolution_desc_t op;

	onednn_dense(&w->a.view, 0, &x);
	onednn_dense(&w->b.view, w->groups > 1 ? w->groups : 0, &weight);
	onednn_dense(&w->y.view, 0, &y);
	onednn_any(&x);
	onednn_any(&weight);
	onednn_any(&y);
	for (int i = 0; i < w->spatial; i++) {
		stride[i] = w->stride[i];
		dilation[i] = w->dilation[i] - 1;
		begin[i] = w->pad_begin[i];
		end[i] = w->pad_end[i];
	}
	if (onednn_epilogue(h, true) < 0 ||
	    onednn_check(dnnl_dilated_convolution_forward_desc_init(
				 &op, dnnl_forward_inference, dnnl_convolution_direct, &x, &weight,
				 bias_desc(h, &bias), &y, stride, dilation, begin, end),
			 "direct convolution") < 0)
		return -1;
	return create(h, &op, "direct convolution");
}

/* The bias is one-dimensional memory whatever its descriptor. */
static int give_bias(struct onednn *h)
{
	const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(h->desc, dnnl_query_weights_md,
								    1);
	struct operand flat;

	if (!h->bias)
		return 0;
	flat = *h->bias;
	if (h->task->work->kind == WORK_CONV) {
		flat.view.ndim = 1;
		flat.view.dim[0] = h->bias->view.dim[1];
	}
	return onednn_give(h, DNNL_ARG_BIAS, &flat, 0, md);
}

static int give_all(struct onednn *h)
{
	const struct work *w = h->task->work;
	int64_t groups = w->kind == WORK_CONV && w->groups > 1 ? w->groups : 0;
	const dnnl_memory_desc_t *y = dnnl_primitive_desc_query_md(h->desc, dnnl_query_dst_md, 0);

	if (onednn_give(h, DNNL_ARG_SRC, &w->a, 0,
			dnnl_primitive_desc_query_md(h->desc, dnnl_query_src_md, 0)) < 0 ||
	    onednn_give(h, DNNL_ARG_WEIGHTS, &w->b, groups,
			dnnl_primitive_desc_query_md(h->desc, dnnl_query_weights_md, 0)) < 0 ||
	    give_bias(h) < 0 || onednn_give_epilogue(h) < 0)
		return -1;
	h->result = onednn_memory(h, y, NULL);
	h->args[h->nargs++] = (dnnl_exec_arg_t){ DNNL_ARG_DST, h->result };
	return h->result ? 0 : -1;
}

static int start(struct onednn *h)
{
	*(void **)&h->set_threads = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
	if (!h->set_threads)
		return err_set("this oneDNN does not use OpenMP: its threads cannot be set");
	h->set_threads(h->threads);
	if (onednn_check(dnnl_engine_create(&h->engine, dnnl_cpu, 0), "engine") < 0)
		return -1;
	return onednn_check(dnnl_stream_create(&h->stream, h->engine, dnnl_stream_default_flags),
			    "stream");
}

static void release(void *handle)
{
	struct onednn *h = handle;

	if (h->repack)
		dnnl_primitive_destroy(h->repack);
	if (h->primitive)
		dnnl_primitive_destroy(h->primitive);
	if (h->desc)
		dnnl_primitive_desc_destroy(h->desc);
	if (h->attr)
		dnnl_primitive_attr_destroy(h->attr);
	for (int i = 0; i < h->memories.n; i++)
		dnnl_memory_destroy(h->memories.at[i]);
	if (h->stream)
		dnnl_stream_destroy(h->stream);
	if (h->engine)
		dnnl_engine_destroy(h->engine);
	arena_free(h->arena);
	free(h);
}

static int run(void *handle)
{
	struct onednn *h = handle;

	h->set_threads(h->threads);
	if (h->repack && onednn_check(dnnl_primitive_execute(h->repack, h->stream, 2,
							     h->repack_args), "reorder") < 0)
		return -1;
	if (onednn_check(dnnl_primitive_execute(h->primitive, h->stream, h->nargs, h->args),
			 "to run") < 0)
		return -1;
	return onednn_check(dnnl_stream_wait(h->stream), "to run");
}

static void *prepare(struct arena *a, const struct peer_task *t, const char **why)
{
	struct onednn *h = calloc(1, sizeof(*h));

	if (!h)
		die("out of memory");
	h->arena = arena_new();
	h->task = t;
	h->threads = t->threads;
	if (start(h) < 0 ||
	    (t->work->kind == WORK_CONV ? describe_conv(h) : describe_matmul(h)) < 0 ||
	    onednn_check(dnnl_primitive_create(&h->primitive, h->desc), "primitive") < 0 ||
	    give_all(h) < 0 || run(h) < 0) {
		*why = arena_strdup(a, err_get());
		release(h);
		return NULL;
	}
	return h;
}

static const char *kernel(void *handle)
{
	const struct onednn *h = handle;
	const char *name = "";

	dnnl_primitive_desc_query(h->desc, dnnl_query_impl_info_str, 0, &name);
	return name;
}

static int output(void *handle, float *out)
{
	struct onednn *h = handle;
	const struct view *y = &h->task->work->y.view;
	struct arena *scratch = arena_new();
	float *dense = arena_many(scratch, float, view_count(y));
	dnnl_memory_desc_t md;
	dnnl_memory_t plain;
	int rc = -1;

	onednn_dense(y, 0, &md);
	plain = onednn_memory(h, &md, dense);
	if (plain)
		rc = onednn_reorder(h, h->result, plain, NULL);
	if (rc == 0)
		view_scatter(y, dense, out);
	arena_free(scratch);
	return rc;
}

const struct peer peer_onednn = {
	.name = "onednn",
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};

#else

const struct peer peer_onednn = {
	.name = "onednn",
	.missing = "hone was built without oneDNN (package libdnnl-dev)",
};

#endif
