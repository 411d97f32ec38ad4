/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/forms.h - the forms that functions get by differentiation; for graph/diff/ only.
 *
 * Each is made once for each function, on demand, and declared before it is made, so that recursion
 * finds it. */
#ifndef HONE_GRAPH_DIFF_FORMS_H
#define HONE_GRAPH_DIFF_FORMS_H

#include "graph/diff/space.h"

/* The function made for PURPOSE of FUNCTION and N; FUNCTION_NONE where there is none yet. */
int diff_find(const struct diff *d, const char *purpose, int function, int n);
/* A place for it, with this type; another form of FUNCTION. */
int diff_declare(struct diff *d, const char *purpose, int function, int n,
		 const struct type_vec *params, const struct type *result);
/* The function that F is another form of. */
int diff_origin(const struct diff *d, int f);

/* -1 and a message where a parameter or a result of F is nothing that a caller can differentiate by
 * or for. */
int diff_check(const struct function *f);

/* By function of G: does it draw random numbers, so that computing it again gives something else? In
 * A. */
bool *diff_impure(struct arena *a, const struct graph *g);

#endif
