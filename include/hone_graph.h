/* SPDX-License-Identifier: Apache-2.0 */
/* hone_graph.h - the part of libhone's interface that makes models: of hone's text form, as a whole or a line at a
 * time, which is how a tracer makes them.
 *
 *	hone_graph_begin("mlp", "(%x: f32[32, 784], %w: f32[784, 10])", &graph)
 *	hone_graph_line(graph, "%y = matmul(%x, %w)", &type)		type is now "f32[32, 10]"
 *	hone_graph_line(graph, "%z = relu(%y)", &type)
 *	hone_graph_end(graph, "%z")
 *	hone_graph_open(graph, &(struct hone_options){ .db = "tune.db" }, &model)
 *
 * `hone graph MODEL --text` prints this form, of a model in ONNX too; a value is %NAME, a type is that of the
 * elements with extents, as f32[2, N] or, of several values, (f32[2], i64[2]).
 *
 * Status codes and messages are those of hone.h. A graph is one thread's until it has its end, and is not
 * changed any more from then on. */
#ifndef HONE_GRAPH_H
#define HONE_GRAPH_H

#include "hone.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hone_graph;

/* ---- Whole graphs */

/* The graph that TEXT is. A message begins with "NAME:LINE:COLUMN: ". Any text is safe. */
HONE_API int hone_graph_parse(const char *text, const char *name, struct hone_graph **graph);
/* NULL is allowed; models that were opened of it stay. */
HONE_API void hone_graph_free(struct hone_graph *graph);
/* GRAPH, which has its end, in the text form; FULL: with the elements of all constants, as it can be read back, else
 * with a hash in the place of long ones. hone_graph_text_free() ends it; NULL where GRAPH has no end. */
HONE_API char *hone_graph_text(const struct hone_graph *graph, int full);
HONE_API void hone_graph_text_free(char *text);
/* As hone_open() of a file with GRAPH. Dims have to be in its text: OPTIONS has none. */
HONE_API int hone_graph_open(const struct hone_graph *graph, const struct hone_options *options,
			     struct hone_model **model);

/* ---- Line by line */

/* A graph NAME that takes PARAMS, as "(%x: f32[2, 3], %y: f32[3])". */
HONE_API int hone_graph_begin(const char *name, const char *params, struct hone_graph **graph);
/* One binding, "%NAME = OPERATOR(%a, %b) {ATTRIBUTE = VALUE}" and whatever else the text form has, of names that are
 * there already. *TYPE, which is the graph's, is what the value is; TYPE may be NULL. HONE_INVALID where operands do
 * not fit together; the graph is then what it was before. */
HONE_API int hone_graph_line(struct hone_graph *graph, const char *line, const char **type);
/* The elements of TENSOR, which are copied, as the value NAME. */
HONE_API int hone_graph_constant(struct hone_graph *graph, const char *name, const DLTensor *tensor,
				 const char **type);
/* The graph gives RESULTS, as "%y, %z", and is complete. */
HONE_API int hone_graph_end(struct hone_graph *graph, const char *results);

/* ---- What operators there are */

enum hone_attribute_kind {
	HONE_INT,	/* 3 */
	HONE_FLOAT,	/* 0.5 */
	HONE_STRING,	/* "reflect" */
	HONE_INTS,	/* [1, 2]; none by default */
	HONE_FLOATS,	/* [0.5, 2]; none by default */
	HONE_ELEMENT,	/* f32 */
};

struct hone_attribute {
	const char *name;
	int kind;		/* enum hone_attribute_kind */
	double number;		/* default of HONE_INT, HONE_FLOAT */
	const char *string;	/* default of HONE_STRING, and of HONE_ELEMENT, where it has one; else NULL */
	const char *meaning;	/* for people; may be NULL */
};

struct hone_operator {
	const char *name;
	const char *summary;	/* for people */
	int least, most;	/* operands that it takes; most is -1 where there may be any number */
	int attributes;		/* how many it has */
	int pointwise;		/* 1: element by element, its operands broadcast */
};

/* Operator INDEX, counted from 0; HONE_INVALID beyond the last. What is given is static. */
HONE_API int hone_operator(int index, struct hone_operator *op);
/* Attribute INDEX of operator OP. */
HONE_API int hone_operator_attribute(int op, int index, struct hone_attribute *attribute);

#ifdef __cplusplus
}
#endif

#endif
