/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/outline.h - bindings of a function that become functions of their own, in an order of the
 * pass's choosing.
 *
 * A pass that outlines builds the whole function anew: it copies the bindings that stay and makes functions
 * of the others, each after what it reads. */
#ifndef HONE_GRAPH_PASS_OUTLINE_H
#define HONE_GRAPH_PASS_OUTLINE_H

#include "graph/pass/rewrite.h"

struct outliner {
	struct rewrite *x;
	int *unread;		/* by value: uses by what is not made yet */
	struct outlined *inside;	/* by value, what stands for it in the function being made */
	int functions;			/* made so far */
};

/* For all of x->function. */
struct outliner outline_begin(struct rewrite *x);
/* Binding VALUE stays. -1 and a message. */
int outline_keep(struct outliner *o, int value);
/* The N MEMBERS, ascending, as a function NAME with ATTRS, which is applied once; a constant that a member
 * reads stands inside. -1 and a message. */
int outline_function(struct outliner *o, const char *name, int n, const int *members,
		     const struct attr_vec *attrs);
/* Behind all bindings: the results are there, too, where they are constants. */
void outline_end(struct outliner *o);

#endif
