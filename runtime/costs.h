/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/costs.h - what the bindings of a model take while a session is watched. */
#ifndef HONE_RUNTIME_COSTS_H
#define HONE_RUNTIME_COSTS_H

#include "runtime/code.h"

struct session_cost {
	int function;			/* of the graph */
	const struct binding *binding;
	const char *what;		/* operator, function, ... */
	const char *by;			/* the origin of its kernel, "interpreter", "copy" */
	int64_t runs;
	double seconds;			/* of all of them, with what it calls inside */
};

struct session_cost_vec VEC(struct session_cost);

struct costs;

struct costs *costs_new(struct arena *a, const struct model_code *code);
/* Binding B of FUNCTION ran in the interpreter. */
void costs_of_binding(struct costs *c, int function, const struct binding *b, double seconds);
/* So did all steps of X's list, which is watched. */
void costs_of_steps(struct costs *c, const struct flat_instance *x);
/* In the order in which bindings first ran. Left out are constants and tuples, and applications of
 * compiled functions: their steps stand for them. */
const struct session_cost_vec *costs_all(const struct costs *c);

#endif
