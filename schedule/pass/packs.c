/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packs.c - how tensors are stored: constants in the order in which they are read, buffers as
 * steps say.
 *
 * Requires: a nest whose loops are not split yet: each that moves an index of a constant is a dim of it.
 * Provides: what is to be stored by its reader is a buffer of one dim, through which the loops around the
 *           load run in steps of one; a pack fills it, with 0 beyond the constant's end. Buffers have
 *           the dims that are stored, and no order of their own any more.
 * Keeps:    what is computed. */
#include "schedule/pass/pass.h"
#include "schedule/pass/packing/stored.h"
#include "te/index/index.h"

/* Every element of B is 0: so the room that blocks leave is the same each time. */
static struct nest *clear(struct arena *a, struct buffer *b)
{
	const struct expr **index = arena_many(a, const struct expr *, b->tensor.ndim);
	struct nest *n = nest_new(a, NEST_STORE, NULL);

	n->buffer = b;
	n->index = index;
	n->value = expr_const(a, b->tensor.dtype, 0);
	for (int d = b->tensor.ndim - 1; d >= 0; d--) {
		struct axis *axis = arena_one(a, struct axis);

		axis->name = arena_printf(a, "d%d", d);
		axis->hi = b->tensor.shape[d];
		index[d] = expr_axis(a, axis);
		n = nest_new(a, NEST_LOOP, n);
		n->axis = axis;
	}
	return n;
}

/* What K makes, in the order that its buffer is to have. */
static void order_pack(struct program *p, struct storing *s, struct pack *k)
{
	const struct buffer *plain = k->packed;

	k->packed = p->args.at[k->input] = store_in_order(s, plain);
	if (tensor_count(&k->packed->tensor) > tensor_count(&plain->tensor))
		k->body = nest_append(clear(s->a, k->packed), k->body);
}

bool nest_pass_packs(struct program *p, const char **why)
{
	struct storing s = { .a = p->arena }, read = { .a = p->arena };

	for (int i = 0; i < p->args.n; i++)
		if (p->args.at[i]->by_reader && !store_as_read(p, i, &read, why))
			return false;
	for (int i = 0; i < p->packs.n; i++) {
		struct pack *k = p->packs.at[i];

		if (k->packed->order)
			order_pack(p, &s, k);
		store_list(&s, k->body);
	}
	for (int i = 0; i < read.known.n; i++)	/* not in packs: they are made of what it stands for */
		vec_push(p->arena, &s.known, read.known.at[i]);
	store_list(&s, p->body);
	return true;
}
