/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/match_matmul.c - matrix products: every index is one axis, and an axis that all three
 * tensors have is a batch, of y and a is m, of y and b is n, of a and b is k. */
#include "bench/work/match.h"

enum { NOWHERE = -1 };

/* An axis and the dimension of each tensor that it runs over. */
struct axis_place {
	int x, w, y;
};

struct axis_places {
	struct axis_place at[TENSOR_MAX_DIMS];
	int n;
};

struct matmul_roles {
	struct axis_places batch, m, n, k;
};

static void put(struct axis_places *to, struct axis_place p)
{
	if (to->n < TENSOR_MAX_DIMS)
		to->at[to->n++] = p;
}

/* For each dimension of LOAD the axis that runs over it. */
static bool axes_of(struct arena *a, const struct expr *load, const struct axis **axes)
{
	const struct tensor *t = load->tensor;

	for (int i = 0; i < t->ndim; i++) {
		if (!index_is_axis(a, load->index[i], t->shape[i], &axes[i]))
			return false;
		for (int j = 0; j < i; j++)
			if (axes[i] && axes[j] == axes[i])
				return false;
	}
	return true;
}

static int find(const struct axis *const *axes, int n, const struct axis *axis)
{
	for (int i = 0; i < n; i++)
		if (axes[i] == axis)
			return i;
	return NOWHERE;
}

/* Sorts the axes of more than one element into their roles. */
static bool assign(const struct work_product *p, struct matmul_roles *r)
{
	const struct axis *x[TENSOR_MAX_DIMS], *w[TENSOR_MAX_DIMS];
	const struct op *sum = p->sum;
	struct axis_place at;

	if (!axes_of(p->a, p->x, x) || !axes_of(p->a, p->w, w))
		return false;
	for (int i = 0; i < sum->tensor.ndim; i++) {
		if (sum->space[i]->hi == 1)
			continue;
		at = (struct axis_place){ find(x, p->x->tensor->ndim, sum->space[i]),
				     find(w, p->w->tensor->ndim, sum->space[i]), i };
		if (at.x == NOWHERE && at.w == NOWHERE)
			return false;
		put(at.w == NOWHERE ? &r->m : at.x == NOWHERE ? &r->n : &r->batch, at);
	}
	for (int i = 0; i < sum->nreduce; i++) {
		if (sum->reduce[i]->hi == 1)
			continue;
		at = (struct axis_place){ find(x, p->x->tensor->ndim, sum->reduce[i]),
				     find(w, p->w->tensor->ndim, sum->reduce[i]), NOWHERE };
		if (at.x == NOWHERE || at.w == NOWHERE)
			return false;
		put(&r->k, at);
	}
	return true;
}

/* Dimension V of T directly follows dimension U, where both are there. */
static bool follows(const struct tensor *t, int u, int v)
{
	if (u == NOWHERE || v == NOWHERE)
		return true;
	return tensor_stride(t, u) == tensor_stride(t, v) * t->shape[v];
}

static bool joins(const struct work_product *p, struct axis_place u, struct axis_place v)
{
	return follows(p->x->tensor, u.x, v.x) && follows(p->w->tensor, u.w, v.w) &&
	       follows(&p->sum->tensor, u.y, v.y);
}

/* Leaves in FROM the last axes that can be one dimension; those before them become batches, in
 * which the other operand is broadcast. */
static void split_batches(const struct work_product *p, struct axis_places *from,
			  struct axis_places *batch)
{
	int first = from->n > 0 ? from->n - 1 : 0;

	while (first > 0 && joins(p, from->at[first - 1], from->at[first]))
		first--;
	for (int i = 0; i < first; i++)
		put(batch, from->at[i]);
	for (int i = first; i < from->n; i++)
		from->at[i - first] = from->at[i];
	from->n -= first;
}

static bool all_join(const struct work_product *p, const struct axis_places *in)
{
	for (int i = 1; i < in->n; i++)
		if (!joins(p, in->at[i - 1], in->at[i]))
			return false;
	return true;
}

enum side { SIDE_X, SIDE_W, SIDE_Y };

static int place_in(struct axis_place p, enum side side)
{
	return side == SIDE_X ? p.x : side == SIDE_W ? p.w : p.y;
}

static void add(struct view *v, const struct axis_places *places, enum side side)
{
	view_add_dim(v);
	for (int i = 0; i < places->n; i++)
		view_add_part(v, place_in(places->at[i], side));
}

static void see(struct operand *o, const struct dag *d, const struct tensor *t,
		const struct matmul_roles *r, enum side side, const struct axis_places *rows,
		const struct axis_places *columns)
{
	o->op = dag_op(d, t);
	o->view = (struct view){ .tensor = t };
	for (int i = 0; i < r->batch.n; i++) {
		int dim = place_in(r->batch.at[i], side);

		view_add_dim(&o->view);
		if (dim != NOWHERE)
			view_add_part(&o->view, dim);
	}
	add(&o->view, rows, side);
	add(&o->view, columns, side);
}

/* The rows of y are those of X, unless the columns of y, its last dimension, are. */
static bool rows_are_of_w(const struct matmul_roles *r)
{
	return r->n.n > 0 && r->m.n > 0 && r->m.at[r->m.n - 1].y > r->n.at[r->n.n - 1].y;
}

bool match_matmul(const struct work_product *p, struct work *w)
{
	struct matmul_roles r = { 0 };

	if (!assign(p, &r) || !all_join(p, &r.k))
		return false;
	split_batches(p, &r.m, &r.batch);
	split_batches(p, &r.n, &r.batch);
	if (r.batch.n + 2 > TENSOR_MAX_DIMS || r.m.n > VIEW_MAX_PARTS ||
	    r.n.n > VIEW_MAX_PARTS || r.k.n > VIEW_MAX_PARTS)
		return false;
	w->kind = WORK_MATMUL;
	w->nbatch = r.batch.n;
	if (rows_are_of_w(&r)) {
		see(&w->a, p->dag, p->w->tensor, &r, SIDE_W, &r.n, &r.k);
		see(&w->b, p->dag, p->x->tensor, &r, SIDE_X, &r.k, &r.m);
		see(&w->y, p->dag, &p->sum->tensor, &r, SIDE_Y, &r.n, &r.m);
	} else {
		see(&w->a, p->dag, p->x->tensor, &r, SIDE_X, &r.m, &r.k);
		see(&w->b, p->dag, p->w->tensor, &r, SIDE_W, &r.k, &r.n);
		see(&w->y, p->dag, &p->sum->tensor, &r, SIDE_Y, &r.m, &r.n);
	}
	return w->a.op->kind != OP_COMPUTE && w->b.op->kind != OP_COMPUTE;
}
