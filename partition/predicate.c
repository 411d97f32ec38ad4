/* SPDX-License-Identifier: Apache-2.0 */
/* partition/predicate.c - predicates of calls, read and asked. */
#include "partition/predicate.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* --- reading */

static bool find_word(const char *text, struct predicate *out)
{
	static const struct {
		const char *word;
		enum predicate_kind kind;
	} words[] = {
		{ "const", PREDICATE_CONST },
		{ "channels", PREDICATE_CHANNELS },
		{ "scalar", PREDICATE_SCALAR },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, text) == 0) {
			out->kind = words[i].kind;
			return true;
		}
	out->kind = PREDICATE_ELEMENT;
	return element_parse(text, &out->element);
}

/* The names before =, <= or >=, and what stands behind; NULL where there is no sign. */
static const char *split(struct arena *a, const char *text, enum relation_sign *sign, const char **name)
{
	size_t n = strcspn(text, "=<>");

	if (!text[n])
		return NULL;
	*sign = text[n] == '<' ? SIGN_LESS : text[n] == '>' ? SIGN_MORE : SIGN_EQUAL;
	*name = arena_strndup(a, text, n);
	text += n + (*sign == SIGN_EQUAL ? 0 : 1);
	return *text == '=' ? text + 1 : NULL;
}

static int read_number(const char *text, int64_t *out)
{
	char *end;

	*out = strtoll(text, &end, 10);
	return *text && !*end ? 0 : -1;
}

int predicate_parse(struct arena *a, const struct core_op *op, const char *text, struct predicate *out)
{
	const char *name, *value;

	*out = (struct predicate){ .kind = PREDICATE_RANK };
	if (find_word(text, out))
		return 0;
	value = split(a, text, &out->sign, &name);
	if (!value)
		return err_set("'%s' is no predicate: rank=N, an attribute of %s, an element type, "
			       "const, channels or scalar", text, op ? op->name : "one operator");
	out->kind = strcmp(name, "rank") == 0 ? PREDICATE_RANK : PREDICATE_ATTR;
	if (out->kind == PREDICATE_ATTR && !op)
		return err_set("'%s': not every operator has an attribute '%s'", text, name);
	if (out->kind == PREDICATE_ATTR && !(out->attr = core_op_attr(op, name)))
		return err_set("'%s': %s has no attribute '%s'", text, op->name, name);
	if (out->attr && (out->attr->kind == ATTR_FLOAT || out->attr->kind == ATTR_FLOATS ||
			  out->attr->kind == ATTR_ELEMENT))
		return err_set("'%s': only attributes that are integers or strings can be asked for", text);
	if (out->attr && out->attr->kind == ATTR_STRING) {
		out->string = arena_strdup(a, value);
		return out->sign == SIGN_EQUAL ? 0 : err_set("'%s': a string is equal or not", text);
	}
	return read_number(value, &out->number) < 0 ? err_set("'%s': '%s' is no number", text, value) : 0;
}

/* --- asking */

static bool compares(const struct predicate *p, int64_t n)
{
	return p->sign == SIGN_EQUAL ? n == p->number
	       : p->sign == SIGN_LESS ? n <= p->number : n >= p->number;
}

static bool attr_holds(const struct predicate *p, const struct binding *b)
{
	int n;

	if (p->attr->kind == ATTR_STRING)
		return strcmp(call_string(b, p->attr->name), p->string) == 0;
	if (p->attr->kind == ATTR_INT)
		return compares(p, call_int(b, p->attr->name));
	const int64_t *list = call_ints(b, p->attr->name, &n);

	for (int i = 0; i < n; i++)
		if (!compares(p, list[i]))
			return false;
	return true;
}

/* Is C a vector along the channels of T: all other dims 1? */
static bool is_along_channels(const struct array *c, const struct type *t)
{
	int axis = (t->rank > 2 ? 1 : t->rank - 1) - (t->rank - c->rank);

	return type_is_static(t) && axis >= 0 && c->dim[axis] == c->count &&
	       c->count == t->dim[axis + t->rank - c->rank].n;
}

/* What is asked of an operand that is not where the pattern comes from. */
static bool operand_holds(const struct predicate *p, const struct array *c, const struct type *result)
{
	if (!c)
		return false;
	if (p->kind == PREDICATE_SCALAR)
		return c->count == 1;
	return p->kind == PREDICATE_CONST || is_along_channels(c, result);
}

bool predicate_holds(const struct predicate *p, const struct function *f, const struct binding *b,
		     int from)
{
	switch (p->kind) {
	case PREDICATE_RANK:
		return type_is_ranked(b->type) && compares(p, b->type->rank);
	case PREDICATE_ATTR:
		return attr_holds(p, b);
	case PREDICATE_ELEMENT:
		return type_is_tensor(b->type) && b->type->element == p->element;
	case PREDICATE_CONST:
	case PREDICATE_CHANNELS:
	case PREDICATE_SCALAR:
		break;
	}
	/* Of a pattern's first call the data comes first. */
	int data = from == VALUE_NONE ? call_arg(b, 0) : from;

	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] >= 0 && b->args[i] != data &&
		    !operand_holds(p, function_const(f, b->args[i]), b->type))
			return false;
	return true;
}
