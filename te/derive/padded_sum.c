/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/padded_sum.c - the copies of the factors, and the sum over them. */
#include "te/derive/padded_sum.h"

#include <string.h>

#include "base/integer.h"

static int64_t padded_extent(const struct axis *axis, int64_t m)
{
	return ceil_div(axis->hi, m) * m;
}

static bool is_worth_it(const struct axis *axis, int64_t m)
{
	return axis->hi % m != 0 && m <= 2 * axis->hi && padded_extent(axis, m) <= 2 * axis->hi;
}

int padded_sum_axis(const struct op *op, int64_t m)
{
	const struct expr *e = op->body;

	if (m < 2 || op->reducer != REDUCE_SUM || e->kind != EXPR_MUL)
		return -1;
	const struct expr *x = expr_cast_load(e->arg[0]), *w = expr_cast_load(e->arg[1]);

	if (!x || !w || x->tensor == w->tensor)
		return -1;
	for (int r = op->nreduce - 1; r >= 0; r--)
		if (is_worth_it(op->reduce[r], m) && derived_dim_of(x, op->reduce[r]) >= 0 &&
		    derived_dim_of(w, op->reduce[r]) >= 0)
			return r;
	return -1;
}

bool padded_sums_are_one(const struct op *op, int64_t m, int64_t n)
{
	int r = padded_sum_axis(op, m);

	return r == padded_sum_axis(op, n) && (r < 0 || padded_extent(op->reduce[r], m) == padded_extent(op->reduce[r], n));
}

/* What LOAD reads, with zeros behind dim DIM up to EXTENT. */
static const struct tensor *pad(struct arena *a, struct derived *out, const char *name, const struct expr *load,
				int dim, int64_t extent)
{
	const struct tensor *t = load->tensor;
	const struct expr *index[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };

	for (int d = 0; d < t->ndim; d++)
		index[d] = new_axes_add(a, &axes, "", derived_dim_name(a, load, d), d == dim ? extent : t->shape[d]);
	const struct expr *inside = expr_binary(a, EXPR_LT, index[dim], expr_int(a, t->shape[dim]));

	return &derived_add(a, out, name, &axes, axes.n,
			    expr_select(a, inside, expr_load(a, t, index), expr_const(a, t->dtype, 0)))
			->tensor;
}

/* Loads of one tensor become loads of another, at the same place. */
struct factor_swap {
	const struct tensor *from, *to;
};

static const struct expr *read_other(struct arena *a, const struct expr *e, void *user)
{
	const struct factor_swap *swap = user;

	return e->kind == EXPR_LOAD && e->tensor == swap->from ? expr_load(a, swap->to, e->index) : NULL;
}

bool padded_sum_derive(struct arena *a, const struct op *op, int64_t m, struct derived *out, const char **why)
{
	int r = padded_sum_axis(op, m);
	const struct expr *body = op->body;

	memset(out, 0, sizeof(*out));
	if (r < 0) {
		if (why)
			*why = "it sums up no products of two tensors along a dim of both that such padding suits";
		return false;
	}
	int64_t extent = padded_extent(op->reduce[r], m), turns[TENSOR_MAX_DIMS];

	for (int i = 1; i >= 0; i--) {	/* a weight is the second factor */
		const struct expr *load = expr_cast_load(op->body->arg[i]);
		const char *name = arena_printf(a, "%s_%s", op->tensor.name, i ? "W" : "X");
		struct factor_swap swap = { load->tensor,
				     pad(a, out, name, load, derived_dim_of(load, op->reduce[r]), extent) };

		body = expr_rewrite(a, body, read_other, &swap);
	}
	out->weights = 1;
	out->product = 2;
	for (int i = 0; i < op->nreduce; i++)
		turns[i] = i == r ? extent : op->reduce[i]->hi;
	derived_end(a, out, op, turns, body);
	return true;
}
