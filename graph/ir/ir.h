/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/ir.h - the typed, functional graph of a model, in A-normal form.
 *
 * A graph is functions. A function is parameters, an array of bindings and results; it is closed:
 * what a body needs from outside comes in as a parameter (closures bind captured values to the
 * first parameters of theirs). A value is named by its number, the index of its binding; the
 * parameters are the first bindings. Functions are named by their index in the graph, so that they
 * may call themselves and each other.
 *
 * Holds: a binding uses only values with smaller numbers, so that array order is an order of
 *        execution; every binding has the type that its relation gives.
 * Functions are made by graph/build/build.h alone, and not changed after. */
#ifndef HONE_GRAPH_IR_IR_H
#define HONE_GRAPH_IR_IR_H

#include "base/vec.h"
#include "graph/ir/attr.h"
#include "graph/ir/names.h"
#include "graph/ir/origin.h"
#include "graph/ir/type.h"

enum {
	VALUE_NONE = -1,	/* an operand left out */
	VALUE_FAILED = -2,	/* what a builder gives where there is an error */
	FUNCTION_NONE = -1,
};

struct core_op;

enum binding_kind {
	BIND_PARAM,
	BIND_CONST,	/* array */
	BIND_CALL,	/* op of args, with attrs */
	BIND_TUPLE,	/* args */
	BIND_FIELD,	/* field of the tuple args[0] */
	BIND_CLOSURE,	/* function with args bound to its first parameters */
	BIND_APPLY,	/* function of args; where it is FUNCTION_NONE args[0] is the function */
	BIND_IF,	/* args[0] ? function : otherwise, of the other args */
	/* function of (iteration: i64[], state..., the other args) -> (go on: bool[], state...,
	 * scans...), while it says so, args[1] said so before and there are fewer than args[0]
	 * iterations. args[0] and args[1] may be VALUE_NONE; args[2..2+nstate) are the state's
	 * first values. A tuple of the last state and, for each scan, its values stacked along a
	 * new first dim. */
	BIND_LOOP,
};

struct binding {
	enum binding_kind kind;
	const struct type *type;
	const char *name;	/* of the value, for people; "" */
	const struct origin *origin;	/* the node of the model that it comes from; a demand is a CALL's */
	const int *args;	/* values; VALUE_NONE for one left out */
	int nargs;
	int function, otherwise;	/* CLOSURE, APPLY, IF, LOOP */
	int field;			/* FIELD */
	int nstate;			/* LOOP */
	const struct array *array;	/* CONST */
	const struct core_op *op;	/* CALL */
	const struct attr *attrs;	/* CALL: those that are not at their defaults */
	int nattrs;
	/* What is known of the elements of a tensor of integers or bool (0, 1) of rank 0 or 1: as many as it has;
	 * NULL: nothing. Shapes are computed in such tensors. */
	const struct dim *elements;
};

struct binding_vec VEC(struct binding);
struct value_vec VEC(int);

struct function {
	const char *name;
	int nparams;		/* bindings.at[0..nparams) are BIND_PARAM */
	struct binding_vec bindings;
	const int *results;	/* values */
	int nresults;
	const struct type *result;	/* the type of a call: a tuple where nresults is not 1 */
	const struct attr *attrs;	/* what passes know of it: fused, ... */
	int nattrs;
};

struct symbol_vec VEC(const struct axis *);
struct function_vec VEC(struct function *);

/* How much reading and passes may compute of what is constant. */
struct fold_budget {
	int64_t bytes;		/* of results, left */
	double seconds;		/* left */
};

struct kernel_costs;

struct graph {
	struct arena *arena;	/* holds the graph; not owned */
	const char *name;
	struct function_vec functions;
	struct names function_names;	/* name to index, also of functions that were dropped */
	int main;
	struct names symbols;	/* name to index of symbol */
	struct symbol_vec symbol;
	struct fold_budget budget;
	const struct kernel_costs *costs;	/* graph/pass/costs.h; NULL: of no machine */
	bool shared;		/* with code generators: what is demanded of nodes tells them apart */
};

struct graph *graph_new(struct arena *a, const char *name);
/* The symbol NAME, made where it is new. */
const struct axis *graph_symbol(struct graph *g, const char *name);
/* NULL where no type mentions it. */
const struct axis *graph_find_symbol(const struct graph *g, const char *name);
struct function *graph_main(const struct graph *g);
/* FUNCTION_NONE where there is none. */
int graph_find_function(const struct graph *g, const char *name);

/* The function that B is an application of; NULL where it is none, or of a function that is a value. */
const struct function *graph_applied(const struct graph *g, const struct binding *b);

const struct binding *function_at(const struct function *f, int value);
/* The array that VALUE is; NULL where it is no constant. */
const struct array *function_const(const struct function *f, int value);
/* The calls of F, ascending; in A. */
struct value_vec function_calls(struct arena *a, const struct function *f);
/* The first of them; NULL where there is none. */
const struct binding *function_first_call(const struct function *f);
/* Where VALUE first stands among LIST; -1. */
int value_vec_find(const struct value_vec *list, int value);
/* Is F to run as one kernel? Its attribute "fused" says so. */
bool function_is_fused(const struct function *f);
/* Does F consist of what runs without the interpreter? Its attribute "compiled" says so. */
bool function_is_compiled(const struct function *f);
/* The code generator that computes F, by its attribute "generator"; NULL: none does. */
const char *function_generator(const struct function *f);
/* What is demanded of the calls of F, as who computes one has to compute all: hone, where it is to keep any
 * of them, else a generator, where one has to go; else none. */
struct demand function_demand(const struct function *f);
/* How often each value is used, as an operand or as a result; in A. */
int *function_uses(struct arena *a, const struct function *f);

/* The attribute NAME of a call, or the default of its operator's schema; that the schema has one of
 * this name and kind is asserted. */
int64_t call_int(const struct binding *b, const char *name);
double call_float(const struct binding *b, const char *name);
bool call_flag(const struct binding *b, const char *name);
const char *call_string(const struct binding *b, const char *name);
enum element call_element(const struct binding *b, const char *name);
/* The list and its length; none is an empty list. */
const int64_t *call_ints(const struct binding *b, const char *name, int *n);
const double *call_floats(const struct binding *b, const char *name, int *n);
bool call_has(const struct binding *b, const char *name);
/* Argument I; VALUE_NONE where it was left out. */
int call_arg(const struct binding *b, int i);

#endif
