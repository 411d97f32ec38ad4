/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/dual.h - values with their tangents beside them; for graph/diff/ only.
 *
 * The forward form of a function has, behind each parameter that has a space, the tangent of it; its
 * results are the result and, where that has a space, its tangent. */
#ifndef HONE_GRAPH_DIFF_DUAL_H
#define HONE_GRAPH_DIFF_DUAL_H

#include "graph/diff/space.h"

/* A value with its tangent. */
struct dual {
	int value;
	int tangent;	/* VALUE_NONE: zero, or it has none */
};

/* A function being made of another. */
struct dualizer {
	struct diff *d;
	struct builder *builder;
	const struct function *f;	/* the other */
	struct dual *dual;		/* of its values */
};

/* The forward form of FUNCTION, made once. FUNCTION_NONE and a message. */
int forward_function(struct diff *d, int function);

/* X, and behind it its tangent where one of type T has one, appended to V. */
void dual_push(struct diff *d, struct builder *b, const struct type *t, struct dual x,
	       struct value_vec *v);
/* What a function in forward form gave, with a result of type T. */
struct dual dual_take(struct diff *d, struct builder *b, const struct type *t, int given);

/* The bindings of Z's function here; those of its parameters are there. -1 and a message. */
int dual_body(struct dualizer *z);
/* What Z's function gave, as one value. */
struct dual dual_result(struct dualizer *z);

#endif
