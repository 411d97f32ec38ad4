/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir.h - the typed, functional graph of a model, in A-normal form.
 *
 * A function is parameters, an array of bindings and results. A value is named by its number, the
 * index of its binding; the parameters are the first bindings, so that one number says it all.
 * Holds: a binding uses only values with smaller numbers, so that array order is an order of
 *        execution and there are no cycles; VALUE_NONE stands for an operand left out.
 * All of it lives in the graph's arena. */
#ifndef HONE_GRAPH_IR_H
#define HONE_GRAPH_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"
#include "te/dtype.h"

enum { GRAPH_MAX_RANK = 8, VALUE_NONE = -1, RANK_UNKNOWN = -1 };

/* Bounds on what a file may ask for, so that sizes computed from shapes do not overflow. */
#define GRAPH_MAX_DIM	   ((int64_t)1 << 40)
#define GRAPH_MAX_ELEMENTS ((int64_t)1 << 46)

/* A number (n >= 0), a named symbol (n < 0, name), or unknown (n < 0, no name). */
struct dim {
	int64_t n;
	const char *name;
};

/* A tensor, or where nfields > 0 a tuple. The zero value is no type: start from type_unknown. */
struct type {
	enum dtype dtype;	/* DTYPE_COUNT: unknown */
	int rank;		/* RANK_UNKNOWN, or how many of dim[] count */
	struct dim dim[GRAPH_MAX_RANK];
	struct type *fields;
	int nfields;
};

enum attr_kind {
	ATTR_INT,
	ATTR_FLOAT,
	ATTR_STRING,
	ATTR_INTS,
	ATTR_FLOATS,
	ATTR_TENSOR,
	ATTR_OTHER,	/* a graph, a type, ...: only that it is there is kept */
};

/* Reference data: row-major, aligned for its element type. */
struct constant {
	struct type type;	/* static */
	const void *data;
};

struct attr {
	const char *name;
	enum attr_kind kind;
	int n;		/* of ints or floats; 1 for a single one */
	union {
		const int64_t *ints;	/* ATTR_INT, ATTR_INTS */
		const float *floats;	/* ATTR_FLOAT, ATTR_FLOATS */
		const char *string;
		const struct constant *tensor;
	};
};

/* Operators by name; OPER_UNKNOWN is any operator that graph/op.def does not list. */
enum oper {
	OPER_UNKNOWN,
#define X(name, text, min, max, shape, role) OPER_##name,
#include "graph/op.def"
#undef X
	OPER_COUNT
};

struct call {
	enum oper op;
	const char *op_name;	/* as in the model, "domain::Name" outside of ONNX's own */
	const char *label;	/* the node's name in the model, "" where it has none */
	const int *args;	/* values; VALUE_NONE for one left out */
	int nargs;
	int noutputs;		/* more than one: the binding's type is a tuple */
	const struct attr *attrs;
	int nattrs;
};

enum binding_kind {
	BIND_PARAM,
	BIND_CONST,	/* data */
	BIND_CALL,	/* call */
	BIND_FIELD,	/* a field of a tuple that an earlier binding gave */
};

struct binding {
	enum binding_kind kind;
	const char *name;	/* in the model */
	struct type type;
	union {
		const void *data;	/* type.count elements, row-major, aligned for the dtype */
		struct call call;
		struct {
			int tuple;	/* value */
			int field;
		};
	};
};

struct binding_vec VEC(struct binding);

struct function {
	const char *name;
	int nparams;		/* bindings at[0..nparams) are BIND_PARAM */
	struct binding_vec bindings;
	const int *results;	/* values */
	int nresults;
};

struct graph {
	struct arena *arena;	/* holds the graph; not owned */
	const char *name;
	int opset;		/* version of ONNX's operators that the calls follow */
	struct function *main;
};

/* Dims and types. */
struct dim dim_number(int64_t n);
struct dim dim_unknown(void);
bool dim_is_known(struct dim d);
/* Both numbers and the same, or both the same symbol. */
bool dim_same(struct dim a, struct dim b);

struct type type_unknown(void);
struct type type_tensor(enum dtype t, int rank, const int64_t *shape);
/* Element type and every dim are known: a tensor that can be laid out in memory. */
bool type_is_static(const struct type *t);
/* Rank and every dim are known. */
bool type_has_shape(const struct type *t);
bool type_same_shape(const struct type *a, const struct type *b);
/* Number of elements; -1 where a dim is not known or the product is above the bound. */
int64_t type_count(const struct type *t);
/* Bytes of all elements; 0 where type_is_static is false. */
size_t type_bytes(const struct type *t);

/* Attributes of a call, by name. */
const struct attr *call_attr(const struct call *c, const char *name);
int64_t call_int(const struct call *c, const char *name, int64_t otherwise);
double call_float(const struct call *c, const char *name, double otherwise);
const char *call_string(const struct call *c, const char *name, const char *otherwise);
/* The list NAME and its length; NULL and 0 where the call has none. */
const int64_t *call_ints(const struct call *c, const char *name, int *n);
/* Argument I, VALUE_NONE where it was left out. */
int call_arg(const struct call *c, int i);

/* Building, for readers and tests; each returns the new value. */
struct graph *graph_new(struct arena *a, const char *name, int opset);
int function_param(struct arena *a, struct function *f, const char *name, struct type type);
int function_const(struct arena *a, struct function *f, const char *name, struct type type,
		   const void *data);
int function_call(struct arena *a, struct function *f, const char *name, struct call call);
int function_field(struct arena *a, struct function *f, const char *name, int tuple, int field);

/* How often each value is used, as an operand or as a result; in A. */
int *function_uses(struct arena *a, const struct function *f);

/* Gives the symbol NAME a size everywhere; false where no type has it. */
bool graph_set_dim(struct graph *g, const char *name, int64_t size);

/* Text for people. Names come from files: what is no plain character is written as \xHH. */
void name_print(struct text *out, const char *name);
void type_print(struct text *out, const struct type *t);
void graph_print(struct text *out, const struct graph *g);

#endif
