/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_build.c - values and nodes of the ONNX writer. */
#include "bench/contest/libraries/onnx_build.h"

#include "te/eval.h"

#define MAX_MODEL ((size_t)INT32_MAX)	/* of a protobuf message */

unsigned char *onnx_pack(struct arena *a, const Onnx__ModelProto *model, size_t *size, const char **why)
{
	*size = onnx__model_proto__get_packed_size(model);
	if (*size > MAX_MODEL) {
		*why = "its constants are too large for an ONNX file";
		return NULL;
	}
	unsigned char *data = arena_alloc(a, *size);

	onnx__model_proto__pack(model, data);
	return data;
}

void onnx_model_init(struct onnx_model *m, struct arena *a, const struct dag *d,
		     const struct work *w, void *const *args)
{
	*m = (struct onnx_model){ .arena = a, .dag = d, .work = w, .args = args,
				   .draft = draft_begin(a) };
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

/* The dims of V to DIM; how many they are. */
static int dims_of(const struct view *v, int64_t dim[TENSOR_MAX_DIMS])
{
	for (int i = 0; i < v->ndim; i++)
		dim[i] = v->dim[i].extent;
	return v->ndim;
}

/* An input or output of the model. */
static void add_value(struct onnx_model *m, struct draft_value_vec *values, const char *name,
		      const struct view *v)
{
	int64_t dim[TENSOR_MAX_DIMS];
	int rank = dims_of(v, dim);

	draft_value(&m->draft, values, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dim);
	tell_order(m, name, v);
}

/* DATA is dense and lives as long as the model. */
static void add_constant(struct onnx_model *m, const char *name, const struct view *v, const float *data)
{
	int64_t dim[TENSOR_MAX_DIMS];
	int rank = dims_of(v, dim);

	draft_constant(&m->draft, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dim, data,
		       (size_t)view_count(v) * sizeof(float));
}

const char *onnx_scalar(struct onnx_model *m, double value)
{
	return draft_number(&m->draft, value);
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
		add_value(m, &m->draft.inputs, name, v);
	}
	return name;
}

void onnx_result(struct onnx_model *m, const struct operand *o)
{
	struct draft *d = &m->draft;
	char *name = arg_name(m, o->op);

	d->nodes.at[d->nodes.n - 1]->output[0] = name;
	add_value(m, &d->outputs, name, &o->view);
}

const char *onnx_node(struct onnx_model *m, const char *op, const char *const *in, int n)
{
	return draft_node(&m->draft, op, n, in, NULL);
}

Onnx__ModelProto *onnx_model_proto(struct onnx_model *m)
{
	Onnx__ModelProto *model = draft_model(&m->draft, ONNX_IR_VERSION, ONNX_OPSET);

	model->n_metadata_props = (size_t)m->props.n;
	model->metadata_props = m->props.at;
	return model;
}
