/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/onnx_build.c - ONNX's messages, one by one, in an arena. */
#include "bench/contest/onnx_build.h"

#include "te/eval.h"

enum {
	IR_VERSION = 8,		/* the one that came with operator set 17 */
	OPSET = 17,		/* the newest that hone reads itself */
};

void onnx_model_init(struct onnx_model *m, struct arena *a, const struct dag *d,
		     const struct work *w, void *const *args)
{
	*m = (struct onnx_model){ .arena = a, .dag = d, .work = w, .args = args };
	m->seen = arena_many(a, const struct view *, dag_arg_count(d));
}

static char *arg_name(struct onnx_model *m, const struct op *op)
{
	return arena_printf(m->arena, "arg%d", dag_arg(m->dag, op));
}

/* The parts of more than one element in the order of the view. */
static int parts_of(const struct view *v, struct view_part *parts, int cap)
{
	int n = 0;

	for (int i = 0; i < v->ndim; i++)
		for (int j = 0; j < v->dim[i].n && n < cap; j++)
			if (v->dim[i].part[j].extent > 1)
				parts[n++] = v->dim[i].part[j];
	return n;
}

static bool views_equal(const struct view *u, const struct view *v)
{
	struct view_part x[TENSOR_MAX_DIMS], y[TENSOR_MAX_DIMS];
	int n = parts_of(u, x, TENSOR_MAX_DIMS);

	if (u->ndim != v->ndim || parts_of(v, y, TENSOR_MAX_DIMS) != n)
		return false;
	for (int i = 0; i < u->ndim; i++)
		if (u->dim[i].extent != v->dim[i].extent)
			return false;
	for (int i = 0; i < n; i++)
		if (x[i].extent != y[i].extent || x[i].stride != y[i].stride)
			return false;
	return true;
}

/* Says under NAME how the tensor's memory becomes the view, where that is more than a change of
 * shape. */
static void tell_order(struct onnx_model *m, const char *name, const struct view *v)
{
	struct view_part part[TENSOR_MAX_DIMS];
	int n = parts_of(v, part, TENSOR_MAX_DIMS), rank[TENSOR_MAX_DIMS] = { 0 };
	int64_t shape[TENSOR_MAX_DIMS], dense = 1;
	struct text t = { 0 };
	bool moves = false;

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			rank[i] += part[j].stride > part[i].stride;
		shape[rank[i]] = part[i].extent;
		moves |= rank[i] != i;
		dense *= part[i].extent;
	}
	for (int i = 0; i < n; i++)
		text_printf(&t, "%jd ", (intmax_t)shape[i]);
	text_puts(&t, "/");
	for (int i = 0; i < n; i++)
		text_printf(&t, " %d", rank[i]);
	if (dense != tensor_count(v->tensor))
		m->why = "only a part of a tensor is read";
	if (moves) {
		Onnx__StringStringEntryProto *p = arena_one(m->arena, Onnx__StringStringEntryProto);

		onnx__string_string_entry_proto__init(p);
		p->key = arena_strdup(m->arena, name);
		p->value = arena_strdup(m->arena, text_str(&t));
		vec_push(m->arena, &m->props, p);
	}
	text_free(&t);
}

static Onnx__TensorShapeProto *shape_message(struct arena *a, const struct view *v)
{
	Onnx__TensorShapeProto *s = arena_one(a, Onnx__TensorShapeProto);

	onnx__tensor_shape_proto__init(s);
	s->n_dim = (size_t)v->ndim;
	s->dim = arena_many(a, Onnx__TensorShapeProto__Dimension *, v->ndim);
	for (int i = 0; i < v->ndim; i++) {
		s->dim[i] = arena_one(a, Onnx__TensorShapeProto__Dimension);
		onnx__tensor_shape_proto__dimension__init(s->dim[i]);
		s->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		s->dim[i]->dim_value = v->dim[i].extent;
	}
	return s;
}

/* An input or output of the model. */
static Onnx__ValueInfoProto *value_message(struct onnx_model *m, char *name, const struct view *v)
{
	Onnx__ValueInfoProto *value = arena_one(m->arena, Onnx__ValueInfoProto);
	Onnx__TypeProto *type = arena_one(m->arena, Onnx__TypeProto);
	Onnx__TypeProto__Tensor *tensor = arena_one(m->arena, Onnx__TypeProto__Tensor);

	onnx__value_info_proto__init(value);
	onnx__type_proto__init(type);
	onnx__type_proto__tensor__init(tensor);
	tensor->has_elem_type = 1;
	tensor->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	tensor->shape = shape_message(m->arena, v);
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type->tensor_type = tensor;
	value->name = name;
	value->type = type;
	tell_order(m, name, v);
	return value;
}

/* DATA is dense and lives as long as the model. */
static void add_constant(struct onnx_model *m, char *name, const struct view *v, float *data)
{
	Onnx__TensorProto *t = arena_one(m->arena, Onnx__TensorProto);

	onnx__tensor_proto__init(t);
	t->name = name;
	t->has_data_type = 1;
	t->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	t->n_dims = (size_t)v->ndim;
	t->dims = arena_many(m->arena, int64_t, v->ndim);
	for (int i = 0; i < v->ndim; i++)
		t->dims[i] = v->dim[i].extent;
	t->has_raw_data = 1;
	t->raw_data.len = (size_t)view_count(v) * sizeof(float);
	t->raw_data.data = (uint8_t *)data;
	vec_push(m->arena, &m->constants, t);
}

const char *onnx_scalar(struct onnx_model *m, double value)
{
	struct view v = { .ndim = 0 };
	float *data = arena_one(m->arena, float);
	char *name = arena_printf(m->arena, "c%d", m->names++);

	*data = (float)value;
	add_constant(m, name, &v, data);
	return name;
}

const char *onnx_operand(struct onnx_model *m, const struct operand *o)
{
	const struct view **seen = &m->seen[dag_arg(m->dag, o->op)];
	char *name = arg_name(m, o->op);

	if (*seen) {
		if (!views_equal(*seen, &o->view))
			m->why = "one tensor is read in two ways";
		return name;
	}
	struct view *v = arena_one(m->arena, struct view);

	*v = o->view;
	*seen = v;
	if (o->op->kind == OP_CONST) {
		float *dense = arena_many(m->arena, float, view_count(v));

		view_gather(v, m->args[dag_arg(m->dag, o->op)], dense);
		add_constant(m, name, v, dense);
	} else {
		vec_push(m->arena, &m->inputs, value_message(m, name, v));
	}
	return name;
}

void onnx_result(struct onnx_model *m, const struct operand *o)
{
	char *name = arg_name(m, o->op);

	m->nodes.at[m->nodes.n - 1]->output[0] = name;
	vec_push(m->arena, &m->outputs, value_message(m, name, &o->view));
}

/* The last node takes the attributes that were given since it began. */
static void close_node(struct onnx_model *m)
{
	if (m->nodes.n == 0)
		return;
	Onnx__NodeProto *node = m->nodes.at[m->nodes.n - 1];

	node->n_attribute = (size_t)m->attrs.n;
	node->attribute = m->attrs.at;
	m->attrs = (struct onnx_attr_vec){ 0 };
}

const char *onnx_node(struct onnx_model *m, const char *op, const char *const *in, int n)
{
	Onnx__NodeProto *node = arena_one(m->arena, Onnx__NodeProto);

	close_node(m);
	onnx__node_proto__init(node);
	node->op_type = arena_strdup(m->arena, op);
	node->n_input = (size_t)n;
	node->input = arena_many(m->arena, char *, n);
	for (int i = 0; i < n; i++)
		node->input[i] = arena_strdup(m->arena, in[i]);
	node->n_output = 1;
	node->output = arena_one(m->arena, char *);
	node->output[0] = arena_printf(m->arena, "v%d", m->names++);
	vec_push(m->arena, &m->nodes, node);
	return node->output[0];
}

static Onnx__AttributeProto *attribute(struct onnx_model *m, const char *name,
				       Onnx__AttributeProto__AttributeType type)
{
	Onnx__AttributeProto *attr = arena_one(m->arena, Onnx__AttributeProto);

	onnx__attribute_proto__init(attr);
	attr->name = arena_strdup(m->arena, name);
	attr->has_type = 1;
	attr->type = type;
	vec_push(m->arena, &m->attrs, attr);
	return attr;
}

void onnx_int(struct onnx_model *m, const char *name, int64_t value)
{
	Onnx__AttributeProto *attr =
		attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	attr->has_i = 1;
	attr->i = value;
}

void onnx_ints(struct onnx_model *m, const char *name, const int64_t *values, int n)
{
	Onnx__AttributeProto *attr =
		attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

	attr->n_ints = (size_t)n;
	attr->ints = arena_many(m->arena, int64_t, n);
	memcpy(attr->ints, values, (size_t)n * sizeof(*values));
}

void onnx_float(struct onnx_model *m, const char *name, double value)
{
	Onnx__AttributeProto *attr =
		attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

	attr->has_f = 1;
	attr->f = (float)value;
}

static Onnx__GraphProto *graph_message(struct onnx_model *m)
{
	Onnx__GraphProto *g = arena_one(m->arena, Onnx__GraphProto);

	close_node(m);
	onnx__graph_proto__init(g);
	g->name = "hone";
	g->n_node = (size_t)m->nodes.n;
	g->node = m->nodes.at;
	g->n_initializer = (size_t)m->constants.n;
	g->initializer = m->constants.at;
	g->n_input = (size_t)m->inputs.n;
	g->input = m->inputs.at;
	g->n_output = (size_t)m->outputs.n;
	g->output = m->outputs.at;
	return g;
}

Onnx__ModelProto *onnx_model_proto(struct onnx_model *m)
{
	Onnx__ModelProto *model = arena_one(m->arena, Onnx__ModelProto);
	Onnx__OperatorSetIdProto *opset = arena_one(m->arena, Onnx__OperatorSetIdProto);

	onnx__operator_set_id_proto__init(opset);
	opset->has_version = 1;
	opset->version = OPSET;
	onnx__model_proto__init(model);
	model->has_ir_version = 1;
	model->ir_version = IR_VERSION;
	model->producer_name = "hone";
	model->n_opset_import = 1;
	model->opset_import = arena_one(m->arena, Onnx__OperatorSetIdProto *);
	model->opset_import[0] = opset;
	model->graph = graph_message(m);
	model->n_metadata_props = (size_t)m->props.n;
	model->metadata_props = m->props.at;
	return model;
}
