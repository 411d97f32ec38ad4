/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/reverse.h - the forms that a function gets for gradients; for graph/diff/ only.
 *
 * All are made once for each function, on demand, and declared before they are made, so that
 * recursion finds them. FUNCTION_NONE and a message where one cannot be. "Parameters" and "result"
 * are those of the function with their dual types (graph/diff/space.h). */
#ifndef HONE_GRAPH_DIFF_REVERSE_H
#define HONE_GRAPH_DIFF_REVERSE_H

#include "graph/diff/forms.h"
#include "graph/diff/sweep.h"

/* (parameters) -> (result). */
int reverse_carried(struct diff *d, int function);
/* (parameters, gradient by the result) -> (gradient by each parameter that has a space). */
int reverse_gradient(struct diff *d, int function);
/* For closures over the first NCAPTURED parameters: (parameters) -> (result, pullback). */
int reverse_closure(struct diff *d, int function, int ncaptured);
/* A loop's body that gives, as scans, also the iteration and then the NSTATE states before it. */
int reverse_keeping(struct diff *d, int function, int nstate);

/* The dual types of F's parameters, appended to TYPES. */
void reverse_params(const struct diff *d, const struct function *f, struct type_vec *types);
/* Does a value of F's result type have a gradient? */
bool reverse_pulls(const struct diff *d, const struct function *f);

/* The steps of a sweep: of closures, applications and branches, and of loops. */
int reverse_control(struct sweep *s, int value);
int reverse_loop(struct sweep *s, int value);
/* Adds to the gradients by ARGS, for which F was called, field FIRST of GRADIENTS and so on, of NALL
 * fields, one for each parameter that has a space. */
int reverse_spread(struct sweep *s, const struct function *f, const int *args, int gradients,
		   int first, int nall);
/* How many parameters of F in [FROM, TO) have a space. */
int reverse_count(const struct diff *d, const struct function *f, int from, int to);
/* Result I of N, that are one value where N is 1. */
int reverse_result(struct builder *b, int results, int i, int n);

#endif
