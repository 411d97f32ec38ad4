/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/narrow.c - f16 and bf16 in a nest: see the header for what is rounded where. */
#include "schedule/narrow.h"

#include "te/index/index.h"

enum dtype narrow_held_as(const struct stage *g, enum buffer_kind kind)
{
	enum dtype t = g->op.tensor.dtype;
	bool own = kind == BUFFER_INPUT || kind == BUFFER_OUTPUT ||
		   (kind == BUFFER_TEMP && !op_is_reduction(&g->op) && !g->is_partial);

	return own ? t : dtype_arithmetic(t);
}

bool narrow_gathers_apart(const struct stage *g, const struct buffer *output)
{
	return dtype_is_narrow(output->tensor.dtype) && op_is_reduction(&g->op);
}

const struct expr *narrow_widened(struct arena *a, const struct expr *e)
{
	return expr_cast(a, dtype_arithmetic(e->dtype), e);
}

const struct expr *narrow_stored(struct arena *a, enum dtype t, const struct expr *value)
{
	bool copies = value->kind == EXPR_CAST && value->arg[0]->dtype == t &&
		      dtype_arithmetic(t) == value->dtype;

	return copies ? value->arg[0] : expr_cast(a, t, value);
}

static struct nest *new_loop(struct arena *a, int64_t extent, enum annotation annotation)
{
	struct nest *n = arena_one(a, struct nest);
	struct axis *axis = arena_one(a, struct axis);

	axis->name = "d";
	axis->hi = extent;
	n->kind = NEST_LOOP;
	n->axis = axis;
	n->annotation = annotation;
	return n;
}

static struct nest *new_store(struct arena *a, struct buffer *to, const struct buffer *from,
			      const struct expr *const *index)
{
	struct nest *n = arena_one(a, struct nest);
	size_t bytes = (size_t)to->tensor.ndim * sizeof(*index);

	n->kind = NEST_STORE;
	n->buffer = to;
	n->index = arena_memdup(a, index, bytes);
	n->value = narrow_stored(a, to->tensor.dtype, expr_load(a, &from->tensor, index));
	return n;
}

/* One vector: the elements from AT on along the last dim, inside the loops of INDEX. */
static struct nest *copy_vector(struct arena *a, struct buffer *to, const struct buffer *from,
				const struct expr **index, const struct expr *at, int64_t lanes)
{
	struct nest *n = new_loop(a, lanes, ANNOTATION_VECTOR);

	index[to->tensor.ndim - 1] = expr_simplify(a, expr_add(a, at, expr_axis(a, n->axis)));
	n->body = new_store(a, to, from, index);
	return n;
}

struct nest *narrow_copy(struct arena *a, struct buffer *to, const struct buffer *from,
			 bool parallel, int lanes)
{
	const struct expr *index[TENSOR_MAX_DIMS] = { NULL };
	const struct tensor *t = &to->tensor;
	struct nest *first = NULL;
	struct nest **hole = &first;

	if (t->ndim == 0)
		return new_store(a, to, from, index);
	for (int d = 0; d < t->ndim - 1; d++) {
		*hole = new_loop(a, t->shape[d], ANNOTATION_NONE);
		index[d] = expr_axis(a, (*hole)->axis);
		hole = &(*hole)->body;
	}
	int64_t last = t->shape[t->ndim - 1];
	int64_t whole = last / lanes, rest = last % lanes;

	if (whole > 0) {
		*hole = new_loop(a, whole, ANNOTATION_NONE);
		const struct expr *at = expr_mul(a, expr_axis(a, (*hole)->axis), lanes);

		(*hole)->body = copy_vector(a, to, from, index, at, lanes);
		hole = &(*hole)->next;
	}
	if (rest > 0)
		*hole = copy_vector(a, to, from, index, expr_int(a, last - rest), rest);
	if (parallel && first->annotation == ANNOTATION_NONE)
		first->annotation = ANNOTATION_PARALLEL;
	return first;
}
