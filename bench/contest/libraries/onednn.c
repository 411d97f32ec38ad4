/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onednn.c - oneDNN's matmul and its convolutions: direct, Winograd, and the one that
 * it chooses.
 *
 * Images are in the library's own layout, reordered outside of the clock, as they are between the
 * layers of a model that it runs; an entry `-plain` takes them from a user who has them as the DAG
 * says. A constant weight is packed before; a weight that is none is packed in the clock. Types are
 * those of the DAG: f32, bf16, or bytes summed up as 32-bit integers. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench/contest/libraries/onednn.h"
#include "te/eval.h"

static const struct contestant_entry entries[] = {
	{"direct", "weights packed before; images in its own layout"},
	{"direct-plain", "weights packed before; images reordered from and to the user's layout"},
	{"winograd", "weights transformed before; images in its own layout"},
	{"winograd-plain", "weights transformed before; images reordered from and to the user's "
			   "layout"},
	{"auto", "weights packed before; images in its own layout"},
	{"auto-plain", "weights packed before; images reordered from and to the user's layout"},
	{"matmul", "a constant matrix packed before, one that is not packed in the clock"},
	{"matmul-unpacked", "both matrices as the user has them"},
	{NULL, NULL},
};

/* By entry. */
static const struct onednn_way ways[] = {
	{WORK_CONV, dnnl_convolution_direct, false, false},
	{WORK_CONV, dnnl_convolution_direct, true, false},
	{WORK_CONV, dnnl_convolution_winograd, false, false},
	{WORK_CONV, dnnl_convolution_winograd, true, false},
	{WORK_CONV, dnnl_convolution_auto, false, false},
	{WORK_CONV, dnnl_convolution_auto, true, false},
	{WORK_MATMUL, dnnl_alg_kind_undef, false, false},
	{WORK_MATMUL, dnnl_alg_kind_undef, false, true},
};

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
		dnnl_memory_desc_init_by_tag(md, 1, dims, md->data_type, dnnl_a);
	}
	return md;
}

/* What the library refuses without saying why. */
static int check_types(const struct work *w)
{
	if (w->b.op->tensor.dtype == DTYPE_U8)
		return err_set("oneDNN has no u8 weights");
	if (onednn_type(w->y.op->tensor.dtype) == dnnl_data_type_undef)
		return err_set("oneDNN has no results of %s", dtype_name(w->y.op->tensor.dtype));
	return 0;
}

static int describe_matmul(struct onednn *h)
{
	const struct work *w = h->task->work;
	dnnl_memory_desc_t a, b, y, bias;
	dnnl_matmul_desc_t op;

	if (onednn_layout(&w->a.view, 0, &a) < 0 || onednn_layout(&w->b.view, 0, &b) < 0 ||
	    onednn_layout(&w->y.view, 0, &y) < 0)
		return -1;
	if (!h->way->unpacked)
		onednn_any(&b);
	if (onednn_epilogue(h, false) < 0 ||
	    onednn_check(dnnl_matmul_desc_init(&op, &a, &b, bias_desc(h, &bias), &y), "matmul") < 0)
		return -1;
	return create(h, &op, "matmul");
}

static int describe_conv(struct onednn *h)
{
	const struct work *w = h->task->work;
	dnnl_memory_desc_t x, weight, y, bias;
	dnnl_dims_t stride, dilation, begin, end;
	dnnl_convolution_desc_t op;
	const char *what = h->way->algorithm == dnnl_convolution_winograd ? "Winograd convolution"
									  : "convolution";

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
				 &op, dnnl_forward_inference, h->way->algorithm, &x, &weight,
				 bias_desc(h, &bias), &y, stride, dilation, begin, end),
			 what) < 0)
		return -1;
	return create(h, &op, what);
}

/* The bias is one-dimensional memory whatever its descriptor. */
static int give_bias(struct onednn *h)
{
	const dnnl_memory_desc_t *md =
		dnnl_primitive_desc_query_md(h->desc, dnnl_query_weights_md, 1);
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

/* The result in the layout WANT, and the DAG's output, which is another memory only where that has
 * another layout. */
static int give_result(struct onednn *h, const dnnl_memory_desc_t *want)
{
	const struct operand *y = &h->task->work->y;
	dnnl_memory_desc_t have;

	if (onednn_layout(&y->view, 0, &have) < 0)
		return -1;
	h->plain = onednn_memory(h, &have, h->task->args[dag_arg(h->task->dag, y->op)]);
	h->result = dnnl_memory_desc_equal(&have, want) ? h->plain : onednn_memory(h, want, NULL);
	h->args[h->nargs++] = (dnnl_exec_arg_t){DNNL_ARG_DST, h->result};
	if (!h->plain || !h->result)
		return -1;
	if (h->way->plain && h->result != h->plain)
		return onednn_move(h, h->result, h->plain, &h->after);
	return 0;
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
	return give_result(h, y);
}

static int start(struct onednn *h)
{
	*(void **)&h->set_threads = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
	if (!h->set_threads)
		return err_set("this oneDNN does not use OpenMP: its threads cannot be set");
	h->set_threads(h->task->threads);
	if (onednn_check(dnnl_engine_create(&h->engine, dnnl_cpu, 0), "engine") < 0)
		return -1;
	return onednn_check(dnnl_stream_create(&h->stream, h->engine, dnnl_stream_default_flags),
			    "stream");
}

static void release(void *handle)
{
	struct onednn *h = handle;

	for (int i = 0; i < h->nbefore; i++)
		dnnl_primitive_destroy(h->before[i].primitive);
	if (h->after.primitive)
		dnnl_primitive_destroy(h->after.primitive);
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

	for (int i = 0; i < h->nbefore; i++)
		if (onednn_move_again(h, &h->before[i]) < 0)
			return -1;
	if (onednn_check(dnnl_primitive_execute(h->primitive, h->stream, h->nargs, h->args),
			 "to run") < 0 ||
	    (h->after.primitive && onednn_move_again(h, &h->after) < 0))
		return -1;
	return onednn_check(dnnl_stream_wait(h->stream), "to run");
}

static const struct onednn_way *find_way(const char *entry)
{
	int i = 0;

	while (strcmp(entries[i].name, entry) != 0)
		i++;
	return &ways[i];
}

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	const struct onednn_way *way = find_way(t->entry);

	*why = t->work ? "another entry is for this work" : t->why;
	if (!t->work || t->work->kind != way->kind)
		return NULL;
	struct onednn *h = calloc(1, sizeof(*h));

	if (!h)
		die("out of memory");
	h->arena = arena_new();
	h->task = t;
	h->way = way;
	if (check_types(t->work) < 0 || start(h) < 0 ||
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
	const struct work *w = h->task->work;
	const char *name = "";

	dnnl_primitive_desc_query(h->desc, dnnl_query_impl_info_str, 0, &name);
	if (work_is_f32(w))
		return name;
	return arena_printf(h->arena, "%s, %s by %s to %s", name, dtype_name(w->a.op->tensor.dtype),
			    dtype_name(w->b.op->tensor.dtype), dtype_name(w->y.op->tensor.dtype));
}

static int output(void *handle, void *out)
{
	struct onednn *h = handle;
	const struct op *y = h->task->work->y.op;

	if (!h->after.primitive && h->result != h->plain &&
	    onednn_move(h, h->result, h->plain, NULL) < 0)
		return -1;
	memcpy(out, h->task->args[dag_arg(h->task->dag, y)], tensor_bytes(&y->tensor));
	return 0;
}

const struct contestant contestant = {
	.name = "onednn",
	.entries = entries,
	.narrow = true,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};
