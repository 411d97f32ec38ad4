/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/control/node_branch.c - If: both branches become functions of what they read. */
#include "graph/onnx/closed.h"

/* Exporters leave branches that cannot be typed behind conditions that are constant: only the one
 * that is taken is read. */
static int take(struct node *n, const Onnx__GraphProto *g)
{
	int *results = closed_inline(n, g);

	for (int i = 0; results && i < n->nouts && i < (int)g->n_output; i++)
		if (node_give(n, i, results[i]) < 0)
			return -1;
	return results ? 0 : -1;
}

/* The function of a branch; FUNCTION_NONE where it failed. */
static int branch(struct node *n, const Onnx__GraphProto *g, const char *part,
		  const struct captured_vec *captured)
{
	struct closed c;

	closed_begin(&c, n, g, part);
	int *results = closed_capture(&c, captured) < 0 ? NULL : closed_read(&c);

	return results ? builder_end(&c.builder, (int)g->n_output, results) : FUNCTION_NONE;
}

int node_if(struct node *n)
{
	const Onnx__GraphProto *yes = node_graph(n, "then_branch");
	const Onnx__GraphProto *no = node_graph(n, "else_branch");
	const struct array *condition = node_const(n, 0);
	struct captured_vec captured = { 0 };
	int count;

	if (!yes || !no)
		return -1;
	if (yes->n_output != no->n_output || n->nouts > (int)yes->n_output || !node_has(n, 0))
		return node_error(n, "a condition, and as many outputs of the node and of its two "
				  "branches, were expected");
	if (condition && condition->count == 1)
		return take(n, array_int(condition, 0) ? yes : no);
	capture(n, yes, &captured);
	capture(n, no, &captured);
	int *values = captured_values(n, &captured, &count);
	int then = branch(n, yes, "then", &captured);
	int otherwise = branch(n, no, "else", &captured);

	if (then == FUNCTION_NONE || otherwise == FUNCTION_NONE)
		return -1;
	int result = build_if(n->b, n->args[0], then, otherwise, count, values);

	return yes->n_output == 1 ? node_give(n, 0, result) : node_give_fields(n, result);
}
