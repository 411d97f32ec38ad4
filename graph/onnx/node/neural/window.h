/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/window.h - what nodes that go over space in windows have in common. */
#ifndef HONE_GRAPH_ONNX_NODE_NEURAL_WINDOW_H
#define HONE_GRAPH_ONNX_NODE_NEURAL_WINDOW_H

#include "graph/onnx/compose.h"

/* strides, pads, dilations and auto_pad, as core operators have them. */
struct attr_vec window_attrs(struct node *n);
/* The node's list FROM as the attribute TO; nothing where it has none. */
void window_list(struct node *n, struct attr_vec *attrs, const char *from, const char *to);

#endif
