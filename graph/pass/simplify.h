/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/simplify.h - what the rules of simplification share; for graph/pass/simplify*.c. */
#ifndef HONE_GRAPH_PASS_SIMPLIFY_H
#define HONE_GRAPH_PASS_SIMPLIFY_H

#include "graph/pass/rewrite.h"

/* A call that is about to be made. */
struct rule_site {
	struct builder *builder;
	const struct binding *call;	/* as it was; its operands are ARGS by now */
	const struct type *type;	/* of its result */
	const int *args;
};

/* The value to take instead; REWRITE_COPY where the call is to be made. */
typedef int rule_fn(const struct rule_site *s);

struct rule_entry {
	const struct core_op *op;
	rule_fn *rule;
};

/* Rules of operators that move data, NULL after the last. */
extern const struct rule_entry move_rules[];

/* The call that gives operand I, where it is one of OP; else NULL. */
const struct binding *site_call(const struct rule_site *s, int i, const struct core_op *op);
/* Is operand I of the very type of the result? */
bool site_same_type(const struct rule_site *s, int i);

#endif
