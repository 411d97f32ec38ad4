/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/parse.c - reads the text form: first the heads of all functions, then their bodies
 * (graph/text/parse_body.c). */
#include "base/err.h"
#include "graph/text/parse.h"

/* A function of the text. */
struct text_function {
	struct scan body;	/* behind its brace */
	struct names values;	/* as the text names its parameters */
};

struct text_reader {
	struct graph_reader r;	/* first */
	struct scan s;
	struct text_function_vec VEC(struct text_function) functions;
};

int parse_params(struct scan *s, struct graph *g, struct names *values, struct type_vec *types,
		 struct word_vec *names)
{
	struct arena *a = g->arena;
	const char *word, *name;

	if (parse_token(s, "(") < 0)
		return -1;
	while (!scan_token(s, ")")) {
		const struct type *type = &type_unknown;

		if (types->n > 0 && parse_token(s, ",") < 0)
			return -1;
		if (parse_new_value(s, a, &word, &name) < 0 ||
		    parse_add_value(s, a, values, word, types->n) < 0)
			return -1;
		if (scan_token(s, ":") && !(type = parse_type(s, g)))
			return -1;
		vec_push(a, types, type);
		vec_push(a, names, name);
	}
	return 0;
}

/* fn @NAME(...) -> TYPE attrs {...} { */
static int head(struct text_reader *t)
{
	struct graph *g = t->r.graph;
	struct text_function f = { 0 };
	const struct type *result = &type_unknown;
	struct type_vec types = { 0 };
	struct word_vec names = { 0 };
	struct attr_vec attrs = { 0 };

	if (parse_token(&t->s, "fn") < 0 || parse_token(&t->s, "@") < 0)
		return -1;
	struct scan at = t->s;
	const char *name = parse_name(&t->s, g->arena);

	if (!name)
		return scan_error(&at, "expected the name of a function");
	if (parse_params(&t->s, g, &f.values, &types, &names) < 0)
		return -1;
	if (scan_token(&t->s, "->") && !(result = parse_type(&t->s, g)))
		return -1;
	if (scan_token(&t->s, "attrs") && parse_attrs(&t->s, g->arena, NULL, &attrs) < 0)
		return -1;
	if (reader_declare(&t->r, name, types.n, names.at, types.at, result) < 0)
		return parse_place(&at, g->arena);
	g->functions.at[g->functions.n - 1]->attrs = attrs.at;
	g->functions.at[g->functions.n - 1]->nattrs = attrs.n;
	if (parse_token(&t->s, "{") < 0)
		return -1;
	f.body = t->s;
	vec_push(g->arena, &t->functions, f);
	return 0;
}

/* Goes behind the line that begins with a brace. */
static int skip_body(struct scan *s)
{
	const struct scan at = *s;

	while (*s->at) {
		s->at += strcspn(s->at, "\n");
		s->at += *s->at == '\n';
		while (*s->at == ' ' || *s->at == '\t')
			s->at++;
		if (scan_token(s, "}"))
			return scan_line_end(s) ? 0 : scan_error(s, "expected the end of the line");
	}
	return scan_error(&at, "the function does not end; a line of its own with } ends it");
}

/* graph "NAME" @MAIN, and the heads. The name of the main function in *MAIN. */
static int heads(struct text_reader *t, const char **main)
{
	struct graph *g = t->r.graph;

	scan_line_end(&t->s);
	if (parse_token(&t->s, "graph") < 0)
		return -1;
	if (!(g->name = parse_name(&t->s, g->arena)))
		return scan_error(&t->s, "expected the name of the graph");
	*main = "main";
	if (scan_token(&t->s, "@") && !(*main = parse_name(&t->s, g->arena)))
		return scan_error(&t->s, "expected the name of the main function");
	if (!scan_line_end(&t->s))
		return scan_error(&t->s, "expected the end of the line");
	while (!scan_at_end(&t->s))
		if (head(t) < 0 || skip_body(&t->s) < 0)
			return -1;
	return 0;
}

static int read_body(struct graph_reader *r, int function)
{
	struct text_reader *t = (struct text_reader *)r;
	struct text_function *f = &t->functions.at[function];

	return parse_bindings(r, function, f->body, &f->values);
}

struct graph *graph_parse_beside(struct arena *a, const char *file, const char *text,
				 struct text_data beside)
{
	struct text_reader t = { .r = { .graph = graph_new(a, ""), .read_body = read_body,
					.beside = beside },
				 .s = scan_text(file, text) };
	const char *main = NULL;

	if (heads(&t, &main) < 0)
		return NULL;
	return reader_finish(&t.r, main) < 0 ? NULL : t.r.graph;
}

struct graph *graph_parse(struct arena *a, const char *file, const char *text)
{
	return graph_parse_beside(a, file, text, (struct text_data){ 0 });
}
