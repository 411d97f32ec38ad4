/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_product.c - matrix products. */
#include "graph/onnx/compose.h"

/* alpha * A * B + beta * C */
int node_gemm(struct node *n)
{
	struct builder *b = n->b;
	struct attr_vec attrs = { 0 };
	double alpha = node_float(n, "alpha", 1), beta = node_float(n, "beta", 1);
	int shift = node_arg(n, 2);

	attrs_int(b->arena, &attrs, "trans_a", node_int(n, "transA", 0));
	attrs_int(b->arena, &attrs, "trans_b", node_int(n, "transB", 0));
	int y = build_with(b, &core_matmul, &attrs, node_arg(n, 0), node_arg(n, 1));

	if (alpha != 1)
		y = compose_with_number(b, &core_mul, y, alpha);
	if (shift == VALUE_NONE)
		return node_give(n, 0, y);
	if (beta != 1)
		shift = compose_with_number(b, &core_mul, shift, beta);
	return node_give(n, 0, build(b, &core_add, y, shift));
}
