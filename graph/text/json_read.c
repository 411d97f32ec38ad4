/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/json_read.c - a graph from JSON. */
#include "base/err.h"
#include "graph/text/json.h"
#include "graph/text/parse.h"
#include "graph/text/text.h"

struct json_reader {
	struct graph_reader r;	/* first */
	const char *file;
	const json_t *functions;
};

/* A function whose bindings are being read. */
struct json_body {
	struct json_reader *t;
	struct builder b;
	struct value_vec values;	/* by number in the JSON */
};

/* --- bindings */

/* The list KEY of values, those left out as null, where they MAY be, in OUT. */
static int read_values(const struct json_body *t, const json_t *object, const char *key, bool may,
		       struct value_vec *out)
{
	const json_t *all;

	if (item_list(object, key, &all) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *one = json_array_get(all, i);
		json_int_t v = json_is_integer(one) ? json_integer_value(one) : -1;

		if (json_is_null(one) && may)
			vec_push(t->b.arena, out, VALUE_NONE);
		else if (v >= 0 && v < t->values.n)
			vec_push(t->b.arena, out, t->values.at[v]);
		else
			return err_set("\"%s\" must be numbers of values above", key);
	}
	return 0;
}

/* The function that KEY of OBJECT names; FUNCTION_NONE and a message. */
static int function_of(const struct json_body *t, const json_t *object, const char *key)
{
	const char *name = item_text(t->b.arena, object, key, NULL);
	int index = name ? graph_find_function(t->b.graph, name) : FUNCTION_NONE;

	if (name && index == FUNCTION_NONE)
		err_set("there is no function %s", name);
	return index;
}

/* Operands that a binding of this kind cannot be without. */
static int least_args(const struct binding *of)
{
	switch (of->kind) {
	case BIND_FIELD:
	case BIND_IF:
		return 1;
	case BIND_APPLY:
		return of->function == FUNCTION_NONE;
	case BIND_LOOP:
		return 2 + of->nstate;
	default:
		return 0;
	}
}

/* What a binding of this kind has besides operands. */
static int read_parts(struct json_body *t, const json_t *object, const struct type *type,
		      struct binding *of, struct attr_vec *attrs)
{
	struct arena *a = t->b.arena;
	const char *op;

	switch (of->kind) {
	case BIND_PARAM:
		return err_set("a parameter among the bindings");
	case BIND_CONST:
		if (!type)
			return err_set("a constant has a \"type\"");
		of->array = item_array(a, type, object);
		return of->array ? 0 : -1;
	case BIND_CALL:
		op = item_text(a, object, "op", NULL);
		of->op = op ? core_op_find(op) : NULL;
		if (!of->op)
			return op ? err_set("there is no operator %s", op) : -1;
		return item_attrs(a, object, of->op, attrs);
	case BIND_TUPLE:
		return 0;
	case BIND_FIELD:
		of->field = item_count(object, "field");
		return of->field < 0 ? -1 : 0;
	case BIND_APPLY:
		if (!json_object_get(object, "function"))
			return 0;
		break;
	case BIND_IF:
		of->otherwise = function_of(t, object, "otherwise");
		if (of->otherwise == FUNCTION_NONE)
			return -1;
		break;
	case BIND_LOOP:
		of->nstate = item_count(object, "states");
		if (of->nstate < 0)
			return -1;
		break;
	case BIND_CLOSURE:
		break;
	}
	of->function = function_of(t, object, "function");
	return of->function == FUNCTION_NONE ? -1 : 0;
}

static int read_kind(struct arena *a, const json_t *object, enum binding_kind *out)
{
	const char *name = item_text(a, object, "kind", NULL);

	for (int i = 0; name && i < JSON_BINDING_KINDS; i++)
		if (strcmp(json_binding_kinds[i], name) == 0) {
			*out = (enum binding_kind)i;
			return 0;
		}
	return name ? err_set("there is no kind %s of binding", name) : -1;
}

static int read_demand(struct arena *a, const json_t *object, struct demand *out)
{
	const json_t *keep = json_object_get(object, "keep"), *offload = json_object_get(object, "offload");

	*out = (struct demand){ keep ? DEMAND_KEEP : offload ? DEMAND_OFFLOAD : DEMAND_NONE, NULL };
	if (keep && (offload || !json_is_true(keep)))
		return err_set("\"keep\" must be true, without \"offload\"");
	if (!offload || json_is_true(offload))
		return 0;
	if (!json_is_string(offload))
		return err_set("\"offload\" must be true, or the name of a generator");
	out->generator = item_text(a, object, "offload", NULL);
	return out->generator ? 0 : -1;
}

/* NULL and a message. */
static const struct origin *read_origin(struct arena *a, const json_t *object)
{
	const char *label = item_text(a, object, "label", "");
	struct demand demand;

	return label && read_demand(a, object, &demand) == 0 ? origin_new(a, label, demand) : NULL;
}

static int read_binding(struct json_body *t, const json_t *object)
{
	struct arena *a = t->b.arena;
	struct binding of = { .function = FUNCTION_NONE, .otherwise = FUNCTION_NONE };
	struct value_vec args = { 0 };
	struct attr_vec attrs = { 0 };
	const struct type *type = item_type(t->b.graph, object, NULL);

	if ((!type && json_object_get(object, "type")) || read_kind(a, object, &of.kind) < 0 ||
	    !(of.name = item_text(a, object, "name", "")) ||
	    read_values(t, object, "args", true, &args) < 0 ||
	    read_parts(t, object, type, &of, &attrs) < 0 || !(of.origin = read_origin(a, object)))
		return -1;
	int least = least_args(&of);

	if (args.n < least || (least == 1 && args.at[0] == VALUE_NONE))
		return err_set("%s: an operand is missing", json_binding_kinds[of.kind]);
	of.args = args.at;
	of.nargs = args.n;
	of.attrs = attrs.at;
	of.nattrs = attrs.n;
	if (reader_need(&t->t->r, &of) < 0)
		return -1;
	int value = reader_bind(&t->b, &of, type);

	if (value == VALUE_FAILED)
		return -1;
	vec_push(a, &t->values, value);
	return 0;
}

/* --- functions */

static int read_body(struct graph_reader *r, int function)
{
	struct json_reader *reader = (struct json_reader *)r;
	struct json_body t = { .t = reader, .b = builder_resume(r->graph, function) };
	const json_t *object = json_array_get(reader->functions, (size_t)function), *all;
	struct value_vec results = { 0 };

	t.b.plain = true;
	for (int i = 0; i < t.b.function->nparams; i++)
		vec_push(t.b.arena, &t.values, i);
	if (item_list(object, "bindings", &all) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(all); i++)
		if (read_binding(&t, json_array_get(all, i)) < 0)
			return err_prefix("%s: value %d", t.b.function->name, t.values.n);
	if (read_values(&t, object, "results", false, &results) < 0 ||
	    builder_end(&t.b, results.n, results.at) == FUNCTION_NONE)
		return err_prefix("%s", t.b.function->name);
	return 0;
}

static int read_head(struct json_reader *t, const json_t *object)
{
	struct graph *g = t->r.graph;
	const char *name = item_text(g->arena, object, "name", NULL);
	const json_t *params;
	struct attr_vec attrs = { 0 };

	if (!name || item_list(object, "params", &params) < 0)
		return -1;
	size_t n = json_array_size(params);
	const struct type **types = arena_many(g->arena, const struct type *, n);
	const char **names = arena_many(g->arena, const char *, n);

	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(params, i);

		if (!(types[i] = item_type(g, one, &type_unknown)) ||
		    !(names[i] = item_text(g->arena, one, "name", "")))
			return -1;
	}
	const struct type *result = item_type(g, object, &type_unknown);

	if (!result || item_attrs(g->arena, object, NULL, &attrs) < 0 ||
	    reader_declare(&t->r, name, (int)n, names, types, result) < 0)
		return -1;
	g->functions.at[g->functions.n - 1]->attrs = attrs.at;
	g->functions.at[g->functions.n - 1]->nattrs = attrs.n;
	return 0;
}

static int read_graph(struct json_reader *t, const json_t *json)
{
	struct graph *g = t->r.graph;
	const char *main = item_text(g->arena, json, "main", "main");

	if (!main || !(g->name = item_text(g->arena, json, "graph", "")) ||
	    item_list(json, "functions", &t->functions) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(t->functions); i++)
		if (read_head(t, json_array_get(t->functions, i)) < 0)
			return err_prefix("function %zu", i);
	return reader_finish(&t->r, main);
}

struct graph *graph_from_json(struct arena *a, const char *file, const json_t *json)
{
	struct json_reader t = { .r = { .graph = graph_new(a, ""), .read_body = read_body },
				 .file = file };

	if (read_graph(&t, json) < 0) {
		err_prefix("%s", file);
		return NULL;
	}
	return t.r.graph;
}
