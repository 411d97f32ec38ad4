/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/diff.h - the gradient of a function, and its tangent, are functions.
 *
 * Both are made of the operators' gradient functions alone (graph/op/gradient.h).
 *
 * Reverse. The gradient of a function F takes what F takes and the gradient by F's result; it
 * computes F forwards and then, binding by binding backwards, what each adds to the gradients of its
 * operands. What another function G computes for F is computed again by the gradient of G, so that
 * nothing but its arguments is kept of a call; a loop keeps the states before each iteration, stacked
 * as scans, and another loop runs backwards over them. A function that is a value gives its pullback
 * beside its result [Pearlmutter and Siskind 2008, Reverse-Mode AD in a Functional Framework], for
 * who applies it does not know it; the gradient by the function itself is an adder, a function that
 * adds to the gradients by what it has captured, for only who made the closure knows their types.
 *
 * Forward. The tangent of F takes the tangents of the arguments and gives those of the results, each
 * binding computed once, all values with their tangents beside them. The tangent of a call is not
 * one more thing to know of an operator: the pullback of a call is linear in the gradient by its
 * result, and the gradient of that pullback, the transpose of the transpose, is the tangent. The
 * pullback itself is not computed.
 *
 * Tensors of floats are differentiated, in tuples too, and whatever is computed from them through
 * branches, loops, applications and closures. Integers, bools and strings are constant. Refused with
 * a message that says where: operators without a gradient, sequences and optionals of floats, types
 * that are not known, functions among the parameters or results of the function given; in reverse
 * also loops whose states are no tensors, and functions that draw random numbers and are called. A
 * loop whose states change shape fails when it runs. */
#ifndef HONE_GRAPH_DIFF_DIFF_H
#define HONE_GRAPH_DIFF_DIFF_H

#include "graph/ir/ir.h"

/* Adds to G the gradient of FUNCTION: (its parameters, the gradient of a scalar by each result of
 * floats) -> (its results, the gradient of that scalar by each parameter of floats). The gradient by
 * a tuple is the tuple of those by its fields of floats. The new function's index; FUNCTION_NONE and
 * a message where it cannot be; G then has functions that were not finished. */
int graph_gradient(struct graph *g, int function);

/* Adds to G the tangent of FUNCTION: (its parameters, the tangent of each parameter of floats) ->
 * (its results, the tangent of each result of floats). As above. */
int graph_tangent(struct graph *g, int function);

#endif
