/* SPDX-License-Identifier: Apache-2.0 */
/* te/eval.c - evaluates a DAG by walking its expressions.
 *
 * Bodies are first bound: axes become slots of a value array, tensors become sources, so that
 * nothing is looked up in the inner loop. */
#include "te/eval.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "te/index/domain.h"

/* Elements of one op that were computed on demand: open addressing, a power of two of cells. */
struct memo {
	int64_t *key;		/* element + 1; 0 is free */
	union scalar *value;
	size_t n, cap;
};

struct bound_expr {
	enum expr_kind kind;
	enum dtype dtype;
	enum dtype arg_dtype;	/* of arg[0] */
	double greatest;	/* in a wide evaluation: what is beyond it is infinite */
	union scalar constant;
	int slot;		/* EXPR_AXIS */
	struct source *source;	/* EXPR_LOAD; its index is arg[0..n) */
	int n;
	struct bound_expr **arg;
};

/* Where the elements of one op come from. */
struct source {
	const struct op *op;
	void *data;		/* NULL: computed on demand */
	struct bound_expr *body;
	struct memo memo;
	int naxes;
	int64_t extent[2 * TENSOR_MAX_DIMS];	/* space, then reduce */
};

struct evaluator {
	struct arena *arena;
	const struct dag *dag;
	struct source *source;	/* one an op */
	bool wide;		/* floats are f64 throughout */
	int64_t terms;		/* bodies evaluated so far */
};

int dag_arg(const struct dag *d, const struct op *op)
{
	int n = 0;

	if (op->kind == OP_COMPUTE && !op->output)
		return -1;
	for (int outputs = 0; outputs < 2; outputs++)
		for (int i = 0; i < d->ops.n; i++) {
			const struct op *other = d->ops.at[i];

			if (outputs != (other->kind == OP_COMPUTE) || (outputs && !other->output))
				continue;
			if (other == op)
				return n;
			n++;
		}
	return -1;
}

int dag_arg_count(const struct dag *d)
{
	int n = 0;

	for (int i = 0; i < d->ops.n; i++)
		n += d->ops.at[i]->kind != OP_COMPUTE || d->ops.at[i]->output;
	return n;
}

const struct op *dag_arg_op(const struct dag *d, int arg)
{
	for (int i = 0; i < d->ops.n; i++)
		if (dag_arg(d, d->ops.at[i]) == arg)
			return d->ops.at[i];
	die("DAG %s has no buffer %d", d->name, arg);
}

static int slot_of(const struct op *op, const struct axis *axis)
{
	for (int i = 0; i < op->tensor.ndim; i++)
		if (op->space[i] == axis)
			return i;
	for (int i = 0; i < op->nreduce; i++)
		if (op->reduce[i] == axis)
			return op->tensor.ndim + i;
	die("axis %s is not of op %s", axis->name, op->tensor.name);
}

/* The type that values of T are computed in. */
static enum dtype held_as(const struct evaluator *ev, enum dtype t)
{
	return ev->wide && dtype_is_float(t) ? DTYPE_F64 : t;
}

static struct bound_expr *bind(struct evaluator *ev, const struct op *op, const struct expr *e)
{
	struct bound_expr *n = arena_one(ev->arena, struct bound_expr);
	const struct expr *const *arg = e->kind == EXPR_LOAD ? e->index : e->arg;

	n->kind = e->kind;
	n->dtype = held_as(ev, e->dtype);
	n->greatest = ev->wide ? precision_of_arithmetic(e->dtype).greatest : INFINITY;
	n->n = e->kind == EXPR_LOAD ? e->tensor->ndim : expr_kind_arity(e->kind);
	n->arg = arena_many(ev->arena, struct bound_expr *, n->n);
	if (e->kind == EXPR_INT || e->kind == EXPR_FLOAT)
		n->constant = scalar_const(e);
	if (e->kind == EXPR_AXIS)
		n->slot = slot_of(op, e->axis);
	if (e->kind == EXPR_LOAD)
		n->source = &ev->source[dag_position(ev->dag, e->tensor)];
	for (int i = 0; i < n->n; i++)
		n->arg[i] = bind(ev, op, arg[i]);
	if (n->n > 0)
		n->arg_dtype = n->arg[0]->dtype;
	return n;
}

static union scalar element(struct evaluator *ev, struct source *s, int64_t index);

static union scalar value(struct evaluator *ev, const struct bound_expr *n, const int64_t *axes);

static union scalar load(struct evaluator *ev, const struct bound_expr *n, const int64_t *axes)
{
	struct source *s = n->source;
	int64_t at = 0;

	for (int i = 0; i < n->n; i++) {
		int64_t index = value(ev, n->arg[i], axes).i;

		assert(index >= 0 && index < s->op->tensor.shape[i]);
		at = at * s->op->tensor.shape[i] + index;
	}
	return s->data ? scalar_load(s->op->tensor.dtype, s->data, at) : element(ev, s, at);
}

/* The range of the type that is computed in f64 stays its own. */
static union scalar in_range(const struct bound_expr *n, union scalar v)
{
	if (isfinite(n->greatest) && fabs(v.f) >= n->greatest)
		v.f = copysign(INFINITY, v.f);
	return v;
}

static union scalar value(struct evaluator *ev, const struct bound_expr *n, const int64_t *axes)
{
	switch (n->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
		return n->constant;
	case EXPR_AXIS:
		return (union scalar){ .i = axes[n->slot] };
	case EXPR_LOAD:
		return load(ev, n, axes);
	case EXPR_SELECT:
		return value(ev, n->arg[value(ev, n->arg[0], axes).i ? 1 : 2], axes);
	case EXPR_CAST:
		return in_range(n, scalar_cast(n->dtype, n->arg_dtype, value(ev, n->arg[0], axes)));
	case EXPR_AND:
	case EXPR_OR: {	/* the second may rest on the first */
		union scalar x = value(ev, n->arg[0], axes);

		return (x.i != 0) == (n->kind == EXPR_OR) ? x : value(ev, n->arg[1], axes);
	}
	default:
		break;
	}
	union scalar x = value(ev, n->arg[0], axes);

	if (n->n == 1)
		return in_range(n, scalar_unary(n->kind, n->arg_dtype, x));
	return in_range(n, scalar_binary(n->kind, n->arg_dtype, x, value(ev, n->arg[1], axes)));
}

/* Counts AXIS up, the last one fastest; false after the last combination. */
static bool next(int64_t *axis, const int64_t *extent, int n)
{
	for (int i = n - 1; i >= 0; i--) {
		if (++axis[i] < extent[i])
			return true;
		axis[i] = 0;
	}
	return false;
}

/* The element of S at the space axes AXES, whose reduce axes are 0. */
static union scalar compute(struct evaluator *ev, struct source *s, int64_t *axes)
{
	const struct op *op = s->op;
	enum dtype t = held_as(ev, op->tensor.dtype);

	ev->terms++;
	if (op->reducer == REDUCE_NONE)
		return scalar_stored(t, value(ev, s->body, axes));
	union scalar start = { .f = reducer_identity(op->reducer, t) };
	union scalar sum = scalar_cast(t, DTYPE_F64, start);
	enum expr_kind combine = reducer_combine(op->reducer);
	int ndim = op->tensor.ndim;

	do {
		sum = scalar_binary(combine, t, sum, value(ev, s->body, axes));
		ev->terms++;
	} while (next(axes + ndim, s->extent + ndim, op->nreduce));
	return scalar_stored(t, sum);
}

static size_t memo_cell(const struct memo *m, int64_t index)
{
	size_t at = (size_t)((uint64_t)index * UINT64_C(0x9e3779b97f4a7c15)) & (m->cap - 1);

	while (m->key[at] != 0 && m->key[at] != index + 1)
		at = (at + 1) & (m->cap - 1);
	return at;
}

static void memo_grow(struct arena *a, struct memo *m)
{
	struct memo old = *m;

	m->cap = old.cap ? 2 * old.cap : 64;
	m->key = arena_many(a, int64_t, m->cap);
	m->value = arena_many(a, union scalar, m->cap);
	for (size_t i = 0; i < old.cap; i++) {
		if (old.key[i] == 0)
			continue;
		size_t at = memo_cell(m, old.key[i] - 1);

		m->key[at] = old.key[i];
		m->value[at] = old.value[i];
	}
}

static union scalar element(struct evaluator *ev, struct source *s, int64_t index)
{
	struct memo *m = &s->memo;
	int64_t axes[2 * TENSOR_MAX_DIMS] = { 0 };
	int64_t rest = index;

	if (m->cap > 0) {
		size_t at = memo_cell(m, index);

		if (m->key[at] != 0)
			return m->value[at];
	}
	for (int i = s->op->tensor.ndim - 1; i >= 0; i--) {
		axes[i] = rest % s->extent[i];
		rest /= s->extent[i];
	}
	union scalar v = compute(ev, s, axes);

	if (2 * (m->n + 1) > m->cap)
		memo_grow(ev->arena, m);
	size_t at = memo_cell(m, index);

	m->key[at] = index + 1;
	m->value[at] = v;
	m->n++;
	return v;
}

struct evaluator *evaluator_new(struct arena *a, const struct dag *d, void *const *args, bool wide)
{
	struct evaluator *ev = arena_one(a, struct evaluator);

	assert(d->frozen);
	ev->arena = a;
	ev->dag = d;
	ev->wide = wide;
	ev->source = arena_many(a, struct source, d->ops.n);
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		struct source *s = &ev->source[i];

		s->op = op;
		if (op->kind != OP_COMPUTE) {
			s->data = args[dag_arg(d, op)];
			continue;
		}
		assert(op->nreduce <= TENSOR_MAX_DIMS);
		for (int j = 0; j < op->tensor.ndim; j++)
			s->extent[s->naxes++] = op->space[j]->hi;
		for (int j = 0; j < op->nreduce; j++)
			s->extent[s->naxes++] = op->reduce[j]->hi;
		s->body = bind(ev, op, op->body);
	}
	return ev;
}

bool dag_eval_element(struct evaluator *ev, const struct op *op, int64_t index, union scalar *v)
{
	for (int i = 0; i < ev->dag->ops.n; i++) {
		if (ev->dag->ops.at[i] != op || op->kind != OP_COMPUTE)
			continue;
		if (index < 0 || index >= tensor_count(&op->tensor))
			return false;
		*v = element(ev, &ev->source[i], index);
		return true;
	}
	return false;
}

int64_t evaluator_terms(const struct evaluator *ev)
{
	return ev->terms;
}

void dag_eval(const struct dag *d, void *const *args)
{
	struct arena *a = arena_new();
	struct evaluator *ev = evaluator_new(a, d, args, false);

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		struct source *s = &ev->source[i];
		int64_t axes[2 * TENSOR_MAX_DIMS] = { 0 };
		int64_t at = 0;

		if (op->kind != OP_COMPUTE)
			continue;
		void *data = op->output ? args[dag_arg(d, op)]
					: arena_alloc(a, tensor_bytes(&op->tensor));
		do {
			scalar_store(op->tensor.dtype, data, at++, compute(ev, s, axes));
		} while (next(axes, s->extent, op->tensor.ndim));
		s->data = data;
	}
	arena_free(a);
}
