/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/json.h - the words of the JSON form, for its writer and its reader. */
#ifndef HONE_GRAPH_TEXT_JSON_H
#define HONE_GRAPH_TEXT_JSON_H

#include <jansson.h>

#include "graph/ir/op.h"

static const char *const json_binding_kinds[] = {
	[BIND_PARAM] = "param",
	[BIND_CONST] = "const",
	[BIND_CALL] = "call",
	[BIND_TUPLE] = "tuple",
	[BIND_FIELD] = "field",
	[BIND_CLOSURE] = "closure",
	[BIND_APPLY] = "apply",
	[BIND_IF] = "if",
	[BIND_LOOP] = "loop",
};

/* The key of an attribute's value. */
static const char *const json_attr_kinds[] = {
	[ATTR_INT] = "int",
	[ATTR_FLOAT] = "float",
	[ATTR_STRING] = "string",
	[ATTR_INTS] = "ints",
	[ATTR_FLOATS] = "floats",
	[ATTR_ELEMENT] = "element",
};

enum {
	JSON_BINDING_KINDS = sizeof(json_binding_kinds) / sizeof(json_binding_kinds[0]),
	JSON_ATTR_KINDS = sizeof(json_attr_kinds) / sizeof(json_attr_kinds[0]),
};

/* The string KEY of OBJECT, OTHERWISE where it is not there. NULL and a message where it must be
 * (OTHERWISE is NULL), or is no string. */
const char *item_text(struct arena *a, const json_t *object, const char *key,
		      const char *otherwise);
/* The list KEY of OBJECT in *OUT; NULL where it is not there. -1 and a message. */
int item_list(const json_t *object, const char *key, const json_t **out);
/* The integer KEY of OBJECT, at least 0; -1 and a message. */
int item_count(const json_t *object, const char *key);
/* The type of OBJECT; OTHERWISE where it has none. NULL and a message. */
const struct type *item_type(struct graph *g, const json_t *object, const struct type *otherwise);
/* The attributes of OBJECT, those of OP (NULL: of a function). -1 and a message. */
int item_attrs(struct arena *a, const json_t *object, const struct core_op *op,
	       struct attr_vec *out);
/* The constant of type T in OBJECT; NULL and a message. */
const struct array *item_array(struct arena *a, const struct type *t, const json_t *object);

#endif
