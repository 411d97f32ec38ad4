/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_constant.c - Constant. */
#include "graph/onnx/node.h"

static int strings(struct node *n, int rank, int count, const char *const *text)
{
	struct array *x = array_in(n->b->arena, ELEMENT_STRING, rank, &(int64_t){ count });

	for (int i = 0; i < count; i++)
		((const char **)x->data)[i] = text[i];
	return node_give(n, 0, build_const(n->b, x));
}

static int floats(struct node *n, int count, const double *v)
{
	struct array *x = array_in(n->b->arena, ELEMENT_F32, 1, &(int64_t){ count });

	element_put_f64(ELEMENT_F32, x->data, 0, count, v);
	return node_give(n, 0, build_const(n->b, x));
}

int node_constant(struct node *n)
{
	const char *name = node_has_attr(n, "sparse_value") ? "sparse_value" : "value";
	int count;

	if (node_has_attr(n, "value_int"))
		return node_give(n, 0, build_int(n->b, node_int(n, "value_int", 0)));
	if (node_has_attr(n, "value_float"))
		return node_give(n, 0, build_scalar(n->b, ELEMENT_F32,
						    node_float(n, "value_float", 0)));
	if (node_has_attr(n, "value_string"))
		return strings(n, 0, 1, (const char *[]){ node_string(n, "value_string", "") });
	if (node_has_attr(n, "value_ints")) {
		const int64_t *v = node_ints(n, "value_ints", &count);

		return node_give(n, 0, build_ints(n->b, count, v));
	}
	if (node_has_attr(n, "value_floats")) {
		const double *v = node_floats(n, "value_floats", &count);

		return floats(n, count, v);
	}
	if (node_has_attr(n, "value_strings")) {
		const char *const *v = node_strings(n, "value_strings", &count);

		return strings(n, 1, count, v);
	}
	const struct array *x = node_tensor(n, name);

	return x ? node_give(n, 0, build_const(n->b, x))
		 : n->failed ? -1 : node_error(n, "it has no value");
}
