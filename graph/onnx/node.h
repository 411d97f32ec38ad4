/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node.h - a node of a model as its normaliser sees it.
 *
 * A normaliser is a function `int node_NAME(struct node *n)` in a file of graph/onnx/node/ with a line
 * in nodes.def. It reads operands and attributes, builds core operators by n->b, and hands each
 * output to node_give. 0, or -1 after node_error or a builder's message; a failure of build() needs
 * no check, for node_give makes one. */
#ifndef HONE_GRAPH_ONNX_NODE_H
#define HONE_GRAPH_ONNX_NODE_H

#include "graph/build/build.h"
#include "graph/onnx/wire.h"

enum node_domain {
	DOMAIN_ONNX,		/* "" or ai.onnx */
	DOMAIN_ML,		/* ai.onnx.ml */
	DOMAIN_PREVIEW,		/* ai.onnx.preview */
	DOMAIN_TRAINING,	/* ai.onnx.preview.training */
	DOMAIN_COUNT,
};

struct onnx_reader;
struct onnx_scope;

struct node {
	struct builder *b;
	struct onnx_reader *reader;
	const struct onnx_scope *scope;	/* that it is in */
	const Onnx__NodeProto *proto;
	const char *op;
	int opset;		/* version of the operator's domain */
	int nargs;
	const int *args;	/* values; VALUE_NONE for those left out */
	int nouts;		/* of the outputs that are asked for, the last one's number + 1 */
	int *outs;		/* values, VALUE_NONE at first */
	bool failed;		/* an attribute is not what it should be; there is a message */
};

/* A message. Returns -1. */
int node_error(const struct node *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Operand I; VALUE_NONE where it was left out. */
int node_arg(const struct node *n, int i);
bool node_has(const struct node *n, int i);
/* Its type; type_unknown where it was left out. */
const struct type *node_type(const struct node *n, int i);
/* Its element type; ELEMENT_COUNT where it is not known. */
enum element node_element(const struct node *n, int i);
/* The array that it is; NULL where it is no constant. */
const struct array *node_const(const struct node *n, int i);

/* Output I is VALUE. Returns 0, or -1 where that is VALUE_FAILED. */
int node_give(struct node *n, int i, int value);
/* The fields of the tuple VALUE are outputs 0, 1, ... as many as are asked for. */
int node_give_fields(struct node *n, int value);
/* Is output I asked for? */
bool node_wants(const struct node *n, int i);

/* Attributes by name. One that is not there is OTHERWISE, NULL, or an empty list; one of another kind
 * makes the node fail. Lists and strings live as long as the graph. */
bool node_has_attr(const struct node *n, const char *name);
int64_t node_int(struct node *n, const char *name, int64_t otherwise);
double node_float(struct node *n, const char *name, double otherwise);
const char *node_string(struct node *n, const char *name, const char *otherwise);
const int64_t *node_ints(struct node *n, const char *name, int *count);
const double *node_floats(struct node *n, const char *name, int *count);
const char *const *node_strings(struct node *n, const char *name, int *count);
/* A tensor or a sparse one, which is made dense. */
const struct array *node_tensor(struct node *n, const char *name);
/* An element type by ONNX's number. */
enum element node_element_attr(struct node *n, const char *name, enum element otherwise);
const Onnx__GraphProto *node_graph(struct node *n, const char *name);

/* The normalisers. */
#define X(domain, name, since, function) int node_##function(struct node *n);
#include "graph/onnx/nodes.def"

#endif
