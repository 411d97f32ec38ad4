/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/value.h - what a graph computes with: arrays, tuples, sequences, functions.
 *
 * A value is passed by value and has one holder: who gets one releases it or hands it on. What is
 * inside is shared and never written to while it has more than one holder. */
#ifndef HONE_GRAPH_EVAL_VALUE_H
#define HONE_GRAPH_EVAL_VALUE_H

#include "graph/ir/type.h"

enum value_kind {
	VALUE_EMPTY,	/* left out; the empty optional */
	VALUE_ARRAY,
	VALUE_TUPLE,
	VALUE_SEQUENCE,
	VALUE_CLOSURE,
};

struct items;

struct value {
	enum value_kind kind;
	union {
		const struct array *array;
		struct items *items;	/* tuple, sequence; what a closure has captured */
	};
	int function;			/* closure */
	enum element element;		/* sequence: of its tensors, where it is empty */
};

struct items {
	int holders;
	int n;
	struct value at[];
};

struct value value_empty(void);
/* These take over the holder that ARRAY or each of AT[0..n) has. */
struct value value_of_array(const struct array *array);
struct value value_of_items(enum value_kind kind, int n, const struct value *at);
struct value value_closure(int function, int n, const struct value *captured);

/* N empty values on the heap, for free(). */
struct value *values_new(int n);
/* The same, each a holder more of AT[i]. */
struct value *values_held(const struct value *at, int n);

struct value value_hold(struct value v);
void value_release(struct value v);
/* Releases N of them. */
void values_release(struct value *at, int n);

/* The type of V; closures have an unknown one. In A. */
const struct type *value_type(struct arena *a, struct value v);

#endif
