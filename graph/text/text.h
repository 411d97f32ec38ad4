/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/text.h - the forms of a graph: text and JSON, which are read back, and Graphviz.
 *
 *	graph "resnet" @main
 *	fn @main(%x "data.0": f32[N, 3, 224, 224]) -> f32[N, 64, 112, 112] attrs {fused = 1} {
 *		%weight = const f32[2] [1, 0.5]			# a comment
 *		%2 "name": f32[N, 2] = conv(%x, %weight, _) {strides = [2, 2]} @"node label"
 *		%3 = tuple(%2, %weight)
 *		%4 = %3[0]					field 0
 *		%5 = closure @f(%weight)			a function with values bound
 *		%6 = apply %5(%2)				a value that is a function
 *		%7 = call @g(%2)
 *		%8 = if %c then @yes else @no (%2, %weight)
 *		%9 = loop @body trips %n while %c state (%a, %b) with (%weight)
 *		return %9
 *	}
 *
 * A value is %NAME where its name is a word that no value before it in the function has, else
 * %NUMBER with the name, in quotes, behind. Types are what graph/ir/type.h prints; one that is not
 * written follows from the operands. _ is an operand left out. Functions may use each other in any
 * order; the first line names the main one (@main where it names none). Elements of a constant are
 * numbers, true and false, bits (0x7fc00001), strings, or base64 and their bytes in the machine's
 * order; or `at N`: those bytes lie from byte N on in data beside the text.
 *
 * Behind @ stands the label of the node that a binding comes from. The call of an operator may say
 * who is to compute it where the model is shared with code generators (docs/partition.md), with a label
 * or without:
 *
 *		%5: f32[N, 2] = relu(%4) @"act" keep		hone does
 *		%6: f32[N, 2] = tanh(%5) offload		any generator that can
 *		%7: f32[N, 2] = add(%5, %6) offload "onednn"	this one
 *
 * Holds: what is printed in full is read back as the same graph, bit by bit, and printing that gives
 * the same text. */
#ifndef HONE_GRAPH_TEXT_TEXT_H
#define HONE_GRAPH_TEXT_TEXT_H

#include "graph/ir/ir.h"

struct json_t;

/* FULL: constants with all their elements; else long ones as a hash, which is not read back. */
void graph_print(struct text *out, const struct graph *g, bool full);
/* NULL and "FILE:LINE:COLUMN: ..." where TEXT describes no graph. Any text is safe. */
struct graph *graph_parse(struct arena *a, const char *file, const char *text);

/* Says where among the data beside a text the elements of X are to lie. */
struct text_place {
	size_t (*place)(void *user, const struct array *x);
	void *user;
};

/* In full, long constants at the places that PLACE gives them. */
void graph_print_beside(struct text *out, const struct graph *g, struct text_place place);

/* Data beside a text, which outlive the graph that is read of it. */
struct text_data {
	const unsigned char *data;
	size_t bytes;
	bool mapped;	/* files, for reading alone: floats may lie at any place (array_mapped()) */
};

/* As graph_parse() of a text with data beside it, which may be any. */
struct graph *graph_parse_beside(struct arena *a, const char *file, const char *text,
				 struct text_data beside);

/* The same as JSON (docs/json.md); a new reference. */
struct json_t *graph_to_json(const struct graph *g, bool full);
/* NULL and a message that begins with FILE. Any JSON is safe. */
struct graph *graph_from_json(struct arena *a, const char *file, const struct json_t *json);

/* A digraph for Graphviz, functions as clusters. */
void graph_print_dot(struct text *out, const struct graph *g);

#endif
