/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/json_data.c - items of a graph's JSON: strings, types, attributes, constants. */
#include "base/err.h"
#include "graph/text/json.h"
#include "graph/text/literal.h"
#include "graph/text/parse.h"

/* The string S without its escapes, in A; NULL and a message. */
static const char *unescaped(struct arena *a, const char *s)
{
	struct scan scan = scan_text("", arena_printf(a, "\"%s\"", s));
	const char *out = scan_quoted(&scan, a);

	if (!out || *scan.at) {
		err_set("'%.40s': write quotes and backslashes behind a backslash, and what is not "
			"printable ASCII as \\xHH", s);
		return NULL;
	}
	return out;
}

const char *item_text(struct arena *a, const json_t *object, const char *key,
		      const char *otherwise)
{
	const json_t *at = json_object_get(object, key);

	if (!at && otherwise)
		return otherwise;
	if (!json_is_string(at)) {
		err_set("\"%s\" must be a string", key);
		return NULL;
	}
	return unescaped(a, json_string_value(at));
}

int item_list(const json_t *object, const char *key, const json_t **out)
{
	*out = json_object_get(object, key);
	return !*out || json_is_array(*out) ? 0 : err_set("\"%s\" must be a list", key);
}

int item_count(const json_t *object, const char *key)
{
	const json_t *at = json_object_get(object, key);
	json_int_t v = json_is_integer(at) ? json_integer_value(at) : -1;

	return v >= 0 && v <= INT32_MAX ? (int)v : err_set("\"%s\" must be a count", key);
}

const struct type *item_type(struct graph *g, const json_t *object, const struct type *otherwise)
{
	const json_t *at = json_object_get(object, "type");

	if (!at)
		return otherwise;
	if (!json_is_string(at)) {
		err_set("\"type\" must be a string");
		return NULL;
	}
	return type_parse(g, "type", json_string_value(at));
}

/* --- attributes */

static int float_of(const json_t *at, double *out)
{
	struct scan s;

	if (json_is_number(at)) {
		*out = json_number_value(at);
		return 0;
	}
	if (!json_is_string(at))
		return err_set("a float must be a number, or a string such as \"inf\"");
	s = scan_text("float", json_string_value(at));
	return literal_read(&s, NULL, ELEMENT_F64, out) < 0 || !scan_at_end(&s)
		       ? err_set("'%.40s' is no number", json_string_value(at)) : 0;
}

static int attr_ints(struct arena *a, const json_t *list, const char *name, struct attr_vec *out)
{
	size_t n = json_array_size(list);
	int64_t *v = arena_many(a, int64_t, n);

	for (size_t i = 0; i < n; i++) {
		if (!json_is_integer(json_array_get(list, i)))
			return err_set("attribute %s must be of integers", name);
		v[i] = json_integer_value(json_array_get(list, i));
	}
	attrs_ints(a, out, name, (int)n, v);
	return 0;
}

static int attr_floats(struct arena *a, const json_t *list, const char *name, struct attr_vec *out)
{
	size_t n = json_array_size(list);
	double *v = arena_many(a, double, n);

	for (size_t i = 0; i < n; i++)
		if (float_of(json_array_get(list, i), &v[i]) < 0)
			return -1;
	attrs_floats(a, out, name, (int)n, v);
	return 0;
}

static int attr_value(struct arena *a, enum attr_kind kind, const json_t *value, const char *name,
		      struct attr_vec *out)
{
	const char *s = json_is_string(value) ? json_string_value(value) : NULL;
	enum element e;
	double f;

	switch (kind) {
	case ATTR_INT:
		if (!json_is_integer(value))
			break;
		attrs_int(a, out, name, json_integer_value(value));
		return 0;
	case ATTR_FLOAT:
		if (float_of(value, &f) < 0)
			return -1;
		attrs_float(a, out, name, f);
		return 0;
	case ATTR_STRING:
		if (!s || !(s = unescaped(a, s)))
			break;
		attrs_string(a, out, name, s);
		return 0;
	case ATTR_ELEMENT:
		if (!s || !element_parse(s, &e))
			break;
		attrs_element(a, out, name, e);
		return 0;
	case ATTR_INTS:
		if (!json_is_array(value))
			break;
		return attr_ints(a, value, name, out);
	case ATTR_FLOATS:
		if (!json_is_array(value))
			break;
		return attr_floats(a, value, name, out);
	}
	return err_set("attribute %s has no value of its kind", name);
}

int item_attrs(struct arena *a, const json_t *object, const struct core_op *op,
	       struct attr_vec *out)
{
	const json_t *all;

	if (item_list(object, "attrs", &all) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *one = json_array_get(all, i), *value = NULL;
		const char *name = item_text(a, one, "name", NULL);
		int kind = 0;

		if (!name)
			return -1;
		while (kind < JSON_ATTR_KINDS && !(value = json_object_get(one, json_attr_kinds[kind])))
			kind++;
		if (!value || json_object_size(one) != 2)
			return err_set("attribute %s has a name and one value", name);
		if (check_attr(op, out, name, (enum attr_kind)kind) < 0 ||
		    attr_value(a, (enum attr_kind)kind, value, name, out) < 0)
			return -1;
	}
	return 0;
}

/* --- constants */

static const struct array *strings(struct arena *a, const struct type *t, const json_t *all)
{
	struct array *x = array_for(a, t, (int64_t)json_array_size(all));

	if (!x || t->element != ELEMENT_STRING) {
		if (x)
			err_set("\"strings\" of a type that has none");
		return NULL;
	}
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *one = json_array_get(all, i);

		if (!json_is_string(one)) {
			err_set("\"strings\" must be strings");
			return NULL;
		}
		((const char **)x->data)[i] = unescaped(a, json_string_value(one));
		if (!((const char **)x->data)[i])
			return NULL;
	}
	return x;
}

const struct array *item_array(struct arena *a, const struct type *t, const json_t *object)
{
	const json_t *bytes = json_object_get(object, "base64");
	const json_t *all = json_object_get(object, "strings");

	if (json_is_string(bytes))
		return array_of_base64(a, t, json_string_value(bytes), json_string_length(bytes));
	if (json_is_array(all))
		return strings(a, t, all);
	err_set("a constant has \"base64\" or \"strings\" (a graph that was printed in full)");
	return NULL;
}
