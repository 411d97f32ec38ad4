/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/onnx.h - models in ONNX files as graphs of core operators.
 *
 * In:   a file (with its external data beside it), operator sets ONNX_MIN_OPSET to ONNX_MAX_OPSET.
 * Out:  a typed graph of core operators; the reader alone knows of operator sets.
 * Bounded in time and memory by the file's size. */
#ifndef HONE_GRAPH_ONNX_ONNX_H
#define HONE_GRAPH_ONNX_ONNX_H

#include "graph/ir/ir.h"

enum { ONNX_MIN_OPSET = 7, ONNX_MAX_OPSET = 28 };

/* A size for a dim that the model leaves open. */
struct onnx_dim {
	const char *name;
	int64_t size;
};

struct onnx_options {
	const struct onnx_dim *dims;
	int ndims;
};

/* The graph in the file at PATH, which lives in A; NULL and a message that names node, operator,
 * operator set and what to do. OPTIONS may be NULL. */
struct graph *onnx_read(struct arena *a, const char *path, const struct onnx_options *options);
/* The same of SIZE bytes of DATA, which are changed and live as long as A; NAME is for messages,
 * FOLDER where external data lies (NULL: nowhere). */
struct graph *onnx_parse(struct arena *a, const char *name, const char *folder,
			 unsigned char *data, size_t size, const struct onnx_options *options);

#endif
