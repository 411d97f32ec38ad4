/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/infer.c - what type relations share. */
#include "graph/ir/infer.h"

#include "base/err.h"

int infer_error(const struct infer *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	call_error(x->call, fmt, ap);
	va_end(ap);
	return -1;
}

bool infer_has(const struct infer *x, int i)
{
	return call_arg(x->call, i) != VALUE_NONE;
}

const struct type *infer_type(const struct infer *x, int i)
{
	int value = call_arg(x->call, i);

	return value == VALUE_NONE ? &type_unknown : function_at(x->function, value)->type;
}

const struct array *infer_const(const struct infer *x, int i)
{
	return function_const(x->function, call_arg(x->call, i));
}

/* Shapes have few elements; longer lists of integers are data. */
enum { MAX_ELEMENTS = 1024 };

const struct dim *infer_elements(const struct infer *x, int i, int *n)
{
	const struct type *t = infer_type(x, i);
	const struct array *c = infer_const(x, i);
	int64_t count = type_count(t);

	if (count < 0 || count > MAX_ELEMENTS || t->rank > 1 || !element_is_whole(t->element))
		return NULL;
	*n = (int)count;
	if (!c)
		return function_at(x->function, call_arg(x->call, i))->elements;
	struct dim *out = arena_many(x->arena, struct dim, count ? count : 1);

	for (int j = 0; j < *n; j++)
		out[j] = dim_of(x->arena, array_int(c, j));
	return out;
}

const int64_t *infer_ints(const struct infer *x, int i, int *n)
{
	const struct dim *elements = infer_elements(x, i, n);
	int64_t *out;

	if (!elements)
		return NULL;
	out = arena_many(x->arena, int64_t, *n ? *n : 1);
	for (int j = 0; j < *n; j++)
		if (!dim_value(elements[j], &out[j]))
			return NULL;
	return out;
}

int infer_rank(const struct infer *x, int i)
{
	const struct type *t = infer_type(x, i);

	return type_is_ranked(t) ? t->rank : RANK_UNKNOWN;
}

int infer_axis(const struct infer *x, int64_t axis, int rank, int *out)
{
	if (axis < -rank || axis >= rank)
		return infer_error(x, "axis %lld of a tensor of rank %d", (long long)axis, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return 0;
}

int infer_agree(const struct infer *x, struct dim a, struct dim b, bool broadcast, struct dim *out)
{
	if (a.n >= 0 && b.n >= 0 && a.n != b.n && !(broadcast && (a.n == 1 || b.n == 1)))
		return infer_error(x, "extents %lld and %lld do not fit", (long long)a.n,
				   (long long)b.n);
	if (!broadcast)
		*out = a.n >= 0 || (a.expr && b.n < 0) ? a : b;
	else if (a.n == 1 || dim_equal(a, b))
		*out = b;
	else if (b.n == 1 || a.n > 1)
		*out = a;
	else if (b.n > 1)
		*out = b;
	else
		*out = dim_unknown();	/* either may turn out to be 1 */
	return 0;
}

int infer_broadcast(struct infer *x, enum element e)
{
	struct dim out[GRAPH_MAX_RANK];
	int rank = 0;

	for (int i = 0; i < x->call->nargs; i++) {
		if (infer_has(x, i) && infer_rank(x, i) == RANK_UNKNOWN)
			return infer_unranked(x, e);
		rank = infer_rank(x, i) > rank ? infer_rank(x, i) : rank;
	}
	for (int d = 0; d < rank; d++)
		out[d] = dim_number(1);
	for (int i = 0; i < x->call->nargs; i++) {
		const struct type *t = infer_type(x, i);
		int skip = rank - t->rank;

		for (int d = 0; d < t->rank; d++)	/* none of one left out */
			if (infer_agree(x, out[skip + d], t->dim[d], true, &out[skip + d]) < 0)
				return -1;
	}
	return infer_tensor(x, e, rank, out);
}

int infer_same_element(const struct infer *x, enum element *out)
{
	*out = ELEMENT_COUNT;
	for (int i = 0; i < x->call->nargs; i++) {
		enum element e = infer_type(x, i)->element;

		if (*out != ELEMENT_COUNT && e != ELEMENT_COUNT && e != *out)
			return infer_error(x, "operands of %s and %s", element_name(*out),
					   element_name(e));
		*out = *out == ELEMENT_COUNT ? e : *out;
	}
	return 0;
}

int infer_class(const struct infer *x, int i, unsigned classes)
{
	const struct type *t = infer_type(x, i);

	if (t->kind == TYPE_UNKNOWN)
		return 0;
	if (t->kind != TYPE_TENSOR)
		return infer_error(x, "operand %d is no tensor", i);
	if (t->element != ELEMENT_COUNT && !(classes >> element_class(t->element) & 1))
		return infer_error(x, "operand %d is of %s", i, element_name(t->element));
	return 0;
}

int infer_tensor(struct infer *x, enum element e, int rank, const struct dim *dim)
{
	int64_t known[GRAPH_MAX_RANK];
	int n = 0;

	if (rank > GRAPH_MAX_RANK)
		return infer_error(x, "a result of rank %d (at most %d)", rank, GRAPH_MAX_RANK);
	for (int i = 0; i < rank; i++) {
		int64_t v;

		if (!dim_value(dim[i], &v))
			continue;
		if (v < 0 || v > GRAPH_MAX_DIM)
			return infer_error(x, "a result with an extent of %lld", (long long)v);
		known[n++] = v;
	}
	if (shape_count(n, known) < 0)
		return infer_error(x, "a result with more elements than memory could hold");
	x->result = type_tensor(x->arena, e, rank, dim);
	return 0;
}

int infer_like(struct infer *x, int i, enum element e)
{
	const struct type *t = infer_type(x, i);

	if (!type_is_ranked(t))
		return infer_unranked(x, e);
	x->result = type_tensor(x->arena, e, t->rank, t->dim);
	return 0;
}

int infer_unranked(struct infer *x, enum element e)
{
	x->result = type_unranked(x->arena, e);
	return 0;
}

int infer_ranked(struct infer *x, enum element e, int rank)
{
	struct dim dim[GRAPH_MAX_RANK];

	for (int i = 0; i < GRAPH_MAX_RANK; i++)
		dim[i] = dim_unknown();
	return infer_tensor(x, e, rank, dim);
}

int infer_tuple(struct infer *x, int n, const struct type *const *fields)
{
	x->result = type_tuple(x->arena, n, fields);
	return 0;
}

bool infer_same_elements(struct infer *x, struct dim *out)
{
	int n;
	const struct dim *from = infer_elements(x, 0, &n);

	if (from)
		memcpy(out, from, (size_t)n * sizeof(*from));
	return from != NULL;
}

struct dim infer_product(const struct infer *x, const struct type *t, int from, int to)
{
	struct dim product = dim_number(1);

	for (int i = from; i < to; i++)
		product = dim_mul(x->arena, product, t->dim[i]);
	return product;
}
