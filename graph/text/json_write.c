/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/json_write.c - a graph as JSON. */
#include <math.h>

#include "graph/ir/op.h"
#include "graph/text/json.h"
#include "graph/text/literal.h"
#include "graph/text/text.h"

/* What JSON cannot hold, bytes that are no UTF-8, is escaped as in the text form, which OUT has in
 * quotes. Frees it. */
static json_t *unquoted(struct text *out)
{
	json_t *json = json_stringn(out->s + 1, out->n - 2);

	text_free(out);
	return json;
}

static json_t *string(const char *s)
{
	struct text out = { 0 };

	text_quote(&out, s);
	return unquoted(&out);
}

static json_t *type_json(const struct type *t)
{
	struct text out = { 0 };

	type_print(&out, t);
	json_t *json = json_string(text_str(&out));

	text_free(&out);
	return json;
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* Sets what is not empty. */
static void set_name(json_t *object, const char *key, const char *name)
{
	if (*name)
		set(object, key, string(name));
}

/* --- attributes */

static json_t *number(double v)
{
	if (isfinite(v))
		return json_real(v);
	struct text out = { 0 };

	literal_print_float(&out, v);
	json_t *json = json_string(text_str(&out));

	text_free(&out);
	return json;
}

static json_t *attr_item(const struct attr *at, int i)
{
	switch (at->kind) {
	case ATTR_INT:
	case ATTR_INTS:
		return json_integer(at->ints[i]);
	case ATTR_FLOAT:
	case ATTR_FLOATS:
		return number(at->floats[i]);
	case ATTR_STRING:
		return string(at->string);
	case ATTR_ELEMENT:
		return json_string(element_name((enum element)at->ints[0]));
	}
	return NULL;
}

static void set_attrs(json_t *object, int n, const struct attr *attrs)
{
	json_t *all = json_array();

	for (int i = 0; i < n; i++) {
		bool list = attrs[i].kind == ATTR_INTS || attrs[i].kind == ATTR_FLOATS;
		json_t *one = json_object();
		json_t *items = json_array();

		for (int j = 0; list && j < attrs[i].n; j++)
			json_array_append_new(items, attr_item(&attrs[i], j));
		set(one, "name", string(attrs[i].name));
		set(one, json_attr_kinds[attrs[i].kind],
		    list ? json_incref(items) : attr_item(&attrs[i], 0));
		json_decref(items);
		json_array_append_new(all, one);
	}
	if (n)
		set(object, "attrs", all);
	else
		json_decref(all);
}

/* --- bindings */

static void set_array(json_t *object, const struct array *x, bool full)
{
	char hash[HASH_TEXT];

	if (!full && x->count > LITERAL_BRIEF) {
		set(object, "hash", json_string(hash_text(literal_hash(x), hash)));
		return;
	}
	if (x->element == ELEMENT_STRING) {
		json_t *strings = json_array();

		for (int64_t i = 0; i < x->count; i++)
			json_array_append_new(strings, string(array_string(x, i)));
		set(object, "strings", strings);
		return;
	}
	struct text out = { 0 };

	base64_print(&out, x->data, array_bytes(x));
	set(object, "base64", json_string(text_str(&out)));
	text_free(&out);
}

static json_t *values(int n, const int *at)
{
	json_t *all = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(all, at[i] == VALUE_NONE ? json_null() : json_integer(at[i]));
	return all;
}

static void set_origin(json_t *object, const struct origin *o)
{
	set_name(object, "label", o->label);
	if (o->demand.kind == DEMAND_KEEP)
		set(object, "keep", json_true());
	if (o->demand.kind == DEMAND_OFFLOAD)
		set(object, "offload", o->demand.generator ? string(o->demand.generator) : json_true());
}

static json_t *binding(const struct graph *g, const struct binding *b, bool full)
{
	json_t *one = json_object();

	set(one, "kind", json_string(json_binding_kinds[b->kind]));
	set_name(one, "name", b->name);
	set(one, "type", type_json(b->type));
	if (b->kind == BIND_CONST)
		set_array(one, b->array, full);
	else
		set(one, "args", values(b->nargs, b->args));
	if (b->kind == BIND_CALL) {
		set(one, "op", json_string(b->op->name));
		set_attrs(one, b->nattrs, b->attrs);
	}
	if (b->function != FUNCTION_NONE)
		set(one, "function", string(g->functions.at[b->function]->name));
	if (b->kind == BIND_IF)
		set(one, "otherwise", string(g->functions.at[b->otherwise]->name));
	if (b->kind == BIND_FIELD)
		set(one, "field", json_integer(b->field));
	if (b->kind == BIND_LOOP)
		set(one, "states", json_integer(b->nstate));
	set_origin(one, b->origin);
	return one;
}

static json_t *function(const struct graph *g, const struct function *f, bool full)
{
	json_t *one = json_object(), *params = json_array(), *bindings = json_array();

	for (int i = 0; i < f->nparams; i++) {
		json_t *param = json_object();

		set_name(param, "name", f->bindings.at[i].name);
		set(param, "type", type_json(f->bindings.at[i].type));
		json_array_append_new(params, param);
	}
	for (int i = f->nparams; i < f->bindings.n; i++)
		json_array_append_new(bindings, binding(g, &f->bindings.at[i], full));
	set(one, "name", string(f->name));
	set_attrs(one, f->nattrs, f->attrs);
	set(one, "params", params);
	set(one, "type", type_json(f->result));
	set(one, "bindings", bindings);
	set(one, "results", values(f->nresults, f->results));
	return one;
}

json_t *graph_to_json(const struct graph *g, bool full)
{
	json_t *all = json_object(), *functions = json_array();

	for (int i = 0; i < g->functions.n; i++)
		json_array_append_new(functions, function(g, g->functions.at[i], full));
	set(all, "graph", string(g->name));
	set(all, "main", g->main == FUNCTION_NONE ? json_null() : string(graph_main(g)->name));
	set(all, "functions", functions);
	return all;
}
