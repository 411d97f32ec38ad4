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

/* Something that ran, in clock_ns(). */
struct session_event {
	const char *what, *by;		/* as above; "run" for a whole one */
	const char *label;		/* of the node in the model; "" */
	int thread;
	int64_t begin, end;
};

struct session_event_vec VEC(struct session_event);

/* A trace has no more: some hundred runs of a large model, and what viewers open at all. */
enum { SESSION_EVENTS = 1 << 20 };

/* STEP of F as struct session_cost has it. */
const char *flat_step_name(const struct flat *f, const struct flat_step *step);
const char *flat_step_by(const struct flat_step *step);

struct costs;

/* EVENTS: also each single one. */
struct costs *costs_new(struct arena *a, const struct model_code *code, bool events);
/* A whole run. */
void costs_of_run(struct costs *c, int64_t begin, int64_t end);
/* Binding B of FUNCTION ran in the interpreter. */
void costs_of_binding(struct costs *c, int function, const struct binding *b, double seconds);
/* So did all steps of X's list, which is watched. */
void costs_of_steps(struct costs *c, const struct flat_instance *x);
/* In the order in which bindings first ran. Left out are constants and tuples, and applications of
 * compiled functions: their steps stand for them. */
const struct session_cost_vec *costs_all(const struct costs *c);
/* The first SESSION_EVENTS of them, each run behind what was in it. */
const struct session_event_vec *costs_events(const struct costs *c);

#endif
