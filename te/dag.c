/* SPDX-License-Identifier: Apache-2.0 */
/* te/dag.c - building and freezing a DAG. */
#include "te/dag.h"

#include <assert.h>

#include "base/err.h"
#include "te/index/index.h"

struct dag *dag_new(struct arena *a, const char *name)
{
	struct dag *d = arena_one(a, struct dag);

	d->arena = a;
	d->name = arena_strdup(a, name);
	return d;
}

static struct op *add_op(struct dag *d, const char *name, enum dtype t, int ndim,
			 enum op_kind kind)
{
	struct op *op = arena_one(d->arena, struct op);

	assert(!d->frozen && ndim >= 0 && ndim <= TENSOR_MAX_DIMS);
	op->tensor.name = arena_strdup(d->arena, name);
	op->tensor.dtype = t;
	op->tensor.ndim = ndim;
	op->kind = kind;
	vec_push(d->arena, &d->ops, op);
	return op;
}

void dag_usual_range(enum dtype t, double *low, double *high)
{
	double limit = dtype_is_float(t) ? 1 : 4;

	*low = t == DTYPE_U8 || t == DTYPE_BOOL ? 0 : -limit;
	*high = t == DTYPE_BOOL ? 1 : limit;
}

struct op *dag_input(struct dag *d, const char *name, enum dtype t, int ndim, const int64_t *shape,
		     bool constant)
{
	struct op *op = add_op(d, name, t, ndim, constant ? OP_CONST : OP_INPUT);

	for (int i = 0; i < ndim; i++) {
		assert(shape[i] > 0);
		op->tensor.shape[i] = shape[i];
	}
	dag_usual_range(t, &op->low, &op->high);
	return op;
}

struct op *dag_input_as(struct dag *d, const struct op *op, int ndim, const int64_t *shape)
{
	struct op *made = dag_input(d, op->tensor.name, op->tensor.dtype, ndim, shape, op->kind == OP_CONST);

	made->low = op->low;
	made->high = op->high;
	return made;
}

struct axis *dag_axis(struct dag *d, const char *name, int64_t extent)
{
	struct axis *axis = arena_one(d->arena, struct axis);

	assert(extent > 0);
	axis->name = arena_strdup(d->arena, name);
	axis->hi = extent;
	return axis;
}

struct op *dag_reduce(struct dag *d, const char *name, struct axis *const *space, int nspace,
		      enum reducer reducer, struct axis *const *reduce, int nreduce,
		      const struct expr *body)
{
	struct op *op = add_op(d, name, body->dtype, nspace, OP_COMPUTE);

	assert((nreduce > 0) == (reducer != REDUCE_NONE));
	op->space = arena_memdup(d->arena, space, (size_t)nspace * sizeof(*space));
	op->reduce = arena_memdup(d->arena, reduce, (size_t)nreduce * sizeof(*reduce));
	op->nreduce = nreduce;
	op->reducer = reducer;
	op->body = body;
	for (int i = 0; i < nspace; i++)
		op->tensor.shape[i] = space[i]->hi;
	for (int i = 0; i < nreduce; i++)
		op->reduce[i]->reduce = true;
	return op;
}

/* --- freezing */

struct bounds_check {
	struct arena *scratch;
	const struct op *op;
	struct facts facts;
	int rc;
};

static void check_load(struct bounds_check *c, const struct expr *load)
{
	for (int i = 0; i < load->tensor->ndim && c->rc == 0; i++) {
		const struct expr *index = load->index[i];

		if (index_at_least(c->scratch, index, 0, &c->facts) &&
		    index_at_most(c->scratch, index, load->tensor->shape[i] - 1, &c->facts))
			continue;
		struct range r = expr_range(index);

		c->rc = err_set("%s: index %d of %s may be %jd..%jd, beyond 0..%jd; "
				"guard it with select()", c->op->tensor.name, i, load->tensor->name,
				(intmax_t)r.lo, (intmax_t)r.hi,
				(intmax_t)load->tensor->shape[i] - 1);
	}
}

static void check_bounds(struct bounds_check *c, const struct expr *e)
{
	int known = c->facts.n;

	if (c->rc < 0)
		return;
	if (e->kind == EXPR_SELECT) {
		check_bounds(c, e->arg[0]);
		facts_add(c->scratch, &c->facts, e->arg[0], false);
		check_bounds(c, e->arg[1]);
		c->facts.n = known;
		facts_add(c->scratch, &c->facts, e->arg[0], true);
		check_bounds(c, e->arg[2]);
		c->facts.n = known;
		return;
	}
	if (e->kind == EXPR_LOAD) {
		for (int i = 0; i < e->tensor->ndim; i++)
			check_bounds(c, e->index[i]);
		check_load(c, e);
	}
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		check_bounds(c, e->arg[i]);
}

int dag_freeze(struct dag *d)
{
	struct bounds_check check = { .scratch = arena_new() };
	int computes = 0;

	for (int i = 0; i < d->ops.n && check.rc == 0; i++) {
		struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE)
			continue;
		computes++;
		check.op = op;
		check_bounds(&check, op->body);
		op->output |= dag_consumers(d, &op->tensor) == 0;
	}
	arena_free(check.scratch);
	if (check.rc == 0 && computes == 0)
		check.rc = err_set("%s: computes nothing; add an equation", d->name);
	d->frozen = check.rc == 0;
	return check.rc;
}

struct op *dag_op(const struct dag *d, const struct tensor *t)
{
	for (int i = 0; i < d->ops.n; i++)
		if (&d->ops.at[i]->tensor == t)
			return d->ops.at[i];
	return NULL;
}

int dag_position(const struct dag *d, const struct tensor *t)
{
	for (int i = 0; i < d->ops.n; i++)
		if (&d->ops.at[i]->tensor == t)
			return i;
	die("tensor %s is not of DAG %s", t->name, d->name);
}

struct op *dag_find(const struct dag *d, const char *name)
{
	for (int i = 0; i < d->ops.n; i++)
		if (strcmp(d->ops.at[i]->tensor.name, name) == 0)
			return d->ops.at[i];
	return NULL;
}
