/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/parts.c - where a DAG is cut, and the DAGs that come of it. */
#include "search/space/parts.h"

#include "search/space/sketch.h"

/* The cut of a DAG up to one of its ends. */
struct part_maker {
	const struct dag *whole;
	struct dag *dag;	/* the part */
	const bool *is_end;	/* by op of the whole */
	bool *needed;		/* the same: by the part */
	struct op **made;	/* the same: its op in the part */
};

static bool need_load(const struct expr *e, void *user)
{
	struct part_maker *c = user;

	if (e->kind == EXPR_LOAD)
		c->needed[dag_position(c->whole, e->tensor)] = true;
	return true;
}

static const struct expr *load_made(struct arena *a, const struct expr *e, void *user)
{
	const struct part_maker *c = user;
	const struct expr *index[TENSOR_MAX_DIMS];

	if (e->kind != EXPR_LOAD)
		return NULL;
	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = expr_rewrite(a, e->index[i], load_made, user);
	return expr_load(a, &c->made[dag_position(c->whole, e->tensor)]->tensor, index);
}

static struct op *add_input(struct part_maker *c, const struct op *op)
{
	const struct tensor *t = &op->tensor;

	return dag_input(c->dag, t->name, t->dtype, t->ndim, t->shape, op->kind == OP_CONST);
}

static struct op *add_compute(struct part_maker *c, const struct op *op)
{
	struct op *made = dag_reduce(c->dag, op->tensor.name, op->space, op->tensor.ndim, op->reducer, op->reduce,
				     op->nreduce, expr_rewrite(c->dag->arena, op->body, load_made, c));

	made->output = op->output;
	return made;
}

/* The part that computes END; false where that is no DAG. */
static bool cut_at(struct arena *a, const struct dag *whole, const bool *is_end, int end, struct dag_part *out)
{
	int n = whole->ops.n;
	int *op = arena_many(a, int, n);
	struct part_maker c = { whole, dag_new(a, whole->name), is_end, arena_many(a, bool, n),
			 arena_many(a, struct op *, n) };

	c.needed[end] = true;
	for (int i = end; i >= 0; i--)
		if (c.needed[i] && whole->ops.at[i]->kind == OP_COMPUTE && (i == end || !is_end[i]))
			expr_visit(whole->ops.at[i]->body, need_load, &c);
	for (int i = 0; i <= end; i++) {
		const struct op *from = whole->ops.at[i];
		bool inside = from->kind == OP_COMPUTE && (i == end || !is_end[i]);

		if (!c.needed[i])
			continue;
		op[c.dag->ops.n] = i;
		c.made[i] = inside ? add_compute(&c, from) : add_input(&c, from);
	}
	*out = (struct dag_part){ c.dag, op };
	return dag_freeze(c.dag) == 0;
}

struct dag_part_vec parts_of(struct arena *a, const struct dag *dag)
{
	const struct state *s = state_new(a, dag);
	bool *is_end = arena_many(a, bool, dag->ops.n);
	struct dag_part_vec parts = { 0 };
	struct dag_part part;

	for (int i = 0; i < dag->ops.n; i++) {
		is_end[i] |= dag->ops.at[i]->output;
		if (op_is_reduction(dag->ops.at[i]))
			is_end[fusible_end(s, i)] = true;
	}
	for (int i = 0; i < dag->ops.n; i++) {
		if (!is_end[i])
			continue;
		if (!cut_at(a, dag, is_end, i, &part))
			return (struct dag_part_vec){ 0 };
		vec_push(a, &parts, part);
	}
	return parts.n > 1 ? parts : (struct dag_part_vec){ 0 };
}
