/* SPDX-License-Identifier: Apache-2.0 */
/* te/dag.h - a DAG of tensor operations, the definition of a task.
 *
 * In:   ops added in any order in which producers come before their consumers.
 * Out:  after dag_freeze a const DAG: inputs, constants, computes; its outputs marked; its key.
 * Holds: every access of a frozen DAG is in bounds for all values of the axes. */
#ifndef HONE_TE_DAG_H
#define HONE_TE_DAG_H

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "te/expr.h"

enum op_kind {
	OP_INPUT,	/* given at each call */
	OP_CONST,	/* known when kernels are built: a weight, may be packed */
	OP_COMPUTE,
};

enum reducer { REDUCE_NONE, REDUCE_SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD };

/* A tensor and how it comes to be: tensor[space...] = reducer over reduce... of body. */
struct op {
	struct tensor tensor;
	enum op_kind kind;
	struct axis **space;	/* tensor.ndim of them, each [0, shape[d]) */
	struct axis **reduce;
	int nreduce;		/* 0 exactly where reducer is REDUCE_NONE */
	enum reducer reducer;
	const struct expr *body;	/* of the tensor's type */
	double low, high;	/* inputs: the range of random test data; low < high */
	bool output;		/* no op of the DAG reads it, or it was marked */
};

struct op_vec VEC(struct op *);

struct dag {
	const char *name;	/* for people; not part of the key */
	struct arena *arena;	/* owner of all ops; not owned */
	struct op_vec ops;	/* producers before consumers */
	bool frozen;
};

struct dag *dag_new(struct arena *a, const char *name);

/* The range of test data that nobody chose: [-1, 1], integers [-4, 4], or [0, 4] where unsigned. */
void dag_usual_range(enum dtype t, double *low, double *high);
/* An input or constant with test data of the usual range. */
struct op *dag_input(struct dag *d, const char *name, enum dtype t, int ndim, const int64_t *shape,
		     bool constant);
/* What OP is, which computes nothing, stored in another shape. */
struct op *dag_input_as(struct dag *d, const struct op *op, int ndim, const int64_t *shape);

/* An axis for dag_reduce. */
struct axis *dag_axis(struct dag *d, const char *name, int64_t extent);

/* tensor[space...] = REDUCER over reduce... of body; REDUCE_NONE: of the body alone. */
struct op *dag_reduce(struct dag *d, const char *name, struct axis *const *space, int nspace,
		      enum reducer reducer, struct axis *const *reduce, int nreduce,
		      const struct expr *body);

/* Checks the DAG, marks its outputs and makes it const. -1 and a message where an access is out
 * of bounds or the DAG has no compute op. */
int dag_freeze(struct dag *d);

/* A hash of structure, shapes, types and which inputs are constant: never of names. */
struct hash128 dag_key(const struct dag *d);

/* The op that T belongs to; NULL where it is not of this DAG. */
struct op *dag_op(const struct dag *d, const struct tensor *t);
/* Where the op that T belongs to, which is of this DAG, stands among its ops. */
int dag_position(const struct dag *d, const struct tensor *t);
struct op *dag_find(const struct dag *d, const char *name);

/* Arithmetic operations of one evaluation as written: each + - * / min max compare call is one,
 * index arithmetic is none, a reduction adds one per combined element. */
double dag_flop(const struct dag *d);
/* The same of one turn of the loops of OP, which computes. */
double op_flop(const struct op *op);

/* Bytes of all inputs, constants and outputs. */
double dag_bytes(const struct dag *d);
/* Of constants alone. */
double dag_constant_bytes(const struct dag *d);

int64_t tensor_count(const struct tensor *t);
/* The last dim of T that has more than one place; -1 where there is none. */
int tensor_innermost(const struct tensor *t);
size_t tensor_bytes(const struct tensor *t);

const char *reducer_name(enum reducer r);
/* What a reduction starts from: 0, -inf or the type's least value, ..., 1. */
double reducer_identity(enum reducer r, enum dtype t);
/* The expression kind that combines two values: EXPR_ADD, EXPR_MAX, ... */
enum expr_kind reducer_combine(enum reducer r);

/* Access analysis. */
bool op_is_reduction(const struct op *op);
/* Neither a reduction nor an output, and of a few operations: each use may compute it again. */
bool op_is_cheap(const struct op *op);
/* A reduction each of whose loads leaves out some space axis, so that tiling brings reuse. */
bool op_has_reuse(const struct op *op);
/* Number of ops of D that read T. */
int dag_consumers(const struct dag *d, const struct tensor *t);

#endif
