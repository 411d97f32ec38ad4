/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region_graph.c - operators by their names, attributes where they are not at their defaults. */
#include "partition/region_graph.h"

#include "base/err.h"
#include "graph/build/build.h"

static const enum element elements[] = {
	[HONE_F32] = ELEMENT_F32, [HONE_F64] = ELEMENT_F64, [HONE_F16] = ELEMENT_F16,
	[HONE_BF16] = ELEMENT_BF16, [HONE_I8] = ELEMENT_I8, [HONE_U8] = ELEMENT_U8,
	[HONE_I32] = ELEMENT_I32, [HONE_I64] = ELEMENT_I64, [HONE_BOOL] = ELEMENT_BOOL,
};

struct graph_of_region {
	const struct hone_region *region;
	struct builder b;
	int *value;		/* by tensor */
};

static const struct type *type_of(struct arena *a, const struct hone_region_tensor *t)
{
	return type_shaped(a, elements[t->type], t->rank, t->dim);
}

/* A, where it is not at its default, as SPEC has it. */
static void add_attr(struct arena *a, const struct attr_spec *spec, const struct hone_region_attr *at,
		     struct attr_vec *out)
{
	switch (spec->kind) {
	case ATTR_INT:
		if (at->ints[0] != (int64_t)spec->number)
			attrs_int(a, out, spec->name, at->ints[0]);
		break;
	case ATTR_ELEMENT:
		if (at->ints[0] != (int64_t)spec->number)
			attrs_element(a, out, spec->name, (enum element)at->ints[0]);
		break;
	case ATTR_FLOAT:
		if (memcmp(at->floats, &spec->number, sizeof(spec->number)) != 0)
			attrs_float(a, out, spec->name, at->floats[0]);
		break;
	case ATTR_STRING:
		if (strcmp(at->text, spec->string ? spec->string : "") != 0)
			attrs_string(a, out, spec->name, at->text);
		break;
	case ATTR_INTS:
		if (at->n)
			attrs_ints(a, out, spec->name, at->n, at->ints);
		break;
	case ATTR_FLOATS:
		if (at->n)
			attrs_floats(a, out, spec->name, at->n, at->floats);
		break;
	}
}

/* Constants stand in front of the first call that reads them. */
static int operand(struct graph_of_region *x, int tensor)
{
	const struct hone_region_tensor *t = tensor < 0 ? NULL : &x->region->tensors[tensor];

	if (!t)
		return VALUE_NONE;
	if (t->data && x->value[tensor] == VALUE_NONE)
		x->value[tensor] = build_const(&x->b, array_around(x->b.arena, elements[t->type], t->rank,
								   t->dim, t->data));
	return x->value[tensor];
}

static int add_call(struct graph_of_region *x, const struct hone_region_call *c)
{
	const struct core_op *op = core_op_find(c->op);
	struct arena *a = x->b.arena;
	int *args = arena_many(a, int, c->ninputs);
	struct attr_vec attrs = { 0 };

	if (!op)
		return err_set("there is no operator %s", c->op);
	for (int i = 0; i < c->ninputs; i++)
		args[i] = operand(x, c->inputs[i]);
	for (int i = 0; i < c->nattrs; i++)
		add_attr(a, core_op_attr(op, c->attrs[i].name), &c->attrs[i], &attrs);
	int value = build_call(&x->b, op, c->ninputs, args, &attrs);

	if (value == VALUE_FAILED)
		return -1;
	if (build_retype(&x->b, value, type_of(a, &x->region->tensors[c->output])) < 0)
		return err_set("%s: its result is of another type", c->op);
	x->value[c->output] = value;
	return 0;
}

struct graph *region_graph(struct arena *a, const struct hone_region *region)
{
	struct graph *g = graph_new(a, "region");
	struct graph_of_region x = { region, builder_begin(g, "main"), arena_many(a, int, region->ntensors) };
	int *results = arena_many(a, int, region->noutputs), rc = 0;

	x.b.plain = true;
	g->main = x.b.index;
	for (int i = 0; i < region->ntensors; i++)
		x.value[i] = VALUE_NONE;
	for (int i = 0; i < region->ninputs; i++)
		x.value[region->inputs[i]] =
			build_param(&x.b, "", type_of(a, &region->tensors[region->inputs[i]]));
	for (int i = 0; i < region->ncalls && rc == 0; i++)
		rc = add_call(&x, &region->calls[i]);
	for (int i = 0; i < region->noutputs; i++)
		results[i] = x.value[region->outputs[i]];
	return rc == 0 && builder_end(&x.b, region->noutputs, results) != FUNCTION_NONE ? g : NULL;
}
