/* SPDX-License-Identifier: Apache-2.0 */
/* bench/onednn.h - what the files of the oneDNN peer share: one primitive and its memory. */
#ifndef HONE_BENCH_ONEDNN_H
#define HONE_BENCH_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>

#include "bench/peer.h"

enum { ONEDNN_MAX_POST_OPS = 8, ONEDNN_MAX_ARGS = ONEDNN_MAX_POST_OPS + 4 };

struct onednn_memories VEC(dnnl_memory_t);

struct onednn {
	struct arena *arena;
	const struct peer_task *task;
	int threads;
	void (*set_threads)(int n);	/* of the OpenMP runtime that the library uses */
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_attr_t attr;
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[ONEDNN_MAX_ARGS];
	int nargs;
	const struct operand *bias;	/* NULL; the first step of the epilogue */
	int first_step;			/* of the epilogue that is a post-op */
	dnnl_primitive_t repack;	/* of a weight that is no constant: part of each run */
	dnnl_exec_arg_t repack_args[2];
	dnnl_memory_t result;
	struct onednn_memories memories;	/* all of them, to be released */
};

/* Each is 0, or -1 with a message that names WHAT where the library refuses. */
int onednn_check(dnnl_status_t status, const char *what);

/* V as a dense array; GROUPS > 0 splits its first dimension in that many. */
void onednn_dense(const struct view *v, int64_t groups, dnnl_memory_desc_t *out);
/* V as it lies in the tensor's memory; false where that is no set of strides. */
bool onednn_strided(const struct view *v, dnnl_memory_desc_t *out);
/* The same extents, the layout left to the library. */
void onednn_any(dnnl_memory_desc_t *md);

/* Memory of the library's own, or over DATA. NULL and a message. */
dnnl_memory_t onednn_memory(struct onednn *h, const dnnl_memory_desc_t *md, void *data);
int onednn_reorder(struct onednn *h, dnnl_memory_t from, dnnl_memory_t to,
		   dnnl_primitive_t *keep);
/* Hands O to the primitive as argument ARG, in the layout WANT. */
int onednn_give(struct onednn *h, int arg, const struct operand *o, int64_t groups,
		const dnnl_memory_desc_t *want);

/* The epilogue as bias and post-ops of H's attributes. */
int onednn_epilogue(struct onednn *h, bool own_layout);
/* Its operands as arguments, once there is a descriptor. */
int onednn_give_epilogue(struct onednn *h);

#endif
