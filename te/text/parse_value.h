/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse_value.h - a part of an equation that is being read, for te/text/parse_*.c only. What fails is
 * -1, and a message at its place. */
#ifndef HONE_TE_TEXT_PARSE_VALUE_H
#define HONE_TE_TEXT_PARSE_VALUE_H

#include "te/text/parse.h"

/* A body of a real operator has some tens of nodes; walking one is recursive, and proving its
 * indices in bounds quadratic. */
enum { NODES_MAX = 4096, DEPTH_MAX = 200 };

/* An expression, or a literal that takes its type from what stands beside it. */
struct parsed_value {
	const struct expr *e;	/* NULL: literal */
	struct literal literal;
	const char *at;		/* where it begins */
	int depth;		/* of the tree below e */
};

/* V becomes E, whose children are DEPTH deep. */
int parsed_grow(struct parser *p, struct parsed_value *v, const struct expr *e, int depth);
/* Gives V the type T if it is a literal. */
int parsed_settle(struct parser *p, struct parsed_value *v, enum dtype t);
int parsed_need_type(struct parser *p, const struct parsed_value *v);
/* One type for both; at least one has it already. */
int parsed_unify(struct parser *p, struct parsed_value *x, struct parsed_value *y);
/* What kinds of elements an operation takes. */
int parsed_check(struct parser *p, enum expr_kind k, const struct parsed_value *x,
		const struct parsed_value *y);
/* X = X K Y */
int parsed_combine(struct parser *p, enum expr_kind k, struct parsed_value *x,
		struct parsed_value *y);

#endif
