/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/widen.c - finds blocks of fewer elements than lanes, and rebuilds a DAG with wider ones. */
#include "te/dims/widen.h"

#include "te/eval.h"
#include "te/index/index.h"

/* A DAG on its way. */
struct widening {
	const struct dag *from;
	struct dag *to;
	int64_t lanes;
	const struct op *op;	/* that is rebuilt, */
	struct axis *const *space;	/* and its new axes */
};

/* How many places of T are in one block of LANES; 1 where it has no such blocks. */
static int64_t places_of(const struct tensor *t, int64_t lanes)
{
	int last = t->ndim - 1;

	if (last < 1 || t->dtype != DTYPE_F32 || t->shape[last] == 1 || t->shape[last] >= lanes || lanes % t->shape[last] != 0)
		return 1;
	int64_t places = lanes / t->shape[last];

	return t->shape[last - 1] % places == 0 ? places : 1;
}

/* The same of what OP computes. */
static int64_t places_widened(const struct op *op, int64_t lanes)
{
	return op->kind == OP_COMPUTE && !op->body->compares ? places_of(&op->tensor, lanes) : 1;
}

/* Does LOAD, of a tensor that is widened, walk the last dims as W's op, which is as well, has them? */
static bool walks_alike(const struct widening *w, const struct expr *load)
{
	const struct tensor *t = load->tensor, *own = &w->op->tensor;
	const struct expr *x = load->index[t->ndim - 2], *l = load->index[t->ndim - 1];

	return places_widened(w->op, w->lanes) > 1 && x->kind == EXPR_AXIS && x->axis == w->op->space[own->ndim - 2] &&
	       l->kind == EXPR_AXIS && l->axis == w->op->space[own->ndim - 1] && t->shape[t->ndim - 1] == own->shape[own->ndim - 1];
}

/* Loads are of the tensors of the new DAG. */
static const struct expr *load_widened(struct arena *a, const struct expr *e, void *user)
{
	const struct widening *w = user;
	const struct expr *index[TENSOR_MAX_DIMS];

	if (e->kind != EXPR_LOAD)
		return NULL;
	int position = dag_position(w->from, e->tensor), last = e->tensor->ndim - 1;
	int64_t places = places_widened(w->from->ops.at[position], w->lanes);

	for (int i = 0; i <= last; i++)
		index[i] = expr_rewrite(a, e->index[i], load_widened, user);
	if (places > 1 && walks_alike(w, e)) {
		index[last - 1] = expr_axis(a, w->space[w->op->tensor.ndim - 2]);
		index[last] = expr_axis(a, w->space[w->op->tensor.ndim - 1]);
	} else if (places > 1) {
		const struct expr *x = index[last - 1], *n = expr_int(a, places), *within = expr_binary(a, EXPR_MOD, x, n);

		index[last - 1] = expr_binary(a, EXPR_DIV, x, n);
		index[last] = expr_add(a, expr_mul(a, within, e->tensor->shape[last]), index[last]);
	}
	return expr_load(a, &w->to->ops.at[position]->tensor, index);
}

static void add_computed(struct widening *w, const struct op *op)
{
	struct arena *a = w->to->arena;
	int ndim = op->tensor.ndim, last = ndim - 1;
	int64_t places = places_widened(op, w->lanes);
	struct axis *space[TENSOR_MAX_DIMS];

	for (int i = 0; i < ndim; i++)
		space[i] = op->space[i];
	w->op = op;
	w->space = space;
	if (places > 1) {
		space[last - 1] = dag_axis(w->to, op->space[last - 1]->name, op->space[last - 1]->hi / places);
		space[last] = dag_axis(w->to, op->space[last]->name, op->space[last]->hi * places);
	}
	const struct expr *body = expr_rewrite(a, op->body, load_widened, w);

	if (places > 1) {
		const struct axis *from[] = { op->space[last - 1], op->space[last] };
		const struct expr *x = expr_mul(a, expr_axis(a, space[last - 1]), places), *z = expr_axis(a, space[last]);
		const struct expr *block = expr_int(a, op->tensor.shape[last]);
		const struct expr *to[] = { expr_add(a, x, expr_binary(a, EXPR_DIV, z, block)), expr_binary(a, EXPR_MOD, z, block) };

		body = expr_simplify_with(a, body, from, to, 2);
	}
	dag_reduce(w->to, op->tensor.name, space, ndim, op->reducer, op->reduce, op->nreduce, body)->output = op->output;
}

const struct dag *dag_widen(struct arena *a, const struct dag *d, int64_t lanes)
{
	struct widening w = { .from = d, .to = dag_new(a, d->name), .lanes = lanes };
	bool any = false;

	for (int i = 0; i < d->ops.n; i++)
		any |= op_is_reduction(d->ops.at[i]) && places_widened(d->ops.at[i], lanes) > 1;
	if (!any)
		return NULL;
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE)
			add_computed(&w, d->ops.at[i]);
		else
			dag_input_as(w.to, d->ops.at[i], d->ops.at[i]->tensor.ndim, d->ops.at[i]->tensor.shape);
	/* a choice that blocks decide is gone, and what only its other value read would be one more result */
	return dag_freeze(w.to) == 0 && dag_arg_count(w.to) == dag_arg_count(d) ? w.to : NULL;
}
