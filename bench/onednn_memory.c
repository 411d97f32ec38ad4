/* SPDX-License-Identifier: Apache-2.0 */
/* bench/onednn_memory.c - views as oneDNN's memory, and reorders between layouts. */
#include "config.h"

#ifdef HAVE_DNNL

#include "base/err.h"
#include "bench/onednn.h"
#include "te/eval.h"

int onednn_check(dnnl_status_t status, const char *what)
{
	if (status == dnnl_success)
		return 0;
	if (status == dnnl_unimplemented)
		return err_set("oneDNN has no %s of this form", what);
	return err_set("oneDNN refuses %s (status %d)", what, (int)status);
}

/* The extents of V, the first one split into groups. */
static int dims_of(const struct view *v, int64_t groups, dnnl_dims_t dims)
{
	int n = 0;

	for (int i = 0; i < v->ndim; i++) {
		bool split = i == 0 && groups > 0;

		if (split)
			dims[n++] = groups;
		dims[n++] = split ? v->dim[i].extent / groups : v->dim[i].extent;
	}
	return n;
}

void onednn_dense(const struct view *v, int64_t groups, dnnl_memory_desc_t *out)
{
	dnnl_dims_t dims, strides;
	int n = dims_of(v, groups, dims);

	strides[n - 1] = 1;
	for (int i = n - 2; i >= 0; i--)
		strides[i] = strides[i + 1] * dims[i + 1];
	if (dnnl_memory_desc_init_by_strides(out, n, dims, dnnl_f32, strides) != dnnl_success)
		die("oneDNN: a dense array of %d dimensions is refused", n);
}

bool onednn_strided(const struct view *v, dnnl_memory_desc_t *out)
{
	dnnl_dims_t dims, strides;
	int n = dims_of(v, 0, dims);

	for (int i = n - 1; i >= 0; i--) {
		if (!view_dim_stride(&v->dim[i], &strides[i]))
			return false;
		if (dims[i] == 1)	/* as if it were dense: layouts are told by strides */
			strides[i] = i + 1 < n ? strides[i + 1] * dims[i + 1] : 1;
	}
	return dnnl_memory_desc_init_by_strides(out, n, dims, dnnl_f32, strides) == dnnl_success;
}

void onednn_any(dnnl_memory_desc_t *md)
{
	dnnl_memory_desc_t any;

	if (dnnl_memory_desc_init_by_tag(&any, md->ndims, md->dims, dnnl_f32,
					 dnnl_format_tag_any) != dnnl_success)
		die("oneDNN: an open layout of %d dimensions is refused", md->ndims);
	*md = any;
}

dnnl_memory_t onednn_memory(struct onednn *h, const dnnl_memory_desc_t *md, void *data)
{
	dnnl_memory_t m;

	if (onednn_check(dnnl_memory_create(&m, md, h->engine, data ? data : DNNL_MEMORY_ALLOCATE),
			 "memory") < 0)
		return NULL;
	vec_push(h->arena, &h->memories, m);
	return m;
}

int onednn_reorder(struct onednn *h, dnnl_memory_t from, dnnl_memory_t to, dnnl_primitive_t *keep)
{
	const dnnl_memory_desc_t *src, *dst;
	dnnl_primitive_desc_t desc = NULL;
	dnnl_primitive_t reorder = NULL;
	dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };

	dnnl_memory_get_memory_desc(from, &src);
	dnnl_memory_get_memory_desc(to, &dst);
	int rc = onednn_check(dnnl_reorder_primitive_desc_create(&desc, src, h->engine, dst,
								 h->engine, NULL), "reorder");

	if (rc == 0)
		rc = onednn_check(dnnl_primitive_create(&reorder, desc), "reorder");
	if (rc == 0)
		rc = onednn_check(dnnl_primitive_execute(reorder, h->stream, 2, args), "reorder");
	if (rc == 0)
		rc = onednn_check(dnnl_stream_wait(h->stream), "reorder");
	if (desc)
		dnnl_primitive_desc_destroy(desc);
	if (rc == 0 && keep)
		*keep = reorder;
	else if (reorder)
		dnnl_primitive_destroy(reorder);
	return rc;
}

/* The tensor's own memory where strides describe it, else a dense copy. */
static dnnl_memory_t source(struct onednn *h, const struct operand *o, int64_t groups)
{
	float *data = h->task->args[dag_arg(h->task->dag, o->op)];
	dnnl_memory_desc_t md;

	if (groups == 0 && onednn_strided(&o->view, &md))
		return onednn_memory(h, &md, data);
	float *dense = arena_many(h->arena, float, view_count(&o->view));

	view_gather(&o->view, data, dense);
	onednn_dense(&o->view, groups, &md);
	return onednn_memory(h, &md, dense);
}

int onednn_give(struct onednn *h, int arg, const struct operand *o, int64_t groups,
		const dnnl_memory_desc_t *want)
{
	const dnnl_memory_desc_t *have;
	dnnl_memory_t m = source(h, o, groups), own;
	/* What changes from call to call is packed in each call, where it is a weight: activations
	 * come from and go to neighbours that use the library's layout. */
	bool each = arg == DNNL_ARG_WEIGHTS && o->op->kind != OP_CONST;

	if (!m)
		return -1;
	dnnl_memory_get_memory_desc(m, &have);
	if (!dnnl_memory_desc_equal(have, want)) {
		own = onednn_memory(h, want, NULL);
		if (!own || onednn_reorder(h, m, own, each ? &h->repack : NULL) < 0)
			return -1;
		if (each) {
			h->repack_args[0] = (dnnl_exec_arg_t){ DNNL_ARG_FROM, m };
			h->repack_args[1] = (dnnl_exec_arg_t){ DNNL_ARG_TO, own };
		}
		m = own;
	}
	h->args[h->nargs++] = (dnnl_exec_arg_t){ arg, m };
	return 0;
}

#else
typedef int onednn_is_absent;	/* a translation unit is never empty */
#endif
