/* SPDX-License-Identifier: Apache-2.0 */
/* te/collapse.c - finds dims that are walked together, and rebuilds a DAG without their borders. */
#include "te/collapse.h"

#include "te/eval.h"

struct joined_dims {
	bool next[TENSOR_MAX_DIMS];	/* dim i and the next one are to be one */
};

/* A DAG on its way: `from` has no dims of one place any more. */
struct collapse {
	struct arena *a;
	const struct dag *from;
	struct joined_dims *joined;	/* by op */
	struct dag *to;
	const struct op *op;		/* that is looked at, or rebuilt */
	bool changed;			/* something was parted */
	struct axis **whole;		/* by axis of op, reduced ones last: what takes its place */
	bool *gone;			/* the same: its place is that of one before it */
};

/* --- dims of one place */

static bool is_unit(const struct axis *axis)
{
	return axis->hi == 1;
}

/* Dims that stay of SHAPE, their numbers in KEPT; the last one where all have one place. */
static int kept_dims(const struct tensor *t, int *kept)
{
	int n = 0;

	for (int i = 0; i < t->ndim; i++)
		if (t->shape[i] > 1 || (i == t->ndim - 1 && n == 0))
			kept[n++] = i;
	return n;
}

static const struct expr *without_units(struct arena *a, const struct expr *e, void *user)
{
	const struct collapse *c = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int kept[TENSOR_MAX_DIMS];

	if (e->kind == EXPR_AXIS && is_unit(e->axis))
		return expr_int(a, 0);
	if (e->kind != EXPR_LOAD)
		return NULL;
	int n = kept_dims(e->tensor, kept);

	for (int i = 0; i < n; i++)
		index[i] = expr_rewrite(a, e->index[kept[i]], without_units, user);
	return expr_load(a, &c->to->ops.at[dag_position(c->from, e->tensor)]->tensor, index);
}

/* Those axes of AXES that have several places; one at least where AT_LEAST. */
static int several(struct axis *const *axes, int n, int at_least, struct axis **out)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		if (!is_unit(axes[i]) || (i == n - 1 && count < at_least))
			out[count++] = axes[i];
	return count;
}

static void add_squeezed(struct collapse *c, const struct op *op)
{
	struct axis *space[TENSOR_MAX_DIMS], **reduce = arena_many(c->a, struct axis *, op->nreduce + 1);
	int64_t shape[TENSOR_MAX_DIMS];
	int kept[TENSOR_MAX_DIMS], n = kept_dims(&op->tensor, kept);

	for (int i = 0; i < n; i++)
		shape[i] = op->tensor.shape[kept[i]];
	if (op->kind != OP_COMPUTE) {
		dag_input_as(c->to, op, n, shape);
		return;
	}
	for (int i = 0; i < n; i++)
		space[i] = op->space[kept[i]];
	int nreduce = several(op->reduce, op->nreduce, op->nreduce > 0, reduce);

	dag_reduce(c->to, op->tensor.name, space, n, op->reducer, reduce, nreduce,
		   expr_rewrite(c->a, op->body, without_units, c))
		->output = op->output;
}

static const struct dag *squeeze(struct arena *a, const struct dag *d)
{
	struct collapse c = { .a = a, .from = d, .to = dag_new(a, d->name) };

	for (int i = 0; i < d->ops.n; i++)
		add_squeezed(&c, d->ops.at[i]);
	return dag_freeze(c.to) == 0 ? c.to : NULL;
}

/* --- which dims are walked together */

static struct joined_dims *joined_of(const struct collapse *c, const struct tensor *t)
{
	return &c->joined[dag_position(c->from, t)];
}

/* Is dim I of LOAD walked by an axis alone, from end to end? The axis, or NULL. */
static const struct axis *whole_axis(const struct expr *load, int i)
{
	const struct expr *e = load->index[i];

	return e->kind == EXPR_AXIS && e->axis->hi == load->tensor->shape[i] ? e->axis : NULL;
}

struct pair_search {
	const struct collapse *c;
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
		if (i + 1 < e->tensor->ndim && joined_of(p->c, e->tensor)->next[i] &&
		    whole_axis(e, i) == p->first && whole_axis(e, i + 1) == p->second)
			i++;
		else
			p->apart = true;
	}
	return false;
}

static bool are_together(const struct collapse *c, const struct axis *first, const struct axis *second)
{
	struct pair_search p = { c, first, second, false };

	expr_visit(c->op->body, find_apart, &p);
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
static bool are_neighbours(const struct collapse *c, const struct axis *first, const struct axis *second)
{
	const struct op *op = c->op;
	int at = place_of(op->space, op->tensor.ndim, first);

	if (at < 0)
		return first != second && place_of(op->reduce, op->nreduce, second) >= 0;	/* no diagonal */
	return at + 1 < op->tensor.ndim && op->space[at + 1] == second && joined_of(c, &op->tensor)->next[at];
}

static bool part_load(const struct expr *e, void *user)
{
	struct collapse *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i + 1 < e->tensor->ndim; i++) {
		bool *next = &joined_of(c, e->tensor)->next[i];
		const struct axis *first = whole_axis(e, i), *second = whole_axis(e, i + 1);

		if (!*next || (first && second && are_neighbours(c, first, second) &&
			       are_together(c, first, second)))
			continue;
		*next = false;
		c->changed = true;
	}
	return true;
}

static void part_op(struct collapse *c)
{
	for (int i = 0; i + 1 < c->op->tensor.ndim; i++) {
		bool *next = &joined_of(c, &c->op->tensor)->next[i];

		if (!*next || are_together(c, c->op->space[i], c->op->space[i + 1]))
			continue;
		*next = false;
		c->changed = true;
	}
	expr_visit(c->op->body, part_load, c);
}

/* Parts dims until nothing is walked apart that is joined. Does something stay joined? */
static bool find_joined(struct collapse *c)
{
	const struct dag *d = c->from;
	bool any = false;

	c->joined = arena_many(c->a, struct joined_dims, d->ops.n);
	for (int i = 0; i < d->ops.n; i++)
		memset(c->joined[i].next, true, sizeof(c->joined[i].next));
	do {
		c->changed = false;
		for (int i = 0; i < d->ops.n; i++) {
			c->op = d->ops.at[i];
			if (c->op->kind == OP_COMPUTE)
				part_op(c);
		}
	} while (c->changed);
	for (int i = 0; i < d->ops.n; i++)
		for (int k = 0; k + 1 < d->ops.at[i]->tensor.ndim; k++)
			any |= c->joined[i].next[k];
	return any;
}

/* --- the DAG that comes of it */

/* How many dims of T from I on are one. */
static int run_of(const struct collapse *c, const struct tensor *t, int i)
{
	int n = 1;

	while (i + n < t->ndim && joined_of(c, t)->next[i + n - 1])
		n++;
	return n;
}

/* The axis I of the op, reduced ones behind those of its dims. */
static struct axis *axis_at(const struct op *op, int i)
{
	return i < op->tensor.ndim ? op->space[i] : op->reduce[i - op->tensor.ndim];
}

static int axis_number(const struct op *op, const struct axis *axis)
{
	int at = place_of(op->space, op->tensor.ndim, axis);

	return at >= 0 ? at : op->tensor.ndim + place_of(op->reduce, op->nreduce, axis);
}

/* The N axes AXIS become one, which takes the place of the first. */
static void join_axes(struct collapse *c, const struct axis *const *axis, int n)
{
	int first = axis_number(c->op, axis[0]);
	const char *name = axis[0]->name;
	int64_t extent = axis[0]->hi;

	if (n == 1 || c->whole[first])
		return;
	for (int k = 1; k < n; k++) {
		name = arena_printf(c->a, "%s_%s", name, axis[k]->name);
		extent *= axis[k]->hi;
		c->gone[axis_number(c->op, axis[k])] = true;
	}
	c->whole[first] = dag_axis(c->to, name, extent);
}

static bool join_load(const struct expr *e, void *user)
{
	const struct axis *axis[TENSOR_MAX_DIMS];
	struct collapse *c = user;

	for (int i = 0, n; e->kind == EXPR_LOAD && i < e->tensor->ndim; i += n) {
		n = run_of(c, e->tensor, i);
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
	int axes = op->tensor.ndim + op->nreduce;

	c->whole = arena_many(c->a, struct axis *, axes);
	c->gone = arena_many(c->a, bool, axes);
	for (int i = 0; i < op->tensor.ndim; i += run_of(c, &op->tensor, i))
		join_axes(c, (const struct axis *const *)op->space + i, run_of(c, &op->tensor, i));
	expr_visit(op->body, join_load, c);
	for (int i = 0; i < axes; i++)
		if (!c->whole[i])
			c->whole[i] = axis_at(op, i);
}

static const struct expr *load_joined(struct arena *a, const struct expr *e, void *user)
{
	const struct collapse *c = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	int ndim = 0;

	if (e->kind != EXPR_LOAD)
		return NULL;
	for (int i = 0, n; i < e->tensor->ndim; i += n) {
		n = run_of(c, e->tensor, i);
		index[ndim++] = n > 1 ? expr_axis(a, c->whole[axis_number(c->op, e->index[i]->axis)])
				      : expr_rewrite(a, e->index[i], load_joined, user);
	}
	return expr_load(a, &c->to->ops.at[dag_position(c->from, e->tensor)]->tensor, index);
}

/* The axes that stay of those from number FIRST on, N of them. */
static int staying(const struct collapse *c, int first, int n, struct axis **out)
{
	int count = 0;

	for (int i = first; i < first + n; i++)
		if (!c->gone[i])
			out[count++] = c->whole[i];
	return count;
}

static void add_joined(struct collapse *c)
{
	const struct op *op = c->op;
	int64_t shape[TENSOR_MAX_DIMS];
	int ndim = 0;

	for (int i = 0, n; i < op->tensor.ndim; i += n, ndim++) {
		n = run_of(c, &op->tensor, i);
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
	int nspace = staying(c, 0, op->tensor.ndim, space);
	int nreduce = staying(c, op->tensor.ndim, op->nreduce, reduce);

	dag_reduce(c->to, op->tensor.name, space, nspace, op->reducer, reduce, nreduce,
		   expr_rewrite(c->a, op->body, load_joined, c))
		->output = op->output;
}

const struct dag *dag_collapse(struct arena *a, const struct dag *d)
{
	struct collapse c = { .a = a, .from = squeeze(a, d), .to = dag_new(a, d->name) };

	if (!c.from || !find_joined(&c))
		return NULL;
	for (int i = 0; i < c.from->ops.n; i++) {
		c.op = c.from->ops.at[i];
		add_joined(&c);
	}
	/* an index that is a number now may leave out all that read something */
	return dag_freeze(c.to) == 0 && dag_arg_count(c.to) == dag_arg_count(d) ? c.to : NULL;
}
