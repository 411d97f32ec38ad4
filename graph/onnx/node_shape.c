/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node_shape.c - operators that ask for shapes and change them. */
#include "graph/onnx/node.h"

int node_reshape(struct node *n)
{
	struct attr_vec attrs = { 0 };

	if (node_int(n, "allowzero", 0))
		attrs_int(n->b->arena, &attrs, "allowzero", 1);
	return node_give(n, 0, build_with(n->b, &core_reshape, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}
