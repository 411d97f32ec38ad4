/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/type.c - ONNX's types; names of dims as expressions over symbols. */
#include <ctype.h>

#include "base/err.h"
#include "graph/onnx/reader.h"
#include "graph/text/parse.h"

/* --- dims with names: "batch", "2*N", "(past + 1) / 2" */

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '.')
		s++;
	return !*s;
}

/* The symbol's name: NAME, or one of its letters where the text form could not have it. */
static const struct axis *symbol(struct onnx_reader *r, const char *name)
{
	int known = names_get(&r->symbols, name, -1);

	if (known >= 0)
		return r->graph->symbol.at[known];
	char *plain = arena_printf(r->scratch, "%s%s", is_name(name) ? "" : "dim_", name);

	for (char *c = plain; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			*c = '_';
	const char *unique = plain;

	for (int i = 2; graph_find_symbol(r->graph, unique); i++)
		unique = arena_printf(r->scratch, "%s_%d", plain, i);
	names_add(r->scratch, &r->symbols, arena_strdup(r->scratch, name), r->graph->symbol.n);
	return graph_symbol(r->graph, unique);
}

/* Is NAME more than a name: are there operators between what may be names and numbers? */
static bool is_expression(struct onnx_reader *r, const char *name)
{
	struct scan s = scan_text("", name);
	struct dim d;

	return strpbrk(name, "+-*/") &&
	       parse_dim(&s, graph_new(r->scratch, ""), &d) == 0 && scan_at_end(&s);
}

struct dim onnx_dim_named(struct onnx_reader *r, const char *name)
{
	struct scan s = scan_text("", name);
	struct dim d;

	if (!is_expression(r, name))
		d = dim_expr(r->arena, expr_axis(r->arena, symbol(r, name)));
	else if (parse_dim(&s, r->graph, &d) < 0)
		return dim_unknown();
	return given_named(r, d);
}

/* --- types */

static int read_dim(struct onnx_reader *r, const Onnx__TensorShapeProto__Dimension *p,
		    struct dim *out)
{
	*out = dim_unknown();
	if (p->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && *p->dim_param)
		*out = onnx_dim_named(r, p->dim_param);
	if (p->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
		return 0;
	/* Some exporters write -1 for an unknown dim. */
	if (p->dim_value < -1 || p->dim_value > GRAPH_MAX_DIM)
		return err_set("a dim of %lld", (long long)p->dim_value);
	if (p->dim_value >= 0)
		*out = dim_number(p->dim_value);
	return 0;
}

/* T; NULL and a message where it is too large. */
static const struct type *checked(const struct type *t)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (type_shape(t, dim) && shape_count(t->rank, dim) < 0) {
		err_set("a tensor with more elements than the limit allows");
		return NULL;
	}
	return t;
}

static const struct type *read_tensor(struct onnx_reader *r, int32_t number,
				      const Onnx__TensorShapeProto *shape)
{
	enum element e = ELEMENT_COUNT;
	struct dim dims[GRAPH_MAX_RANK];

	if (number && onnx_element(number, &e) < 0)
		return NULL;
	if (!shape)
		return type_unranked(r->arena, e);
	if (shape->n_dim > GRAPH_MAX_RANK) {
		err_set("a tensor of rank %zu (at most %d)", shape->n_dim, GRAPH_MAX_RANK);
		return NULL;
	}
	for (size_t i = 0; i < shape->n_dim; i++)
		if (read_dim(r, shape->dim[i], &dims[i]) < 0)
			return NULL;
	return checked(type_tensor(r->arena, e, (int)shape->n_dim, dims));
}

const struct type *onnx_type(struct onnx_reader *r, const Onnx__TypeProto *p)
{
	const struct type *of;

	if (!p)
		return &type_unknown;
	switch (p->value_case) {
	case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
		return read_tensor(r, p->tensor_type->elem_type, p->tensor_type->shape);
	case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
		return read_tensor(r, p->sparse_tensor_type->elem_type,
				   p->sparse_tensor_type->shape);
	case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
		of = onnx_type(r, p->sequence_type->elem_type);
		return of ? type_sequence(r->arena, of) : NULL;
	case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
		of = onnx_type(r, p->optional_type->elem_type);
		return of ? type_optional(r->arena, of) : NULL;
	case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
		err_set("maps are not supported");
		return NULL;
	default:
		return &type_unknown;
	}
}

const struct type *onnx_input_type(struct onnx_reader *r, const Onnx__ValueInfoProto *in)
{
	const struct type *t = onnx_type(r, in->type);
	struct dim dims[GRAPH_MAX_RANK];

	if (!t || !type_is_ranked(t))
		return t;
	for (int i = 0; i < t->rank; i++) {
		dims[i] = t->dim[i];
		if (!dim_is_number(dims[i]) && !dims[i].expr)
			dims[i] = given_unnamed(r, in->name, i);
	}
	return checked(type_tensor(r->arena, t->element, t->rank, dims));
}
