/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_rotary.c - positions as rotations of pairs of elements [Su et al. 2021]. */
#include "graph/onnx/node/neural/heads.h"

/* [from, to) of the last axis by values, every STEP-th. */
static int part(struct builder *b, int x, int from, int to, int64_t step)
{
	return build(b, &core_slice, x, from, to, build_ints(b, INTS(-1)),
		     build_ints(b, INTS(step)));
}

/* COS or SIN [batch, length, half] beside heads, which are axis 1. */
static int angles(struct node *n, int cache)
{
	struct builder *b = n->b;

	if (node_has(n, 3))
		cache = compose_gather(b, cache, 0, node_arg(n, 3));
	return compose_unsqueeze(b, cache, 1);
}

int node_rotary_embedding(struct node *n)
{
	struct builder *b = n->b;
	int64_t heads = heads_count(n, "num_heads", node_arg(n, 0));
	int64_t size = node_int(n, "rotary_embedding_dim", 0);
	bool pairs = node_int(n, "interleaved", 0);

	if (heads < 0)
		return -1;
	int x = heads_apart(b, node_arg(n, 0), heads), zero = build_ints(b, INTS(0));
	int turned = size ? build_ints(b, INTS(size)) : compose_extent(b, x, 3);
	int half = build(b, &core_div, turned, build_int(b, 2));
	int left = pairs ? part(b, x, zero, turned, 2) : part(b, x, zero, half, 1);
	int right = pairs ? part(b, x, build_ints(b, INTS(1)), turned, 2)
			  : part(b, x, half, turned, 1);
	int cosine = part(b, angles(n, node_arg(n, 1)), zero, half, 1);
	int sine = part(b, angles(n, node_arg(n, 2)), zero, half, 1);
	int real = build(b, &core_sub, build(b, &core_mul, cosine, left),
			 build(b, &core_mul, sine, right));
	int imaginary = build(b, &core_add, build(b, &core_mul, sine, left),
			      build(b, &core_mul, cosine, right));
	int y;

	if (pairs) {
		int columns[] = { compose_unsqueeze(b, real, -1),
				  compose_unsqueeze(b, imaginary, -1) };

		y = compose_reshape(b, compose_concat(b, -1, 2, columns), INTS(0, 0, 0, -1));
	} else {
		y = compose_concat(b, -1, VALUES(real, imaginary));
	}
	if (size)
		y = compose_concat(b, -1, VALUES(y, part(b, x, turned,
							 compose_extent(b, x, 3), 1)));
	return node_give(n, 0, compose_rank(b, node_arg(n, 0)) == 3 ? heads_together(b, y) : y);
}
