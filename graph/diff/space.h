/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/space.h - the spaces that derivatives live in: their types, zero, and sum.
 *
 * That of a tensor of floats is the tensor's type; of a tuple, the tuple of those of its fields that
 * have one. That of a function is, in reverse, the adders, fn(?) -> ?: each adds to a tuple of
 * gradients by what the function has captured; forwards a function has none, for it carries the
 * tangents of what it has captured. All else has none either.
 *
 * Functions that are values change their type: forwards each parameter has its tangent behind it and
 * the result comes with its tangent; in reverse the result comes with the pullback, from the
 * gradient by the result to the adder and the gradients by the arguments. The dual of a type is the
 * type with that done to all functions in it. */
#ifndef HONE_GRAPH_DIFF_SPACE_H
#define HONE_GRAPH_DIFF_SPACE_H

#include "graph/build/build.h"

/* One differentiation. */
struct diff {
	struct graph *graph;
	struct arena *arena;	/* the graph's */
	bool forward;		/* tangents; else gradients */
	const bool *impure;	/* gradients: by function as there were at first */
	struct names made;	/* functions that were made, by what for and of which */
	struct value_vec origin;	/* by function: that it is another form of; or itself */
};

static inline const struct function *diff_function(const struct diff *d, int function)
{
	return d->graph->functions.at[function];
}

/* NULL where there is none. */
const struct type *space_of(const struct diff *d, const struct type *t);
/* Is a value of type T constant, whatever it is computed from? */
bool space_is_inert(const struct type *t);
/* -1 and a message about WHAT where a part of T is neither inert nor has a space. */
int space_check(const struct type *t, const char *what);
bool space_has_functions(const struct type *t);
const struct type *space_dual(const struct diff *d, const struct type *t);
/* The type of N results: a tuple where N is not 1. */
const struct type *space_results(const struct diff *d, const struct type_vec *results);

/* Zero in the space of VALUE, and X + Y in that of type T. */
int space_zero(struct diff *d, struct builder *b, int value);
int space_plus(struct diff *d, struct builder *b, const struct type *t, int x, int y);

/* The adder that adds nothing. */
int space_no_adder(struct diff *d, struct builder *b);

#endif
