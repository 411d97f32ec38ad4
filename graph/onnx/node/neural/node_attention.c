/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_attention.c - softmax(q * k' * scale + bias) * v, in many variants.
 *
 * The bias is a mask of the model, and minus infinity where a query may not see a key. */
#include <math.h>

#include "graph/onnx/node/neural/heads.h"

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, LENGTHS };

/* What the 4th output is. */
enum { SHOW_PRODUCT, SHOW_CAPPED, SHOW_BIASED, SHOW_SOFTMAX };

struct attention {
	struct node *node;
	struct builder *b;
	int q, k, v;	/* [batch, heads, length, size] */
	int bias;	/* beside [batch, heads, queries, keys]; VALUE_NONE: none */
};

/* Keys and values as many as queries' heads, those of the past in front: outputs 1 and 2. */
static int read_operands(struct attention *a)
{
	struct node *n = a->node;
	struct builder *b = a->b;
	int64_t heads = heads_count(n, "q_num_heads", node_arg(n, Q));
	int64_t shared = heads_count(n, "kv_num_heads", node_arg(n, K));

	if (heads < 0 || shared < 0)
		return -1;
	if (heads % shared)
		return node_error(n, "%lld heads that share %lld", (long long)heads,
				  (long long)shared);
	a->q = heads_apart(b, node_arg(n, Q), heads);
	a->k = heads_apart(b, node_arg(n, K), shared);
	a->v = heads_apart(b, node_arg(n, V), shared);
	if (node_has(n, PAST_KEY))
		a->k = compose_concat(b, 2, VALUES(node_arg(n, PAST_KEY), a->k));
	if (node_has(n, PAST_VALUE))
		a->v = compose_concat(b, 2, VALUES(node_arg(n, PAST_VALUE), a->v));
	if (node_give(n, 1, a->k) < 0 || node_give(n, 2, a->v) < 0)
		return -1;
	if (heads != shared) {
		a->k = compose_repeat(b, a->k, 1, heads / shared);
		a->v = compose_repeat(b, a->v, 1, heads / shared);
	}
	return 0;
}

/* --- the bias */

/* BIAS and MORE, either of which may be VALUE_NONE. */
static int plus(struct builder *b, int bias, int more)
{
	if (bias == VALUE_NONE || more == VALUE_NONE)
		return bias == VALUE_NONE ? more : bias;
	return build(b, &core_add, bias, more);
}

/* 0 where SEEN, else minus infinity */
static int hide(const struct attention *a, int seen)
{
	return build(a->b, &core_where, seen, compose_number(a->b, a->q, 0),
		     compose_number(a->b, a->q, -INFINITY));
}

/* The model's mask, as long as there are keys. */
static int mask_bias(const struct attention *a)
{
	struct builder *b = a->b;
	int mask = node_arg(a->node, MASK), rank = compose_rank(b, mask);

	if (rank < 0)
		return VALUE_FAILED;
	if (compose_element(b, mask) == ELEMENT_BOOL)
		mask = hide(a, mask);
	mask = compose_cast_like(b, mask, a->q);
	int lack = build(b, &core_sub, compose_extent(b, a->k, 2), compose_extent(b, mask, -1));
	int more = build(b, &core_max, lack, build_int(b, 0));
	int none = build_ints(b, 2 * rank - 1, (int64_t[2 * GRAPH_MAX_RANK]){ 0 });

	return build(b, &core_pad, mask, compose_concat(b, 0, VALUES(none, more)),
		     compose_number(b, mask, -INFINITY));
}

/* The place of the first query among keys: i64[], or i64[batch, 1, 1, 1]. */
static int first_place(const struct attention *a)
{
	struct builder *b = a->b;
	struct node *n = a->node;

	if (node_has(n, PAST_KEY))
		return compose_extent(b, node_arg(n, PAST_KEY), 2);
	if (!node_has(n, LENGTHS))
		return build_int(b, 0);
	return build(b, &core_sub, compose_along(b, node_arg(n, LENGTHS), 4, 0),
		     compose_extent(b, a->q, 2));
}

/* SEEN and also MORE; SEEN may be VALUE_NONE. */
static int also(struct builder *b, int seen, int more)
{
	return seen == VALUE_NONE ? more : build(b, &core_and, seen, more);
}

/* Which keys a query may see by their places; VALUE_NONE: all. */
static int seen_by_place(const struct attention *a)
{
	struct builder *b = a->b;
	struct node *n = a->node;
	int64_t left = node_int(n, "left_window_size", -1);
	int64_t right = node_int(n, "right_window_size", -1);
	int seen = VALUE_NONE;
	int key = compose_iota(b, compose_extent(b, a->k, 2));
	int query = compose_unsqueeze(b, compose_iota(b, compose_extent(b, a->q, 2)), 1);
	int behind = build(b, &core_sub, build(b, &core_add, query, first_place(a)), key);

	if (node_int(n, "is_causal", 0))
		right = 0;
	if (left >= 0)
		seen = also(b, seen, build(b, &core_less_equal, behind, build_int(b, left)));
	if (right >= 0)
		seen = also(b, seen, build(b, &core_less_equal, build_int(b, -right), behind));
	if (node_has(n, LENGTHS))
		seen = also(b, seen, build(b, &core_less, key,
					   compose_along(b, node_arg(n, LENGTHS), 4, 0)));
	return seen;
}

static void make_bias(struct attention *a)
{
	int seen = seen_by_place(a);

	a->bias = node_has(a->node, MASK) ? mask_bias(a) : VALUE_NONE;
	if (seen != VALUE_NONE)
		a->bias = plus(a->b, a->bias, hide(a, seen));
}

/* --- the product */

/* Softmax of SCORES in the precision that the node wants; 0 for a query that sees no key. */
static int shares(const struct attention *a, int scores)
{
	struct builder *b = a->b;
	enum element in = node_element_attr(a->node, "softmax_precision",
					    compose_element(b, scores));
	int p = build_with(b, &core_softmax, with_int(b, "axis", -1),
			   compose_cast(b, scores, in));

	p = compose_cast_like(b, p, a->q);
	if (a->bias == VALUE_NONE)
		return p;
	int most = compose_reduce(b, &core_reduce_max, a->bias, INTS(-1), true);
	int blind = build(b, &core_equal, most, compose_number(b, a->bias, -INFINITY));

	return build(b, &core_where, blind, compose_number(b, p, 0), p);
}

int node_attention(struct node *n)
{
	struct attention a = { .node = n, .b = n->b };
	struct builder *b = n->b;
	double cap = node_float(n, "softcap", 0);
	int shown[SHOW_SOFTMAX + 1];
	int64_t show = node_int(n, "qk_matmul_output_mode", 0);

	if (show < 0 || show > SHOW_SOFTMAX)
		return node_error(n, "qk_matmul_output_mode %lld", (long long)show);
	if (read_operands(&a) < 0)
		return -1;
	make_bias(&a);
	int scores = heads_scores(n, a.q, a.k);

	shown[SHOW_PRODUCT] = scores;
	if (cap > 0)
		scores = compose_with_number(
			b, &core_mul,
			build(b, &core_tanh, compose_with_number(b, &core_div, scores, cap)), cap);
	shown[SHOW_CAPPED] = scores;
	shown[SHOW_BIASED] = scores = plus(b, scores, a.bias);
	shown[SHOW_SOFTMAX] = shares(&a, scores);
	int y = build(b, &core_matmul, shown[SHOW_SOFTMAX], a.v);

	if (compose_rank(b, node_arg(n, Q)) == 3)
		y = heads_together(b, y);
	if (node_give(n, 0, y) < 0)
		return -1;
	return node_wants(n, 3) ? node_give(n, 3, shown[show]) : 0;
}
