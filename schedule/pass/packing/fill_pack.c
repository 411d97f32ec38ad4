/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packing/fill_pack.c - the loops that fill a packed constant, in the order in which it is read. */
#include "schedule/pass/packing/fill_pack.h"

#include "te/index/index.h"

/* The turns for each element up to which it is computed anew in each, and not held in between. */
enum { MOST_TWICE = 2 };

static struct nest *new_store(struct arena *a, struct buffer *to, const struct expr *index,
			      const struct expr *value)
{
	struct nest *n = nest_new(a, NEST_STORE, NULL);

	n->buffer = to;
	n->index = arena_memdup(a, &index, sizeof(index));
	n->value = value;
	return n;
}

/* The condition that the element read is one of the buffer's; an integer where that is certain. */
static const struct expr *inside(const struct way_read *r)
{
	const struct expr *all = NULL;

	for (int d = 0; d < r->buffer->tensor.ndim; d++) {
		const struct expr *end = expr_int(r->a, r->buffer->tensor.shape[d]);
		const struct expr *begins =
			expr_binary(r->a, EXPR_LE, expr_int(r->a, 0), r->index[d]);
		const struct expr *ends = expr_binary(r->a, EXPR_LT, r->index[d], end);
		const struct expr *both = expr_binary(r->a, EXPR_AND, begins, ends);

		all = all ? expr_binary(r->a, EXPR_AND, all, both) : both;
	}
	return all ? expr_simplify(r->a, all) : expr_int(r->a, 1);
}

/* BODY for all turns of the loops, which reduce nothing here. */
static struct nest *inside_loops(const struct way_read *r, struct nest *body)
{
	const struct expr **to = arena_many(r->a, const struct expr *, r->loops.n);

	for (int i = 0; i < r->loops.n; i++) {
		struct axis *own = arena_memdup(r->a, r->loops.at[i], sizeof(*own));

		own->reduce = false;
		to[i] = expr_axis(r->a, own);
	}
	body = nest_copy(r->a, body, r->loops.at, to, r->loops.n);
	for (int i = r->loops.n - 1; i >= 0; i--) {
		body = nest_new(r->a, NEST_LOOP, body);
		body->axis = to[i]->axis;
	}
	return body;
}

/* TO has for all turns of the loops VALUE, the element that is read there, or 0. */
static struct nest *fill(const struct way_read *r, struct buffer *to, const struct expr *value)
{
	const struct expr *condition = inside(r);
	struct nest *n = new_store(r->a, to, r->place, value);

	if (condition->kind != EXPR_INT) {
		n = nest_new(r->a, NEST_IF, n);
		n->value = condition;
		n->other = new_store(r->a, to, r->place, expr_const(r->a, r->buffer->tensor.dtype, 0));
	}
	return inside_loops(r, n);
}

/* --- what is computed, element by element */

/* The store to B that is all of loops N, one for each dim; NULL where it is computed in another way. */
static const struct nest *only_store(const struct nest *n, const struct buffer *b)
{
	while (n->kind == NEST_LOOP && !n->body->next)
		n = n->body;
	if (n->kind != NEST_STORE || n->buffer != b || n->reducer != REDUCE_NONE)
		return NULL;
	for (int d = 0; d < b->tensor.ndim; d++)
		if (n->index[d]->kind != EXPR_AXIS && b->tensor.shape[d] > 1)
			return NULL;
	return n;
}

/* What S stores to the element that is read. */
static const struct expr *value_read(const struct way_read *r, const struct nest *s)
{
	const struct axis *from[TENSOR_MAX_DIMS];
	const struct expr *to[TENSOR_MAX_DIMS];
	int n = 0;

	for (int d = 0; d < r->buffer->tensor.ndim; d++) {
		if (s->index[d]->kind != EXPR_AXIS)
			continue;
		from[n] = s->index[d]->axis;
		to[n++] = r->index[d];
	}
	return expr_simplify_with(r->a, s->value, from, to, n);
}

/* What K computes into R's buffer goes into the order of turns at once, where few elements are computed twice for
 * it: takes the loops that do out of K. NULL where it does not. */
static const struct expr *take_value(const struct way_read *r, struct pack *k)
{
	struct nest **last = &k->body;

	if (!k->body || r->turns > MOST_TWICE * tensor_count(&r->buffer->tensor))
		return NULL;
	while ((*last)->next)
		last = &(*last)->next;
	const struct nest *s = only_store(*last, r->buffer);

	if (!s)
		return NULL;
	*last = NULL;
	return value_read(r, s);
}

/* BODY, which computes B, with B no longer what is kept. */
static struct nest *held_in_between(struct arena *a, struct buffer *b, struct nest *body)
{
	struct nest *alloc = nest_new(a, NEST_ALLOC, NULL);

	b->kind = BUFFER_TEMP;
	b->constant = false;
	alloc->buffer = b;
	return nest_append(alloc, body);
}

void fill_pack(struct pack *k, const struct way_read *r)
{
	const struct expr *value = take_value(r, k);

	if (k->body && !value)
		k->body = held_in_between(r->a, r->buffer, k->body);
	if (!value)
		value = expr_load(r->a, &r->buffer->tensor, r->index);
	k->body = nest_append(k->body, fill(r, k->packed, value));
}
