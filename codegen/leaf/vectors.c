/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/vectors.c - what the vector unit computes: what becomes of sums before they are stored, and steps of
 * reductions that are no intrinsic's. */
#include "codegen/leaf/making.h"

#include "base/integer.h"
#include "codegen/leaf/chain.h"
#include "te/index/index.h"

/* Marks the loops that a walk from F on moves with; those around whose turns a let computes with, too. */
static void mark_slots(const struct leaf_maker *m, const struct affine *f, bool *marked)
{
	for (int i = 0; i < f->n; i++) {
		marked[f->term[i].slot] = true;
		if (m->let[f->term[i].slot])
			mark_slots(m, m->let[f->term[i].slot], marked);
	}
}

/* Does operand I have another element in each turn of all loops since it was loaded? Then it may be written: no other turn
 * reads it. */
static bool is_read_once(const struct leaf_making *k, int i)
{
	const struct leaf_maker *m = k->m;
	bool marked[LEAF_SLOTS] = { false };
	int since = leaf_allocated_at(m, k->leaf.of[i]);

	for (int j = 0; j < k->leaf.loops; j++)
		if (k->leaf.loop[j].extent > 1 && k->leaf.loop[j].stride[i] == 0)
			return false;
	mark_slots(m, &k->leaf.start[i], marked);
	for (int slot = since; slot < m->slots; slot++)
		if (!marked[slot] && m->turns[slot] > 1)
			return false;
	return true;
}

/* VALUE as operations on what is loaded: the first is operand 0, the others are operands from FIRST on. */
static void make_chain(struct leaf_making *k, const struct expr *value, int first)
{
	struct vector_chain c;

	if (!vector_chain_of(k->m->limits, value, &c)) {
		leaf_refuse(k->m, "a value is not what vector instructions compute");
		return;
	}
	for (int i = 0; i < c.loads; i++) {
		int operand = i ? first + i - 1 : 0;

		leaf_set_load(k, operand, c.load[i]);
		leaf_check_scratchpad(k, operand, k->m->limits->operands->sum);
		if (c.written[i] && !is_read_once(k, operand))
			leaf_refuse(k->m, "what is read again would be written");
	}
	for (int i = 0; i < c.n; i++) {
		struct leaf_vector *v = &k->leaf.vector[k->leaf.vectors++];

		*v = c.at[i];
		v->destination += v->destination ? first - 1 : 0;
		v->source += v->source > 0 ? first - 1 : 0;
	}
	k->leaf.n = first + c.loads - 1;
}

/* What E, of 32 bits, may be, as far as limits in it say. */
static struct range limits_of(const struct expr *e)
{
	int arity = expr_kind_arity(e->kind);
	struct range x = arity == 2 ? limits_of(e->arg[0]) : (struct range){ -INDEX_INFINITY, INDEX_INFINITY };
	struct range y = arity == 2 ? limits_of(e->arg[1]) : x;

	switch (e->kind) {
	case EXPR_INT:
		return (struct range){ e->i, e->i };
	case EXPR_MIN:
		return (struct range){ least(x.lo, y.lo), least(x.hi, y.hi) };
	case EXPR_MAX:
		return (struct range){ most(x.lo, y.lo), most(x.hi, y.hi) };
	case EXPR_ADD:
		return range_add(x, y);
	case EXPR_DIV:	/* by what is positive */
		return (struct range){ least(x.lo, 0), most(x.hi, 0) };
	default:
		return (struct range){ -INDEX_INFINITY, INDEX_INFINITY };
	}
}

/* E without limits that a store of bytes has of its own; NULL where it may be beyond these. */
static const struct expr *without_limits(const struct expr *e)
{
	struct range r = limits_of(e);
	int64_t limit;

	if (r.lo < INT8_MIN || r.hi > INT8_MAX)
		return NULL;
	while ((e->kind == EXPR_MIN || e->kind == EXPR_MAX) && expr_is_int(e->arg[1], &limit) &&
	       limit == (e->kind == EXPR_MIN ? INT8_MAX : INT8_MIN))
		e = e->arg[0];
	return e;
}

void leaf_make_store(struct leaf_making *k, const struct nest *store)
{
	const struct expr *e = store->value;
	bool narrow = k->m->limits->narrow && e->kind == EXPR_CAST && e->dtype == DTYPE_I8;

	if (store->buffer->tensor.dtype != (narrow ? DTYPE_I8 : DTYPE_I32) || store->reducer != REDUCE_NONE)
		leaf_refuse(k->m, "only sums of 32 bits, and their low bytes, are stored");
	k->leaf.kind = LEAF_STORE;
	k->leaf.narrow = narrow;
	leaf_set_operand(k, 1, &store->buffer->tensor, store->index);
	e = narrow ? without_limits(e->arg[0]) : e;
	if (e)
		make_chain(k, e, 2);
	else
		leaf_refuse(k->m, "bytes that are stored are limited to their range");
}

void leaf_make_fill(struct leaf_making *k, int64_t number)
{
	k->leaf.kind = LEAF_VECTORS;
	k->leaf.n = 1;
	if (!vector_has_number(k->m->limits, LEAF_COPY, number))
		leaf_refuse(k->m, "a reduction begins with what no vector instruction has room for");
	k->leaf.vector[k->leaf.vectors++] = (struct leaf_vector){ LEAF_COPY, 0, VECTOR_NUMBER, (int32_t)number };
}

void leaf_make_step(struct leaf_making *k, const struct nest *store)
{
	struct leaf_vector v = { .destination = 0, .source = 1 };

	if (store->value->kind != EXPR_LOAD || !vector_reduces(k->m->limits, store->reducer, &v.op)) {
		leaf_refuse(k->m, "a step of a reduction is neither an intrinsic nor a vector operation");
		return;
	}
	k->leaf.kind = LEAF_VECTORS;
	k->leaf.n = 2;
	leaf_set_load(k, 1, store->value);
	leaf_check_scratchpad(k, 1, k->m->limits->operands->sum);
	k->leaf.vector[k->leaf.vectors++] = v;
}
