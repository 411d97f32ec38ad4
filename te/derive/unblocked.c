/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/unblocked.c - finds the dims of a weight that are blocks and what is in them, and makes one of both. */
#include "te/derive/unblocked.h"

#include <string.h>

/* Two dims of a weight that are one. */
struct blocks {
	const struct op *op;
	const struct expr *load;	/* of the weight */
	const struct axis *block, *inner;	/* of the op */
	int outer_dim, inner_dim;	/* of the weight */
};

/* The first load that the innermost axis moves. */
static bool find_weight(const struct expr *e, void *user)
{
	struct blocks *b = user;

	if (e->kind != EXPR_LOAD || b->load || !expr_uses_axis(e, b->inner))
		return true;
	b->load = e;
	b->inner_dim = derived_dim_of(e, b->inner);
	return true;
}

struct uses {
	const struct blocks *b;
	const struct axis *axis;
	int others;	/* of AXIS, but in the weight's load */
};

static bool find_use(const struct expr *e, void *user)
{
	struct uses *u = user;

	if (e->kind == EXPR_LOAD && expr_equal(e, u->b->load))
		return false;
	u->others += e->kind == EXPR_AXIS && e->axis == u->axis;
	return true;
}

/* Is AXIS nowhere but in the weight's load? */
static bool is_of_weight(const struct blocks *b, const struct axis *axis)
{
	struct uses u = { b, axis, 0 };

	expr_visit(b->op->body, find_use, &u);
	return u.others == 0;
}

static bool find_blocks(const struct op *op, struct blocks *b)
{
	int last = op->tensor.ndim - 1;

	*b = (struct blocks){ .op = op, .outer_dim = -1 };
	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || !op_has_reuse(op) || last < 1)
		return false;
	b->inner = op->space[last];
	expr_visit(op->body, find_weight, b);
	if (!b->load || b->inner_dim < 0 || !is_of_weight(b, b->inner))
		return false;
	for (int i = 0; i < last && b->outer_dim < 0; i++)
		if (op->space[i]->hi > 1 && is_of_weight(b, op->space[i])) {
			b->block = op->space[i];
			b->outer_dim = derived_dim_of(b->load, b->block);
		}
	return b->outer_dim >= 0;
}

/* The weight with both dims as one, where the one within blocks was. */
static const struct tensor *join_weight(struct arena *a, const struct blocks *b, struct derived *out)
{
	const struct tensor *from = b->load->tensor;
	const struct expr *index[TENSOR_MAX_DIMS], *width = expr_int(a, b->inner->hi);
	struct new_axes axes = { 0 };

	for (int d = 0; d < from->ndim; d++)
		if (d != b->outer_dim)
			index[d] = new_axes_add(a, &axes, "", derived_dim_name(a, b->load, d),
						d == b->inner_dim ? b->block->hi * b->inner->hi : from->shape[d]);
	const struct expr *channel = index[b->inner_dim];

	index[b->outer_dim] = expr_binary(a, EXPR_DIV, channel, width);
	index[b->inner_dim] = expr_binary(a, EXPR_MOD, channel, width);
	return &derived_add(a, out, arena_printf(a, "%s_W", b->op->tensor.name), &axes, axes.n, expr_load(a, from, index))->tensor;
}

/* What the sum's body becomes. */
struct weight_join {
	const struct blocks *b;
	const struct tensor *weight;
	const struct expr *channel;
};

static const struct expr *read_joined(struct arena *a, const struct expr *e, void *user)
{
	const struct weight_join *j = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int n = 0;

	if (e->kind != EXPR_LOAD || !expr_equal(e, j->b->load))
		return NULL;
	for (int d = 0; d < e->tensor->ndim; d++)
		if (d != j->b->outer_dim)
			index[n++] = d == j->b->inner_dim ? j->channel : e->index[d];
	return expr_load(a, j->weight, index);
}

/* The sums, of which the last dim has all channels. */
static const struct tensor *join_sums(struct arena *a, const struct blocks *b, const struct tensor *weight, struct derived *out)
{
	const struct op *op = b->op;
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };
	int n = 0;

	for (int i = 0; i < op->tensor.ndim - 1; i++)
		if (op->space[i] != b->block) {
			from[n] = op->space[i];
			to[n++] = new_axes_add(a, &axes, "", op->space[i]->name, op->space[i]->hi);
		}
	struct weight_join j = { b, weight, new_axes_add(a, &axes, "", b->inner->name, b->block->hi * b->inner->hi) };
	int ndim = axes.n;

	for (int i = 0; i < op->nreduce; i++) {
		from[n] = op->reduce[i];
		to[n++] = new_axes_add(a, &axes, "", op->reduce[i]->name, op->reduce[i]->hi);
	}
	const struct expr *body = expr_substitute(a, expr_rewrite(a, op->body, read_joined, &j), from, to, n);

	return &derived_add(a, out, arena_printf(a, "%s_J", op->tensor.name), &axes, ndim, body)->tensor;
}

/* The last op: the sums as the op stores them. */
static void store_blocks(struct arena *a, const struct blocks *b, const struct tensor *sums, struct derived *out)
{
	const struct op *op = b->op;
	const struct expr *index[TENSOR_MAX_DIMS], *block = NULL;
	struct new_axes axes = { 0 };
	int n = 0;

	for (int i = 0; i < op->tensor.ndim; i++) {
		const struct expr *at = new_axes_add(a, &axes, "", op->space[i]->name, op->space[i]->hi);

		if (op->space[i] == b->block)
			block = at;
		else
			index[n++] = at;
	}
	index[n - 1] = expr_add(a, expr_mul(a, block, b->inner->hi), index[n - 1]);
	derived_add(a, out, op->tensor.name, &axes, op->tensor.ndim, expr_load(a, sums, index))->output = op->output;
}

bool unblocked_derive(struct arena *a, const struct op *op, int64_t lanes, struct derived *out, const char **why)
{
	struct blocks b;
	const char *reason = NULL;

	memset(out, 0, sizeof(*out));
	if (!find_blocks(op, &b))
		reason = "its innermost dim and another one are not channels of a weight in blocks";
	else if (b.inner->hi >= lanes)
		reason = "its blocks have as many channels";
	if (reason) {
		if (why)
			*why = reason;
		return false;
	}
	const struct tensor *weight = join_weight(a, &b, out);

	out->weights = 1;
	out->product = 1;
	store_blocks(a, &b, join_sums(a, &b, weight, out), out);
	return true;
}
