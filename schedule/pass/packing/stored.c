/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packing/stored.c - accesses of buffers that are stored in another order than their tensors. */
#include "schedule/pass/packing/stored.h"

#include "te/index/index.h"

struct buffer *store_in_order(struct storing *s, const struct buffer *from)
{
	struct buffer *to = arena_memdup(s->a, from, sizeof(*from));
	const struct arrangement *how = from->order;

	to->order = NULL;
	to->tensor.ndim = how->n;
	for (int i = 0; i < how->n; i++)
		to->tensor.shape[i] = arrangement_extent(how, &from->tensor, i);
	vec_push(s->a, &s->known, (struct stored_as){ from, to, NULL });
	return to;
}

/* What stands for the buffer of tensor T; NULL: itself. */
static const struct stored_as *find(const struct storing *s, const struct tensor *t)
{
	for (int i = 0; i < s->known.n; i++)
		if (&s->known.at[i].from->tensor == t)
			return &s->known.at[i];
	return NULL;
}

/* The indices of the element of FROM at INDEX. */
static const struct expr **index_in_order(struct storing *s, const struct buffer *from,
					  const struct expr *const *index)
{
	const struct expr **out = arena_many(s->a, const struct expr *, from->order->n);

	for (int i = 0; i < from->order->n; i++)
		out[i] = arrangement_index(s->a, from->order, index, i);
	return out;
}

static const struct expr *store_node(struct arena *a, const struct expr *e, void *user)
{
	struct storing *s = user;
	const struct expr *index[TENSOR_MAX_DIMS];
	const struct stored_as *x;

	if (e->kind != EXPR_LOAD)
		return e->loads ? NULL : e;
	x = find(s, e->tensor);
	if (!x)
		return NULL;
	if (x->only)
		return expr_load(a, &x->to->tensor, &x->only);
	for (int d = 0; d < e->tensor->ndim; d++)
		index[d] = expr_rewrite(a, e->index[d], store_node, s);
	return expr_load(a, &x->to->tensor, index_in_order(s, x->from, index));
}

void store_list(struct storing *s, struct nest *n)
{
	for (; n; n = n->next) {
		const struct stored_as *x = n->buffer ? find(s, &n->buffer->tensor) : NULL;

		for (int i = 0; i < n->prefetches.n; i++) {
			const struct stored_as *to = find(s, &n->prefetches.at[i].buffer->tensor);

			if (to)
				n->prefetches.at[i].buffer = to->to;
		}
		if (n->value && n->value->loads && s->known.n > 0)
			n->value = expr_simplify(s->a, expr_rewrite(s->a, n->value, store_node, s));
		if (n->kind == NEST_STORE && x) {
			n->index = index_in_order(s, x->from, n->index);
			n->buffer = x->to;
		} else if (n->kind == NEST_ALLOC && n->buffer->order) {
			n->buffer = store_in_order(s, n->buffer);
		}
		store_list(s, n->body);
		store_list(s, n->other);
	}
}
