/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/lines.c - what graph/text/parse.c does with a whole text, line by line. */
#include "graph/text/lines.h"

#include "base/err.h"
#include "graph/build/check.h"
#include "graph/text/parse.h"

struct graph_lines {
	struct graph_reader r;
	struct names values;	/* as the lines name them */
	int function;
};

/* What messages say in the place of a file. */
static const char place[] = "line";

/* The only function is this one, and its lines come when they come. */
static int read_body(struct graph_reader *r, int function)
{
	(void)r;
	(void)function;
	return 0;
}

struct graph_lines *graph_lines_new(struct arena *a, const char *name, const char *params)
{
	struct graph_lines *l = arena_one(a, struct graph_lines);
	struct scan s = scan_text(place, params);
	struct type_vec types = { 0 };
	struct word_vec names = { 0 };

	l->r = (struct graph_reader){ .graph = graph_new(a, arena_strdup(a, name)), .read_body = read_body };
	if (parse_params(&s, l->r.graph, &l->values, &types, &names) < 0)
		return NULL;
	if (!scan_at_end(&s)) {
		scan_error(&s, "expected nothing more");
		return NULL;
	}
	l->function = l->r.graph->functions.n;
	return reader_declare(&l->r, "main", types.n, names.at, types.at, &type_unknown) < 0 ? NULL : l;
}

int graph_lines_add(struct graph_lines *l, const char *line)
{
	return parse_binding(&l->r, l->function, scan_text(place, line), &l->values);
}

int graph_lines_add_const(struct graph_lines *l, const char *word, const struct array *x)
{
	struct graph *g = l->r.graph;
	struct builder b = builder_resume(g, l->function);
	const char *own = arena_strdup(g->arena, word);

	if (!names_add(g->arena, &l->values, own, b.function->bindings.n)) {
		err_set("there is a value %%%s already", word);
		return VALUE_FAILED;
	}
	int value = build_const(&b, x);

	build_name(&b, value, text_is_name(own) ? own : "");
	return value;
}

const struct type *graph_lines_type(const struct graph_lines *l, int value)
{
	return function_at(l->r.graph->functions.at[l->function], value)->type;
}

struct graph *graph_lines_end(struct graph_lines *l, const char *results)
{
	struct graph *g = l->r.graph;
	struct builder b = builder_resume(g, l->function);
	struct scan s = scan_text(place, results);
	struct value_vec values = { 0 };

	if (parse_results(&s, g->arena, &l->values, &values) < 0)
		return NULL;
	if (!scan_at_end(&s)) {
		scan_error(&s, "expected one line");
		return NULL;
	}
	if (builder_end(&b, values.n, values.at) == FUNCTION_NONE)
		return NULL;
	g->main = l->function;
	return graph_check(g) < 0 ? NULL : g;
}
