/* SPDX-License-Identifier: Apache-2.0 */
/* graph/fold.c - values that are known before the model runs, as far as shapes need them.
 *
 * Views of constants of any size share the data. Computation is for integers of rank 0 or 1 and a
 * few elements: the chains by which exporters compute shapes. Elementwise operators go through
 * double, so integers beyond 2^53 are left alone.
 * TYPE follows from the operands alone, never from what the file declares. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "graph/infer.h"

enum { MAX_FOLD = 1024 };	/* elements of a computed value */

static const struct binding *constant(const struct infer *x, int i)
{
	int value = call_arg(x->call, i);

	if (value == VALUE_NONE || x->f->bindings.at[value].kind != BIND_CONST)
		return NULL;
	return &x->f->bindings.at[value];
}

static const void *fold_view(struct infer *x, const struct type *type)
{
	const struct binding *b = constant(x, 0);

	if (!b || b->type.dtype != type->dtype || type_count(&b->type) != type_count(type))
		return NULL;
	return b->data;
}

static const void *fold_shape(struct infer *x, const struct type *type)
{
	const struct type *in = infer_arg(x, 0);
	int64_t start = call_int(x->call, "start", 0);
	int64_t *out = arena_many(x->graph->arena, int64_t, type->dim[0].n);

	start = start < -in->rank ? 0 : start < 0 ? start + in->rank : start;
	for (int i = 0; i < type->dim[0].n; i++) {
		if (!dim_is_known(in->dim[start + i]))
			return NULL;
		out[i] = in->dim[start + i].n;
	}
	return out;
}

static const void *fold_size(struct infer *x, const struct type *type)
{
	int64_t count = type_count(infer_arg(x, 0));

	(void)type;
	return count < 0 ? NULL : arena_memdup(x->graph->arena, &count, sizeof(count));
}

static const void *fold_gather(struct infer *x, const struct type *type)
{
	const struct binding *in = constant(x, 0);
	int n;
	const int64_t *index = infer_ints(x, 1, &n);

	if (!in || !index || in->type.rank != 1)
		return NULL;
	size_t bytes = dtype_bytes(type->dtype);
	char *out = arena_alloc(x->graph->arena, bytes * (size_t)n);

	for (int i = 0; i < n; i++) {
		int64_t at = index[i] < 0 ? index[i] + in->type.dim[0].n : index[i];

		if (at < 0 || at >= in->type.dim[0].n)
			return NULL;	/* an error, but one of running */
		memcpy(out + bytes * (size_t)i, (const char *)in->data + bytes * (size_t)at, bytes);
	}
	return out;
}

static const void *fold_slice(struct infer *x, const struct type *type)
{
	const struct binding *in = constant(x, 0);
	int n, nsteps;
	const int64_t *starts = infer_list(x, "starts", 1, &n);
	const int64_t *steps = infer_ints(x, 4, &nsteps);

	if (!in || !starts || n != 1 || in->type.rank != 1 || nsteps > 1)
		return NULL;
	int64_t size = in->type.dim[0].n;
	int64_t step = steps ? steps[0] : 1;
	int64_t at = starts[0] < 0 ? starts[0] + size : starts[0];
	size_t bytes = dtype_bytes(type->dtype);
	char *out = arena_alloc(x->graph->arena, type_bytes(type));

	at = at < 0 ? 0 : at >= size ? size - 1 : at;
	for (int64_t i = 0; i < type->dim[0].n; i++)
		memcpy(out + bytes * (size_t)i,
		       (const char *)in->data + bytes * (size_t)(at + i * step), bytes);
	return out;
}

static const void *fold_concat(struct infer *x, const struct type *type)
{
	char *out = arena_alloc(x->graph->arena, type_bytes(type));
	size_t at = 0;

	for (int i = 0; i < x->call->nargs; i++) {
		const struct binding *b = constant(x, i);

		if (!b || b->type.dtype != type->dtype || type->rank != 1)
			return NULL;
		assert(at + type_bytes(&b->type) <= type_bytes(type));
		memcpy(out + at, b->data, type_bytes(&b->type));
		at += type_bytes(&b->type);
	}
	return out;
}

static const void *fold_fill(struct infer *x, const struct type *type)
{
	const struct attr *value = call_attr(x->call, "value");
	char *out = arena_alloc(x->graph->arena, type_bytes(type));

	if (!value || value->kind != ATTR_TENSOR)
		return NULL;	/* else the rule gave f32, zeros */
	for (int64_t i = 0; i < type_count(type); i++)
		dtype_store(type->dtype, out, i, dtype_load(type->dtype, value->tensor->data, 0));
	return out;
}

static const void *fold_range(struct infer *x, const struct type *type)
{
	int n;
	const int64_t *start = infer_ints(x, 0, &n);
	const int64_t *step = infer_ints(x, 2, &n);

	if (type->dtype != DTYPE_I64)
		return NULL;
	int64_t *out = arena_many(x->graph->arena, int64_t, type->dim[0].n);

	for (int64_t i = 0; start && step && i < type->dim[0].n; i++)
		out[i] = (int64_t)((uint64_t)*start + (uint64_t)i * (uint64_t)*step);
	return start && step ? out : NULL;
}

/* One element of an elementwise operator; false where it has none here. */
static bool compute(enum oper op, double p, double q, double *out)
{
	switch ((int)op) {
	case OPER_CAST:
		*out = p;
		return true;
	case OPER_ADD:
		*out = p + q;
		return true;
	case OPER_SUB:
		*out = p - q;
		return true;
	case OPER_MUL:
		*out = p * q;
		return true;
	case OPER_DIV:
		*out = p / q;
		return q != 0;
	case OPER_MIN:
		*out = p < q ? p : q;
		return true;
	case OPER_MAX:
		*out = p > q ? p : q;
		return true;
	case OPER_EQUAL:
		*out = p == q;
		return true;
	case OPER_FLOOR:
		*out = floor(p);
		return true;
	case OPER_CEIL:
		*out = ceil(p);
		return true;
	case OPER_NEG:
		*out = -p;
		return true;
	default:
		return false;
	}
}

static double element(const struct binding *b, int64_t i)
{
	return dtype_load(b->type.dtype, b->data, type_count(&b->type) == 1 ? 0 : i);
}

static const void *fold_pointwise(struct infer *x, const struct type *type)
{
	const struct binding *p = constant(x, 0);
	const struct binding *q = x->call->nargs > 1 ? constant(x, 1) : p;
	char *out = arena_alloc(x->graph->arena, type_bytes(type));

	if (!p || !q || x->call->nargs > 2)
		return NULL;
	if (x->call->op == OPER_CAST && p->type.dtype == type->dtype)
		return p->data;
	for (int64_t i = 0; i < type_count(type); i++) {
		double v;

		if (!compute(x->call->op, element(p, i), element(q, i), &v) ||
		    (!dtype_is_float(type->dtype) && fabs(v) > 0x1p53))
			return NULL;
		dtype_store(type->dtype, out, i, v);
	}
	return out;
}

static const void *fold_where(struct infer *x, const struct type *type)
{
	const struct binding *which = constant(x, 0);
	const struct binding *p = constant(x, 1);
	const struct binding *q = constant(x, 2);
	char *out = arena_alloc(x->graph->arena, type_bytes(type));

	if (!which || !p || !q)
		return NULL;
	for (int64_t i = 0; i < type_count(type); i++)
		dtype_store(type->dtype, out, i, element(element(which, i) != 0 ? p : q, i));
	return out;
}

static const void *fold_product(struct infer *x, const struct type *type)
{
	int n;
	const int64_t *v = infer_ints(x, 0, &n);
	int64_t *out = arena_one(x->graph->arena, int64_t);

	if (!v || type_count(type) != 1 || type->dtype != DTYPE_I64)
		return NULL;
	*out = 1;
	for (int i = 0; i < n; i++)
		if (__builtin_mul_overflow(*out, v[i], out))
			return NULL;
	return out;
}

static const struct {
	enum oper op;
	const void *(*fold)(struct infer *x, const struct type *type);
	bool view;	/* needs no new memory: of any size */
} folds[] = {
	{ OPER_IDENTITY, fold_view, true },	{ OPER_DROPOUT, fold_view, true },
	{ OPER_RESHAPE, fold_view, true },	{ OPER_FLATTEN, fold_view, true },
	{ OPER_SQUEEZE, fold_view, true },	{ OPER_UNSQUEEZE, fold_view, true },
	{ OPER_SHAPE, fold_shape, false },	{ OPER_SIZE, fold_size, false },
	{ OPER_GATHER, fold_gather, false },	{ OPER_SLICE, fold_slice, false },
	{ OPER_CONCAT, fold_concat, false },	{ OPER_CONSTANT_OF_SHAPE, fold_fill, false },
	{ OPER_RANGE, fold_range, false },	{ OPER_REDUCE_PROD, fold_product, false },
	{ OPER_CAST, fold_pointwise, false },	{ OPER_ADD, fold_pointwise, false },
	{ OPER_SUB, fold_pointwise, false },	{ OPER_MUL, fold_pointwise, false },
	{ OPER_DIV, fold_pointwise, false },	{ OPER_MIN, fold_pointwise, false },
	{ OPER_MAX, fold_pointwise, false },	{ OPER_EQUAL, fold_pointwise, false },
	{ OPER_FLOOR, fold_pointwise, false },	{ OPER_CEIL, fold_pointwise, false },
	{ OPER_NEG, fold_pointwise, false },	{ OPER_WHERE, fold_where, false },
};

const void *fold_call(struct infer *x, const struct type *type)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		if (folds[i].op != x->call->op)
			continue;
		if (!folds[i].view && (type->rank > 1 || type_count(type) > MAX_FOLD))
			return NULL;
		return folds[i].fold(x, type);
	}
	return NULL;
}
