/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/draft.h - a model of ONNX that is being written, message by message.
 *
 * Holds: nodes stand in the order in which they were given, which is one in which they can run. Elements of
 * constants stay where they are until the model is packed; names and lists are copied. */
#ifndef HONE_GRAPH_ONNX_DRAFT_H
#define HONE_GRAPH_ONNX_DRAFT_H

#include "base/vec.h"
#include "graph/onnx/onnx.pb-c.h"

struct draft_value_vec VEC(Onnx__ValueInfoProto *);

struct draft {
	struct arena *a;
	struct draft_node_vec VEC(Onnx__NodeProto *) nodes;
	struct draft_attr_vec VEC(Onnx__AttributeProto *) attrs;	/* of the last node */
	struct draft_constant_vec VEC(Onnx__TensorProto *) constants;
	struct draft_value_vec inputs, outputs;
	int names;		/* made up so far */
};

/* An empty one in A. */
struct draft draft_begin(struct arena *a);

/* Appends a node of N operands ("" is one left out). The name of its result: OUT, or where that is NULL one
 * that is made up. */
char *draft_node(struct draft *d, const char *op, int n, const char *const *in, const char *out);
/* One of A and, where it is there, B. */
char *draft_step(struct draft *d, const char *op, const char *a, const char *b, const char *out);
/* Attributes of the last node. */
void draft_int(struct draft *d, const char *name, int64_t value);
void draft_ints(struct draft *d, const char *name, const int64_t *values, int n);
void draft_float(struct draft *d, const char *name, double value);
void draft_text(struct draft *d, const char *name, const char *value);

/* A constant of BYTES bytes of DATA, elements of ONNX's TYPE. Its NAME, or where that is NULL one that is
 * made up. */
char *draft_constant(struct draft *d, const char *name, int type, int rank, const int64_t *dim,
		     const void *data, size_t bytes);
/* One of f32 without dims. */
char *draft_number(struct draft *d, double value);

/* An input or an output, appended to the one or the other. */
void draft_value(struct draft *d, struct draft_value_vec *values, const char *name, int type, int rank,
		 const int64_t *dim);

/* The model, of these versions of the format and of the operators, in D's arena; it points into D. */
Onnx__ModelProto *draft_model(struct draft *d, int64_t ir_version, int64_t opset);
/* Its bytes, in pieces to WRITE. False, with nothing written: they are more than a message may have. */
bool draft_write(const Onnx__ModelProto *model, void (*write)(void *sink, const void *bytes, size_t n),
		 void *sink);

#endif
