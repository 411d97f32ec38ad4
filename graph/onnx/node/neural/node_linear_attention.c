/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_linear_attention.c - attention by a state that each token changes.
 *
 *	S = exp(g) * S + k (beta * (v - S' k))'		o = scale * S' q
 *
 * without g, or without beta and S' k, as the update rule says [Yang et al. 2024]. All is in f32.
 * The tokens are the iterations of a loop. */
#include <math.h>

#include "graph/onnx/node/neural/heads.h"

enum { QUERY, KEY, VALUE, STATE, DECAY, BETA, OPERANDS };

/* Operands of the loop's body behind iteration and state: [batch, heads, length, ...] each. */
struct tokens {
	int value[OPERANDS];
	int64_t groups;		/* heads of queries for each of keys */
	bool gated, delta;
};

/* Token I of X as a column [batch, heads, size, 1]. */
static int column(struct builder *b, int x, int i)
{
	return compose_unsqueeze(b, compose_gather(b, x, 2, i), 3);
}

/* X' Y of columns and states: [batch, heads, ., .]. */
static int inner(struct builder *b, int x, int y)
{
	return build_with(b, &core_matmul, with_int(b, "trans_a", 1), x, y);
}

/* One token: (iteration, state, operands...) -> (true, state, output [batch, heads, 1, size]). */
static int make_body(struct graph *graph, const struct tokens *t, const struct type *state_type,
		     const struct type *const *types)
{
	struct builder b = builder_begin(graph, "linear_attention");
	int i = build_param(&b, "token", type_shaped(b.arena, ELEMENT_I64, 0, NULL));
	int state = build_param(&b, "state", state_type), given[OPERANDS], n = 0;

	for (int k = 0; k < OPERANDS; k++)
		given[k] = k == STATE || t->value[k] == VALUE_NONE
				   ? VALUE_NONE : build_param(&b, "", types[n++]);
	int key = column(&b, given[KEY], i), value = column(&b, given[VALUE], i);

	if (t->gated)
		state = build(&b, &core_mul, state,
			      build(&b, &core_exp, column(&b, given[DECAY], i)));
	if (t->delta) {
		int known = compose_transpose(&b, inner(&b, key, state), INTS(0, 1, 3, 2));

		value = build(&b, &core_mul, build(&b, &core_sub, value, known),
			      column(&b, given[BETA], i));
	}
	int change = build_with(&b, &core_matmul, with_int(&b, "trans_b", 1), key, value);

	state = build(&b, &core_add, state, change);
	int shared = t->groups > 1 ? compose_repeat(&b, state, 1, t->groups) : state;
	int results[] = { build_scalar(&b, ELEMENT_BOOL, 1), state,
			  inner(&b, column(&b, given[QUERY], i), shared) };

	return builder_end(&b, ARRAY_LEN(results), results);
}

/* Operand I, of HEADS vectors in a row, apart and in f32; VALUE_NONE where it was left out. */
static int apart(struct node *n, int i, int64_t heads)
{
	if (!node_has(n, i))
		return VALUE_NONE;
	return compose_cast(n->b, heads_apart(n->b, node_arg(n, i), heads), ELEMENT_F32);
}

/* Rates [batch, length, heads or 1] as [batch, heads or 1, length, 1]. */
static int rates(struct node *n)
{
	int across = compose_transpose(n->b, node_arg(n, BETA), INTS(0, 2, 1));

	return compose_cast(n->b, compose_unsqueeze(n->b, across, 3), ELEMENT_F32);
}

static int read_rule(struct node *n, struct tokens *t)
{
	const char *rule = node_string(n, "update_rule", "gated_delta");

	t->gated = strncmp(rule, "gated", 5) == 0;
	t->delta = strcmp(rule, "delta") == 0 || strcmp(rule, "gated_delta") == 0;
	if (t->gated != node_has(n, DECAY) || t->delta != node_has(n, BETA))
		return node_error(n, "update_rule %s does not go with the operands", rule);
	return 0;
}

/* The state before the first token [batch, heads, key's size, value's size]. */
static int first_state(struct node *n, const struct tokens *t)
{
	struct builder *b = n->b;

	if (node_has(n, STATE))
		return compose_cast(b, node_arg(n, STATE), ELEMENT_F32);
	int shape[] = { compose_slice(b, build(b, &core_shape_of, t->value[KEY]), 0, 0, 2),
			compose_extent(b, t->value[KEY], 3),
			compose_extent(b, t->value[VALUE], 3) };

	return build(b, &core_fill, compose_concat(b, 0, 3, shape),
		     build_scalar(b, ELEMENT_F32, 0));
}

/* The outputs [length, batch, heads, 1, size] in a row as queries are, scaled. */
static int in_rows(struct node *n, const struct tokens *t, int scans)
{
	struct builder *b = n->b;
	double scale = node_float(n, "scale", 0);
	int all = compose_transpose(b, compose_squeeze(b, scans, 3), INTS(1, 2, 0, 3));
	int size = compose_cast(b, compose_extent(b, t->value[QUERY], 3), ELEMENT_F32);
	int factor = scale != 0 ? build_scalar(b, ELEMENT_F32, scale)
				: build(b, &core_div, build_scalar(b, ELEMENT_F32, 1),
					build(b, &core_sqrt, size));

	return compose_cast_like(b, heads_together(b, build(b, &core_mul, all, factor)),
				 node_arg(n, QUERY));
}

int node_linear_attention(struct node *n)
{
	struct builder *b = n->b;
	int64_t heads = node_int(n, "q_num_heads", 0), shared = node_int(n, "kv_num_heads", 0);
	struct tokens t = { 0 };
	const struct type *types[OPERANDS];
	int extra[OPERANDS], nextra = 0;

	if (heads < 1 || shared < 1 || heads % shared)
		return node_error(n, "%lld heads that share %lld", (long long)heads,
				  (long long)shared);
	if (read_rule(n, &t) < 0)
		return -1;
	t.groups = heads / shared;
	t.value[QUERY] = apart(n, QUERY, heads);
	t.value[KEY] = apart(n, KEY, shared);
	t.value[VALUE] = apart(n, VALUE, shared);
	t.value[STATE] = VALUE_NONE;
	t.value[DECAY] = apart(n, DECAY, shared);
	t.value[BETA] = t.delta ? rates(n) : VALUE_NONE;
	for (int i = 0; i < OPERANDS; i++) {
		if (t.value[i] == VALUE_FAILED)
			return -1;
		if (t.value[i] == VALUE_NONE)
			continue;
		types[nextra] = build_type(b, t.value[i]);
		extra[nextra++] = t.value[i];
	}
	int state = first_state(n, &t);

	if (state == VALUE_FAILED)
		return -1;
	int body = make_body(b->graph, &t, build_type(b, state), types);

	if (body == FUNCTION_NONE)
		return -1;
	int length = compose_reshape(b, compose_extent(b, t.value[QUERY], 2), 0, NULL);
	int loop = build_loop(b, body, length, VALUE_NONE, 1, &state, nextra, extra);
	int past = node_has(n, STATE) ? node_arg(n, STATE) : node_arg(n, QUERY);

	if (node_give(n, 0, in_rows(n, &t, build_field(b, loop, 1))) < 0)
		return -1;
	return node_give(n, 1, compose_cast_like(b, build_field(b, loop, 0), past));
}
