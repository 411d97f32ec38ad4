/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/parse_body.c - reads the bindings of a function from its text. */
#include <ctype.h>

#include "base/err.h"
#include "graph/text/parse.h"

/* A body that is being read. */
struct body_text {
	struct graph_reader *r;
	struct scan s;
	struct builder b;
	struct names *values;
};

int parse_place(const struct scan *s, struct arena *a)
{
	return scan_error(s, "%s", arena_strdup(a, err_get()));
}

/* The word behind %; NULL and a message. */
static const char *value_word(struct scan *s, struct arena *a)
{
	size_t n = 0;

	if (parse_token(s, "%") < 0)
		return NULL;
	while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_' || s->at[n] == '.')
		n++;
	if (n == 0) {
		scan_error(s, "expected the name or number of a value");
		return NULL;
	}
	s->at += n;
	return arena_strndup(a, s->at - n, n);
}

int parse_new_value(struct scan *s, struct arena *a, const char **word, const char **name)
{
	*word = value_word(s, a);
	if (!*word)
		return -1;
	*name = scan_quoted(s, a);
	if (!*name)
		*name = text_is_name(*word) ? *word : "";
	return 0;
}

int parse_add_value(const struct scan *s, struct arena *a, struct names *values, const char *word,
		    int value)
{
	return names_add(a, values, word, value)
		       ? 0 : scan_error(s, "there is a value %%%s already", word);
}

/* @NAME, in *INDEX. */
static int function_name(struct body_text *t, int *index)
{
	struct scan at = t->s;
	const char *name = scan_token(&t->s, "@") ? parse_name(&t->s, t->b.arena) : NULL;

	if (!name)
		return scan_error(&at, "expected the name of a function");
	*index = graph_find_function(t->b.graph, name);
	return *index == FUNCTION_NONE ? scan_error(&at, "there is no function @%s", name) : 0;
}

/* %WORD, one of VALUES. */
static int known_value(struct scan *s, struct arena *a, const struct names *values, int *value)
{
	const struct scan at = *s;
	const char *word = value_word(s, a);

	if (!word)
		return -1;
	*value = names_get(values, word, VALUE_NONE);
	return *value == VALUE_NONE ? scan_error(&at, "there is no value %%%s above", word) : 0;
}

/* %WORD, or _ for one left out, behind BEFORE. */
static int operand(struct body_text *t, const char *before, int *value)
{
	if (*before && parse_token(&t->s, before) < 0)
		return -1;
	*value = VALUE_NONE;
	return scan_token(&t->s, "_") ? 0 : known_value(&t->s, t->b.arena, t->values, value);
}

/* (%a, _, ...) behind BEFORE, appended to OUT. */
static int operands(struct body_text *t, const char *before, struct value_vec *out)
{
	int value;

	if ((*before && parse_token(&t->s, before) < 0) || parse_token(&t->s, "(") < 0)
		return -1;
	for (bool first = true; !scan_token(&t->s, ")"); first = false) {
		if (!first && parse_token(&t->s, ",") < 0)
			return -1;
		if (operand(t, "", &value) < 0)
			return -1;
		vec_push(t->b.arena, out, value);
	}
	return 0;
}

static int read_if(struct body_text *t, struct binding *out, struct value_vec *args)
{
	int condition;

	if (operand(t, "", &condition) < 0)
		return -1;
	vec_push(t->b.arena, args, condition);
	return parse_token(&t->s, "then") < 0 || function_name(t, &out->function) < 0 ||
	       parse_token(&t->s, "else") < 0 || function_name(t, &out->otherwise) < 0
		       ? -1 : operands(t, "", args);
}

static int read_loop(struct body_text *t, struct binding *out, struct value_vec *args)
{
	int trips, condition;

	if (function_name(t, &out->function) < 0 || operand(t, "trips", &trips) < 0 ||
	    operand(t, "while", &condition) < 0)
		return -1;
	vec_push(t->b.arena, args, trips);
	vec_push(t->b.arena, args, condition);
	if (operands(t, "state", args) < 0)
		return -1;
	out->nstate = args->n - 2;
	return operands(t, "with", args);
}

static int read_apply(struct body_text *t, struct binding *out, struct value_vec *args)
{
	int function;

	out->kind = BIND_APPLY;
	if (operand(t, "", &function) < 0)
		return -1;
	vec_push(t->b.arena, args, function);
	return operands(t, "", args);
}

static int read_field(struct body_text *t, struct binding *out, struct value_vec *args)
{
	int64_t field;
	int tuple;

	if (operand(t, "", &tuple) < 0 || parse_token(&t->s, "[") < 0)
		return -1;
	if (!scan_int(&t->s, &field) || field < 0 || field > INT32_MAX)
		return scan_error(&t->s, "expected the number of a field");
	if (tuple == VALUE_NONE)
		return scan_error(&t->s, "a field of nothing");
	out->field = (int)field;
	vec_push(t->b.arena, args, tuple);
	return parse_token(&t->s, "]");
}

static int read_call(struct body_text *t, struct binding *out, struct value_vec *args)
{
	struct scan at = t->s;
	const char *name = scan_name(&t->s, t->b.arena);
	struct attr_vec attrs = { 0 };

	out->op = name ? core_op_find(name) : NULL;
	if (!out->op)
		return scan_error(&at, name ? "there is no operator %s" : "expected an operator%s",
				  name ? name : "");
	if (operands(t, "", args) < 0)
		return -1;
	scan_blanks(&t->s);
	if (*t->s.at == '{' && parse_attrs(&t->s, t->b.arena, out->op, &attrs) < 0)
		return -1;
	out->attrs = attrs.at;
	out->nattrs = attrs.n;
	return 0;
}

/* What stands behind the equals sign. */
static int read_made(struct body_text *t, struct binding *out, struct value_vec *args)
{
	scan_blanks(&t->s);
	if (*t->s.at == '%') {
		out->kind = BIND_FIELD;
		return read_field(t, out, args);
	}
	if (scan_token(&t->s, "const")) {
		out->kind = BIND_CONST;
		out->array = parse_array(&t->s, t->b.graph, t->r->beside);
		return out->array ? 0 : -1;
	}
	if (scan_token(&t->s, "tuple")) {
		out->kind = BIND_TUPLE;
		return operands(t, "", args);
	}
	if (scan_token(&t->s, "closure")) {
		out->kind = BIND_CLOSURE;
		return function_name(t, &out->function) < 0 ? -1 : operands(t, "", args);
	}
	if (scan_token(&t->s, "call")) {
		out->kind = BIND_APPLY;
		return function_name(t, &out->function) < 0 ? -1 : operands(t, "", args);
	}
	if (scan_token(&t->s, "apply"))
		return read_apply(t, out, args);
	if (scan_token(&t->s, "if")) {
		out->kind = BIND_IF;
		return read_if(t, out, args);
	}
	if (scan_token(&t->s, "loop")) {
		out->kind = BIND_LOOP;
		return read_loop(t, out, args);
	}
	out->kind = BIND_CALL;
	return read_call(t, out, args);
}

/* @"LABEL" keep, or offload "GENERATOR"; any of it may be missing. NULL and a message. */
static const struct origin *read_origin(struct body_text *t)
{
	struct arena *a = t->b.arena;
	const char *label = "";
	struct demand demand = { DEMAND_NONE, NULL };

	if (scan_token(&t->s, "@") && !(label = scan_quoted(&t->s, a)))
		scan_error(&t->s, "expected a label in quotes");
	else if (scan_token(&t->s, "keep"))
		demand.kind = DEMAND_KEEP;
	else if (scan_token(&t->s, "offload"))
		demand = (struct demand){ DEMAND_OFFLOAD, scan_quoted(&t->s, a) };
	return label ? origin_new(a, label, demand) : NULL;
}

/* %WORD "NAME": TYPE = ... ORIGIN. The value; VALUE_FAILED and a message. */
static int statement(struct body_text *t)
{
	struct arena *a = t->b.arena;
	const struct type *type = NULL;
	struct value_vec args = { 0 };
	struct binding of = { .function = FUNCTION_NONE, .otherwise = FUNCTION_NONE };
	const char *word;
	const struct scan at = t->s;

	if (parse_new_value(&t->s, a, &word, &of.name) < 0 ||
	    (scan_token(&t->s, ":") && !(type = parse_type(&t->s, t->b.graph))) ||
	    parse_token(&t->s, "=") < 0 || read_made(t, &of, &args) < 0 ||
	    !(of.origin = read_origin(t)))
		return VALUE_FAILED;
	if (!scan_line_end(&t->s)) {
		scan_error(&t->s, "expected the end of the line");
		return VALUE_FAILED;
	}
	of.args = args.at;
	of.nargs = args.n;
	if (reader_need(t->r, &of) < 0)
		return VALUE_FAILED;
	int value = reader_bind(&t->b, &of, type);

	if (value == VALUE_FAILED)
		parse_place(&at, a);
	return value == VALUE_FAILED || parse_add_value(&at, a, t->values, word, value) < 0 ? VALUE_FAILED : value;
}

int parse_binding(struct graph_reader *r, int function, struct scan s, struct names *values)
{
	struct body_text t = { r, s, builder_resume(r->graph, function), values };

	t.b.plain = true;
	scan_line_end(&t.s);
	int value = statement(&t);

	if (value == VALUE_FAILED || scan_at_end(&t.s))
		return value;
	scan_error(&t.s, "expected one binding, and no more");
	return VALUE_FAILED;
}

int parse_results(struct scan *s, struct arena *a, const struct names *values, struct value_vec *out)
{
	while (!scan_line_end(s)) {
		int value;

		if (out->n && parse_token(s, ",") < 0)
			return -1;
		if (scan_token(s, "_"))
			return scan_error(s, "a result cannot be left out");
		if (known_value(s, a, values, &value) < 0)
			return -1;
		vec_push(a, out, value);
	}
	return 0;
}

static int read_results(struct body_text *t)
{
	struct value_vec results = { 0 };
	struct scan at = t->s;

	if (parse_results(&t->s, t->b.arena, t->values, &results) < 0)
		return -1;
	if (builder_end(&t->b, results.n, results.at) == FUNCTION_NONE)
		return parse_place(&at, t->b.arena);
	return parse_token(&t->s, "}");
}

int parse_bindings(struct graph_reader *r, int function, struct scan s, struct names *values)
{
	struct body_text t = { r, s, builder_resume(r->graph, function), values };

	t.b.plain = true;
	if (!scan_line_end(&t.s))
		return scan_error(&t.s, "expected the end of the line");
	while (!scan_token(&t.s, "return"))
		if (statement(&t) == VALUE_FAILED)
			return -1;
	return read_results(&t);
}
