/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/joined.c - dims are parted until nothing is walked apart that is joined. */
#include "te/dims/joined.h"

#include <string.h>

const struct joined_dims *joined_of(const struct dims_joining *j, const struct tensor *t)
{
	return &j->of[dag_position(j->dag, t)];
}

int joined_run(const struct dims_joining *j, const struct tensor *t, int i)
{
	int n = 1;

	while (i + n < t->ndim && joined_of(j, t)->next[i + n - 1])
		n++;
	return n;
}

/* Is dim I of LOAD walked by an axis alone, from end to end? The axis, or NULL. */
static const struct axis *whole_axis(const struct expr *load, int i)
{
	const struct expr *e = load->index[i];

	return e->kind == EXPR_AXIS && e->axis->hi == load->tensor->shape[i] ? e->axis : NULL;
}

struct pair_search {
	const struct dims_joining *j;
	const struct op *op;
	const struct axis *first, *second;
	bool apart;	/* one of them is somewhere without the other */
};

static bool uses_either(const struct pair_search *p, const struct expr *e)
{
	return expr_uses_axis(e, p->first) || expr_uses_axis(e, p->second);
}

static bool find_apart(const struct expr *e, void *user)
{
	struct pair_search *p = user;

	if (e->kind == EXPR_AXIS)
		p->apart |= e->axis == p->first || e->axis == p->second;
	if (e->kind != EXPR_LOAD)
		return !p->apart;
	for (int i = 0; i < e->tensor->ndim; i++) {
		if (!uses_either(p, e->index[i]))
			continue;
		if (i + 1 < e->tensor->ndim && (op_is_reduction(p->op) || joined_of(p->j, e->tensor)->next[i]) &&
		    whole_axis(e, i) == p->first && whole_axis(e, i + 1) == p->second)
			i++;
		else
			p->apart = true;
	}
	return false;
}

static bool are_together(const struct dims_joining *j, const struct op *op, const struct axis *first, const struct axis *second)
{
	struct pair_search p = { j, op, first, second, false };

	expr_visit(op->body, find_apart, &p);
	return !p.apart;
}

/* The place of AXIS among N AXES; -1 where it is none of them. */
static int place_of(struct axis *const *axes, int n, const struct axis *axis)
{
	for (int i = 0; i < n; i++)
		if (axes[i] == axis)
			return i;
	return -1;
}

/* Are both reduced, or neighbours among the dims that are stored and to be one there, too? */
static bool are_neighbours(const struct dims_joining *j, const struct op *op, const struct axis *first, const struct axis *second)
{
	int at = place_of(op->space, op->tensor.ndim, first);

	if (at < 0)
		return first != second && place_of(op->reduce, op->nreduce, second) >= 0;	/* no diagonal */
	return at + 1 < op->tensor.ndim && op->space[at + 1] == second && joined_of(j, &op->tensor)->next[at];
}

bool joined_walk(const struct dims_joining *j, const struct op *op, const struct expr *load, int i)
{
	const struct axis *first = whole_axis(load, i), *second = i + 1 < load->tensor->ndim ? whole_axis(load, i + 1) : NULL;

	return first && second && joined_of(j, load->tensor)->next[i] && are_neighbours(j, op, first, second) &&
	       are_together(j, op, first, second);
}

/* An op whose loads are looked at. */
struct load_walk {
	const struct dims_joining *j;
	const struct op *op;
	bool changed, found;
};

/* Windows leave sums as they are. */
static bool is_window(const struct load_walk *w, const struct expr *load, int i)
{
	return w->j->summed[dag_position(w->j->dag, load->tensor)] && (!whole_axis(load, i) || !whole_axis(load, i + 1));
}

static bool part_load(const struct expr *e, void *user)
{
	struct load_walk *w = user;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i + 1 < e->tensor->ndim; i++) {
		bool *next = &w->j->of[dag_position(w->j->dag, e->tensor)].next[i];

		if (!*next || is_window(w, e, i) || joined_walk(w->j, w->op, e, i))
			continue;
		*next = false;
		w->changed = true;
	}
	return true;
}

/* Parts what OP walks apart. Was there something? */
static bool part_op(struct dims_joining *j, const struct op *op)
{
	struct load_walk w = { j, op, false, false };

	for (int i = 0; i + 1 < op->tensor.ndim; i++) {
		bool *next = &j->of[dag_position(j->dag, &op->tensor)].next[i];

		if (!*next || are_together(j, op, op->space[i], op->space[i + 1]))
			continue;
		*next = false;
		w.changed = true;
	}
	expr_visit(op->body, part_load, &w);
	return w.changed;
}

static bool find_summed(const struct expr *e, void *user)
{
	struct load_walk *w = user;

	w->found |= e->kind == EXPR_LOAD && w->j->summed[dag_position(w->j->dag, e->tensor)];
	return !w->found;
}

static bool is_summed(const struct dims_joining *j, const struct op *op)
{
	struct load_walk w = { j, op, false, op_is_reduction(op) };

	if (op->kind == OP_COMPUTE)
		expr_visit(op->body, find_summed, &w);
	return w.found;
}

struct dims_joining dims_join(struct arena *a, const struct dag *d)
{
	struct dims_joining j = { d, arena_many(a, struct joined_dims, d->ops.n), arena_many(a, bool, d->ops.n) };
	bool changed = true;

	for (int i = 0; i < d->ops.n; i++) {
		memset(j.of[i].next, true, sizeof(j.of[i].next));
		j.summed[i] = is_summed(&j, d->ops.at[i]);
	}
	while (changed) {
		changed = false;
		for (int i = 0; i < d->ops.n; i++)
			changed |= d->ops.at[i]->kind == OP_COMPUTE && part_op(&j, d->ops.at[i]);
	}
	return j;
}

static bool find_walk(const struct expr *e, void *user)
{
	struct load_walk *w = user;

	for (int i = 0; e->kind == EXPR_LOAD && i + 1 < e->tensor->ndim; i++)
		w->found |= joined_walk(w->j, w->op, e, i);
	return !w->found;
}

bool joined_by(const struct dims_joining *j, const struct op *op)
{
	struct load_walk w = { j, op, false, false };

	for (int i = 0; i + 1 < op->tensor.ndim; i++)
		w.found |= joined_of(j, &op->tensor)->next[i];
	if (op->kind == OP_COMPUTE)
		expr_visit(op->body, find_walk, &w);
	return w.found;
}
