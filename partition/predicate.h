/* SPDX-License-Identifier: Apache-2.0 */
/* partition/predicate.h - what a pattern asks of a call beside its operator.
 *
 *	rank=4  rank<=4	of its result
 *	groups=1	an attribute; of a list every number
 *	f32		the element type of its result
 *	const		every operand but the one that the pattern comes from is constant
 *	channels	the same, a vector along the channels of the result: its dim 1, or its last where
 *			it has two
 *	scalar		the same, of one element */
#ifndef HONE_PARTITION_PREDICATE_H
#define HONE_PARTITION_PREDICATE_H

#include "graph/ir/op.h"

enum predicate_kind {
	PREDICATE_RANK,
	PREDICATE_ATTR,
	PREDICATE_ELEMENT,
	PREDICATE_CONST,
	PREDICATE_CHANNELS,
	PREDICATE_SCALAR,
};

enum relation_sign { SIGN_EQUAL, SIGN_LESS, SIGN_MORE };	/* or equal, the last two */

struct predicate {
	enum predicate_kind kind;
	const struct attr_spec *attr;	/* PREDICATE_ATTR */
	enum relation_sign sign;	/* of rank and numbers */
	int64_t number;
	const char *string;		/* that the attribute is to be; NULL: it is the number */
	enum element element;
};

struct predicate_vec VEC(struct predicate);

/* TEXT, one predicate without blanks around it, of calls of OP (NULL: of any); -1 and a message. */
int predicate_parse(struct arena *a, const struct core_op *op, const char *text, struct predicate *out);
/* Does it hold of B, a call in F that comes from its operand FROM (VALUE_NONE: from none)? */
bool predicate_holds(const struct predicate *p, const struct function *f, const struct binding *b,
		     int from);

#endif
