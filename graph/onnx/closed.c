/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/closed.c - graphs within nodes. */
#include "graph/onnx/closed.h"

#include "base/err.h"

/* --- what a graph reads of those around it */

/* Names that are defined within the graph that is looked at, and in those around it up to it. */
struct inner {
	const struct inner *outer;
	struct names names;
};

struct search_free {
	struct arena *arena;
	const struct onnx_scope *scope;	/* around the graph */
	struct names seen;
	struct captured_vec *out;
};

static void see(struct search_free *f, const struct inner *in, const char *name)
{
	for (; in; in = in->outer)
		if (names_get(&in->names, name, 0))
			return;
	int value = scope_find(f->scope, name);

	if ((value >= 0 || value == VALUE_FAILED) && names_add(f->arena, &f->seen, name, 1))
		vec_push(f->arena, f->out, (struct captured){ name, value });
}

static void define(struct search_free *f, struct inner *in, const char *name)
{
	if (name && *name)
		names_add(f->arena, &in->names, name, 1);
}

static void search_graph(struct search_free *f, const struct inner *outer,
			 const Onnx__GraphProto *g);

static void search_node(struct search_free *f, struct inner *in, const Onnx__NodeProto *p)
{
	for (size_t i = 0; i < p->n_input; i++)
		see(f, in, p->input[i]);
	for (size_t i = 0; i < p->n_attribute; i++)
		if (p->attribute[i]->g)
			search_graph(f, in, p->attribute[i]->g);
	for (size_t i = 0; i < p->n_output; i++)
		define(f, in, p->output[i]);
}

/* wire_unpack() has bounded how deep graphs nest. */
static void search_graph(struct search_free *f, const struct inner *outer,
			 const Onnx__GraphProto *g)
{
	struct inner in = { .outer = outer };

	for (size_t i = 0; i < g->n_input; i++)
		define(f, &in, g->input[i]->name);
	for (size_t i = 0; i < g->n_initializer; i++)
		define(f, &in, g->initializer[i]->name);
	for (size_t i = 0; i < g->n_sparse_initializer; i++)
		if (g->sparse_initializer[i]->values)
			define(f, &in, g->sparse_initializer[i]->values->name);
	for (size_t i = 0; i < g->n_node; i++)
		search_node(f, &in, g->node[i]);
	for (size_t i = 0; i < g->n_output; i++)
		if (g->output[i]->name)
			see(f, &in, g->output[i]->name);
}

void capture(struct node *n, const Onnx__GraphProto *g, struct captured_vec *out)
{
	struct search_free f = { .arena = n->reader->scratch, .scope = n->scope, .out = out };

	for (int i = 0; i < out->n; i++)
		names_add(f.arena, &f.seen, out->at[i].name, 1);
	search_graph(&f, NULL, g);
}

/* Constants are made again inside: they share their elements. */
static bool is_param(const struct node *n, int value)
{
	return value >= 0 && !build_array(n->b, value);
}

int *captured_values(const struct node *n, const struct captured_vec *captured, int *count)
{
	int *values = arena_many(n->reader->scratch, int, captured->n);

	*count = 0;
	for (int i = 0; i < captured->n; i++)
		if (is_param(n, captured->at[i].value))
			values[(*count)++] = captured->at[i].value;
	return values;
}

/* --- the function */

void closed_begin(struct closed *c, struct node *n, const Onnx__GraphProto *g, const char *part)
{
	const char *label = *n->b->origin->label ? n->b->origin->label : n->op;

	c->node = n;
	c->graph = g;
	c->builder = builder_begin(n->b->graph,
				   arena_printf(n->reader->scratch, "%s.%s", label, part));
	c->scope = scope_inside(n->scope);
	c->scope.outer = NULL;
	c->scope.builder = &c->builder;
}

int closed_define(struct closed *c, int i, int value)
{
	const char *name = c->graph->input[i]->name;

	return !name || !*name ? 0 : scope_define(c->node->reader, &c->scope, name, value);
}

int closed_param(struct closed *c, int i, const struct type *t)
{
	int value = build_param(&c->builder, "", t);

	if (i >= 0 && closed_define(c, i, value) < 0)
		return VALUE_FAILED;
	return value;
}

int closed_capture(struct closed *c, const struct captured_vec *captured)
{
	struct onnx_reader *r = c->node->reader;
	const struct builder *outer = c->node->b;

	for (int i = 0; i < captured->n; i++) {
		int value = captured->at[i].value;

		if (!is_param(c->node, value))
			continue;
		int param = build_param(&c->builder, captured->at[i].name,
					build_type(outer, value));

		if (scope_define(r, &c->scope, captured->at[i].name, param) < 0)
			return -1;
	}
	for (int i = 0; i < captured->n; i++) {
		int value = captured->at[i].value;

		if (is_param(c->node, value))
			continue;
		if (value >= 0)
			value = build_const(&c->builder, build_array(outer, value));
		if (scope_define(r, &c->scope, captured->at[i].name, value) < 0)
			return -1;
	}
	return 0;
}

/* NULL, with the message that is set, where one of N results failed. */
static int *check(int *results, size_t n)
{
	for (size_t i = 0; results && i < n; i++)
		if (results[i] == VALUE_FAILED)
			return NULL;
	return results;
}

int *closed_read(struct closed *c)
{
	struct onnx_reader *r = c->node->reader;

	if (scope_read(r, &c->scope, c->graph) < 0)
		return NULL;
	return check(scope_results(r, &c->scope, c->graph), c->graph->n_output);
}

int *closed_inline(struct node *n, const Onnx__GraphProto *g)
{
	struct onnx_scope s = scope_inside(n->scope);

	if (scope_read(n->reader, &s, g) < 0)
		return NULL;
	return check(scope_results(n->reader, &s, g), g->n_output);
}
