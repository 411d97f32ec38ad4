/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onednn_memory.c - views as oneDNN's memory, and reorders between layouts. */
#include "base/err.h"
#include "bench/contest/libraries/onednn.h"
#include "te/eval.h"

int onednn_check(dnnl_status_t status, const char *what)
{
	if (status == dnnl_success)
		return 0;
	if (status == dnnl_unimplemented)
		return err_set("oneDNN has no %s of this form", what);
	return err_set("oneDNN refuses %s (status %d)", what, (int)status);
}

dnnl_data_type_t onednn_type(enum dtype t)
{
	switch (t) {
	case DTYPE_F32:
		return dnnl_f32;
	case DTYPE_BF16:
		return dnnl_bf16;
	case DTYPE_I32:
		return dnnl_s32;
	case DTYPE_I8:
		return dnnl_s8;
	case DTYPE_U8:
		return dnnl_u8;
	default:
		return dnnl_data_type_undef;
	}
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
	if (dnnl_memory_desc_init_by_strides(out, n, dims, onednn_type(v->tensor->dtype), strides) !=
	    dnnl_success)
		die("oneDNN: a dense array of %d dimensions is refused", n);
}

/* A dimension as oneDNN has it: blocks of `block` places, `inner` elements from one to the next,
 * and `stride` elements from block to block. */
struct blocked_dim {
	int64_t stride, block, inner;
};

/* False where the parts of D are more than an outer and an inner run. */
static bool split_dim(const struct view_dim *d, struct blocked_dim *out)
{
	int64_t stride[VIEW_MAX_PARTS], extent[VIEW_MAX_PARTS];
	int n = 0;

	for (int i = d->n - 1; i >= 0; i--) {
		const struct view_part *p = &d->part[i];

		if (p->extent == 1)
			continue;
		if (n > 0 && p->stride == stride[n - 1] * extent[n - 1]) {
			extent[n - 1] *= p->extent;
		} else {
			stride[n] = p->stride;
			extent[n++] = p->extent;
		}
	}
	*out = (struct blocked_dim){0, 1, 0};
	if (n == 1)
		out->stride = stride[0];
	else if (n == 2)
		*out = (struct blocked_dim){stride[1], extent[0], stride[0]};
	return n <= 2;
}

/* B[1] as groups, B[0], of EACH places. False where a block has a part of a group or of several. */
static bool split_groups(int64_t each, struct blocked_dim b[2])
{
	if (each == 1) { /* the blocks are of groups */
		b[0] = b[1];
		b[1] = (struct blocked_dim){0, 1, 0};
		return true;
	}
	b[0] = (struct blocked_dim){each / b[1].block * b[1].stride, 1, 0};
	return each % b[1].block == 0;
}

/* Adds the blocks of dimensions to MD, the outermost first, which must be dense together. */
static bool add_blocks(const struct blocked_dim *b, int n, dnnl_blocking_desc_t *md, int64_t *size)
{
	*size = 1;
	md->inner_nblks = 0;
	for (;;) {
		int next = -1;

		for (int i = 0; i < n; i++)
			if (b[i].block > 1 && b[i].inner == *size)
				next = i;
		if (next < 0)
			break;
		for (int k = md->inner_nblks++; k > 0; k--) {
			md->inner_blks[k] = md->inner_blks[k - 1];
			md->inner_idxs[k] = md->inner_idxs[k - 1];
		}
		md->inner_blks[0] = b[next].block;
		md->inner_idxs[0] = next;
		*size *= b[next].block;
	}
	int blocks = 0;

	for (int i = 0; i < n; i++)
		blocks += b[i].block > 1;
	return blocks == md->inner_nblks;
}

int onednn_layout(const struct view *v, int64_t groups, dnnl_memory_desc_t *out)
{
	struct blocked_dim b[TENSOR_MAX_DIMS + 1];
	dnnl_blocking_desc_t *md = &out->format_desc.blocking;
	int64_t size;
	int n = 0;

	onednn_dense(v, groups, out);
	for (int i = 0; i < v->ndim; i++) {
		bool split = i == 0 && groups > 0;

		if (!split_dim(&v->dim[i], &b[n + split]) ||
		    (split && !split_groups(out->dims[1], b)))
			return err_set("its layout is none that oneDNN has");
		n += 1 + split;
	}
	if (!add_blocks(b, n, md, &size))
		return err_set("its layout is none that oneDNN has");
	for (int i = n - 1; i >= 0; i--) {
		/* as if it were dense: layouts are told by strides */
		int64_t behind = i == n - 1
					 ? size
					 : md->strides[i + 1] * (out->dims[i + 1] / b[i + 1].block);

		md->strides[i] = out->dims[i] == 1 ? behind : b[i].stride;
	}
	return 0;
}

void onednn_any(dnnl_memory_desc_t *md)
{
	dnnl_memory_desc_t any;

	if (dnnl_memory_desc_init_by_tag(&any, md->ndims, md->dims, md->data_type,
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

int onednn_move_again(const struct onednn *h, const struct onednn_reorder *r)
{
	return onednn_check(dnnl_primitive_execute(r->primitive, h->stream, 2, r->args), "reorder");
}

int onednn_move(struct onednn *h, dnnl_memory_t from, dnnl_memory_t to, struct onednn_reorder *keep)
{
	const dnnl_memory_desc_t *src, *dst;
	dnnl_primitive_desc_t desc = NULL;
	struct onednn_reorder r = {NULL, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};

	dnnl_memory_get_memory_desc(from, &src);
	dnnl_memory_get_memory_desc(to, &dst);
	int rc = onednn_check(
		dnnl_reorder_primitive_desc_create(&desc, src, h->engine, dst, h->engine, NULL),
		"reorder");

	if (rc == 0)
		rc = onednn_check(dnnl_primitive_create(&r.primitive, desc), "reorder");
	if (rc == 0)
		rc = onednn_move_again(h, &r);
	if (rc == 0)
		rc = onednn_check(dnnl_stream_wait(h->stream), "reorder");
	if (desc)
		dnnl_primitive_desc_destroy(desc);
	if (rc == 0 && keep)
		*keep = r;
	else if (r.primitive)
		dnnl_primitive_destroy(r.primitive);
	return rc;
}

/* Whether the user of O would have to reorder it at each call. Activations come from neighbours
 * that use the library's layout, but for a user with a plain one. */
static bool at_each_call(const struct onednn *h, int arg, const struct operand *o)
{
	return o->op->kind != OP_CONST && (h->way->plain || arg == DNNL_ARG_WEIGHTS);
}

/* FROM to TO, out of the clock, where a constant may take a detour: weights of a Winograd convolution
 * come from dense ones alone. */
static int move_once(struct onednn *h, const dnnl_memory_desc_t *dense, dnnl_memory_t from, dnnl_memory_t to)
{
	dnnl_memory_t between;

	if (onednn_move(h, from, to, NULL) == 0)
		return 0;
	between = onednn_memory(h, dense, NULL);
	if (!between || onednn_move(h, from, between, NULL) < 0)
		return -1;
	return onednn_move(h, between, to, NULL);
}

int onednn_give(struct onednn *h, int arg, const struct operand *o, int64_t groups,
		const dnnl_memory_desc_t *want)
{
	void *data = h->task->args[dag_arg(h->task->dag, o->op)];
	dnnl_memory_desc_t have, dense;
	dnnl_memory_t m, own;

	if (onednn_layout(&o->view, groups, &have) < 0)
		return -1;
	onednn_dense(&o->view, groups, &dense);
	m = onednn_memory(h, &have, data);
	if (m && !dnnl_memory_desc_equal(&have, want)) {
		bool each = at_each_call(h, arg, o);

		own = onednn_memory(h, want, NULL);
		if (!own || (each ? onednn_move(h, m, own, &h->before[h->nbefore])
				  : move_once(h, &dense, m, own)) < 0)
			return -1;
		h->nbefore += each;
		m = own;
	}
	h->args[h->nargs++] = (dnnl_exec_arg_t){arg, m};
	return m ? 0 : -1;
}
