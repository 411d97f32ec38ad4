/* SPDX-License-Identifier: Apache-2.0 */
/* graph/print.c - a graph as text for people. */
#include <ctype.h>

#include "graph/ir.h"

void name_print(struct text *out, const char *name)
{
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		if (isgraph(*p) && *p != '\\')
			text_putn(out, (const char *)p, 1);
		else
			text_printf(out, "\\x%02x", *p);
}

static void put_value(struct text *out, const struct function *f, int value)
{
	if (value == VALUE_NONE) {
		text_puts(out, "none");
		return;
	}
	text_printf(out, "%%%d", value);
	if (*f->bindings.at[value].name) {
		text_puts(out, ":");
		name_print(out, f->bindings.at[value].name);
	}
}

void type_print(struct text *out, const struct type *t)
{
	if (t->nfields > 0) {
		text_puts(out, "(");
		for (int i = 0; i < t->nfields; i++) {
			text_puts(out, i ? ", " : "");
			type_print(out, &t->fields[i]);
		}
		text_puts(out, ")");
		return;
	}
	text_puts(out, t->dtype == DTYPE_COUNT ? "?" : dtype_name(t->dtype));
	if (t->rank == RANK_UNKNOWN) {
		text_puts(out, "[..]");
		return;
	}
	text_puts(out, "[");
	for (int i = 0; i < t->rank; i++) {
		text_puts(out, i ? ", " : "");
		if (dim_is_known(t->dim[i]))
			text_printf(out, "%lld", (long long)t->dim[i].n);
		else if (t->dim[i].name)
			name_print(out, t->dim[i].name);
		else
			text_puts(out, "?");
	}
	text_puts(out, "]");
}

static void put_attr(struct text *out, const struct attr *attr)
{
	name_print(out, attr->name);
	text_puts(out, "=");
	switch (attr->kind) {
	case ATTR_INT:
		text_printf(out, "%lld", (long long)attr->ints[0]);
		break;
	case ATTR_FLOAT:
		text_printf(out, "%g", (double)attr->floats[0]);
		break;
	case ATTR_STRING:
		text_puts(out, "\"");
		name_print(out, attr->string);
		text_puts(out, "\"");
		break;
	case ATTR_INTS:
		text_puts(out, "[");
		for (int i = 0; i < attr->n; i++)
			text_printf(out, "%s%lld", i ? ", " : "", (long long)attr->ints[i]);
		text_puts(out, "]");
		break;
	case ATTR_FLOATS:
		text_puts(out, "[");
		for (int i = 0; i < attr->n; i++)
			text_printf(out, "%s%g", i ? ", " : "", (double)attr->floats[i]);
		text_puts(out, "]");
		break;
	case ATTR_TENSOR:
		type_print(out, &attr->tensor->type);
		break;
	case ATTR_OTHER:
		text_puts(out, "...");
		break;
	}
}

static void put_call(struct text *out, const struct function *f, const struct call *c)
{
	name_print(out, c->op_name);
	text_puts(out, "(");
	for (int i = 0; i < c->nargs; i++) {
		text_puts(out, i ? ", " : "");
		put_value(out, f, c->args[i]);
	}
	text_puts(out, ")");
	for (int i = 0; i < c->nattrs; i++) {
		text_puts(out, i ? ", " : " {");
		put_attr(out, &c->attrs[i]);
	}
	text_puts(out, c->nattrs ? "}" : "");
}

static void put_binding(struct text *out, const struct function *f, int value)
{
	const struct binding *b = &f->bindings.at[value];

	text_indent(out, 1);
	put_value(out, f, value);
	text_puts(out, ": ");
	type_print(out, &b->type);
	text_puts(out, " = ");
	switch (b->kind) {
	case BIND_PARAM:
		text_puts(out, "param");
		break;
	case BIND_CONST:
		text_printf(out, "const %zu bytes", type_bytes(&b->type));
		break;
	case BIND_CALL:
		put_call(out, f, &b->call);
		break;
	case BIND_FIELD:
		put_value(out, f, b->tuple);
		text_printf(out, ".%d", b->field);
		break;
	}
	text_puts(out, "\n");
}

void graph_print(struct text *out, const struct graph *g)
{
	const struct function *f = g->main;

	text_puts(out, "graph ");
	name_print(out, g->name);
	text_printf(out, " (opset %d)\n%s {\n", g->opset, f->name);
	for (int i = 0; i < f->bindings.n; i++)
		put_binding(out, f, i);
	text_puts(out, "\treturn");
	for (int i = 0; i < f->nresults; i++) {
		text_puts(out, i ? ", " : " ");
		put_value(out, f, f->results[i]);
	}
	text_puts(out, "\n}\n");
}
