/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/eval.c - what evaluations share. */
#include "graph/eval/eval.h"

#include <assert.h>

#include "base/err.h"
#include "graph/eval/interp.h"

int eval_error(const struct eval *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	call_error(x->call, fmt, ap);
	va_end(ap);
	return -1;
}

bool eval_has(const struct eval *x, int i)
{
	return i < x->call->nargs && x->args[i].kind != VALUE_EMPTY;
}

const struct array *eval_array(const struct eval *x, int i)
{
	if (!eval_has(x, i))
		return NULL;
	assert(x->args[i].kind == VALUE_ARRAY);
	return x->args[i].array;
}

struct value eval_value(const struct eval *x, int i)
{
	return i < x->call->nargs ? x->args[i] : value_empty();
}

const int64_t *eval_ints(struct eval *x, int i, int *n)
{
	const struct array *v = eval_array(x, i);

	*n = v ? (int)v->count : 0;
	if (!v)
		return NULL;
	int64_t *out = eval_scratch(x, (size_t)(v->count + 1) * sizeof(*out));

	element_get_i64(v->element, v->data, 0, v->count, out);
	return out;
}

int64_t eval_int(const struct eval *x, int i)
{
	const struct array *v = eval_array(x, i);

	assert(v);
	return v->count ? array_int(v, 0) : 0;
}

struct array *eval_result(struct eval *x, int i, enum element e, int rank, const int64_t *dim)
{
	assert(i < x->nresults);
	int64_t count = rank > GRAPH_MAX_RANK ? -1 : shape_count(rank, dim);

	if (count < 0 || count > x->interp->limits.bytes / (int64_t)element_bytes(e)) {
		eval_error(x, "a result of more than %lld MB",
			   (long long)(x->interp->limits.bytes >> 20));
		return NULL;
	}
	struct array *y = array_new(e, rank, dim);

	if (!y)
		return NULL;
	value_release(x->results[i]);
	x->results[i] = value_of_array(y);
	return y;
}

struct array *eval_result_like(struct eval *x, int i, const struct array *y)
{
	return eval_result(x, i, y->element, y->rank, y->dim);
}

void eval_give(struct eval *x, int i, struct value v)
{
	assert(i < x->nresults);
	value_release(x->results[i]);
	x->results[i] = v;
}

int eval_pass(struct eval *x, int i, int j)
{
	eval_give(x, i, value_hold(eval_value(x, j)));
	return 0;
}

int eval_view(struct eval *x, int i, int j, int rank, const int64_t *dim)
{
	const struct array *from = eval_array(x, j);

	if (shape_count(rank, dim) != from->count)
		return eval_error(x, "%lld elements in a shape of %lld", (long long)from->count,
				  (long long)shape_count(rank, dim));
	eval_give(x, i, value_of_array(array_view(from, rank, dim)));
	return 0;
}

int eval_axis(const struct eval *x, int64_t axis, int rank, int *out)
{
	if (axis < -rank || axis >= rank)
		return eval_error(x, "axis %lld of a tensor of rank %d", (long long)axis, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return 0;
}

int eval_broadcast(const struct eval *x, int *rank, int64_t *dim)
{
	*rank = 0;
	for (int i = 0; i < x->call->nargs; i++)
		if (eval_has(x, i) && eval_array(x, i)->rank > *rank)
			*rank = eval_array(x, i)->rank;
	for (int d = 0; d < *rank; d++)
		dim[d] = 1;
	for (int i = 0; i < x->call->nargs; i++) {
		const struct array *v = eval_array(x, i);

		for (int d = 0; v && d < v->rank; d++) {
			int64_t *at = &dim[*rank - v->rank + d];

			if (*at != 1 && v->dim[d] != 1 && *at != v->dim[d])
				return eval_error(x, "extents %lld and %lld do not fit",
						  (long long)*at, (long long)v->dim[d]);
			*at = *at == 1 ? v->dim[d] : *at;
		}
	}
	return 0;
}

struct arena *eval_arena(struct eval *x)
{
	return x->interp->scratch;
}

void *eval_scratch(struct eval *x, size_t bytes)
{
	return arena_alloc(x->interp->scratch, bytes);
}

int eval_clock(const struct eval *x)
{
	return interp_clock(x->interp);
}

const char *eval_string(struct eval *x, const char *s, size_t n)
{
	return arena_strndup(x->interp->arena, s, n);
}

struct rng *eval_rng(struct eval *x)
{
	return &x->interp->rng;
}
