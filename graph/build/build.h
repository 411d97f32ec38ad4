/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/build.h - functions come to be here, binding by binding.
 *
 * Each binding is typed when it is made; what follows from constants is folded, as far as the
 * graph's budget goes; a call that cannot be gives VALUE_FAILED after err_set, and so does whatever
 * is made of VALUE_FAILED: calls chain, and one check at the end is enough. Readers, passes and
 * gradients all build in this way, so that a graph is typed and folded wherever it comes from. */
#ifndef HONE_GRAPH_BUILD_BUILD_H
#define HONE_GRAPH_BUILD_BUILD_H

#include "graph/ir/op.h"

struct builder {
	struct graph *graph;
	struct arena *arena;		/* the graph's */
	struct function *function;	/* being made */
	int index;			/* of it in the graph */
	const struct origin *origin;	/* of the node being read, for its bindings */
	bool plain;			/* nothing is folded */
};

/* A new function NAME of G; unique names are made of it where it is taken. */
struct builder builder_begin(struct graph *g, const char *name);
/* A function that was declared: it takes the place INDEX, which another may call already. */
struct builder builder_resume(struct graph *g, int index);
/* A place for a function with these parameters and result, to be made later by builder_resume: for
 * functions that call themselves or each other. Its index. */
int graph_declare(struct graph *g, const char *name, const struct type *type);
/* Ends the function. Its index; FUNCTION_NONE where a result is VALUE_FAILED, or where a declared
 * function has other types. */
int builder_end(struct builder *b, int n, const int *results);
/* Drops the bindings that none of the N RESULTS needs; RESULTS become the values' new numbers, all
 * other numbers mean nothing any more. */
void build_prune(struct builder *b, int n, int *results);

/* Parameters come before all else. */
int build_param(struct builder *b, const char *name, const struct type *type);
/* ARRAY lives as long as the graph. */
int build_const(struct builder *b, const struct array *array);
/* Constants: N integers (i64[n]), one integer, V as an element of E without dims (VALUE_FAILED and a
 * message where E has no numbers). */
int build_ints(struct builder *b, int n, const int64_t *v);
int build_int(struct builder *b, int64_t v);
int build_scalar(struct builder *b, enum element e, double v);

/* OP of args, with attributes (NULL: defaults). */
int build_call(struct builder *b, const struct core_op *op, int nargs, const int *args,
	       const struct attr_vec *attrs);
/* build(b, &core_add, x, y) */
#define build(b, op, ...) build_with(b, op, NULL, __VA_ARGS__)
/* The same with attributes. */
#define build_with(b, op, attrs, ...)                                                              \
	build_call(b, op, (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)),                     \
		   (int[]){ __VA_ARGS__ }, attrs)

int build_tuple(struct builder *b, int n, const int *fields);
/* The field itself where TUPLE was made in this function. */
int build_field(struct builder *b, int tuple, int field);
int build_closure(struct builder *b, int function, int n, const int *captured);
/* FUNCTION of args; FUNCTION_NONE: args[0] is the function. */
int build_apply(struct builder *b, int function, int nargs, const int *args);
/* Both functions take ARGS. Where the condition is constant, the body of the one is inlined. */
int build_if(struct builder *b, int condition, int function, int otherwise, int nargs,
	     const int *args);
/* See BIND_LOOP. */
int build_loop(struct builder *b, int function, int trips, int condition, int nstate,
	       const int *state, int nextra, const int *extra);

/* The bindings of FUNCTION here, its parameters replaced by ARGS; what an application would give. */
int build_inline(struct builder *b, int function, int nargs, const int *args);
/* Binding OF of another function here, its operands replaced by ARGS (as many as OF has) and its
 * functions by THROUGH[function] (NULL: the same): the step of a pass. */
int build_copy(struct builder *b, const struct binding *of, const int *args, const int *through);

/* Of values of the function being made. */
const struct type *build_type(const struct builder *b, int value);
const struct binding *build_at(const struct builder *b, int value);
const struct array *build_array(const struct builder *b, int value);
/* TYPE, which says more or less of VALUE than is known of it, becomes its type; -1 without a message
 * where they contradict each other. */
int build_retype(struct builder *b, int value, const struct type *type);
/* Gives VALUE a name, where it has none yet. */
void build_name(struct builder *b, int value, const char *name);

#endif
