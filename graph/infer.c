/* SPDX-License-Identifier: Apache-2.0 */
/* graph/infer.c - the walk over the bindings, and what the shape rules share. */
#include "graph/infer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "graph/op.h"

enum { MAX_LIST = 4096 };	/* longer integer operands are data, not shapes or axes */

static int (*const rules[])(struct infer *x) = {
#define X(name, text, min, max, shape, role) [OPER_##name] = shape_##shape,
#include "graph/op.def"
#undef X
};

int infer_error(const struct infer *x, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return err_set("node '%.200s' (%.100s): %s", x->call->label, x->call->op_name, message);
}

const struct type *infer_arg(const struct infer *x, int i)
{
	static const struct type unknown = { .dtype = DTYPE_COUNT, .rank = RANK_UNKNOWN };
	int value = call_arg(x->call, i);

	return value == VALUE_NONE ? &unknown : &x->f->bindings.at[value].type;
}

const int64_t *infer_ints(const struct infer *x, int i, int *n)
{
	int value = call_arg(x->call, i);

	*n = 0;
	if (value == VALUE_NONE)
		return NULL;
	const struct binding *b = &x->f->bindings.at[value];
	int64_t count = type_count(&b->type);

	if (b->kind != BIND_CONST || b->type.rank > 1 || count > MAX_LIST)
		return NULL;
	if (b->type.dtype != DTYPE_I64 && b->type.dtype != DTYPE_I32)
		return NULL;
	*n = (int)count;
	if (b->type.dtype == DTYPE_I64)
		return b->data;
	int64_t *wide = arena_many(x->graph->arena, int64_t, count);

	for (int j = 0; j < *n; j++)
		wide[j] = ((const int32_t *)b->data)[j];
	return wide;
}

const int64_t *infer_list(const struct infer *x, const char *name, int i, int *n)
{
	const int64_t *list = call_ints(x->call, name, n);

	return list ? list : infer_ints(x, i, n);
}

int infer_axis(const struct infer *x, int64_t axis, int rank)
{
	if (axis < -rank || axis >= rank)
		return infer_error(x, "axis %lld of a tensor of rank %d", (long long)axis, rank);
	return (int)(axis < 0 ? axis + rank : axis);
}

int infer_join(const struct infer *x, struct dim a, struct dim b, bool broadcast, struct dim *out)
{
	if (dim_same(a, b) || (broadcast && b.n == 1)) {
		*out = a;
		return 0;
	}
	if (broadcast && a.n == 1) {
		*out = b;
		return 0;
	}
	if (dim_is_known(a) && dim_is_known(b))
		return infer_error(x, "sizes %lld and %lld do not go together", (long long)a.n,
				   (long long)b.n);
	*out = dim_is_known(a) ? a : b;
	/* The other is 1 or agrees; of two that are not known, either may be the 1. */
	if (!dim_is_known(*out))
		*out = dim_unknown();
	return 0;
}

struct dim infer_product(const struct type *t, int from, int to)
{
	struct dim all = dim_number(1);

	for (int i = from; i < to; i++) {
		if (t->dim[i].n != 1 && all.n == 1)
			all = t->dim[i];
		else if (t->dim[i].n == 1)
			continue;
		else if (!dim_is_known(all) || !dim_is_known(t->dim[i]) ||
			 __builtin_mul_overflow(all.n, t->dim[i].n, &all.n))
			return dim_unknown();
	}
	return all;
}

static int check(const struct infer *x, const struct type *t)
{
	for (int i = 0; i < t->rank; i++)
		if (t->dim[i].n > GRAPH_MAX_DIM)
			return infer_error(x, "a result dim of %lld is beyond the limit",
					   (long long)t->dim[i].n);
	if (type_has_shape(t) && type_count(t) < 0)
		return infer_error(x, "the result has more elements than the limit allows");
	return 0;
}

/* What inference found, completed by what the model declared or an earlier run found. */
static void merge(struct type *known, const struct type *found)
{
	if (found->dtype != DTYPE_COUNT)
		known->dtype = found->dtype;
	if (found->rank == RANK_UNKNOWN)
		return;
	for (int i = 0; i < found->rank; i++)
		if (found->rank != known->rank || dim_is_known(found->dim[i]) ||
		    (found->dim[i].name && !dim_is_known(known->dim[i])))
			known->dim[i] = found->dim[i];
	known->rank = found->rank;
}

static int infer_call(struct graph *g, struct binding *b)
{
	struct call *c = &b->call;
	struct type one = type_unknown();
	struct infer x = { .graph = g, .f = g->main, .call = c, .out = &one, .nout = 1 };

	if (c->op == OPER_UNKNOWN)
		return 0;
	if (c->nargs < oper_min_args(c->op) || c->nargs > oper_max_args(c->op))
		return infer_error(&x, "%d operands", c->nargs);
	for (int i = 0; i < oper_min_args(c->op); i++)
		if (c->args[i] == VALUE_NONE)
			return infer_error(&x, "operand %d is missing", i);
	if (c->noutputs > 1) {
		x.nout = c->noutputs;
		x.out = arena_many(g->arena, struct type, x.nout);
		for (int i = 0; i < x.nout; i++)
			x.out[i] = type_unknown();
	}
	if (rules[c->op](&x) < 0)
		return -1;
	for (int i = 0; i < x.nout; i++) {
		if (check(&x, &x.out[i]) < 0)
			return -1;
		merge(c->noutputs > 1 ? &b->type.fields[i] : &b->type, &x.out[i]);
	}
	if (c->noutputs > 1 || !type_is_static(&x.out[0]))
		return 0;
	const void *data = fold_call(&x, &x.out[0]);

	if (data) {
		b->kind = BIND_CONST;
		b->data = data;
	}
	return 0;
}

int graph_infer(struct graph *g)
{
	struct binding_vec *v = &g->main->bindings;

	for (int i = 0; i < v->n; i++) {
		struct binding *b = &v->at[i];

		if (b->kind == BIND_CALL && infer_call(g, b) < 0)
			return -1;
		if (b->kind == BIND_FIELD)
			b->type = v->at[b->tuple].type.fields[b->field];
	}
	return 0;
}
