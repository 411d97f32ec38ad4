/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/parse.h - what the readers of the text form and of JSON share.
 *
 * Functions may use each other in any order, so all are declared before the first is read, and one
 * that another uses is read before that goes on (graph/text/reader.c). */
#ifndef HONE_GRAPH_TEXT_PARSE_H
#define HONE_GRAPH_TEXT_PARSE_H

#include "graph/build/build.h"
#include "graph/text/text.h"

/* Consumes TOKEN; -1 and a message. */
int parse_token(struct scan *s, const char *token);
/* A name, or any bytes in quotes, in A; NULL where neither comes. */
char *parse_name(struct scan *s, struct arena *a);

/* A type whose symbols are G's; NULL and a message. */
const struct type *parse_type(struct scan *s, struct graph *g);
/* The type that all of TEXT is. FILE is for the message. */
const struct type *type_parse(struct graph *g, const char *file, const char *text);
/* An extent: a number, an expression over symbols, or ?. */
int parse_dim(struct scan *s, struct graph *g, struct dim *out);

/* A type and elements, in A or in the data BESIDE the text; NULL and a message. */
const struct array *parse_array(struct scan *s, struct graph *g, struct text_data beside);
/* An array of type T for N elements; NULL and a message without a place where T is no type of
 * constants or has another number of elements. */
struct array *array_for(struct arena *a, const struct type *t, int64_t n);
/* An array of type T of N characters of base64; NULL and a message without a place. */
struct array *array_of_base64(struct arena *a, const struct type *t, const char *text, size_t n);
/* {name = value, ...}, those of OP (NULL: of a function). */
int parse_attrs(struct scan *s, struct arena *a, const struct core_op *op, struct attr_vec *out);
/* -1 and a message where OP has no attribute of this name and kind, or V has it already. */
int check_attr(const struct core_op *op, const struct attr_vec *v, const char *name,
	       enum attr_kind kind);

struct word_vec VEC(const char *);

/* A form that is being read. */
struct graph_reader {
	struct graph *graph;
	/* Reads the body of FUNCTION, which was declared. */
	int (*read_body)(struct graph_reader *r, int function);
	struct reading_vec VEC(char) progress;	/* by function: how far it was read */
	int depth;				/* of bodies that wait for each other */
	struct text_data beside;		/* of the text form */
	bool cyclic;				/* functions that call themselves or each other */
};

/* A function of G that is read later, with N parameters; RESULT may be type_unknown. -1 and a message
 * where the name is taken. */
int reader_declare(struct graph_reader *r, const char *name, int n, const char *const *names,
		   const struct type *const *types, const struct type *result);
/* Reads all functions. -1 and a message. */
int reader_finish(struct graph_reader *r, const char *main);
/* Reads the functions that OF uses, as far as they were not read. */
int reader_need(struct graph_reader *r, const struct binding *of);
/* OF, whose operands are values of B's function, at the end of it; TYPE is what was written, or
 * NULL. The value; VALUE_FAILED and a message without a place. */
int reader_bind(struct builder *b, const struct binding *of, const struct type *type);

/* The body of FUNCTION in the text form, behind its brace; VALUES are its parameters as the text names
 * them, and then all that it names. */
int parse_bindings(struct graph_reader *r, int function, struct scan s, struct names *values);
/* One binding, all of the line S, at the end of FUNCTION, which is declared and not ended. Its value, which VALUES
 * then has; VALUE_FAILED and a message. */
int parse_binding(struct graph_reader *r, int function, struct scan s, struct names *values);
/* %a, %b, ... up to the end of the line S, as values that VALUES has. -1 and a message. */
int parse_results(struct scan *s, struct arena *a, const struct names *values, struct value_vec *out);
/* (%x: TYPE, ...): what a function takes. VALUES gets them. */
int parse_params(struct scan *s, struct graph *g, struct names *values, struct type_vec *types,
		 struct word_vec *names);
/* %WORD "NAME": what the text calls a new value, and its name. */
int parse_new_value(struct scan *s, struct arena *a, const char **word, const char **name);
/* -1 and a message at S where there is a value of this word already. */
int parse_add_value(const struct scan *s, struct arena *a, struct names *values, const char *word,
		    int value);
/* Puts the place of S before the message that is set; returns -1. */
int parse_place(const struct scan *s, struct arena *a);

#endif
