/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/reader.h - what the files of the reader share.
 *
 * A model's graphs become functions (scope.c), its nodes core operators (node.c, nodes.def); graphs in
 * graphs (If, Loop, ...) become closed functions whose captured values are parameters, and bodies of
 * the model's own functions are read where they are called. */
#ifndef HONE_GRAPH_ONNX_READER_H
#define HONE_GRAPH_ONNX_READER_H

#include <limits.h>

#include "graph/onnx/node.h"
#include "graph/onnx/onnx.h"
#include "graph/onnx/tensor.h"

/* What scope_find gives for a name that nothing has. */
enum { VALUE_UNDEFINED = INT_MIN };

/* A value that an attribute of a model's function has where a call gives none. */
struct function_default {
	const Onnx__FunctionProto *function;
	Onnx__AttributeProto *attr;
};

struct function_default_vec VEC(struct function_default);
struct dim_name_vec VEC(const char *);

struct onnx_reader {
	struct arena *arena;	/* the graph's */
	struct arena *scratch;	/* freed when reading ends */
	struct graph *graph;
	const Onnx__ModelProto *model;
	struct tensor_source source;
	const struct onnx_options *options;
	struct onnx_problems *problems;
	struct names operators;	/* index in nodes.def by name */
	struct names functions;	/* index in the model's functions by domain::name */
	struct function_default_vec defaults;
	struct names symbols;	/* index in the graph's symbols by a dim's name in the model */
	struct dim_name_vec unnamed;	/* "INPUT.AXIS" of the inputs' open dims without a name */
	int64_t nodes_left;	/* to be read: those of functions count wherever they are called */
	int functions_deep;	/* functions being read, one in the other */
	int loops_deep;
};

/* A place where names mean values. */
struct onnx_scope {
	const struct onnx_scope *outer;	/* whose names are known here too; NULL: none */
	struct builder *builder;
	struct names values;
	int opset[DOMAIN_COUNT];	/* 0: not imported */
	/* Of a function's body: the call, which has the attributes that it refers to. */
	const Onnx__FunctionProto *function;
	const Onnx__NodeProto *call;
	const struct onnx_scope *caller;
};

/* --- type.c */

/* The type P; NULL and a message. */
const struct type *onnx_type(struct onnx_reader *r, const Onnx__TypeProto *p);
/* The same of the input IN of the model, which has a name, with the sizes that the options give. */
const struct type *onnx_input_type(struct onnx_reader *r, const Onnx__ValueInfoProto *in);
/* A tensor's dims; symbols of the graph where the model names them. NULL and a message. */
struct dim onnx_dim_named(struct onnx_reader *r, const char *name);

/* --- given.c */

/* D with the sizes that the options give for names in it. */
struct dim given_named(struct onnx_reader *r, struct dim d);
/* The size given for dim AXIS of the model's input INPUT, which is open and has no name; else unknown. */
struct dim given_unnamed(struct onnx_reader *r, const char *input, int axis);
/* -1 and a message where the options give a size for what is no open dim of all that was read. */
int given_check(const struct onnx_reader *r);

/* --- scope.c */

/* DOMAIN_COUNT: none of those that hone knows. */
enum node_domain node_domain_find(const char *name);

/* A scope in OUTER's builder and with its operator sets. */
struct onnx_scope scope_inside(const struct onnx_scope *outer);
/* Operator sets of a scope; -1 and a message where hone does not know one. */
int scope_import(struct onnx_scope *s, size_t n, Onnx__OperatorSetIdProto *const *imports);
/* The value NAME: VALUE_NONE for "", VALUE_FAILED where what makes it failed, VALUE_UNDEFINED. */
int scope_find(const struct onnx_scope *s, const char *name);
int scope_define(struct onnx_reader *r, struct onnx_scope *s, const char *name, int value);
/* Reads initializers and nodes of G. Nodes that fail are noted as problems, their outputs
 * VALUE_FAILED; -1 and a message for what ends the reading. */
int scope_read(struct onnx_reader *r, struct onnx_scope *s, const Onnx__GraphProto *g);
int scope_read_nodes(struct onnx_reader *r, struct onnx_scope *s, size_t n,
		     Onnx__NodeProto *const *nodes);
/* The values of G's outputs in S, in scratch; NULL and a message where one is not defined. */
int *scope_results(struct onnx_reader *r, const struct onnx_scope *s, const Onnx__GraphProto *g);

/* --- node.c */

void onnx_index_operators(struct onnx_reader *r);

/* Reads one node. 0 where it was noted as a problem, too. */
int node_read(struct onnx_reader *r, struct onnx_scope *s, const Onnx__NodeProto *p);

/* --- attr.c */

/* The attribute NAME of node P in S, that of the caller where it refers to one; NULL: none. */
const Onnx__AttributeProto *onnx_attr(struct onnx_reader *r, const struct onnx_scope *s,
				      const Onnx__NodeProto *p, const char *name);
/* --- problems.c */

/* Notes the message that is set for node P. */
void problem_add(struct onnx_reader *r, const Onnx__NodeProto *p, int opset);
int problem_count(const struct onnx_reader *r);
/* Forgets all beyond the first COUNT, which are those of a body that is read again. */
void problem_forget(struct onnx_reader *r, int count);
/* -1 and a message where there are problems. */
int problem_error(const struct onnx_reader *r);

/* --- function.c */

/* Notes the model's own functions; -1 and a message. function_forget frees what that took. */
int function_index(struct onnx_reader *r);
void function_forget(struct onnx_reader *r);
/* Reads the body of the model's own function F in place of the node N. */
int function_call(struct node *n, const Onnx__FunctionProto *f);

#endif
