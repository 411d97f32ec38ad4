/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/scope.c - names and the values that they mean; the nodes of one graph in order. */
#include "base/err.h"
#include "graph/onnx/reader.h"

static const struct {
	const char *name;
	int first, last;	/* versions that hone knows */
} domains[DOMAIN_COUNT] = {
	[DOMAIN_ONNX] = { "ai.onnx", ONNX_MIN_OPSET, ONNX_MAX_OPSET },
	[DOMAIN_ML] = { "ai.onnx.ml", 1, 5 },
	[DOMAIN_PREVIEW] = { "ai.onnx.preview", 1, 1 },
	[DOMAIN_TRAINING] = { "ai.onnx.preview.training", 1, 1 },
};

enum node_domain node_domain_find(const char *name)
{
	if (!name || !*name)
		return DOMAIN_ONNX;
	for (int i = 0; i < DOMAIN_COUNT; i++)
		if (strcmp(name, domains[i].name) == 0)
			return (enum node_domain)i;
	return DOMAIN_COUNT;
}

int scope_import(struct onnx_scope *s, size_t n, Onnx__OperatorSetIdProto *const *imports)
{
	for (size_t i = 0; i < n; i++) {
		enum node_domain d = node_domain_find(imports[i]->domain);
		int64_t version = imports[i]->version;

		if (d == DOMAIN_COUNT)
			continue;	/* of the model's own functions, or a problem of its nodes */
		if (version < domains[d].first || version > domains[d].last)
			return err_set("operator set %lld of %s is not supported: export with "
				       "version %d to %d", (long long)version, domains[d].name,
				       domains[d].first, domains[d].last);
		s->opset[d] = (int)version;
	}
	return 0;
}

struct onnx_scope scope_inside(const struct onnx_scope *outer)
{
	struct onnx_scope s = *outer;

	s.outer = outer;
	s.values = (struct names){ 0 };
	return s;
}

int scope_find(const struct onnx_scope *s, const char *name)
{
	int value = VALUE_UNDEFINED;

	if (!*name)
		return VALUE_NONE;
	for (; s && value == VALUE_UNDEFINED; s = s->outer)
		value = names_get(&s->values, name, VALUE_UNDEFINED);
	return value;
}

int scope_define(struct onnx_reader *r, struct onnx_scope *s, const char *name, int value)
{
	if (!names_add(r->scratch, &s->values, name, value))
		return err_set("the name '%.200s' is defined twice", name);
	build_name(s->builder, value, name);
	return 0;
}

static int define_constant(struct onnx_reader *r, struct onnx_scope *s, const char *name,
			   const struct array *x)
{
	if (!x)
		return err_prefix("initializer '%.200s'", name ? name : "");
	if (!name || !*name)
		return err_set("an initializer has no name");
	return scope_define(r, s, name, build_const(s->builder, x));
}

static int read_initializers(struct onnx_reader *r, struct onnx_scope *s,
			     const Onnx__GraphProto *g)
{
	for (size_t i = 0; i < g->n_initializer; i++) {
		const Onnx__TensorProto *p = g->initializer[i];

		if (define_constant(r, s, p->name, tensor_read(&r->source, p)) < 0)
			return -1;
	}
	for (size_t i = 0; i < g->n_sparse_initializer; i++) {
		const Onnx__SparseTensorProto *p = g->sparse_initializer[i];

		if (define_constant(r, s, p->values ? p->values->name : NULL,
				    tensor_read_sparse(&r->source, p)) < 0)
			return -1;
	}
	return 0;
}

int scope_read_nodes(struct onnx_reader *r, struct onnx_scope *s, size_t n,
		     Onnx__NodeProto *const *nodes)
{
	for (size_t i = 0; i < n; i++)
		if (node_read(r, s, nodes[i]) < 0)
			return -1;
	return 0;
}

int scope_read(struct onnx_reader *r, struct onnx_scope *s, const Onnx__GraphProto *g)
{
	return read_initializers(r, s, g) < 0 ? -1 : scope_read_nodes(r, s, g->n_node, g->node);
}

int *scope_results(struct onnx_reader *r, const struct onnx_scope *s, const Onnx__GraphProto *g)
{
	int *results = arena_many(r->scratch, int, g->n_output);

	for (size_t i = 0; i < g->n_output; i++) {
		const char *name = g->output[i]->name ? g->output[i]->name : "";

		results[i] = scope_find(s, name);
		if (results[i] == VALUE_UNDEFINED || results[i] == VALUE_NONE) {
			err_set("the output '%.200s' is not defined", name);
			return NULL;
		}
	}
	return results;
}
