/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_parse.h - what the parts of the reader of programs share: nest_parse.c reads what a program begins
 * with, nest_parse_node.c its nest, nest_parse_alloc.c what that allocates. What fails is -1, and a message at its place. */
#ifndef HONE_SCHEDULE_TEXT_NEST_PARSE_H
#define HONE_SCHEDULE_TEXT_NEST_PARSE_H

#include "schedule/text/nest_text.h"
#include "te/text/parse.h"

struct nest_parser {
	struct parser p;	/* must stay first: its tensor() casts */
	struct program *program;
	struct buffer_vec buffers;	/* that there are so far, each once */
	struct buffer_vec seen;		/* from here: arguments, then allocations around */
	bool in_vector;		/* a loop of lanes is around */
	const struct buffer *packed;	/* that is being made; NULL: this is the program itself */
	int depth;		/* tabs before the line that comes; -1: none does */
};

/* Consumes WORD where it comes next and is no buffer's name before its index. */
bool nest_parse_word(struct nest_parser *np, const char *word);
/* A whole number in LOW..HIGH, which is WHAT. */
int nest_parse_number(struct nest_parser *np, const char *what, int64_t low, int64_t high,
		      int64_t *out);
/* From the end of a line to the beginning of the next. */
int nest_parse_line_end(struct nest_parser *np);
/* AXIS is seen from here on. */
void nest_parse_open(struct nest_parser *np, struct axis *axis);
/* B is seen from here on. */
int nest_parse_see(struct nest_parser *np, const char *at, struct buffer *b);
/* ["in" ("reading order" | "order" DIMS)], behind the tensor of B. */
int nest_parse_storage(struct nest_parser *np, struct buffer *b);
/* ["slices" N] ["copies" N], behind that. */
int nest_parse_copies(struct nest_parser *np, struct buffer *b);
/* A power of two, LEAST or more, no wider than a vector of the target. */
int nest_parse_lanes(struct nest_parser *np, int64_t least, size_t element, int *out);
/* A tensor [layout], LIKE what the word before it says. */
int nest_parse_alloc(struct nest_parser *np, struct nest *n, struct buffer like);
/* The index of an element of T, behind its "["; numbers fit. */
int nest_parse_element(struct nest_parser *np, const struct tensor *t, const struct expr **index);

/* The lines DEPTH tabs deep that come next, and what is inside of them. */
int nest_parse_list(struct nest_parser *np, int depth, struct nest **out);

#endif
