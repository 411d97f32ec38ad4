/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/heads.c - vectors of several heads in one row, apart and together. */
#include "graph/onnx/heads.h"

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
