/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx.h - reading ONNX models.
 *
 * In:   a file of ONNX's operator sets 7 to 17, weights inside.
 * Out:  a graph with the types the model declares; graph_infer() completes them.
 * Operators that hone does not know stay in the graph (OPER_UNKNOWN), their declared types too. */
#ifndef HONE_GRAPH_ONNX_H
#define HONE_GRAPH_ONNX_H

#include "graph/ir.h"

enum { ONNX_MIN_OPSET = 7, ONNX_MAX_OPSET = 17 };

/* NULL and a message on failure. */
struct graph *onnx_read(struct arena *a, const char *path);

/* The same from SIZE bytes of DATA, which live as long as A does: constants point into them, and
 * they are shifted for alignment. NAME is for messages. */
struct graph *onnx_parse(struct arena *a, const char *name, unsigned char *data, size_t size);

#endif
