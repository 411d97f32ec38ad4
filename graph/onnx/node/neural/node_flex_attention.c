/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_flex_attention.c - attention whose scores and shares graphs of the model change. */
#include "graph/onnx/closed.h"
#include "graph/onnx/node/neural/heads.h"

/* X as the node's graph NAME changes it; X where there is none. */
static int modified(struct node *n, const char *name, int x)
{
	struct captured_vec captured = { 0 };
	struct closed c;
	int count;

	if (!node_has_attr(n, name) || x == VALUE_FAILED)
		return x;
	const Onnx__GraphProto *g = node_graph(n, name);

	if (!g)
		return VALUE_FAILED;
	capture(n, g, &captured);
	int *values = captured_values(n, &captured, &count);
	int *args = arena_many(n->b->arena, int, count + 1);

	args[0] = x;
	for (int i = 0; i < count; i++)
		args[i + 1] = values[i];
	closed_begin(&c, n, g, name);
	if (closed_param(&c, 0, build_type(n->b, x)) == VALUE_FAILED ||
	    closed_capture(&c, &captured) < 0)
		return VALUE_FAILED;
	int *results = closed_read(&c);
	int function = results ? builder_end(&c.builder, (int)g->n_output, results) : FUNCTION_NONE;

	if (function == FUNCTION_NONE)
		return VALUE_FAILED;
	return build_inline(n->b, function, count + 1, args);
}

int node_flex_attention(struct node *n)
{
	struct builder *b = n->b;
	int q = node_arg(n, 0), k = node_arg(n, 1), v = node_arg(n, 2);
	enum element e = compose_element(b, q);
	enum element in = node_element_attr(n, "softmax_precision",
					    e == ELEMENT_F64 ? e : ELEMENT_F32);
	int64_t heads = heads_count(n, "heads of queries", q);
	int64_t shared = heads_count(n, "heads of keys", k);

	if (heads < 0 || shared < 0)
		return -1;
	if (heads % shared)
		return node_error(n, "%lld heads that share %lld", (long long)heads,
				  (long long)shared);
	if (heads != shared) {
		k = compose_repeat(b, k, 1, heads / shared);
		v = compose_repeat(b, v, 1, heads / shared);
	}
	int scores = modified(n, "score_mod", compose_cast(b, heads_scores(n, q, k), in));
	int shares = build_with(b, &core_softmax, with_int(b, "axis", -1), scores);

	shares = compose_cast(b, modified(n, "prob_mod", shares), e);
	return node_give(n, 0, build(b, &core_matmul, shares, v));
}
