/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/function.c - the functions that a model brings, read where they are called. */
#include "base/err.h"
#include "graph/onnx/reader.h"

/* ONNX's functions do not call themselves, so that a chain of them ends. */
enum { MAX_FUNCTIONS_DEEP = 64 };

int function_index(struct onnx_reader *r)
{
	for (size_t i = 0; i < r->model->n_functions; i++) {
		const Onnx__FunctionProto *f = r->model->functions[i];
		bool onnx = node_domain_find(f->domain) == DOMAIN_ONNX;
		struct function_default d = { .function = f };

		names_add(r->scratch, &r->functions,
			  arena_printf(r->scratch, "%s::%s", onnx ? "" : f->domain,
				       f->name ? f->name : ""), (int)i);
		for (int j = 0; (d.attr = wire_function_default(f, j)); j++) {
			vec_push(r->scratch, &r->defaults, d);
			if (!d.attr->name)
				return err_set("function '%.200s': an attribute has no name",
					       f->name ? f->name : "");
		}
	}
	return 0;
}

void function_forget(struct onnx_reader *r)
{
	for (int i = 0; i < r->defaults.n; i++)
		wire_free(&r->defaults.at[i].attr->base);
}

int function_call(struct node *n, const Onnx__FunctionProto *f)
{
	struct onnx_reader *r = n->reader;
	struct onnx_scope s = { .builder = n->b, .function = f, .call = n->proto,
				.caller = n->scope };

	if (r->functions_deep == MAX_FUNCTIONS_DEEP)
		return node_error(n, "functions that call each other more than %d deep",
				  MAX_FUNCTIONS_DEEP);
	if (n->nargs > (int)f->n_input || n->nouts > (int)f->n_output)
		return node_error(n, "the model's function has %zu inputs and %zu outputs",
				  f->n_input, f->n_output);
	if (scope_import(&s, f->n_opset_import, f->opset_import) < 0)
		return -1;
	for (int i = 0; i < (int)f->n_input; i++)
		if (scope_define(r, &s, f->input[i], node_arg(n, i)) < 0)
			return -1;
	r->functions_deep++;
	int rc = scope_read_nodes(r, &s, f->n_node, f->node);

	r->functions_deep--;
	for (int i = 0; i < n->nouts && rc == 0; i++) {
		int value = scope_find(&s, f->output[i]);

		if (value == VALUE_UNDEFINED)
			return node_error(n, "output '%.200s' of the model's function is not "
					  "defined in it", f->output[i]);
		if (node_wants(n, i))
			rc = node_give(n, i, value);
	}
	return rc;
}
