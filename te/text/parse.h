/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse.h - what the two halves of the .te parser share: parse.c reads statements,
 * parse_expr.c bodies. */
#ifndef HONE_TE_TEXT_PARSE_H
#define HONE_TE_TEXT_PARSE_H

#include "te/dag.h"

/* An axis of the equation being read. */
struct parse_axis {
	struct axis *axis;	/* hi is 0 until its extent is known */
	bool declared;		/* written, not inferred */
};

struct parse_axes VEC(struct parse_axis);

struct parser {
	struct scan s;
	struct arena *a;
	struct dag *d;
	struct parse_axes axes;
	int nodes;		/* of the equation being read */
	int depth;		/* of nested parentheses, calls and prefixes */
};

/* A number of the text, or the constant that literals make. */
struct literal {
	bool is_int;
	int64_t i;
	double f;		/* also where is_int */
};

/* scan_error with the message at AT. */
#define parse_error(p, where, ...) ((p)->s.at = (where), scan_error(&(p)->s, __VA_ARGS__))

/* The place of the next token. */
const char *parse_at(struct parser *p);
/* Consumes TOKEN or fails. */
int parse_expect(struct parser *p, const char *token);
/* An unsigned number. It does not end in the dots of a range. */
int parse_number(struct parser *p, struct literal *out);
/* The body of an equation, its axes known but perhaps not their extents. NULL and a message. */
const struct expr *parse_body(struct parser *p);

#endif
