/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/print.c - writes the text form. */
#include "graph/text/literal.h"
#include "graph/text/text.h"
#include "graph/ir/op.h"

/* A function being printed. */
struct graph_printer {
	struct text *out;
	const struct graph *g;
	const struct function *f;
	const bool *plain;	/* of each value: it is written by its name */
	bool full;
	struct text_place beside;	/* .place is NULL: there is nothing beside the text */
};

/* Which values of F are written by their names: the first of each name, where it is a word. */
static const bool *plain_names(struct arena *a, const struct function *f)
{
	bool *plain = arena_many(a, bool, f->bindings.n);
	struct names taken = { 0 };

	for (int i = 0; i < f->bindings.n; i++) {
		const char *name = f->bindings.at[i].name;

		plain[i] = text_is_name(name) && names_add(a, &taken, name, i);
	}
	return plain;
}

static void print_value(const struct graph_printer *p, int value)
{
	if (value == VALUE_NONE)
		text_puts(p->out, "_");
	else if (p->plain[value])
		text_printf(p->out, "%%%s", function_at(p->f, value)->name);
	else
		text_printf(p->out, "%%%d", value);
}

/* The value, with its name where that is not how it is written. */
static void print_bound(const struct graph_printer *p, int value)
{
	print_value(p, value);
	if (!p->plain[value] && *function_at(p->f, value)->name) {
		text_puts(p->out, " ");
		text_quote(p->out, function_at(p->f, value)->name);
	}
}

static void print_values(const struct graph_printer *p, int n, const int *values)
{
	text_puts(p->out, "(");
	for (int i = 0; i < n; i++) {
		text_puts(p->out, i ? ", " : "");
		print_value(p, values[i]);
	}
	text_puts(p->out, ")");
}

static void print_function_name(const struct graph_printer *p, const char *before, int function)
{
	text_printf(p->out, "%s@", before);
	text_name(p->out, p->g->functions.at[function]->name);
}

static void print_array(const struct graph_printer *p, const struct array *x)
{
	char hash[HASH_TEXT];

	if (x->count <= (p->full ? LITERAL_FULL : LITERAL_BRIEF) ||
	    (p->full && x->element == ELEMENT_STRING)) {
		text_puts(p->out, " [");
		for (int64_t i = 0; i < x->count; i++) {
			text_puts(p->out, i ? ", " : "");
			literal_print(p->out, x->element, x->data, i);
		}
		text_puts(p->out, "]");
	} else if (p->beside.place) {
		text_printf(p->out, " at %zu", p->beside.place(p->beside.user, x));
	} else if (p->full) {
		text_puts(p->out, " base64 ");
		base64_print(p->out, x->data, array_bytes(x));
	} else {
		text_printf(p->out, " #%s", hash_text(literal_hash(x), hash));
	}
}

static void print_attr(struct text *out, const struct attr *at)
{
	bool list = at->kind == ATTR_INTS || at->kind == ATTR_FLOATS;

	text_name(out, at->name);
	text_puts(out, " = ");
	if (at->kind == ATTR_FLOATS && at->n == 0)
		text_puts(out, "floats ");	/* without a schema nothing else would say so */
	text_puts(out, list ? "[" : "");
	for (int i = 0; i < (list ? at->n : 1); i++) {
		text_puts(out, i ? ", " : "");
		switch (at->kind) {
		case ATTR_INT:
		case ATTR_INTS:
			text_printf(out, "%jd", (intmax_t)at->ints[i]);
			break;
		case ATTR_FLOAT:
		case ATTR_FLOATS:
			literal_print_float(out, at->floats[i]);
			break;
		case ATTR_STRING:
			text_quote(out, at->string);
			break;
		case ATTR_ELEMENT:
			text_puts(out, element_name((enum element)at->ints[0]));
			break;
		}
	}
	text_puts(out, list ? "]" : "");
}

static void print_attrs(struct text *out, int n, const struct attr *attrs)
{
	text_puts(out, "{");
	for (int i = 0; i < n; i++) {
		text_puts(out, i ? ", " : "");
		print_attr(out, &attrs[i]);
	}
	text_puts(out, "}");
}

static void print_loop(const struct graph_printer *p, const struct binding *b)
{
	print_function_name(p, "loop ", b->function);
	text_puts(p->out, " trips ");
	print_value(p, b->args[0]);
	text_puts(p->out, " while ");
	print_value(p, b->args[1]);
	text_puts(p->out, " state ");
	print_values(p, b->nstate, b->args + 2);
	text_puts(p->out, " with ");
	print_values(p, b->nargs - 2 - b->nstate, b->args + 2 + b->nstate);
}

static void print_made(const struct graph_printer *p, const struct binding *b)
{
	struct text *out = p->out;

	switch (b->kind) {
	case BIND_PARAM:
		return;
	case BIND_CONST:
		text_puts(out, "const ");
		type_print(out, b->type);
		print_array(p, b->array);
		return;
	case BIND_CALL:
		text_puts(out, b->op->name);
		print_values(p, b->nargs, b->args);
		if (b->nattrs) {
			text_puts(out, " ");
			print_attrs(out, b->nattrs, b->attrs);
		}
		return;
	case BIND_TUPLE:
		text_puts(out, "tuple");
		print_values(p, b->nargs, b->args);
		return;
	case BIND_FIELD:
		print_value(p, b->args[0]);
		text_printf(out, "[%d]", b->field);
		return;
	case BIND_CLOSURE:
		print_function_name(p, "closure ", b->function);
		print_values(p, b->nargs, b->args);
		return;
	case BIND_APPLY:
		if (b->function != FUNCTION_NONE) {
			print_function_name(p, "call ", b->function);
			print_values(p, b->nargs, b->args);
			return;
		}
		text_puts(out, "apply ");
		print_value(p, b->args[0]);
		print_values(p, b->nargs - 1, b->args + 1);
		return;
	case BIND_IF:
		text_puts(out, "if ");
		print_value(p, b->args[0]);
		print_function_name(p, " then ", b->function);
		print_function_name(p, " else ", b->otherwise);
		text_puts(out, " ");
		print_values(p, b->nargs - 1, b->args + 1);
		return;
	case BIND_LOOP:
		print_loop(p, b);
		return;
	}
}

static void print_origin(struct text *out, const struct origin *o)
{
	if (*o->label) {
		text_puts(out, " @");
		text_quote(out, o->label);
	}
	if (o->demand.kind == DEMAND_KEEP)
		text_puts(out, " keep");
	if (o->demand.kind != DEMAND_OFFLOAD)
		return;
	text_puts(out, " offload");
	if (o->demand.generator) {
		text_puts(out, " ");
		text_quote(out, o->demand.generator);
	}
}

static void print_binding(const struct graph_printer *p, int value)
{
	const struct binding *b = function_at(p->f, value);

	text_puts(p->out, "\t");
	print_bound(p, value);
	if (b->kind != BIND_CONST) {
		text_puts(p->out, ": ");
		type_print(p->out, b->type);
	}
	text_puts(p->out, " = ");
	print_made(p, b);
	print_origin(p->out, b->origin);
	text_puts(p->out, "\n");
}

static void print_head(const struct graph_printer *p)
{
	struct text *out = p->out;

	text_puts(out, "fn @");
	text_name(out, p->f->name);
	text_puts(out, "(");
	for (int i = 0; i < p->f->nparams; i++) {
		text_puts(out, i ? ", " : "");
		print_bound(p, i);
		text_puts(out, ": ");
		type_print(out, p->f->bindings.at[i].type);
	}
	text_puts(out, ") -> ");
	type_print(out, p->f->result);
	if (p->f->nattrs) {
		text_puts(out, " attrs ");
		print_attrs(out, p->f->nattrs, p->f->attrs);
	}
	text_puts(out, " {\n");
}

static void print_function(const struct graph_printer *p)
{
	print_head(p);
	for (int i = p->f->nparams; i < p->f->bindings.n; i++)
		print_binding(p, i);
	text_puts(p->out, "\treturn");
	for (int i = 0; i < p->f->nresults; i++) {
		text_puts(p->out, i ? ", " : " ");
		print_value(p, p->f->results[i]);
	}
	text_puts(p->out, "\n}\n");
}

static void print_graph(struct text *out, const struct graph *g, bool full,
			struct text_place beside)
{
	text_puts(out, "graph ");
	text_quote(out, g->name);
	if (g->main != FUNCTION_NONE) {
		text_puts(out, " @");
		text_name(out, graph_main(g)->name);
	}
	text_puts(out, "\n");
	for (int i = 0; i < g->functions.n; i++) {
		struct arena *a = arena_new();
		struct graph_printer p = { out, g, g->functions.at[i], NULL, full, beside };

		p.plain = plain_names(a, p.f);
		text_puts(out, "\n");
		print_function(&p);
		arena_free(a);
	}
}

void graph_print(struct text *out, const struct graph *g, bool full)
{
	print_graph(out, g, full, (struct text_place){ NULL, NULL });
}

void graph_print_beside(struct text *out, const struct graph *g, struct text_place place)
{
	print_graph(out, g, true, place);
}
