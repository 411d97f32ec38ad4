/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/session.h - a model that is ready to run.
 *
 * In:   a graph whose operators were fused, and a choice of kernel for each of its tasks.
 * Out:  results for arguments, as often as one likes.
 * Holds: weights are packed once, when the session begins; what has no kernel, or is called with
 *        shapes that the kernel was not made for, runs in the interpreter and gives the same up to
 *        rounding. A session is one thread's. */
#ifndef HONE_RUNTIME_SESSION_H
#define HONE_RUNTIME_SESSION_H

#include "graph/eval/interp.h"
#include "runtime/choice.h"

struct session;

/* Of G's main function; G, TASKS (graph_tasks() of it) and CHOICES outlive it. NULL and a message. */
struct session *session_new(const struct graph *g, const struct model_task_vec *tasks,
			    const struct choice *choices, struct interp_limits limits);
void session_free(struct session *s);	/* NULL is allowed */

/* One run: ARGS, as many as main has parameters, keep their holders; RESULTS, as many as it has
 * results, get one each. Strings among them live until the next run. 0, or -1 and a message. */
int session_run(struct session *s, const struct value *args, struct value *results);

/* What one binding of the graph took since the session began. */
struct session_cost {
	int function;			/* of the graph */
	const struct binding *binding;
	const struct choice *choice;	/* of its kernel; NULL: the interpreter's */
	int64_t runs;
	double seconds;			/* of all of them, with what it calls inside */
};

struct session_cost_vec VEC(struct session_cost);

/* From now on costs are noted. */
void session_watch(struct session *s);
/* In the order in which bindings first ran. */
const struct session_cost_vec *session_costs(const struct session *s);
/* Bytes of packed weights and workspace that it holds. */
size_t session_bytes(const struct session *s);

#endif
