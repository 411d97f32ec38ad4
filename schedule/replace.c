/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/replace.c - inputs in whose place a program may write its output. */
#include "schedule/nest.h"

struct replacing {
	const struct buffer *output;
	const struct nest *store;	/* whose value is looked at; NULL: none to the output */
	uint32_t apart;			/* bits of the inputs that may not be replaced */
	bool never;
};

static bool same_tensor_shape(const struct tensor *x, const struct tensor *y)
{
	if (x->dtype != y->dtype || x->ndim != y->ndim)
		return false;
	for (int i = 0; i < x->ndim; i++)
		if (x->shape[i] != y->shape[i])
			return false;
	return true;
}

/* Is E the element that the store writes? */
static bool is_stored_element(const struct expr *e, const struct nest *store)
{
	if (!store || !same_tensor_shape(e->tensor, &store->buffer->tensor))
		return false;
	for (int i = 0; i < e->tensor->ndim; i++)
		if (!expr_equal(e->index[i], store->index[i]))
			return false;
	return true;
}

static bool note_load(const struct expr *e, void *user)
{
	struct replacing *r = user;
	const struct buffer *b = e->kind == EXPR_LOAD ? buffer_of(e->tensor) : NULL;

	if (!b)
		return true;
	r->never |= b == r->output;
	if (b->kind == BUFFER_INPUT && b->arg < 32 && !is_stored_element(e, r->store))
		r->apart |= (uint32_t)1 << b->arg;
	return true;
}

static void note_nest(struct replacing *r, const struct nest *n)
{
	for (; n; n = n->next) {
		bool gives = n->kind == NEST_STORE && n->buffer == r->output;

		r->never |= gives && n->reducer != REDUCE_NONE;
		for (int i = 0; n->kind == NEST_STORE && i < n->buffer->tensor.ndim; i++)
			expr_visit(n->index[i], note_load, r);
		r->store = gives ? n : NULL;
		if (n->value)
			expr_visit(n->value, note_load, r);
		r->store = NULL;
		note_nest(r, n->body);
		note_nest(r, n->other);
	}
}

uint32_t program_replaces(const struct program *p)
{
	const struct buffer *last = p->args.at[p->args.n - 1];
	struct replacing r = { .output = last };
	uint32_t same = 0;

	for (int i = 0; i < p->args.n - 1; i++) {
		const struct buffer *b = p->args.at[i];

		r.never |= b->kind == BUFFER_OUTPUT;
		if (i < 32 && same_tensor_shape(&b->tensor, &last->tensor) && !program_pack(p, i))
			same |= (uint32_t)1 << i;
	}
	if (!same || p->overlaps)	/* what is computed again has been replaced */
		return 0;
	note_nest(&r, p->body);
	return r.never ? 0 : same & ~r.apart;
}
