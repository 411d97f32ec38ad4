/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/infix.h - the infix operators of texts: those of the text form, and of formulas elsewhere. */
#ifndef HONE_TE_TEXT_INFIX_H
#define HONE_TE_TEXT_INFIX_H

#include "base/text.h"
#include "te/expr.h"

struct infix {
	const char *token;
	enum expr_kind kind;
	int level;		/* a higher one binds tighter */
	bool swapped;		/* x > y is y < x */
};

/* Consumes the operator that comes next, where it binds at least as tight as LEVEL; else NULL. */
const struct infix *infix_scan(struct scan *s, int level);

#endif
