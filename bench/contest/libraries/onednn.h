/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onednn.h - what the files of the oneDNN contestant share: one primitive, its memory,
 * and the reorders around it. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_ONEDNN_H
#define HONE_BENCH_CONTEST_LIBRARIES_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>

#include "bench/contest/contestant.h"

enum { ONEDNN_MAX_POST_OPS = 8, ONEDNN_MAX_ARGS = ONEDNN_MAX_POST_OPS + 4 };

struct onednn_memories VEC(dnnl_memory_t);

/* What an entry asks for. */
struct onednn_way {
	enum work_kind kind;
	dnnl_alg_kind_t algorithm;	/* of convolutions */
	bool plain;	/* images come and go as the user has them; matrices always do */
	bool unpacked;	/* a matrix that is constant is read as the user has it */
};

/* From one layout to another, in the clock. */
struct onednn_reorder {
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[2];
};

struct onednn {
	struct arena *arena;
	const struct contestant_task *task;
	const struct onednn_way *way;
	void (*set_threads)(int n);	/* of the OpenMP runtime that the library uses */
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_attr_t attr;
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[ONEDNN_MAX_ARGS];
	int nargs;
	const struct operand *bias;	/* NULL: none */
	const struct operand *scales;	/* of integer sums, by channel; NULL: one for all, or none */
	double scale;			/* the one for all; 0: none */
	struct epilogue_vec steps;	/* of the epilogue that are post-ops */
	struct onednn_reorder before[ONEDNN_MAX_ARGS];
	int nbefore;
	struct onednn_reorder after;	/* of the result; primitive NULL: none */
	dnnl_memory_t result;		/* of the primitive */
	dnnl_memory_t plain;		/* over the DAG's output */
	struct onednn_memories memories;	/* all of them, to be released */
};

/* The library's type of T; dnnl_data_type_undef: it has none, or computes nothing with it. */
dnnl_data_type_t onednn_type(enum dtype t);

/* Each is 0, or -1 with a message that names WHAT where the library refuses. */
int onednn_check(dnnl_status_t status, const char *what);

/* V as a dense array; GROUPS > 0 splits its first dimension in that many. */
void onednn_dense(const struct view *v, int64_t groups, dnnl_memory_desc_t *out);
/* V as it lies in the tensor's memory: strides, and blocks inside. -1 and a message where the
 * library has no such layout. */
int onednn_layout(const struct view *v, int64_t groups, dnnl_memory_desc_t *out);
/* The same extents, the layout left to the library. */
void onednn_any(dnnl_memory_desc_t *md);

/* Memory of the library's own, or over DATA. NULL and a message. */
dnnl_memory_t onednn_memory(struct onednn *h, const dnnl_memory_desc_t *md, void *data);
/* Moves FROM to TO once, and where KEEP is not NULL leaves there how to do it again. */
int onednn_move(struct onednn *h, dnnl_memory_t from, dnnl_memory_t to,
		struct onednn_reorder *keep);
int onednn_move_again(const struct onednn *h, const struct onednn_reorder *r);
/* Hands O to the primitive as argument ARG, in the layout WANT: what its user has in another one is
 * reordered in the clock where he would have to do it at each call. */
int onednn_give(struct onednn *h, int arg, const struct operand *o, int64_t groups,
		const dnnl_memory_desc_t *want);

/* Parts the epilogue into H's bias, scale and steps. -1 and a message where the library cannot do one. */
int onednn_steps(struct onednn *h);
/* The epilogue as bias, and as scale and post-ops of H's attributes. */
int onednn_epilogue(struct onednn *h, bool own_layout);
/* Its operands as arguments, once there is a descriptor. */
int onednn_give_epilogue(struct onednn *h);

#endif
