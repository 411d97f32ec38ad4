/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange/arrange.c - what arrangements are; which of them intermediates get. */
#include "base/err.h"
#include "base/integer.h"
#include "te/arrange/arranger.h"
#include "te/eval.h"
#include "te/index/index.h"

bool arrangement_covers(const struct arrangement *how, int ndim)
{
	uint32_t outer = 0, inner = 0;	/* a bit for each dim that is stored so */

	if (how->n > TENSOR_MAX_DIMS)
		return false;
	for (int i = 0; i < how->n; i++) {
		const struct stored_dim *at = &how->at[i];

		if (at->dim < 0 || at->dim >= ndim || at->block < 0)
			return false;
		uint32_t *seen = at->block ? &inner : &outer;

		if (*seen & UINT32_C(1) << at->dim)
			return false;
		*seen |= UINT32_C(1) << at->dim;
	}
	return how->n == 0 || outer == (UINT32_C(1) << ndim) - 1;
}

bool arrangement_fits(const struct arrangement *how, const struct tensor *t)
{
	if (!arrangement_covers(how, t->ndim))
		return false;
	for (int i = 0; i < how->n; i++)
		if (how->at[i].block && t->shape[how->at[i].dim] % how->at[i].block != 0)
			return false;
	return true;
}

int64_t arrangement_block(const struct arrangement *how, int dim)
{
	for (int i = 0; i < how->n; i++)
		if (how->at[i].dim == dim && how->at[i].block)
			return how->at[i].block;
	return 0;
}

struct arrangement arrangement_spelled(const struct arrangement *how, int ndim)
{
	struct arrangement out = { .n = ndim };

	for (int i = 0; i < ndim; i++)
		out.at[i].dim = i;
	return how->n ? *how : out;
}

int64_t arrangement_extent(const struct arrangement *how, const struct tensor *t, int i)
{
	const struct stored_dim *at = &how->at[i];
	int64_t block = arrangement_block(how, at->dim);

	if (how->n == 0)
		return t->shape[i];
	return at->block ? at->block : block ? ceil_div(t->shape[at->dim], block) : t->shape[at->dim];
}

const struct expr *arrangement_index(struct arena *a, const struct arrangement *how,
				     const struct expr *const *index, int i)
{
	const struct stored_dim *at = &how->at[i];
	int64_t block = arrangement_block(how, at->dim);

	if (!block)
		return index[at->dim];
	if (at->block)
		return index_remainder(a, index[at->dim], block);
	return expr_simplify(a, expr_binary(a, EXPR_DIV, index[at->dim], expr_int(a, block)));
}

/* An op that may lend its arrangement to what it reads, or take that over. */
struct lending {
	struct arranger *m;
	const struct op *op;
	struct arrangement *own;	/* of the op; n = 0: none yet */
	bool changed;
};

/* LOAD, of a tensor with as many dims as OP, is at OP's own place in each dim, or in a dim of one. */
static bool reads_own_element(const struct op *op, const struct expr *load)
{
	for (int d = 0; d < op->tensor.ndim; d++) {
		const struct expr *index = load->index[d];

		if ((index->kind != EXPR_AXIS || index->axis != op->space[d]) &&
		    load->tensor->shape[d] != 1)
			return false;
	}
	return true;
}

/* LOAD, of a tensor with as many dims as OP, moves with OP's place only in the same dim: a window, a
 * border, a sum over channels. */
static bool reads_alongside(const struct op *op, const struct expr *load)
{
	for (int d = 0; d < op->tensor.ndim; d++)
		for (int i = 0; i < op->tensor.ndim; i++)
			if (i != d && expr_uses_axis(load->index[d], op->space[i]))
				return false;
	return true;
}

/* LOAD moves with OP's place only in the same dim, and is at OP's own where HOW has blocks: so the window of a
 * depthwise convolution lies over an image. */
static bool reads_own_blocks(const struct op *op, const struct expr *load, const struct arrangement *how)
{
	bool any = false;

	for (int i = 0; i < how->n; i++) {
		const struct expr *index = load->index[how->at[i].dim];

		if (!how->at[i].block)
			continue;
		if (index->kind != EXPR_AXIS || index->axis != op->space[how->at[i].dim])
			return false;
		any = true;
	}
	return any && reads_alongside(op, load);
}

static bool hand_over(struct lending *l, const struct arrangement *how, const struct tensor *t,
		      struct arrangement *to)
{
	if (how->n == 0 || to->n > 0 || !arrangement_fits(how, t))
		return false;
	*to = *how;
	l->changed = true;
	return true;
}

static bool lend(const struct expr *e, void *user)
{
	struct lending *l = user;

	if (e->kind != EXPR_LOAD || e->tensor->ndim != l->op->tensor.ndim)
		return true;
	int at = dag_position(l->m->from, e->tensor);

	if (dag_arg(l->m->from, l->m->from->ops.at[at]) < 0 &&
	    (reads_own_element(l->op, e) || reads_own_blocks(l->op, e, l->own)))
		hand_over(l, l->own, e->tensor, &l->m->how[at]);
	return true;
}

static bool borrow(const struct expr *e, void *user)
{
	struct lending *l = user;

	if (e->kind == EXPR_LOAD && e->tensor->ndim == l->op->tensor.ndim &&
	    reads_alongside(l->op, e))
		hand_over(l, &l->m->how[dag_position(l->m->from, e->tensor)], &l->op->tensor,
			  l->own);
	return true;
}

/* Readers first, for what is stored as its reader is can be computed where that is; then, from the
 * inputs, whoever has none yet. Each turn decides one op at least. */
static void arrange_intermediates(struct arranger *m)
{
	const struct op_vec *ops = &m->from->ops;
	struct lending l = { .m = m };

	do {
		l.changed = false;
		for (int i = ops->n - 1; i >= 0; i--) {
			l.op = ops->at[i];
			l.own = &m->how[i];
			if (l.op->kind == OP_COMPUTE)
				expr_visit(l.op->body, lend, &l);
		}
		for (int i = 0; i < ops->n && !l.changed; i++) {
			l.op = ops->at[i];
			l.own = &m->how[i];
			if (dag_arg(m->from, l.op) < 0)
				expr_visit(l.op->body, borrow, &l);
		}
	} while (l.changed);
}

struct dag *dag_arrange(struct arena *a, const struct dag *d, const struct arrangement *how)
{
	struct arranger m = { .a = a, .from = d, .to = dag_new(a, d->name),
			      .how = arena_many(a, struct arrangement, d->ops.n) };

	for (int i = 0; i < d->ops.n; i++) {
		const struct tensor *t = &d->ops.at[i]->tensor;
		int arg = dag_arg(d, d->ops.at[i]);

		if (arg < 0)
			continue;
		if (!arrangement_fits(&how[arg], t)) {
			err_set("%s: it cannot be stored so: each dim once, blocks that divide it",
				t->name);
			return NULL;
		}
		m.how[i] = how[arg];
	}
	arrange_intermediates(&m);
	for (int i = 0; i < d->ops.n; i++)
		if (arrange_op(&m, i) < 0)
			return NULL;
	return dag_freeze(m.to) < 0 ? NULL : m.to;
}
