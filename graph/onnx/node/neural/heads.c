/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/heads.c - vectors of several heads in one row, apart and together. */
#include "graph/onnx/node/neural/heads.h"

#include <math.h>

int heads_apart(struct builder *b, int x, int64_t heads)
{
	if (compose_rank(b, x) == 4)
		return x;
	return compose_transpose(b, compose_reshape(b, x, INTS(0, 0, heads, -1)),
				 INTS(0, 2, 1, 3));
}

int heads_together(struct builder *b, int x)
{
	return compose_reshape(b, compose_transpose(b, x, INTS(0, 2, 1, 3)), INTS(0, 0, -1));
}

int64_t heads_count(struct node *n, const char *name, int x)
{
	const struct type *t = build_type(n->b, x);
	int64_t heads = node_int(n, name, 0);

	if (type_is_ranked(t) && t->rank == 4 && dim_is_number(t->dim[1]))
		heads = t->dim[1].n;
	if (!type_is_ranked(t) || (t->rank != 3 && t->rank != 4) || heads < 1)
		return node_error(n, "an operand of 4 dims, or of 3 and %s, are wanted", name);
	return heads;
}

/* The square root of the scale, which queries and keys have each: in f64, then as they are. */
static int root_of_scale(struct node *n, int q)
{
	struct builder *b = n->b;

	if (node_has_attr(n, "scale"))
		return compose_number(b, q, sqrt(node_float(n, "scale", 1)));
	int size = compose_cast(b, compose_extent(b, q, 3), ELEMENT_F64);
	int root = build(b, &core_sqrt, build(b, &core_sqrt, size));

	return compose_cast_like(b, build(b, &core_div, build_scalar(b, ELEMENT_F64, 1), root), q);
}

int heads_scores(struct node *n, int q, int k)
{
	struct builder *b = n->b;
	int root = root_of_scale(n, q);

	return build_with(b, &core_matmul, with_int(b, "trans_b", 1),
			  build(b, &core_mul, q, root), build(b, &core_mul, k, root));
}
