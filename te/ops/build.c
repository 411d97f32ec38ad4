/* SPDX-License-Identifier: Apache-2.0 */
/* te/ops/build.c - short forms for building expressions and ops. */
#include "te/ops/build.h"

#include <assert.h>

#include "te/limits.h"

static const char *new_name(struct dag *d, const char *base)
{
	const char *name = base;

	for (int i = 1; dag_find(d, name); i++)
		name = arena_printf(d->arena, "%s_%d", base, i);
	return name;
}

struct op *build_reduce(struct dag *d, const char *base, struct axis *const *space, int nspace,
		 enum reducer reducer, struct axis *const *reduce, int nreduce,
		 const struct expr *body)
{
	int64_t shape[TENSOR_MAX_DIMS];

	assert(nspace <= TENSOR_MAX_DIMS);
	for (int i = 0; i < nspace; i++)
		shape[i] = space[i]->hi;
	if (shape_check(base, nspace, shape) < 0)
		return NULL;
	return dag_reduce(d, new_name(d, base), space, nspace, reducer, reduce, nreduce, body);
}

struct op *build_map(struct dag *d, const char *base, struct axis *const *space, int nspace,
		     const struct expr *body)
{
	return build_reduce(d, base, space, nspace, REDUCE_NONE, NULL, 0, body);
}

void axes_like(struct dag *d, const struct op *x, struct axis **axes)
{
	static const char letters[TENSOR_MAX_DIMS + 1] = "ijklmnopqrst";

	for (int i = 0; i < x->tensor.ndim; i++) {
		char letter[2] = { letters[i], '\0' };
		const char *name = x->kind == OP_COMPUTE ? x->space[i]->name : letter;

		axes[i] = dag_axis(d, name, x->tensor.shape[i]);
	}
}

const struct expr *read_at(struct dag *d, const struct op *x, const struct expr *const *index)
{
	return expr_load(d->arena, &x->tensor, index);
}

const struct expr *read_axes(struct dag *d, const struct op *x, struct axis *const *axes)
{
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; i < x->tensor.ndim; i++)
		index[i] = axis_expr(d, axes[i]);
	return read_at(d, x, index);
}

const struct expr *axis_expr(struct dag *d, const struct axis *axis)
{
	return expr_axis(d->arena, axis);
}

const struct expr *build_binary(struct dag *d, enum expr_kind k, const struct expr *x,
			  const struct expr *y)
{
	return expr_binary(d->arena, k, x, y);
}

const struct expr *build_binary_const(struct dag *d, enum expr_kind k, const struct expr *x,
				      double v)
{
	return build_binary(d, k, x, expr_const(d->arena, x->dtype, v));
}

const struct expr *build_and(struct dag *d, const struct expr *x, const struct expr *y)
{
	return x ? build_binary(d, EXPR_AND, x, y) : y;
}

static const struct expr *widen(struct dag *d, const struct expr *x)
{
	bool narrow = x->dtype == DTYPE_I8 || x->dtype == DTYPE_U8;

	return narrow ? expr_cast(d->arena, DTYPE_I32, x) : x;
}

const struct expr *build_product(struct dag *d, const char *name, const struct expr *x,
			   const struct expr *y)
{
	x = widen(d, x);
	y = widen(d, y);
	if (x->dtype == y->dtype && x->dtype != DTYPE_BOOL)
		return build_binary(d, EXPR_MUL, x, y);
	err_set("%s: cannot multiply %s by %s; cast one first", name, dtype_name(x->dtype),
		dtype_name(y->dtype));
	return NULL;
}
