/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse.h - what readers of statements share: parse.c reads those of .te, schedule/text/nest_parse.c those of
 * nests, parse_expr.c the expressions of both. */
#ifndef HONE_TE_TEXT_PARSE_H
#define HONE_TE_TEXT_PARSE_H

#include "te/dag.h"

/* An axis that is seen from where the parser is. */
struct parse_axis {
	struct axis *axis;	/* hi is 0 until its extent is known */
	bool declared;		/* written, not inferred */
};

struct parse_axes VEC(struct parse_axis);

struct parser {
	struct scan s;
	struct arena *a;
	struct dag *d;		/* of parse.c alone */
	/* What NAME means in an expression; NULL: nothing. */
	const struct tensor *(*tensor)(const struct parser *p, const char *name);
	struct parse_axes axes;	/* the last of a name is meant */
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
/* A name that is given to WHAT, in the arena; NULL and a message where none comes. */
char *parse_new_name(struct parser *p, const char *what);
/* NAME ":" type "[" extents "]"; its size is checked. */
int parse_tensor(struct parser *p, struct tensor *out);
/* An index of T, behind its "[", and the "]"; DEPTH is that of the deepest. */
int parse_index(struct parser *p, const struct tensor *t, const struct expr **index, int *depth);
/* The body of an equation, its axes known but perhaps not their extents. NULL and a message. */
const struct expr *parse_body(struct parser *p);

#endif
