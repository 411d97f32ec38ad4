/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/draft.c - ONNX's messages, one by one. */
#include "graph/onnx/draft.h"

#define MOST_BYTES ((size_t)INT32_MAX)	/* of a protobuf message */
#define KIND(kind) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##kind

struct draft draft_begin(struct arena *a)
{
	return (struct draft){ .a = a };
}

/* --- nodes */

char *draft_node(struct draft *d, const char *op, int n, const char *const *in, const char *out)
{
	Onnx__NodeProto *node = arena_one(d->a, Onnx__NodeProto);

	onnx__node_proto__init(node);
	node->op_type = arena_strdup(d->a, op);
	node->n_input = (size_t)n;
	node->input = arena_many(d->a, char *, n);
	for (int i = 0; i < n; i++)
		node->input[i] = arena_strdup(d->a, in[i]);
	node->n_output = 1;
	node->output = arena_one(d->a, char *);
	node->output[0] = out ? arena_strdup(d->a, out) : arena_printf(d->a, "v%d", d->names++);
	vec_push(d->a, &d->nodes, node);
	d->attrs = (struct draft_attr_vec){ 0 };
	return node->output[0];
}

char *draft_step(struct draft *d, const char *op, const char *a, const char *b, const char *out)
{
	return draft_node(d, op, b ? 2 : 1, (const char *[]){ a, b }, out);
}

static Onnx__AttributeProto *attribute(struct draft *d, const char *name,
				       Onnx__AttributeProto__AttributeType type)
{
	Onnx__AttributeProto *attr = arena_one(d->a, Onnx__AttributeProto);
	Onnx__NodeProto *node = d->nodes.at[d->nodes.n - 1];

	onnx__attribute_proto__init(attr);
	attr->name = arena_strdup(d->a, name);
	attr->has_type = 1;
	attr->type = type;
	vec_push(d->a, &d->attrs, attr);
	node->n_attribute = (size_t)d->attrs.n;
	node->attribute = d->attrs.at;
	return attr;
}

void draft_int(struct draft *d, const char *name, int64_t value)
{
	Onnx__AttributeProto *attr = attribute(d, name, KIND(INT));

	attr->has_i = 1;
	attr->i = value;
}

void draft_ints(struct draft *d, const char *name, const int64_t *values, int n)
{
	Onnx__AttributeProto *attr = attribute(d, name, KIND(INTS));

	attr->n_ints = (size_t)n;
	attr->ints = arena_memdup(d->a, values, (size_t)n * sizeof(*values));
}

void draft_float(struct draft *d, const char *name, double value)
{
	Onnx__AttributeProto *attr = attribute(d, name, KIND(FLOAT));

	attr->has_f = 1;
	attr->f = (float)value;
}

void draft_text(struct draft *d, const char *name, const char *value)
{
	Onnx__AttributeProto *attr = attribute(d, name, KIND(STRING));

	attr->has_s = 1;
	attr->s.len = strlen(value);
	attr->s.data = (uint8_t *)arena_strdup(d->a, value);
}

/* --- values */

char *draft_constant(struct draft *d, const char *name, int type, int rank, const int64_t *dim,
		     const void *data, size_t bytes)
{
	Onnx__TensorProto *t = arena_one(d->a, Onnx__TensorProto);

	onnx__tensor_proto__init(t);
	t->name = name ? arena_strdup(d->a, name) : arena_printf(d->a, "c%d", d->names++);
	t->has_data_type = 1;
	t->data_type = type;
	t->n_dims = (size_t)rank;
	t->dims = arena_memdup(d->a, dim, (size_t)rank * sizeof(*dim));
	t->has_raw_data = 1;
	t->raw_data.len = bytes;
	t->raw_data.data = (uint8_t *)(uintptr_t)data;	/* packing only reads it */
	vec_push(d->a, &d->constants, t);
	return t->name;
}

char *draft_number(struct draft *d, double value)
{
	float *data = arena_memdup(d->a, &(float){ (float)value }, sizeof(float));

	return draft_constant(d, NULL, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, &(int64_t){ 0 }, data,
			      sizeof(*data));
}

static Onnx__TensorShapeProto *shape_message(struct arena *a, int rank, const int64_t *dim)
{
	Onnx__TensorShapeProto *s = arena_one(a, Onnx__TensorShapeProto);

	onnx__tensor_shape_proto__init(s);
	s->n_dim = (size_t)rank;
	s->dim = arena_many(a, Onnx__TensorShapeProto__Dimension *, rank);
	for (int i = 0; i < rank; i++) {
		s->dim[i] = arena_one(a, Onnx__TensorShapeProto__Dimension);
		onnx__tensor_shape_proto__dimension__init(s->dim[i]);
		s->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		s->dim[i]->dim_value = dim[i];
	}
	return s;
}

void draft_value(struct draft *d, struct draft_value_vec *values, const char *name, int type, int rank,
		 const int64_t *dim)
{
	Onnx__ValueInfoProto *value = arena_one(d->a, Onnx__ValueInfoProto);
	Onnx__TypeProto__Tensor *tensor = arena_one(d->a, Onnx__TypeProto__Tensor);

	onnx__value_info_proto__init(value);
	onnx__type_proto__tensor__init(tensor);
	value->name = arena_strdup(d->a, name);
	value->type = arena_one(d->a, Onnx__TypeProto);
	onnx__type_proto__init(value->type);
	value->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	value->type->tensor_type = tensor;
	tensor->has_elem_type = 1;
	tensor->elem_type = type;
	tensor->shape = shape_message(d->a, rank, dim);
	vec_push(d->a, values, value);
}

/* --- the whole */

static Onnx__GraphProto *graph_message(struct draft *d)
{
	Onnx__GraphProto *g = arena_one(d->a, Onnx__GraphProto);

	onnx__graph_proto__init(g);
	g->name = "hone";
	g->n_node = (size_t)d->nodes.n;
	g->node = d->nodes.at;
	g->n_initializer = (size_t)d->constants.n;
	g->initializer = d->constants.at;
	g->n_input = (size_t)d->inputs.n;
	g->input = d->inputs.at;
	g->n_output = (size_t)d->outputs.n;
	g->output = d->outputs.at;
	return g;
}

Onnx__ModelProto *draft_model(struct draft *d, int64_t ir_version, int64_t opset)
{
	Onnx__ModelProto *model = arena_one(d->a, Onnx__ModelProto);
	Onnx__OperatorSetIdProto *set = arena_one(d->a, Onnx__OperatorSetIdProto);

	onnx__operator_set_id_proto__init(set);
	set->has_version = 1;
	set->version = opset;
	onnx__model_proto__init(model);
	model->has_ir_version = 1;
	model->ir_version = ir_version;
	model->producer_name = "hone";
	model->n_opset_import = 1;
	model->opset_import = arena_memdup(d->a, &set, sizeof(Onnx__OperatorSetIdProto *));
	model->graph = graph_message(d);
	return model;
}

struct draft_writer {
	ProtobufCBuffer base;
	void (*write)(void *sink, const void *bytes, size_t n);
	void *sink;
};

static void append(ProtobufCBuffer *buffer, size_t n, const uint8_t *bytes)
{
	struct draft_writer *w = (struct draft_writer *)buffer;

	w->write(w->sink, bytes, n);
}

bool draft_write(const Onnx__ModelProto *model, void (*write)(void *sink, const void *bytes, size_t n),
		 void *sink)
{
	struct draft_writer w = { { append }, write, sink };

	if (onnx__model_proto__get_packed_size(model) > MOST_BYTES)
		return false;
	onnx__model_proto__pack_to_buffer(model, &w.base);
	return true;
}
