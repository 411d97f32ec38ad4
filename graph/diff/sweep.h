/* SPDX-License-Identifier: Apache-2.0 */
/* graph/diff/sweep.h - backwards over bindings of a function that is being made: from gradients by
 * some of its values to gradients by those before. */
#ifndef HONE_GRAPH_DIFF_SWEEP_H
#define HONE_GRAPH_DIFF_SWEEP_H

#include "graph/diff/space.h"

/* What is known of the gradient by a value: of a tuple, by its fields. */
struct adjoint {
	int whole;	/* VALUE_NONE: zero */
	int *field;	/* NULL: no tuple; each VALUE_NONE: zero */
};

struct sweep {
	struct diff *d;
	struct builder *builder;
	int from, to;		/* the bindings that are swept */
	struct adjoint *adjoint;	/* of each of them */
	bool *active;		/* does it depend on what is differentiated by? */
	/* Adds what binding VALUE, no call of an operator, adds; NULL: there is none such. */
	int (*control)(struct sweep *s, int value);
};

/* Over bindings [FROM, TO) of B, differentiated by those that BY says, and what depends on them. */
struct sweep sweep_begin(struct diff *d, struct builder *b, int from, int to, const bool *by);
/* Adds GRADIENT (VALUE_NONE: nothing) to that by VALUE, or by its field FIELD; one that is constant
 * takes none. -1 where GRADIENT is VALUE_FAILED. */
int sweep_add(struct sweep *s, int value, int gradient);
int sweep_add_field(struct sweep *s, int value, int field, int gradient);
/* The gradient by VALUE as one value; VALUE_NONE: zero. */
int sweep_gradient(struct sweep *s, int value);
/* The same, zeros where there is none. */
int sweep_gradient_or_zero(struct sweep *s, int value);
/* All bindings, the last first. -1 and a message. */
int sweep_run(struct sweep *s);

#endif
