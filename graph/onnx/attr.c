/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/attr.c - attributes of nodes by name, with the kinds that normalisers expect. */
#include "base/err.h"
#include "graph/onnx/reader.h"

typedef Onnx__AttributeProto__AttributeType kind;

#define KIND(name) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##name

static const Onnx__AttributeProto *find(const Onnx__NodeProto *p, const char *name)
{
	for (size_t i = 0; i < p->n_attribute; i++)
		if (p->attribute[i]->name && strcmp(p->attribute[i]->name, name) == 0)
			return p->attribute[i];
	return NULL;
}

/* The default of attribute NAME of the function that S is the body of. */
static const Onnx__AttributeProto *of_function(struct onnx_reader *r, const struct onnx_scope *s,
					       const char *name)
{
	for (int i = 0; i < r->defaults.n; i++)
		if (r->defaults.at[i].function == s->function &&
		    strcmp(r->defaults.at[i].attr->name, name) == 0)
			return r->defaults.at[i].attr;
	return NULL;
}

const Onnx__AttributeProto *onnx_attr(struct onnx_reader *r, const struct onnx_scope *s,
				      const Onnx__NodeProto *p, const char *name)
{
	const Onnx__AttributeProto *found = find(p, name);

	if (!found || !found->ref_attr_name || !*found->ref_attr_name)
		return found;
	if (!s->call)
		return NULL;
	const Onnx__AttributeProto *given = onnx_attr(r, s->caller, s->call, found->ref_attr_name);

	return given ? given : of_function(r, s, found->ref_attr_name);
}

/* The kind of an attribute; files of IR version 1 do not say it. */
static kind kind_of(const Onnx__AttributeProto *p)
{
	if (p->has_type && p->type != KIND(UNDEFINED))
		return p->type;
	if (p->has_i)
		return KIND(INT);
	if (p->has_f)
		return KIND(FLOAT);
	if (p->has_s)
		return KIND(STRING);
	if (p->t)
		return KIND(TENSOR);
	if (p->g)
		return KIND(GRAPH);
	if (p->n_strings)
		return KIND(STRINGS);
	return p->n_floats ? KIND(FLOATS) : KIND(INTS);
}

/* The attribute NAME where it is of kind WANTED; NULL where there is none. */
static const Onnx__AttributeProto *get(struct node *n, const char *name, kind wanted)
{
	const Onnx__AttributeProto *p = onnx_attr(n->reader, n->scope, n->proto, name);

	if (!p || kind_of(p) == wanted)
		return p;
	n->failed = true;
	err_set("attribute '%s' is of another kind than the standard has it", name);
	return NULL;
}

bool node_has_attr(const struct node *n, const char *name)
{
	return onnx_attr(n->reader, n->scope, n->proto, name) != NULL;
}

int64_t node_int(struct node *n, const char *name, int64_t otherwise)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(INT));

	return p ? p->i : otherwise;
}

double node_float(struct node *n, const char *name, double otherwise)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(FLOAT));

	return p ? (double)p->f : otherwise;
}

static const char *keep(struct node *n, const ProtobufCBinaryData *text)
{
	return arena_strndup(n->reader->arena, text->len ? (const char *)text->data : "",
			     text->len);
}

const char *node_string(struct node *n, const char *name, const char *otherwise)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(STRING));

	return p ? keep(n, &p->s) : otherwise;
}

const int64_t *node_ints(struct node *n, const char *name, int *count)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(INTS));

	*count = p ? (int)p->n_ints : 0;
	return p ? arena_memdup(n->reader->arena, p->ints, p->n_ints * sizeof(*p->ints)) : NULL;
}

const double *node_floats(struct node *n, const char *name, int *count)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(FLOATS));

	*count = p ? (int)p->n_floats : 0;
	double *out = p ? arena_many(n->reader->arena, double, p->n_floats) : NULL;

	for (int i = 0; i < *count; i++)
		out[i] = (double)p->floats[i];
	return out;
}

const char *const *node_strings(struct node *n, const char *name, int *count)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(STRINGS));

	*count = p ? (int)p->n_strings : 0;
	const char **out = p ? arena_many(n->reader->arena, const char *, p->n_strings) : NULL;

	for (int i = 0; i < *count; i++)
		out[i] = keep(n, &p->strings[i]);
	return out;
}

const struct array *node_tensor(struct node *n, const char *name)
{
	const Onnx__AttributeProto *p = onnx_attr(n->reader, n->scope, n->proto, name);
	bool sparse = p && kind_of(p) == KIND(SPARSE_TENSOR);
	const struct array *x = NULL;

	if (!sparse)
		p = get(n, name, KIND(TENSOR));
	if (!p)
		return NULL;
	if (sparse && p->sparse_tensor)
		x = tensor_read_sparse(&n->reader->source, p->sparse_tensor);
	else if (!sparse && p->t)
		x = tensor_read(&n->reader->source, p->t);
	else
		err_set("the tensor is missing");
	if (!x) {
		n->failed = true;
		err_prefix("attribute '%s'", name);
	}
	return x;
}

enum element node_element_attr(struct node *n, const char *name, enum element otherwise)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(INT));
	enum element e = otherwise;

	if (p && onnx_element(p->i, &e) < 0) {
		n->failed = true;
		err_prefix("attribute '%s'", name);
	}
	return e;
}

const Onnx__GraphProto *node_graph(struct node *n, const char *name)
{
	const Onnx__AttributeProto *p = get(n, name, KIND(GRAPH));

	if (!n->failed && (!p || !p->g)) {
		n->failed = true;
		err_set("it has no graph '%s'", name);
		return NULL;
	}
	return p ? p->g : NULL;
}
