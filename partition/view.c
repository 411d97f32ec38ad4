/* SPDX-License-Identifier: Apache-2.0 */
/* partition/view.c - bindings become calls on tensors. */
#include "partition/view.h"

#include <string.h>

#include "graph/ir/op.h"

struct viewer {
	struct arena *a;
	const struct flow *flow;
	const struct value_vec *members;
	const int *channels;
	struct region_view *out;
	int *tensor;			/* by value, its tensor; -1 */
	struct value_vec values;	/* by tensor */
	struct tensor_view_vec VEC(struct hone_region_tensor) tensors;
	struct call_view_vec VEC(struct hone_region_call) calls;
};

static enum hone_type type_of(enum element e)
{
	static const struct {
		enum element element;
		enum hone_type type;
	} types[] = {
		{ ELEMENT_F32, HONE_F32 }, { ELEMENT_F64, HONE_F64 }, { ELEMENT_F16, HONE_F16 },
		{ ELEMENT_BF16, HONE_BF16 }, { ELEMENT_I8, HONE_I8 }, { ELEMENT_U8, HONE_U8 },
		{ ELEMENT_I32, HONE_I32 }, { ELEMENT_I64, HONE_I64 }, { ELEMENT_BOOL, HONE_BOOL },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].element == e)
			return types[i].type;
	return HONE_OTHER;
}

/* VALUES are ascending. */
static bool is_in(const struct value_vec *values, int value)
{
	int low = 0, high = values->n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (values->at[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < values->n && values->at[low] == value;
}

/* --- tensors */

/* The tensor that VALUE is; -1 where its type is not static. */
static int add_tensor(struct viewer *x, int value)
{
	const struct binding *b = function_at(x->flow->function, value);
	struct hone_region_tensor t = { .type = type_of(b->type->element), .rank = b->type->rank,
					.channels = x->channels ? x->channels[value] : 0 };

	if (!type_is_static(b->type) || b->type->rank > HONE_MAX_RANK)
		return -1;
	type_shape(b->type, t.dim);
	if (b->array) {
		const struct array *plain = array_aligned(b->array);

		t.data = plain ? plain->data : NULL;
		if (!plain)
			return -1;
	}
	vec_push(x->a, &x->tensors, t);
	vec_push(x->a, &x->values, value);
	x->tensor[value] = x->tensors.n - 1;
	return x->tensor[value];
}

/* The tensor that operand VALUE is, an input where nobody else has it. */
static int operand(struct viewer *x, int value)
{
	int tensor = x->tensor[value];

	if (tensor >= 0)
		return tensor;
	tensor = add_tensor(x, value);
	if (tensor >= 0 && !x->tensors.at[tensor].data)
		vec_push(x->a, &x->out->inputs, value);
	return tensor;
}

/* --- attributes */

static struct hone_region_attr attr_of(const struct binding *b, const struct attr_spec *spec, struct arena *a)
{
	struct hone_region_attr out = { .name = spec->name };

	switch (spec->kind) {
	case ATTR_INT:
	case ATTR_ELEMENT:
		out.n = 1;
		out.ints = arena_memdup(a, &(int64_t){ call_int(b, spec->name) }, sizeof(int64_t));
		break;
	case ATTR_FLOAT:
		out.n = 1;
		out.floats = arena_memdup(a, &(double){ call_float(b, spec->name) }, sizeof(double));
		break;
	case ATTR_STRING:
		out.text = call_string(b, spec->name);
		break;
	case ATTR_INTS:
		out.ints = call_ints(b, spec->name, &out.n);
		break;
	case ATTR_FLOATS:
		out.floats = call_floats(b, spec->name, &out.n);
		break;
	}
	return out;
}

static void add_attrs(struct viewer *x, const struct binding *b, struct hone_region_call *call)
{
	const struct attr_spec *specs = b->op->attrs;
	struct hone_region_attr *attrs;

	while (specs && specs[call->nattrs].name)
		call->nattrs++;
	attrs = arena_many(x->a, struct hone_region_attr, call->nattrs);
	for (int i = 0; i < call->nattrs; i++)
		attrs[i] = attr_of(b, &specs[i], x->a);
	call->attrs = attrs;
}

/* --- calls */

static bool add_call(struct viewer *x, int value)
{
	const struct binding *b = function_at(x->flow->function, value);
	int *inputs = arena_many(x->a, int, b->nargs);
	struct hone_region_call call = { .op = b->op->name, .ninputs = b->nargs, .inputs = inputs };

	for (int i = 0; i < b->nargs; i++) {
		inputs[i] = b->args[i] < 0 ? -1 : operand(x, b->args[i]);
		if (b->args[i] >= 0 && inputs[i] < 0)
			return false;
	}
	call.output = add_tensor(x, value);
	add_attrs(x, b, &call);
	vec_push(x->a, &x->calls, call);
	return call.output >= 0;
}

/* Does anything but the members read VALUE? */
static bool is_output(const struct viewer *x, int value)
{
	const struct flow *f = x->flow;

	for (int i = 0; i < f->function->nresults; i++)
		if (f->function->results[i] == value)
			return true;
	for (int i = f->first[value]; i < f->first[value + 1]; i++)
		if (!is_in(x->members, f->reader[i]))
			return true;
	return false;
}

static const int *tensors_of(struct viewer *x, const struct value_vec *values)
{
	int *out = arena_many(x->a, int, values->n);

	for (int i = 0; i < values->n; i++)
		out[i] = x->tensor[values->at[i]];
	return out;
}

int *region_view_room(struct arena *a, const struct function *f)
{
	int *room = arena_many(a, int, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++)
		room[v] = -1;
	return room;
}

static bool add_calls(struct viewer *x)
{
	for (int i = 0; i < x->members->n; i++) {
		int v = x->members->at[i];

		if (!add_call(x, v))
			return false;
		if (is_output(x, v))
			vec_push(x->a, &x->out->outputs, v);
	}
	return true;
}

const struct region_view *region_view_new(struct arena *a, const struct flow *flow, int *room,
					  const struct value_vec *members, const int *channels)
{
	struct viewer x = { .a = a, .flow = flow, .members = members, .channels = channels,
			    .tensor = room,
			    .out = arena_one(a, struct region_view) };
	bool whole = add_calls(&x);

	if (whole)
		x.out->region = (struct hone_region){
			.ntensors = x.tensors.n, .tensors = x.tensors.at,
			.ncalls = x.calls.n, .calls = x.calls.at,
			.ninputs = x.out->inputs.n, .noutputs = x.out->outputs.n,
			.inputs = tensors_of(&x, &x.out->inputs),
			.outputs = tensors_of(&x, &x.out->outputs),
		};
	for (int i = 0; i < x.values.n; i++)
		room[x.values.at[i]] = -1;
	return whole ? x.out : NULL;
}
