/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_build.h - what the files of the ONNX writer share: a model that grows.
 *
 * A call that cannot do its part leaves a reason in the model and goes on, so that only the end
 * has to look. Names are of the model's arena. */
#ifndef HONE_BENCH_CONTEST_LIBRARIES_ONNX_BUILD_H
#define HONE_BENCH_CONTEST_LIBRARIES_ONNX_BUILD_H

#include "bench/work/recognize.h"
#include "graph/onnx/draft.h"

struct onnx_prop_vec VEC(Onnx__StringStringEntryProto *);

struct onnx_model {
	struct arena *arena;
	const struct dag *dag;
	const struct work *work;
	void *const *args;
	const struct view **seen;	/* of each argument: how the model reads it; NULL: not yet */
	struct draft draft;
	struct onnx_prop_vec props;
	const char *why;	/* it has no form in ONNX; NULL: it has so far */
};

/* What all of these models are of: the operator set is the newest that hone reads itself, the format the one that came
 * with it. */
enum { ONNX_IR_VERSION = 8, ONNX_OPSET = 17 };

/* MODEL's SIZE bytes, in A; NULL and WHY where they are more than a message may have. */
unsigned char *onnx_pack(struct arena *a, const Onnx__ModelProto *model, size_t *size, const char **why);

void onnx_model_init(struct onnx_model *m, struct arena *a, const struct dag *d,
		     const struct work *w, void *const *args);
/* The whole, in the model's arena; points into M. */
Onnx__ModelProto *onnx_model_proto(struct onnx_model *m);

/* The value that O is, dense in the order of its view; an input or an initializer. */
const char *onnx_operand(struct onnx_model *m, const struct operand *o);
/* A constant of rank 0. */
const char *onnx_scalar(struct onnx_model *m, double value);
/* Makes what the last node computes the model's output, O. */
void onnx_result(struct onnx_model *m, const struct operand *o);

/* Appends a node of N operands ("" is one left out); the name of its value. Attributes of it go
 * to the draft. */
const char *onnx_node(struct onnx_model *m, const char *op, const char *const *in, int n);

/* The nodes of one step after the operator, done to VALUE; their result. */
const char *onnx_epilogue(struct onnx_model *m, const struct epilogue *e, const char *value);

#endif
