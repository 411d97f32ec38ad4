/* SPDX-License-Identifier: Apache-2.0 */
/* te/dims/collapse.c - a DAG is rebuilt without the borders between dims that are one. */
#include "te/dims/collapse.h"

#include "te/dims/joined.h"
#include "te/dims/squeeze.h"
#include "te/eval.h"

/* What takes the place of an axis. */
struct joined_place {
	struct axis *whole;	/* that of several, of which it is one; NULL: the axis stays */
	int64_t behind;		/* places of those behind it */
	bool first;
};

/* A DAG on its way. */
struct collapse {
	struct arena *a;
	struct dims_joining joining;
	struct dag *to;
	const struct op *op;	/* that is rebuilt */
	struct joined_place *place;	/* by axis of op, reduced ones last */
};

/* The axis I of the op, reduced ones behind those of its dims. */
static struct axis *axis_at(const struct op *op, int i)
{
	return i < op->tensor.ndim ? op->space[i] : op->reduce[i - op->tensor.ndim];
}

static int axis_number(const struct op *op, const struct axis *axis)
{
	int i = 0;

	while (axis_at(op, i) != axis)
		i++;
	return i;
}

static struct joined_place *place_of(const struct collapse *c, const struct axis *axis)
{
	return &c->place[axis_number(c->op, axis)];
}

/* The N axes AXIS become one. */
static void join_axes(struct collapse *c, const struct axis *const *axis, int n)
{
	const char *name = axis[0]->name;
	int64_t extent = 1;

	if (n == 1 || place_of(c, axis[0])->whole)
		return;
	for (int k = 1; k < n; k++)
		name = arena_printf(c->a, "%s_%s", name, axis[k]->name);
	for (int k = n - 1; k >= 0; k--) {
		*place_of(c, axis[k]) = (struct joined_place){ .behind = extent, .first = k == 0 };
		extent *= axis[k]->hi;
	}
	struct axis *whole = dag_axis(c->to, name, extent);

	for (int k = 0; k < n; k++)
		place_of(c, axis[k])->whole = whole;
}

/* So many dims of LOAD from I on are one, and walked as such. */
static int walked_run(const struct collapse *c, const struct expr *load, int i)
{
	int n = 1;

	while (joined_run(&c->joining, load->tensor, i + n - 1) > 1 && joined_walk(&c->joining, c->op, load, i + n - 1))
		n++;
	return n;
}

static bool join_load(const struct expr *e, void *user)
{
	const struct axis *axis[TENSOR_MAX_DIMS];
	struct collapse *c = user;

	for (int i = 0, n; e->kind == EXPR_LOAD && i < e->tensor->ndim; i += n) {
		n = walked_run(c, e, i);
		for (int k = 0; n > 1 && k < n; k++)
			axis[k] = e->index[i + k]->axis;
		if (n > 1)
			join_axes(c, axis, n);
	}
	return true;
}

/* What comes of all axes of C's op. */
static void join_all(struct collapse *c)
{
	const struct op *op = c->op;

	c->place = arena_many(c->a, struct joined_place, op->tensor.ndim + op->nreduce);
	for (int i = 0; i < op->tensor.ndim; i += joined_run(&c->joining, &op->tensor, i))
		join_axes(c, (const struct axis *const *)op->space + i, joined_run(&c->joining, &op->tensor, i));
	expr_visit(op->body, join_load, c);
}

/* N places from P on, of which there are SIZE, as one. */
static const struct expr *value_of(struct arena *a, const struct joined_place *first, const struct joined_place *last, int64_t size)
{
	const struct expr *whole = expr_axis(a, first->whole);
	const struct expr *up_to = last->behind > 1 ? expr_binary(a, EXPR_DIV, whole, expr_int(a, last->behind)) : whole;

	return first->first ? up_to : expr_binary(a, EXPR_MOD, up_to, expr_int(a, size));
}

static const struct expr *rebuild(struct arena *a, const struct expr *e, void *user);

/* The N dims of LOAD from I on, which are one, as one index. */
static const struct expr *joined_index(struct arena *a, struct collapse *c, const struct expr *load, int i, int n)
{
	const struct expr *at = expr_rewrite(a, load->index[i], rebuild, c);
	int64_t size = load->tensor->shape[i];

	for (int k = 1; k < n; k++)
		size *= load->tensor->shape[i + k];
	if (walked_run(c, load, i) == n)
		return value_of(a, place_of(c, load->index[i]->axis), place_of(c, load->index[i + n - 1]->axis), size);
	for (int k = 1; k < n; k++)
		at = expr_add(a, expr_mul(a, at, load->tensor->shape[i + k]), expr_rewrite(a, load->index[i + k], rebuild, c));
	return at;
}

static const struct expr *rebuild(struct arena *a, const struct expr *e, void *user)
{
	struct collapse *c = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int ndim = 0;

	if (e->kind == EXPR_AXIS && place_of(c, e->axis)->whole)
		return value_of(a, place_of(c, e->axis), place_of(c, e->axis), e->axis->hi);
	if (e->kind != EXPR_LOAD)
		return NULL;
	for (int i = 0, n; i < e->tensor->ndim; i += n) {
		n = joined_run(&c->joining, e->tensor, i);
		index[ndim++] = n > 1 ? joined_index(a, c, e, i, n) : expr_rewrite(a, e->index[i], rebuild, c);
	}
	return expr_load(a, &c->to->ops.at[dag_position(c->joining.dag, e->tensor)]->tensor, index);
}

/* The axes that there are instead of those from number FIRST on, N of them. */
static int joined_axes(const struct collapse *c, int first, int n, struct axis **out)
{
	int count = 0;

	for (int i = first; i < first + n; i++)
		if (!c->place[i].whole || c->place[i].first)
			out[count++] = c->place[i].whole ? c->place[i].whole : axis_at(c->op, i);
	return count;
}

static void add_joined(struct collapse *c)
{
	const struct op *op = c->op;
	int64_t shape[TENSOR_MAX_DIMS];
	int ndim = 0;

	for (int i = 0, n; i < op->tensor.ndim; i += n, ndim++) {
		n = joined_run(&c->joining, &op->tensor, i);
		shape[ndim] = 1;
		for (int k = i; k < i + n; k++)
			shape[ndim] *= op->tensor.shape[k];
	}
	if (op->kind != OP_COMPUTE) {
		dag_input_as(c->to, op, ndim, shape);
		return;
	}
	join_all(c);
	struct axis *space[TENSOR_MAX_DIMS], **reduce = arena_many(c->a, struct axis *, op->nreduce + 1);
	int nspace = joined_axes(c, 0, op->tensor.ndim, space);
	int nreduce = joined_axes(c, op->tensor.ndim, op->nreduce, reduce);

	dag_reduce(c->to, op->tensor.name, space, nspace, op->reducer, reduce, nreduce,
		   expr_rewrite(c->a, op->body, rebuild, c))
		->output = op->output;
}

/* Ops by which dims become one, functions of these, and what such read of what is given. */
struct joining_ops {
	const struct dag *dag;
	bool *is;	/* by op */
	bool function;	/* the op that is looked at is one of another */
};

static bool is_place(const struct expr *index)
{
	return index->kind == EXPR_AXIS || index->kind == EXPR_INT;
}

static bool find_function(const struct expr *e, void *user)
{
	struct joining_ops *ops = user;
	bool function = e->kind == EXPR_LOAD && ops->is[dag_position(ops->dag, e->tensor)];

	for (int i = 0; function && i < e->tensor->ndim; i++)
		function = is_place(e->index[i]);
	ops->function |= function;
	return e->loads;
}

static bool add_given(const struct expr *e, void *user)
{
	const struct joining_ops *ops = user;
	int from = e->kind == EXPR_LOAD ? dag_position(ops->dag, e->tensor) : -1;

	if (from >= 0 && ops->dag->ops.at[from]->kind != OP_COMPUTE)
		ops->is[from] = true;
	return e->loads;
}

/* By op of D; NULL where no dims become one. */
static const bool *find_joining(struct arena *a, const struct dag *d)
{
	const struct dims_joining j = dims_join(a, d);
	struct joining_ops ops = { d, arena_many(a, bool, d->ops.n), false };
	bool any = false;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		ops.function = false;
		if (op->kind == OP_COMPUTE && !op_is_reduction(op))
			expr_visit(op->body, find_function, &ops);
		ops.is[i] |= ops.function || joined_by(&j, op);
		any |= ops.is[i];
		if (ops.is[i] && op->kind == OP_COMPUTE)
			expr_visit(op->body, add_given, &ops);
	}
	return any ? ops.is : NULL;
}

const struct dag *dag_collapse(struct arena *a, const struct dag *d)
{
	const struct dag *squeezed = dag_squeeze(a, d, NULL);
	const bool *joining = squeezed ? find_joining(a, squeezed) : NULL;
	struct collapse c = { .a = a, .to = dag_new(a, d->name) };

	squeezed = joining ? dag_squeeze(a, d, joining) : NULL;
	if (!squeezed)
		return NULL;
	c.joining = dims_join(a, squeezed);
	for (int i = 0; i < squeezed->ops.n; i++) {
		c.op = squeezed->ops.at[i];
		add_joined(&c);
	}
	/* an index that is a number now may leave out all that read something */
	return dag_freeze(c.to) == 0 && dag_arg_count(c.to) == dag_arg_count(d) ? c.to : NULL;
}
