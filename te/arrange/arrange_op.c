/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange/arrange_op.c - an op over its stored dims: its axes, split where blocks are, and its loads. */
#include "base/err.h"
#include "te/arrange/arranger.h"
#include "te/index/index.h"

/* An axis in the new DAG: outer * (extent of inner) + inner. */
struct split_axis {
	struct axis *outer;
	struct axis *inner;	/* NULL: outer is all of it */
};

/* The axes of an op, and what stands for each in the new DAG. */
struct renaming {
	struct arranger *m;
	const struct op *op;
	int n;
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	struct split_axis axis[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
};

static bool is_taken(const struct renaming *r, const char *name)
{
	for (int i = 0; i < r->op->tensor.ndim; i++)
		if (strcmp(r->op->space[i]->name, name) == 0)
			return true;
	for (int i = 0; i < r->op->nreduce; i++)
		if (strcmp(r->op->reduce[i]->name, name) == 0)
			return true;
	for (int i = 0; i < r->n; i++)
		if (r->axis[i].inner && strcmp(r->axis[i].inner->name, name) == 0)
			return true;
	return false;
}

/* Of what is inner in axis NAME: schedules in text tell the axes of an op apart by name. */
static const char *inner_name(const struct renaming *r, const char *name)
{
	do {
		name = arena_printf(r->m->a, "%si", name);
	} while (is_taken(r, name));
	return name;
}

/* Axis FROM in blocks of BLOCK; as a whole where that is 0. */
static struct split_axis renew(struct renaming *r, const struct axis *from, int64_t block)
{
	struct dag *d = r->m->to;
	struct split_axis out = {
		.outer = dag_axis(d, from->name, block ? from->hi / block : from->hi),
		.inner = block ? dag_axis(d, inner_name(r, from->name), block) : NULL,
	};
	const struct expr *value = expr_axis(d->arena, out.outer);

	if (block)
		value = expr_add(d->arena, expr_mul(d->arena, value, block),
				 expr_axis(d->arena, out.inner));
	r->from[r->n] = from;
	r->axis[r->n] = out;
	r->to[r->n++] = value;
	return out;
}

/* How a reduce axis runs through the tensors that are read. */
struct course {
	const struct arranger *m;
	const struct axis *axis;
	int64_t block;		/* of the blocked dim that it runs through; 0: none */
	bool last;		/* it runs through the last stored dim of a tensor */
};

/* AXIS counts elements in INDEX, and what else is in it is whole blocks. */
static bool runs_through(struct arena *a, const struct expr *index, const struct axis *axis,
			 int64_t block)
{
	struct linear l;

	if (!linear_from(a, index, &l) || linear_coef(&l, axis) != 1)
		return false;
	for (int i = 0; i < l.n; i++)
		if (l.term[i].coef % block != 0 &&
		    (l.term[i].atom->kind != EXPR_AXIS || l.term[i].atom->axis != axis))
			return false;
	return l.constant % block == 0 && axis->hi % block == 0;
}

static bool follow(const struct expr *e, void *user)
{
	struct course *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	const struct arrangement *how = &c->m->how[dag_position(c->m->from, e->tensor)];

	for (int i = 0; i < how->n; i++) {
		const struct stored_dim *at = &how->at[i];
		const struct expr *index = e->index[at->dim];

		if (at->block && !c->block && runs_through(c->m->a, index, c->axis, at->block))
			c->block = at->block;
		if (i == how->n - 1 && !arrangement_block(how, at->dim))
			c->last |= runs_through(c->m->a, index, c->axis, 1);
	}
	return true;
}

/* How many REDUCE axes (of TENSOR_MAX_DIMS) the op gets; -1 and a message where that is too many. */
static int renew_reduce(struct renaming *r, struct axis **reduce)
{
	const struct op *op = r->op;
	struct axis *last[TENSOR_MAX_DIMS];
	int n = 0, nlast = 0;

	for (int i = 0; i < op->nreduce; i++) {
		struct course c = { .m = r->m, .axis = op->reduce[i] };

		expr_visit(op->body, follow, &c);
		if (n + nlast + 1 + (c.block > 0) > TENSOR_MAX_DIMS)
			return err_set("%s: in stored dims it reduces over more than %d axes",
				       op->tensor.name, TENSOR_MAX_DIMS);
		struct split_axis axis = renew(r, c.axis, c.block);

		if (axis.inner || !c.last)
			reduce[n++] = axis.outer;
		if (axis.inner || c.last)
			last[nlast++] = axis.inner ? axis.inner : axis.outer;
	}
	if (nlast)
		memcpy(reduce + n, last, (size_t)nlast * sizeof(*last));
	return n + nlast;
}

static void renew_space(struct renaming *r, const struct arrangement *how, struct axis **space)
{
	struct split_axis axis[TENSOR_MAX_DIMS];

	for (int d = 0; d < r->op->tensor.ndim; d++)
		axis[d] = renew(r, r->op->space[d], arrangement_block(how, d));
	for (int i = 0; i < how->n; i++)
		space[i] = how->at[i].block ? axis[how->at[i].dim].inner
					    : axis[how->at[i].dim].outer;
}

static const struct expr *renew_node(struct arena *a, const struct expr *e, void *user);

/* INDEX, in old axes, of a dim in blocks of BLOCK: which block, or the place within one (INNER). What
 * is one axis stays one, also where its extent is 1. */
static const struct expr *index_of_part(struct renaming *r, const struct expr *index,
					int64_t block, bool inner)
{
	struct arena *a = r->m->a;

	for (int i = 0; i < r->n; i++)
		if (index->kind == EXPR_AXIS && index->axis == r->from[i] && r->axis[i].inner &&
		    r->axis[i].inner->hi == block)
			return expr_axis(a, inner ? r->axis[i].inner : r->axis[i].outer);
	index = expr_rewrite(a, index, renew_node, r);
	return expr_simplify(a, expr_binary(a, inner ? EXPR_MOD : EXPR_DIV, index,
					    expr_int(a, block)));
}

/* Axes and loads in the new DAG; what else there is stays. */
static const struct expr *renew_node(struct arena *a, const struct expr *e, void *user)
{
	struct renaming *r = user;
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; e->kind == EXPR_AXIS && i < r->n; i++)
		if (r->from[i] == e->axis)
			return r->to[i];
	if (e->kind != EXPR_LOAD)
		return NULL;
	int at = dag_position(r->m->from, e->tensor);
	struct arrangement how = arrangement_spelled(&r->m->how[at], e->tensor->ndim);

	for (int i = 0; i < how.n; i++) {
		const struct expr *whole = e->index[how.at[i].dim];
		int64_t block = arrangement_block(&how, how.at[i].dim);

		index[i] = block ? index_of_part(r, whole, block, how.at[i].block > 0)
				 : expr_rewrite(a, whole, renew_node, user);
	}
	return expr_load(a, &r->m->to->ops.at[at]->tensor, index);
}

static int add_compute(struct arranger *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	struct arrangement how = arrangement_spelled(&m->how[i], op->tensor.ndim);
	struct axis *space[TENSOR_MAX_DIMS], *reduce[TENSOR_MAX_DIMS];
	struct renaming r = { .m = m, .op = op };

	renew_space(&r, &how, space);
	int nreduce = renew_reduce(&r, reduce);

	if (nreduce < 0)
		return -1;
	const struct expr *body = expr_rewrite(m->a, op->body, renew_node, &r);

	dag_reduce(m->to, op->tensor.name, space, how.n, op->reducer, reduce, nreduce, body)
		->output = op->output;
	return 0;
}

static void add_input(struct arranger *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	struct arrangement how = arrangement_spelled(&m->how[i], op->tensor.ndim);
	int64_t shape[TENSOR_MAX_DIMS];

	for (int k = 0; k < how.n; k++)
		shape[k] = arrangement_extent(&how, &op->tensor, k);
	dag_input_as(m->to, op, how.n, shape);
}

int arrange_op(struct arranger *m, int i)
{
	if (m->from->ops.at[i]->kind == OP_COMPUTE)
		return add_compute(m, i);
	add_input(m, i);
	return 0;
}
