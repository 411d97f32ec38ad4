/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx_read.h - the parts of the ONNX reader, for graph/onnx*.c only. */
#ifndef HONE_GRAPH_ONNX_READ_H
#define HONE_GRAPH_ONNX_READ_H

#include "graph/ir.h"
#include "graph/names.h"
#include "graph/wire.h"

struct onnx_reader {
	struct arena *arena;
	unsigned char *data;	/* the file, for struct wire_ref */
	struct graph *graph;
	struct names values;	/* name to value */
	struct names declared;	/* name to index in the model's value_info */
	Onnx__GraphProto *proto;
};

/* The element type that ONNX numbers NUMBER; false and a message where hone has none. */
bool onnx_dtype(int32_t number, enum dtype *out);
/* The type a model declares; unknown where it is no tensor hone knows. -1 and a message where its
 * dims cannot be. */
int onnx_type(struct arena *a, const Onnx__TypeProto *p, struct type *out);
/* A tensor's data; -1 and a message. */
int onnx_tensor(struct onnx_reader *r, const Onnx__TensorProto *p, struct constant *out);
/* The attributes of a node; -1 and a message. */
int onnx_attrs(struct onnx_reader *r, const Onnx__NodeProto *p, struct call *out);
/* The value of a Constant node; 0 where it has none that is a tensor, -1 and a message. */
int onnx_constant(struct onnx_reader *r, const Onnx__NodeProto *p, struct constant *out);

#endif
