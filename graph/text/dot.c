/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/dot.c - a graph for Graphviz: a cluster for each function, a node for each value but
 * constants. */
#include "graph/ir/op.h"
#include "graph/text/text.h"

static const char *head_of(const struct graph *g, const struct binding *b)
{
	switch (b->kind) {
	case BIND_PARAM:
		return *b->name ? b->name : "parameter";
	case BIND_CONST:
		return "const";
	case BIND_CALL:
		return b->op->name;
	case BIND_TUPLE:
		return "tuple";
	case BIND_FIELD:
		return "field";
	case BIND_CLOSURE:
	case BIND_IF:
	case BIND_LOOP:
		return g->functions.at[b->function]->name;
	case BIND_APPLY:
		return b->function == FUNCTION_NONE ? "apply"
						    : g->functions.at[b->function]->name;
	}
	return "";
}

/* As in a string of Graphviz; what is not printable ASCII as ?. */
static void print_escaped(struct text *out, const char *s)
{
	for (; *s; s++)
		text_printf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c",
			    *s >= ' ' && *s <= '~' ? *s : '?');
}

static void print_label(struct text *out, const char *head, const struct type *t)
{
	struct text type = { 0 };

	type_print(&type, t);
	text_puts(out, "label=\"");
	print_escaped(out, head);
	text_puts(out, "\\n");
	print_escaped(out, text_str(&type));
	text_puts(out, "\"");
	text_free(&type);
}

static const char *shape_of(const struct binding *b)
{
	return b->kind == BIND_PARAM ? "ellipse" : b->kind == BIND_CALL ? "box" : "octagon";
}

static void print_function(struct text *out, const struct graph *g, int index)
{
	const struct function *f = g->functions.at[index];

	text_printf(out, "subgraph cluster_%d {\n\t", index);
	print_label(out, f->name, f->result);
	text_puts(out, "\n");
	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *b = &f->bindings.at[i];

		if (b->kind == BIND_CONST)
			continue;
		text_printf(out, "\tv%d_%d [shape=%s ", index, i, shape_of(b));
		print_label(out, head_of(g, b), b->type);
		text_puts(out, "]\n");
		for (int j = 0; j < b->nargs; j++)
			if (b->args[j] >= 0 && !function_const(f, b->args[j]))
				text_printf(out, "\tv%d_%d -> v%d_%d\n", index, b->args[j], index, i);
	}
	text_printf(out, "\tr%d [shape=plaintext label=\"results\"]\n", index);
	for (int i = 0; i < f->nresults; i++)
		if (!function_const(f, f->results[i]))
			text_printf(out, "\tv%d_%d -> r%d\n", index, f->results[i], index);
	text_puts(out, "}\n");
}

void graph_print_dot(struct text *out, const struct graph *g)
{
	text_puts(out, "digraph hone {\nnode [fontname=\"sans-serif\" fontsize=10]\n");
	for (int i = 0; i < g->functions.n; i++)
		print_function(out, g, i);
	text_puts(out, "}\n");
}
