/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/plan.h - primitives of oneDNN one after the other, and the memory between them.
 *
 * A tensor is in the layout of its producer until a reader wants another one, and from then on in both; at
 * the region's borders it is row-major. Holds: once a plan is made, running it allocates nothing. */
#ifndef HONE_PARTITION_GENERATORS_ONEDNN_PLAN_H
#define HONE_PARTITION_GENERATORS_ONEDNN_PLAN_H

#include <stdbool.h>

#include <oneapi/dnnl/dnnl.h>

#include "include/hone_generator.h"

/* hone joins up to 64 tensors; each primitive has a result and a scratchpad beside its operands. */
enum { PLAN_MAX_ARGS = 72 };

struct plan_step {
	dnnl_primitive_t primitive;
	int nargs;
	dnnl_exec_arg_t args[PLAN_MAX_ARGS];
};

struct placed_memory {
	dnnl_memory_t memory;
	dnnl_memory_desc_t md;
	int tensor;		/* whose elements it has, in their order; -1: other ones */
	int border;		/* input of the region, or from ninputs on an output; -1: it is the plan's own */
};

struct plan_operand {
	int arg, tensor;
	dnnl_memory_desc_t as;
};

struct plan {
	const struct hone_region *region;	/* as is WHY, valid while it is made */
	char *why;
	bool asks;		/* whether oneDNN would: nothing is computed, no primitive is made */
	int threads, ninputs;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_attr_t plain;
	struct placed_memory *memories;
	struct plan_step *steps;
	int nmemories, nsteps, noperands;
	dnnl_memory_t scratch;	/* the largest one so far */
	size_t scratch_size;
	struct plan_operand operands[PLAN_MAX_ARGS];	/* of the primitive that comes next */
};

/* Says why not; both return -1. */
int plan_refuse(struct plan *p, const char *why);
/* 0, or -1 where oneDNN has not done WHAT. */
int plan_check(struct plan *p, dnnl_status_t status, const char *what);

/* NULL, and WHY says it. */
struct plan *plan_new(const struct hone_region *region, int threads, bool asks, char *why);
void plan_free(struct plan *p);
int plan_run(struct plan *p, const void *const *inputs, void *const *outputs, char *why);

/* TENSOR row-major with dims of 1 before its own, RANK in all; SWAP: its last two change places. */
dnnl_memory_desc_t plan_aligned(const struct plan *p, int tensor, int rank, bool swap);
/* N dims row-major. */
dnnl_memory_desc_t plan_dense(int n, const int64_t *dims);
/* A layout that oneDNN may choose. */
dnnl_memory_desc_t plan_any(dnnl_memory_desc_t md);
bool plan_same_dims(const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y);
/* The layout that TENSOR is in, or where it is in none with AS's dims, AS. */
dnnl_memory_desc_t plan_layout(const struct plan *p, int tensor, dnnl_memory_desc_t as);

/* The primitive that comes next reads TENSOR, its row-major elements as AS says, in a layout that it
 * chooses. */
void plan_operand(struct plan *p, int arg, int tensor, dnnl_memory_desc_t as);
/* The primitive of PD, which it takes, computes TENSOR of these operands. NULL where STATUS was no
 * success. */
int plan_add(struct plan *p, dnnl_status_t status, dnnl_primitive_desc_t pd, int tensor, const char *what);

#endif
