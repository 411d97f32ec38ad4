/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx.c - from ONNX's messages to the graph: initializers become constants, inputs
 * parameters, nodes calls, and the names that tie them numbers. */
#include "graph/onnx.h"

#include <limits.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx_read.h"
#include "graph/op.h"

#define MAX_FILE ((size_t)2 << 30)	/* protobuf's own limit */

static bool is_onnx_domain(const char *domain)
{
	return !domain || !*domain || strcmp(domain, "ai.onnx") == 0;
}

/* The version of ONNX's operators; -1 and a message where hone does not know it. */
static int read_opset(const Onnx__ModelProto *m)
{
	int64_t version = 0;

	for (size_t i = 0; i < m->n_opset_import; i++)
		if (is_onnx_domain(m->opset_import[i]->domain))
			version = m->opset_import[i]->version;
	if (version < ONNX_MIN_OPSET || version > ONNX_MAX_OPSET)
		return err_set("operator set %lld is not supported: export with opset_version "
			       "%d to %d", (long long)version, ONNX_MIN_OPSET, ONNX_MAX_OPSET);
	return (int)version;
}

static int define(struct onnx_reader *r, const char *name, int value)
{
	if (!names_add(r->arena, &r->values, name, value))
		return err_set("the name '%.200s' is defined twice", name);
	return 0;
}

static char *copy_name(struct onnx_reader *r, const char *name)
{
	return arena_strdup(r->arena, name ? name : "");
}

/* Parameters come first in the array, so inputs are read before initializers, which old files
 * list among the inputs too. */
static int read_inputs(struct onnx_reader *r)
{
	struct names weights = { 0 };

	for (size_t i = 0; i < r->proto->n_initializer; i++)
		if (r->proto->initializer[i]->name &&
		    !names_add(r->arena, &weights, r->proto->initializer[i]->name, 1))
			return err_set("the initializer '%.200s' is given twice",
				       r->proto->initializer[i]->name);
	for (size_t i = 0; i < r->proto->n_input; i++) {
		const Onnx__ValueInfoProto *in = r->proto->input[i];
		struct type type;

		if (!in->name || !*in->name)
			return err_set("input %zu has no name", i);
		if (names_get(&weights, in->name, 0))
			continue;
		if (onnx_type(r->arena, in->type, &type) < 0)
			return err_prefix("input '%.200s'", in->name);
		char *name = copy_name(r, in->name);

		if (define(r, name, function_param(r->arena, r->graph->main, name, type)) < 0)
			return -1;
	}
	return 0;
}

static int read_initializers(struct onnx_reader *r)
{
	if (r->proto->n_sparse_initializer)
		return err_set("sparse initializers are not supported: make the weights dense");
	for (size_t i = 0; i < r->proto->n_initializer; i++) {
		const Onnx__TensorProto *p = r->proto->initializer[i];
		char *name = copy_name(r, p->name);
		struct constant c;

		if (!*name)
			return err_set("initializer %zu has no name", i);
		if (onnx_tensor(r, p, &c) < 0)
			return err_prefix("initializer '%.200s'", name);
		if (define(r, name,
			   function_const(r->arena, r->graph->main, name, c.type, c.data)) < 0)
			return -1;
	}
	return 0;
}

/* Types that the model declares for values inside; kept where inference finds none. */
static int declare(struct onnx_reader *r)
{
	for (size_t i = 0; i < r->proto->n_value_info; i++)
		if (r->proto->value_info[i]->name)
			names_add(r->arena, &r->declared, r->proto->value_info[i]->name, (int)i);
	return 0;
}

static int declared_type(struct onnx_reader *r, const char *name, struct type *out)
{
	int i = names_get(&r->declared, name, -1);

	if (i >= 0 && onnx_type(r->arena, r->proto->value_info[i]->type, out) < 0)
		return err_prefix("the declared type of '%.200s'", name);
	return 0;
}

struct args VEC(int);

/* Subgraphs (of If, Loop, ...) read values of the graph around them by name: these are operands
 * too. wire_unpack has bounded how deep they nest. */
static void read_captures(struct onnx_reader *r, const Onnx__NodeProto *p, struct args *args);

static void capture_graph(struct onnx_reader *r, const Onnx__GraphProto *g, struct args *args)
{
	for (size_t i = 0; i < g->n_node; i++) {
		for (size_t j = 0; j < g->node[i]->n_input; j++) {
			int value = names_get(&r->values, g->node[i]->input[j], VALUE_NONE);

			if (value != VALUE_NONE)
				vec_push(r->arena, args, value);
		}
		read_captures(r, g->node[i], args);
	}
	for (size_t i = 0; i < g->n_output; i++) {
		const char *name = g->output[i]->name;
		int value = name ? names_get(&r->values, name, VALUE_NONE) : VALUE_NONE;

		if (value != VALUE_NONE)
			vec_push(r->arena, args, value);
	}
}

static void read_captures(struct onnx_reader *r, const Onnx__NodeProto *p, struct args *args)
{
	for (size_t i = 0; i < p->n_attribute; i++) {
		if (p->attribute[i]->g)
			capture_graph(r, p->attribute[i]->g, args);
		for (size_t j = 0; j < p->attribute[i]->n_graphs; j++)
			capture_graph(r, p->attribute[i]->graphs[j], args);
	}
}

static int read_args(struct onnx_reader *r, const Onnx__NodeProto *p, struct call *c)
{
	struct args args = { 0 };

	for (size_t i = 0; i < p->n_input; i++) {
		int value = VALUE_NONE;

		if (*p->input[i]) {
			value = names_get(&r->values, p->input[i], VALUE_NONE);
			if (value == VALUE_NONE)
				return err_set("operand '%.200s' is not defined before it (a "
					       "cycle, or nodes out of order)", p->input[i]);
		}
		vec_push(r->arena, &args, value);
	}
	while (args.n > 0 && args.at[args.n - 1] == VALUE_NONE)
		args.n--;
	read_captures(r, p, &args);
	c->args = args.at;
	c->nargs = args.n;
	return 0;
}

/* Names the results: of one output the binding itself, of several the fields of its tuple. */
static int read_outputs(struct onnx_reader *r, const Onnx__NodeProto *p, int value)
{
	struct function *f = r->graph->main;
	struct binding *b = &f->bindings.at[value];

	if (b->kind != BIND_CALL || b->call.noutputs <= 1) {
		b->name = copy_name(r, p->output[0]);
		if (b->kind == BIND_CALL && declared_type(r, b->name, &b->type) < 0)
			return -1;
		return define(r, b->name, value);
	}
	struct type *fields = b->type.fields;

	for (int i = 0; i < b->call.noutputs; i++) {
		char *name = copy_name(r, p->output[i]);

		if (!*name)
			continue;
		if (declared_type(r, name, &fields[i]) < 0)
			return -1;
		int field = function_field(r->arena, f, name, value, i);

		f->bindings.at[field].type = fields[i];
		if (define(r, name, field) < 0)
			return -1;
		b = &f->bindings.at[value];	/* the array may have moved */
	}
	return 0;
}

static int read_call(struct onnx_reader *r, const Onnx__NodeProto *p, int noutputs)
{
	const char *op = p->op_type ? p->op_type : "";
	struct call c = { .noutputs = noutputs, .label = copy_name(r, p->name) };

	if (is_onnx_domain(p->domain)) {
		c.op = oper_find(op);
		c.op_name = arena_strdup(r->arena, op);
	} else {
		c.op_name = arena_printf(r->arena, "%s::%s", p->domain, op);
	}
	if (onnx_attrs(r, p, &c) < 0 || read_args(r, p, &c) < 0)
		return -1;
	return function_call(r->arena, r->graph->main, "", c);
}

static int read_node(struct onnx_reader *r, const Onnx__NodeProto *p)
{
	bool known = is_onnx_domain(p->domain);
	size_t n = p->n_output;
	struct constant c;
	int value, rc = 0;

	while (n > 0 && !*p->output[n - 1])
		n--;
	if (n == 0)
		return err_set("it has no output");
	if (known && n == 1 && p->op_type && strcmp(p->op_type, "Constant") == 0)
		rc = onnx_constant(r, p, &c);
	if (rc < 0)
		return -1;
	if (rc > 0)
		value = function_const(r->arena, r->graph->main, "", c.type, c.data);
	else
		value = read_call(r, p, (int)n);
	if (value < 0)
		return -1;
	return read_outputs(r, p, value);
}

static int read_nodes(struct onnx_reader *r)
{
	for (size_t i = 0; i < r->proto->n_node; i++) {
		const Onnx__NodeProto *p = r->proto->node[i];

		if (read_node(r, p) < 0)
			return err_prefix("node %zu '%.200s' (%.100s)", i, p->name ? p->name : "",
					  p->op_type ? p->op_type : "");
	}
	return 0;
}

static int read_results(struct onnx_reader *r)
{
	struct function *f = r->graph->main;
	int *results = arena_many(r->arena, int, r->proto->n_output);

	if (r->proto->n_output == 0)
		return err_set("the model has no output");
	for (size_t i = 0; i < r->proto->n_output; i++) {
		const char *name = r->proto->output[i]->name;

		results[i] = name ? names_get(&r->values, name, VALUE_NONE) : VALUE_NONE;
		if (results[i] == VALUE_NONE)
			return err_set("the output '%.200s' is not defined", name ? name : "");
	}
	f->results = results;
	f->nresults = (int)r->proto->n_output;
	return 0;
}

static struct graph *build(struct arena *a, unsigned char *data, const Onnx__ModelProto *m)
{
	struct onnx_reader r = { .arena = a, .data = data, .proto = m->graph };

	if (!m->graph) {
		err_set("not an ONNX model: it has no graph");
		return NULL;
	}
	int opset = read_opset(m);

	if (opset < 0)
		return NULL;
	r.graph = graph_new(a, copy_name(&r, m->graph->name), opset);
	if (read_inputs(&r) < 0 || read_initializers(&r) < 0 || declare(&r) < 0 ||
	    read_nodes(&r) < 0 || read_results(&r) < 0)
		return NULL;
	return r.graph;
}

struct graph *onnx_parse(struct arena *a, const char *name, unsigned char *data, size_t size)
{
	Onnx__ModelProto *m = wire_unpack(data, size);
	struct graph *g = m ? build(a, data, m) : NULL;

	wire_free(m);
	if (!g)
		err_prefix("%s", name);
	return g;
}

struct graph *onnx_read(struct arena *a, const char *path)
{
	size_t size;
	char *data = file_read(a, path, MAX_FILE, &size);

	return data ? onnx_parse(a, path, (unsigned char *)data, size) : NULL;
}
