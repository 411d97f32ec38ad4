/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/squeeze.c - ops rebuilt without axes of one place. */
#include "te/dims/squeeze.h"

struct squeezing {
	const struct dag *from;
	const bool *which;	/* by op; NULL: all */
	struct dag *to;
	bool own;		/* of the op that is rebuilt */
};

static bool is_unit(const struct axis *axis)
{
	return axis->hi == 1;
}

static bool is_squeezed(const struct squeezing *s, int op)
{
	return !s->which || s->which[op];
}

/* Dims that stay of T, their numbers in KEPT; the last one where all have one place. */
static int kept_dims(const struct squeezing *s, const struct tensor *t, int *kept)
{
	bool squeezed = is_squeezed(s, dag_position(s->from, t));
	int n = 0;

	for (int i = 0; i < t->ndim; i++)
		if (!squeezed || t->shape[i] > 1 || (i == t->ndim - 1 && n == 0))
			kept[n++] = i;
	return n;
}

static const struct expr *without_units(struct arena *a, const struct expr *e, void *user)
{
	const struct squeezing *s = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int kept[TENSOR_MAX_DIMS];

	if (s->own && e->kind == EXPR_AXIS && is_unit(e->axis))
		return expr_int(a, 0);
	if (e->kind != EXPR_LOAD)
		return NULL;
	int n = kept_dims(s, e->tensor, kept);

	for (int i = 0; i < n; i++)
		index[i] = expr_rewrite(a, e->index[kept[i]], without_units, user);
	return expr_load(a, &s->to->ops.at[dag_position(s->from, e->tensor)]->tensor, index);
}

/* Those of the reduced axes of OP that stay: one at least. */
static int kept_axes(const struct squeezing *s, const struct op *op, struct axis **out)
{
	int n = 0;

	for (int i = 0; i < op->nreduce; i++)
		if (!s->own || !is_unit(op->reduce[i]) || (i == op->nreduce - 1 && n == 0))
			out[n++] = op->reduce[i];
	return n;
}

static void add_squeezed(struct squeezing *s, const struct op *op)
{
	struct arena *a = s->to->arena;
	struct axis *space[TENSOR_MAX_DIMS], **reduce = arena_many(a, struct axis *, op->nreduce + 1);
	int64_t shape[TENSOR_MAX_DIMS];
	int kept[TENSOR_MAX_DIMS], n = kept_dims(s, &op->tensor, kept);

	for (int i = 0; i < n; i++)
		shape[i] = op->tensor.shape[kept[i]];
	if (op->kind != OP_COMPUTE) {
		dag_input_as(s->to, op, n, shape);
		return;
	}
	for (int i = 0; i < n; i++)
		space[i] = op->space[kept[i]];
	int nreduce = kept_axes(s, op, reduce);

	dag_reduce(s->to, op->tensor.name, space, n, op->reducer, reduce, nreduce, expr_rewrite(a, op->body, without_units, s))
		->output = op->output;
}

const struct dag *dag_squeeze(struct arena *a, const struct dag *d, const bool *which)
{
	struct squeezing s = { .from = d, .which = which, .to = dag_new(a, d->name) };

	for (int i = 0; i < d->ops.n; i++) {
		s.own = is_squeezed(&s, i);
		add_squeezed(&s, d->ops.at[i]);
	}
	return dag_freeze(s.to) == 0 ? s.to : NULL;
}
