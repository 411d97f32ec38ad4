/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/closed.h - a graph within a node (a branch, a loop's body) as a function.
 *
 * Such a graph reads values around it by name. A function is closed: constants are constants of it
 * too, all else comes in by parameters behind those that the operator has. */
#ifndef HONE_GRAPH_ONNX_CLOSED_H
#define HONE_GRAPH_ONNX_CLOSED_H

#include "graph/onnx/reader.h"

/* A value around a graph that it reads. */
struct captured {
	const char *name;
	int value;
};

struct captured_vec VEC(struct captured);

/* Appends what G reads of the scope that N is in, each name once. */
void capture(struct node *n, const Onnx__GraphProto *g, struct captured_vec *out);
/* The values among CAPTURED that become parameters; their number in *COUNT. */
int *captured_values(const struct node *n, const struct captured_vec *captured, int *count);

/* A function being made of a graph. */
struct closed {
	struct node *node;
	const Onnx__GraphProto *graph;
	struct builder builder;
	struct onnx_scope scope;
};

/* Begins the function of G, called after N's label and PART. */
void closed_begin(struct closed *c, struct node *n, const Onnx__GraphProto *g, const char *part);
/* A parameter of type T, which input I of the graph means (I < 0: none). */
int closed_param(struct closed *c, int i, const struct type *t);
/* Input I of the graph means VALUE, which is made when all parameters are. -1 and a message. */
int closed_define(struct closed *c, int i, int value);
/* Adds parameters for what is captured, behind the others, and makes its constants. -1 and a message. */
int closed_capture(struct closed *c, const struct captured_vec *captured);
/* Reads the graph: the values of its outputs, in scratch; NULL where one failed. */
int *closed_read(struct closed *c);

/* Reads G in place, in the scope of N: its outputs' values, in scratch. NULL where one failed. */
int *closed_inline(struct node *n, const Onnx__GraphProto *g);

#endif
