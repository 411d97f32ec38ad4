/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/maker.h - a region that becomes a plan, call by call, and the calls that go
 * element by element: primitives of their own, or post-ops of the one before them. */
#ifndef HONE_PARTITION_GENERATORS_ONEDNN_MAKER_H
#define HONE_PARTITION_GENERATORS_ONEDNN_MAKER_H

#include "partition/generators/onednn/plan.h"

struct region_maker {
	struct plan *plan;
	const struct hone_region *region;
	int *reads, *reader;	/* by tensor: how often it is read, results too; by which call */
	bool *made;		/* by tensor */
	dnnl_primitive_attr_t attr;	/* with the post-ops of the primitive that is being made */
	int result;		/* tensor that it computes */
	bool rows;		/* it sees tensors as matrices: all dims but the last are one */
};

/* An attribute; one of no numbers where there is none. */
const struct hone_region_attr *maker_attr(const struct hone_region_call *c, const char *name);
int64_t maker_number(const struct hone_region_call *c, const char *name, int i, int64_t otherwise);

/* TENSOR as the primitive that is being made sees it, whose result has RANK dims. */
dnnl_memory_desc_t maker_view(const struct region_maker *m, int tensor, int rank);

/* Calls behind that of C become its post-ops, up to the first of one operand: oneDNN 2.6 gives two of one
 * algorithm the parameters of the last. OPEN: the result's layout is oneDNN's to choose. */
int maker_take_post_ops(struct region_maker *m, const struct hone_region_call *c, bool open);
/* The primitive of OP with these, where DESCRIBED says that there is one, computes m->result. */
int maker_add(struct region_maker *m, const_dnnl_op_desc_t op, dnnl_status_t described, const char *what);
/* The primitive of C, a call element by element. */
int maker_add_element(struct region_maker *m, const struct hone_region_call *c);

#endif
