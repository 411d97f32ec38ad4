/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/dot.c - a graph for Graphviz: a cluster for each function, a node for each value but
 * constants. What a code generator computes is drawn where it is applied, as a cluster with the
 * generator's name. */
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

/* A function that is drawn, on its own or where OUTER applies it. */
struct dot_place {
	const struct graph *g;
	int index;
	const struct dot_place *outer;	/* NULL: on its own */
	int applied;			/* the value of OUTER that applies it */
};

static const struct function *function_of(const struct dot_place *p)
{
	return p->g->functions.at[p->index];
}

/* The region that VALUE, an application of it, stands for; false where it is none that is drawn there:
 * a region within a region has a node alone. */
static bool region_at(const struct dot_place *p, int value, struct dot_place *out)
{
	const struct binding *b = function_at(function_of(p), value);
	const struct function *f = graph_applied(p->g, b);

	if (p->outer || !f || !function_generator(f))
		return false;
	*out = (struct dot_place){ p->g, b->function, p, value };
	return true;
}

static void print_node(struct text *out, const struct dot_place *p, int value)
{
	if (p->outer)
		text_printf(out, "v%d_%d_%d", p->outer->index, p->applied, value);
	else
		text_printf(out, "v%d_%d", p->index, value);
}

/* The node that gives VALUE: of a region's parameter what it is applied to, of its results those that
 * compute them. False where VALUE is a constant, or left out. */
static bool print_source(struct text *out, const struct dot_place *p, int value)
{
	const struct binding *b = value < 0 ? NULL : function_at(function_of(p), value);
	struct dot_place region;

	if (!b || b->kind == BIND_CONST)
		return false;
	bool field = b->kind == BIND_FIELD;

	if (b->kind == BIND_PARAM && p->outer)
		return print_source(out, p->outer, function_at(function_of(p->outer), p->applied)->args[value]);
	if (region_at(p, field ? b->args[0] : value, &region) && field == (function_of(&region)->nresults != 1))
		return print_source(out, &region, function_of(&region)->results[field ? b->field : 0]);
	print_node(out, p, value);
	return true;
}

/* An edge to NODE from what gives VALUE of P. */
static void print_edge(struct text *out, const struct dot_place *p, int value, const char *node)
{
	struct text from = { 0 };

	if (print_source(&from, p, value))
		text_printf(out, "\t%s -> %s\n", text_str(&from), node);
	text_free(&from);
}

static void print_value(struct text *out, const struct dot_place *p, int value)
{
	const struct binding *b = function_at(function_of(p), value);

	text_puts(out, "\t");
	print_node(out, p, value);
	text_printf(out, " [shape=%s ", shape_of(b));
	print_label(out, head_of(p->g, b), b->type);
	text_puts(out, "]\n");
}

static void print_operands(struct text *out, const struct dot_place *p, int value)
{
	const struct binding *b = function_at(function_of(p), value);
	struct text node = { 0 };

	print_node(&node, p, value);
	for (int i = 0; i < b->nargs; i++)
		print_edge(out, p, b->args[i], text_str(&node));
	text_free(&node);
}

/* Edges come behind the cluster: the nodes of one that stands within it would be drawn there. */
static void print_region(struct text *out, const struct dot_place *p)
{
	const struct function *f = function_of(p);
	struct text head = { 0 };

	text_printf(&head, "%s: %s", function_generator(f), f->name);
	text_printf(out, "subgraph cluster_%d_%d {\n\t", p->outer->index, p->applied);
	print_label(out, text_str(&head), f->result);
	text_free(&head);
	text_puts(out, "\n\tstyle=filled fillcolor=\"#eeeeee\"\n");
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind != BIND_CONST)
			print_value(out, p, v);
	text_puts(out, "}\n");
	for (int v = f->nparams; v < f->bindings.n; v++)
		print_operands(out, p, v);
}

/* Is VALUE drawn as a part of a region: its application, or a field of that? */
static bool is_of_region(const struct dot_place *p, int value)
{
	const struct binding *b = function_at(function_of(p), value);
	struct dot_place region;

	return b->kind == BIND_FIELD && region_at(p, b->args[0], &region);
}

static void print_function(struct text *out, const struct graph *g, int index)
{
	const struct dot_place p = { .g = g, .index = index };
	const struct function *f = g->functions.at[index];
	struct text node = { 0 };

	text_printf(&node, "r%d", index);
	text_printf(out, "subgraph cluster_%d {\n\t", index);
	print_label(out, f->name, f->result);
	text_puts(out, "\n");
	for (int v = 0; v < f->bindings.n; v++) {
		struct dot_place region;

		if (region_at(&p, v, &region)) {
			print_region(out, &region);
		} else if (function_at(f, v)->kind != BIND_CONST && !is_of_region(&p, v)) {
			print_value(out, &p, v);
			print_operands(out, &p, v);
		}
	}
	text_printf(out, "\t%s [shape=plaintext label=\"results\"]\n", text_str(&node));
	for (int i = 0; i < f->nresults; i++)
		print_edge(out, &p, f->results[i], text_str(&node));
	text_puts(out, "}\n");
	text_free(&node);
}

void graph_print_dot(struct text *out, const struct graph *g)
{
	text_puts(out, "digraph hone {\nnode [fontname=\"sans-serif\" fontsize=10]\n");
	for (int i = 0; i < g->functions.n; i++)
		if (i == g->main || !function_generator(g->functions.at[i]))
			print_function(out, g, i);
	text_puts(out, "}\n");
}
