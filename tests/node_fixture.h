/* SPDX-License-Identifier: Apache-2.0 */
/* tests/node_fixture.h - models of one ONNX node, written, read and run. */
#ifndef HONE_TESTS_NODE_FIXTURE_H
#define HONE_TESTS_NODE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "graph/eval/interp.h"
#include "graph/onnx/onnx.h"
#include "graph/onnx/onnx.pb-c.h"
#include "graph/onnx/tensor.h"

enum { NODE_PARTS = 16 };

/* An operand: an array, of which dims named by a letter are symbols to the model. */
struct node_operand {
	const struct array *value; /* NULL: left out */
	const char *dims;	/* "N?": the first dim is N, the second not known; NULL: numbers */
};

struct node_model {
	struct arena *a;
	const char *domain, *op;
	int opset;
	struct node_operand args[NODE_PARTS];
	int nargs, nouts;
	Onnx__AttributeProto *attrs[NODE_PARTS];
	int nattrs;
};

static inline struct node_model node_model(const char *op, int opset)
{
	return (struct node_model){ .a = arena_new(), .domain = "", .op = op, .opset = opset,
				    .nouts = 1 };
}

static inline Onnx__AttributeProto *node_attr(struct node_model *m, const char *name, int type)
{
	Onnx__AttributeProto *p = arena_one(m->a, Onnx__AttributeProto);

	assert_true(m->nattrs < NODE_PARTS);
	onnx__attribute_proto__init(p);
	p->name = arena_strdup(m->a, name);
	p->has_type = 1;
	p->type = (Onnx__AttributeProto__AttributeType)type;
	return m->attrs[m->nattrs++] = p;
}

static inline void node_attr_int(struct node_model *m, const char *name, int64_t v)
{
	Onnx__AttributeProto *p = node_attr(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	p->has_i = 1;
	p->i = v;
}

static inline void node_attr_ints(struct node_model *m, const char *name, int n, const int64_t *v)
{
	Onnx__AttributeProto *p = node_attr(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

	p->n_ints = (size_t)n;
	p->ints = arena_memdup(m->a, v, (size_t)n * sizeof(*v));
}

static inline void node_attr_string(struct node_model *m, const char *name, const char *s)
{
	Onnx__AttributeProto *p =
		node_attr(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);

	p->has_s = 1;
	p->s.data = (uint8_t *)arena_strdup(m->a, s);
	p->s.len = strlen(s);
}

static inline void node_attr_floats(struct node_model *m, const char *name, int n, const float *v)
{
	Onnx__AttributeProto *p =
		node_attr(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);

	p->n_floats = (size_t)n;
	p->floats = arena_memdup(m->a, v, (size_t)n * sizeof(*v));
}

static inline void node_attr_strings(struct node_model *m, const char *name, int n,
				     const char *const *v)
{
	Onnx__AttributeProto *p =
		node_attr(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);

	p->n_strings = (size_t)n;
	p->strings = arena_many(m->a, ProtobufCBinaryData, n);
	for (int i = 0; i < n; i++)
		p->strings[i] = (ProtobufCBinaryData){ strlen(v[i]),
						       (uint8_t *)arena_strdup(m->a, v[i]) };
}

static inline void node_operand_add(struct node_model *m, const struct array *x, const char *dims)
{
	assert_true(m->nargs < NODE_PARTS);
	m->args[m->nargs++] = (struct node_operand){ x, dims };
}

/* An operand of E with elements FIRST, FIRST + STEP, ... */
static inline struct array *node_ramp(struct node_model *m, enum element e, int rank,
				      const int64_t *dim, double first, double step)
{
	struct array *x = array_in(m->a, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, first + step * (double)i);
	node_operand_add(m, x, NULL);
	return x;
}

#define DIMS(...) (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), \
		  (const int64_t[]){ __VA_ARGS__ }

static inline Onnx__ValueInfoProto *node_input(struct node_model *m, int i)
{
	const struct node_operand *x = &m->args[i];
	Onnx__ValueInfoProto *info = arena_one(m->a, Onnx__ValueInfoProto);
	Onnx__TypeProto__Tensor *tensor = arena_one(m->a, Onnx__TypeProto__Tensor);

	onnx__value_info_proto__init(info);
	onnx__type_proto__tensor__init(tensor);
	info->name = arena_printf(m->a, "x%d", i);
	info->type = arena_one(m->a, Onnx__TypeProto);
	onnx__type_proto__init(info->type);
	info->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	info->type->tensor_type = tensor;
	tensor->has_elem_type = 1;
	tensor->elem_type = onnx_element_number(x->value->element);
	tensor->shape = arena_one(m->a, Onnx__TensorShapeProto);
	onnx__tensor_shape_proto__init(tensor->shape);
	tensor->shape->n_dim = (size_t)x->value->rank;
	tensor->shape->dim = arena_many(m->a, Onnx__TensorShapeProto__Dimension *,
					x->value->rank + 1);
	for (int k = 0; k < x->value->rank; k++) {
		Onnx__TensorShapeProto__Dimension *d =
			arena_one(m->a, Onnx__TensorShapeProto__Dimension);
		char letter = x->dims ? x->dims[k] : '=';

		onnx__tensor_shape_proto__dimension__init(d);
		tensor->shape->dim[k] = d;
		if (letter >= 'A' && letter <= 'Z') {
			d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
			d->dim_param = arena_printf(m->a, "%c", letter);
		} else if (letter != '?') {
			d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			d->dim_value = x->value->dim[k];
		}
	}
	return info;
}

/* The model's graph; NULL and a message. */
static inline struct graph *node_read(struct node_model *m)
{
	Onnx__ModelProto model;
	Onnx__GraphProto graph;
	Onnx__NodeProto node, *nodes[] = { &node };
	Onnx__OperatorSetIdProto opset, *opsets[] = { &opset };
	Onnx__ValueInfoProto *inputs[NODE_PARTS], outputs[NODE_PARTS], *results[NODE_PARTS];
	char *in[NODE_PARTS], *out[NODE_PARTS];

	onnx__model_proto__init(&model);
	onnx__graph_proto__init(&graph);
	onnx__node_proto__init(&node);
	onnx__operator_set_id_proto__init(&opset);
	for (int i = 0; i < m->nargs; i++) {
		in[i] = m->args[i].value ? arena_printf(m->a, "x%d", i) : "";
		if (m->args[i].value)
			inputs[graph.n_input++] = node_input(m, i);
	}
	for (int i = 0; i < m->nouts; i++) {
		onnx__value_info_proto__init(&outputs[i]);
		outputs[i].name = out[i] = arena_printf(m->a, "y%d", i);
		results[i] = &outputs[i];
	}
	node.op_type = arena_strdup(m->a, m->op);
	node.domain = arena_strdup(m->a, m->domain);
	node.n_input = (size_t)m->nargs;
	node.input = in;
	node.n_output = (size_t)m->nouts;
	node.output = out;
	node.n_attribute = (size_t)m->nattrs;
	node.attribute = m->attrs;
	graph.n_node = 1;
	graph.node = nodes;
	graph.name = "node";
	graph.input = inputs;
	graph.n_output = (size_t)m->nouts;
	graph.output = results;
	opset.domain = node.domain;
	opset.has_version = 1;
	opset.version = m->opset;
	model.has_ir_version = 1;
	model.ir_version = 8;
	model.n_opset_import = 1;
	model.opset_import = opsets;
	model.graph = &graph;
	size_t size = onnx__model_proto__get_packed_size(&model);
	unsigned char *data = arena_alloc(m->a, size);

	onnx__model_proto__pack(&model, data);
	return onnx_parse(m->a, "node", NULL, data, size, NULL);
}

/* Reads the model and runs it on its operands: its output, which the caller releases; a tuple of
 * more than one. */
static inline struct value node_run(struct node_model *m)
{
	struct graph *g = node_read(m);
	struct value args[NODE_PARTS], result;
	int n = 0;

	if (!g)
		fail_msg("%s", err_get());
	for (int i = 0; i < m->nargs; i++)
		if (m->args[i].value)
			args[n++] = value_of_array(m->args[i].value);
	struct interp x = interp_begin(m->a, g, interp_usual_limits);

	if (interp_run(&x, g->main, args, n, &result) < 0)
		fail_msg("%s", err_get());
	interp_end(&x);
	return result;
}

#endif
