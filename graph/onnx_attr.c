/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx_attr.c - the attributes of ONNX nodes. */
#include "base/err.h"
#include "graph/onnx_read.h"

/* The kind of an attribute; files of IR version 1 do not say it. */
static Onnx__AttributeProto__AttributeType kind_of(const Onnx__AttributeProto *p)
{
	if (p->has_type && p->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
		return p->type;
	if (p->has_i)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	if (p->has_f)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
	if (p->has_s)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
	if (p->t)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
	if (p->n_floats)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
	return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
}

static int tensor_attr(struct onnx_reader *r, const Onnx__AttributeProto *p, struct attr *out)
{
	struct constant *c = arena_one(r->arena, struct constant);

	if (!p->t)
		return err_set("the tensor is missing");
	if (onnx_tensor(r, p->t, c) < 0)
		return -1;
	out->kind = ATTR_TENSOR;
	out->tensor = c;
	return 0;
}

static int read_attr(struct onnx_reader *r, const Onnx__AttributeProto *p, struct attr *out)
{
	struct arena *a = r->arena;

	out->name = arena_strdup(a, p->name ? p->name : "");
	out->kind = ATTR_OTHER;
	out->n = 1;
	switch (kind_of(p)) {
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
		out->kind = ATTR_INT;
		out->ints = arena_memdup(a, &p->i, sizeof(p->i));
		return 0;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
		out->kind = ATTR_FLOAT;
		out->floats = arena_memdup(a, &p->f, sizeof(p->f));
		return 0;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
		out->kind = ATTR_STRING;
		out->string = arena_strndup(a, p->s.len ? (const char *)p->s.data : "", p->s.len);
		return 0;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
		out->kind = ATTR_INTS;
		out->n = (int)p->n_ints;
		out->ints = arena_memdup(a, p->ints, p->n_ints * sizeof(p->ints[0]));
		return 0;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
		out->kind = ATTR_FLOATS;
		out->n = (int)p->n_floats;
		out->floats = arena_memdup(a, p->floats, p->n_floats * sizeof(p->floats[0]));
		return 0;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
		return tensor_attr(r, p, out);
	default:
		return 0;
	}
}

int onnx_attrs(struct onnx_reader *r, const Onnx__NodeProto *p, struct call *out)
{
	struct attr *attrs = arena_many(r->arena, struct attr, p->n_attribute);

	for (size_t i = 0; i < p->n_attribute; i++)
		if (read_attr(r, p->attribute[i], &attrs[i]) < 0)
			return err_prefix("attribute '%.100s'", attrs[i].name);
	out->attrs = attrs;
	out->nattrs = (int)p->n_attribute;
	return 0;
}

static int listed(struct constant *out, enum dtype t, int rank, size_t n, const void *data)
{
	int64_t shape = (int64_t)n;

	out->type = type_tensor(t, rank, &shape);
	out->data = data;
	return 1;
}

int onnx_constant(struct onnx_reader *r, const Onnx__NodeProto *p, struct constant *out)
{
	struct call c = { 0 };

	if (onnx_attrs(r, p, &c) < 0)
		return -1;
	const struct attr *at = c.attrs;

	if (c.nattrs != 1)
		return 0;
	switch (at->kind) {
	case ATTR_TENSOR:
		*out = *at->tensor;
		return 1;
	case ATTR_INT:
		return listed(out, DTYPE_I64, 0, 1, at->ints);
	case ATTR_INTS:
		return listed(out, DTYPE_I64, 1, (size_t)at->n, at->ints);
	case ATTR_FLOAT:
		return listed(out, DTYPE_F32, 0, 1, at->floats);
	case ATTR_FLOATS:
		return listed(out, DTYPE_F32, 1, (size_t)at->n, at->floats);
	case ATTR_STRING:
	case ATTR_OTHER:
		break;
	}
	return 0;
}
