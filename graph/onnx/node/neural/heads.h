/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/heads.h - vectors of several heads in one row, apart and together. */
#ifndef HONE_GRAPH_ONNX_NODE_NEURAL_HEADS_H
#define HONE_GRAPH_ONNX_NODE_NEURAL_HEADS_H

#include "graph/onnx/compose.h"

/* X [batch, length, heads * size] as [batch, heads, length, size]; of rank 4 it is so already. */
int heads_apart(struct builder *b, int x, int64_t heads);
/* The inverse. */
int heads_together(struct builder *b, int x);
/* How many heads: the node's attribute NAME, or dim 1 of X of rank 4; -1 and a message where
 * neither says it. */
int64_t heads_count(struct node *n, const char *name, int x);
/* Q * K' * scale: the node's attribute of this name, or 1 over the root of the vectors' size. */
int heads_scores(struct node *n, int q, int k);

#endif
