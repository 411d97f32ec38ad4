/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/parse_data.c - constants and attributes. */
#include <ctype.h>

#include "base/err.h"
#include "graph/text/literal.h"
#include "graph/text/parse.h"

/* --- constants */

static bool is_constant(const struct type *t)
{
	return t->kind == TYPE_TENSOR && !t->layout && type_count(t) >= 0;
}

struct array *array_for(struct arena *a, const struct type *t, int64_t n)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (!is_constant(t)) {
		err_set("a constant has an element type and numbers for dims");
		return NULL;
	}
	if (n != type_count(t)) {
		err_set("%lld elements where the type has %lld", (long long)n,
			(long long)type_count(t));
		return NULL;
	}
	type_shape(t, dim);
	return array_in(a, t->element, t->rank, dim);
}

struct array *array_of_base64(struct arena *a, const struct type *t, const char *text, size_t n)
{
	if (!is_constant(t) || t->element == ELEMENT_STRING ||
	    (uint64_t)type_count(t) > n / element_bytes(t->element)) {
		err_set("base64 of fewer bytes than the type has, or of what has none");
		return NULL;
	}
	struct array *x = array_for(a, t, type_count(t));

	if (!base64_read(text, n, x->data, array_bytes(x)) || !literal_fits(x)) {
		err_set("no base64 of elements of this type");
		return NULL;
	}
	return x;
}

static const struct array *base64_array(struct scan *s, struct arena *a, const struct type *t)
{
	scan_blanks(s);
	size_t n = 0;

	while (isalnum((unsigned char)s->at[n]) || (s->at[n] && strchr("+/=", s->at[n])))
		n++;
	const struct array *x = array_of_base64(a, t, s->at, n);

	if (!x)
		scan_error(s, "%s", arena_strdup(a, err_get()));
	else
		s->at += n;
	return x;
}

/* at N: the elements lie beside the text. */
static const struct array *array_beside(struct scan *s, struct arena *a, const struct type *t,
					struct text_data beside)
{
	const struct scan begin = *s;
	int64_t at, dim[GRAPH_MAX_RANK];

	if (!is_constant(t) || t->element == ELEMENT_STRING || !scan_int(s, &at) || at < 0) {
		scan_error(&begin, "expected the place of elements that may lie beside the text");
		return NULL;
	}
	size_t each = element_bytes(t->element);

	if ((size_t)at > beside.bytes ||
	    (size_t)type_count(t) > (beside.bytes - (size_t)at) / each ||
	    ((uintptr_t)(beside.data + at) % each != 0 &&
	     !(beside.mapped && element_is_float(t->element)))) {
		scan_error(&begin, "no %s there in the data beside the text", type_string(a, t));
		return NULL;
	}
	type_shape(t, dim);
	struct array *x = (beside.mapped ? array_mapped : array_around)(a, t->element, t->rank, dim,
									beside.data + at);

	if (literal_fits(x))
		return x;
	scan_error(&begin, "the data there are no %s", type_string(a, t));
	return NULL;
}

/* The elements of a list, one behind the other. */
struct element_list {
	struct element_bytes_vec VEC(unsigned char) bytes;
	int64_t n;
	int depth;
};

static int push_element(struct scan *s, struct arena *a, enum element e, struct element_list *l)
{
	unsigned char one[sizeof(double)];

	if (l->n > INT32_MAX / (int)sizeof(one) - 1)
		return scan_error(s, "more elements than a list may have; write base64");
	if (literal_read(s, a, e, one) < 0)
		return -1;
	vec_reserve(a, &l->bytes, l->bytes.n + (int)sizeof(one));
	memcpy(l->bytes.at + l->bytes.n, one, element_bytes(e));
	l->bytes.n += (int)element_bytes(e);
	l->n++;
	return 0;
}

/* [1, 2], or lists in it; it may go over several lines. */
static int element_list(struct scan *s, struct arena *a, enum element e, struct element_list *l)
{
	if (parse_token(s, "[") < 0)
		return -1;
	if (++l->depth > GRAPH_MAX_RANK)
		return scan_error(s, "lists nested deeper than %d", GRAPH_MAX_RANK);
	scan_line_end(s);
	for (bool first = true; !scan_token(s, "]"); first = false) {
		if (!first && parse_token(s, ",") < 0)
			return -1;
		scan_line_end(s);
		int rc = *s->at == '[' ? element_list(s, a, e, l) : push_element(s, a, e, l);

		if (rc < 0)
			return -1;
		scan_line_end(s);
	}
	l->depth--;
	return 0;
}

const struct array *parse_array(struct scan *s, struct graph *g, struct text_data beside)
{
	struct arena *a = g->arena;
	const struct type *t = parse_type(s, g);
	struct element_list list = { 0 };

	if (!t)
		return NULL;
	scan_blanks(s);
	struct scan at = *s;

	if (scan_token(s, "base64"))
		return base64_array(s, a, t);
	if (scan_token(s, "at"))
		return array_beside(s, a, t, beside);
	if (!is_constant(t)) {
		scan_error(&at, "a constant has an element type and numbers for dims");
		return NULL;
	}
	if (element_list(s, a, t->element, &list) < 0)
		return NULL;
	struct array *x = array_for(a, t, list.n);

	if (!x)
		scan_error(&at, "%s", arena_strdup(a, err_get()));
	else if (list.n)
		memcpy(x->data, list.bytes.at, array_bytes(x));
	return x;
}

/* --- attributes */

int check_attr(const struct core_op *op, const struct attr_vec *v, const char *name,
	       enum attr_kind kind)
{
	const struct attr_spec *spec = op ? core_op_attr(op, name) : NULL;

	if (attrs_find(v->at, v->n, name))
		return err_set("attribute %s is there already", name);
	if (op && !spec)
		return err_set("%s has no attribute %s", op->name, name);
	return spec && spec->kind != kind
		       ? err_set("attribute %s of %s is of another kind", name, op->name) : 0;
}

/* Is what comes an integer, not a number with a point or bits? */
static bool is_integer(const struct scan *s)
{
	const char *c = s->at + (*s->at == '-');
	size_t n = strspn(c, "0123456789");

	return n > 0 && !isalnum((unsigned char)c[n]) && c[n] != '.';
}

struct number_list {
	struct number_ints_vec VEC(int64_t) ints;
	struct number_floats_vec VEC(double) floats;
	bool all_ints;
};

static int number(struct scan *s, struct arena *a, struct number_list *l)
{
	int64_t i = 0;
	double f = 0;

	scan_blanks(s);
	bool whole = is_integer(s);

	if (literal_read(s, a, whole ? ELEMENT_I64 : ELEMENT_F64, whole ? (void *)&i : (void *)&f) < 0)
		return -1;
	l->all_ints &= whole;
	vec_push(a, &l->ints, i);
	vec_push(a, &l->floats, whole ? (double)i : f);
	return 0;
}

/* Numbers; without a schema, those that are all whole are integers. */
static int numbers(struct scan *s, struct arena *a, const struct attr_spec *spec, bool list,
		   const char *name, struct attr_vec *out)
{
	struct number_list l = { .all_ints = true };
	bool floats = scan_token(s, "floats");

	if (list && parse_token(s, "[") < 0)
		return -1;
	while (list ? !scan_token(s, "]") : l.ints.n == 0)
		if ((l.ints.n > 0 && parse_token(s, ",") < 0) || number(s, a, &l) < 0)
			return -1;
	floats |= spec ? spec->kind == ATTR_FLOATS || spec->kind == ATTR_FLOAT : !l.all_ints;
	if (!floats && !l.all_ints)
		return scan_error(s, "attribute %s is of integers", name);
	if (list && floats)
		attrs_floats(a, out, name, l.floats.n, l.floats.at);
	else if (list)
		attrs_ints(a, out, name, l.ints.n, l.ints.at);
	else if (floats)
		attrs_float(a, out, name, l.floats.at[0]);
	else
		attrs_int(a, out, name, l.ints.at[0]);
	return 0;
}

static int attr_value(struct scan *s, struct arena *a, const struct attr_spec *spec,
		      const char *name, struct attr_vec *out)
{
	struct scan at = *s;
	const char *string = scan_quoted(s, a);
	enum element e;

	if (string) {
		attrs_string(a, out, name, string);
		return 0;
	}
	const char *word = scan_name(s, a);

	if (word && element_parse(word, &e)) {
		attrs_element(a, out, name, e);
		return 0;
	}
	*s = at;
	scan_blanks(s);
	return numbers(s, a, spec, *s->at == '[' || *s->at == 'f', name, out);
}

int parse_attrs(struct scan *s, struct arena *a, const struct core_op *op, struct attr_vec *out)
{
	if (parse_token(s, "{") < 0)
		return -1;
	while (!scan_token(s, "}")) {
		struct scan at = *s;
		struct attr_vec one = { 0 };

		if (out->n > 0 && parse_token(s, ",") < 0)
			return -1;
		const char *name = parse_name(s, a);

		if (!name)
			return scan_error(s, "expected the name of an attribute");
		if (parse_token(s, "=") < 0 ||
		    attr_value(s, a, op ? core_op_attr(op, name) : NULL, name, &one) < 0)
			return -1;
		if (check_attr(op, out, name, one.at[0].kind) < 0)
			return scan_error(&at, "%s", arena_strdup(a, err_get()));
		vec_push(a, out, one.at[0]);
	}
	return 0;
}
