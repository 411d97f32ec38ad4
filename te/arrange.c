/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange.c - decides how intermediates are stored, then writes each op over the stored dims. */
#include "te/arrange.h"

#include "base/err.h"
#include "te/eval.h"
#include "te/index.h"

struct arranger {
	struct arena *a;
	const struct dag *from;
	struct dag *to;			/* its ops stand where those of FROM do */
	struct arrangement *how;	/* of the ops of FROM, by position */
};

bool arrangement_fits(const struct arrangement *how, const struct tensor *t)
{
	uint32_t outer = 0, inner = 0;	/* a bit for each dim that is stored so */

	if (how->n > TENSOR_MAX_DIMS)
		return false;
	for (int i = 0; i < how->n; i++) {
		const struct stored_dim *at = &how->at[i];

		if (at->dim < 0 || at->dim >= t->ndim || at->block < 0 ||
		    (at->block && t->shape[at->dim] % at->block != 0))
			return false;
		uint32_t *seen = at->block ? &inner : &outer;

		if (*seen & UINT32_C(1) << at->dim)
			return false;
		*seen |= UINT32_C(1) << at->dim;
	}
	return how->n == 0 || outer == (UINT32_C(1) << t->ndim) - 1;
}

/* Of DIM; 0 where it is stored as a whole. */
static int64_t block_of(const struct arrangement *how, int dim)
{
	for (int i = 0; i < how->n; i++)
		if (how->at[i].dim == dim && how->at[i].block)
			return how->at[i].block;
	return 0;
}

/* HOW with all its dims, also where that is none. */
static struct arrangement spelled(const struct arrangement *how, int ndim)
{
	struct arrangement out = { .n = ndim };

	for (int i = 0; i < ndim; i++)
		out.at[i].dim = i;
	return how->n ? *how : out;
}

int64_t arrangement_extent(const struct arrangement *how, const struct tensor *t, int i)
{
	const struct stored_dim *at = &how->at[i];
	int64_t block = block_of(how, at->dim);

	if (how->n == 0)
		return t->shape[i];
	return at->block ? at->block : block ? t->shape[at->dim] / block : t->shape[at->dim];
}

/* --- how intermediates are stored */

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

	if (dag_arg(l->m->from, l->m->from->ops.at[at]) < 0 && reads_own_element(l->op, e))
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

/* --- ops over stored dims */

/* An axis in the new DAG: outer * (extent of inner) + inner. */
struct split_axis {
	struct axis *outer;
	struct axis *inner;	/* NULL: outer is all of it */
};

/* The axes of an op, and what stands for each in the new DAG. */
struct renaming {
	struct arranger *m;
	int n;
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	struct split_axis axis[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
};

/* Axis FROM in blocks of BLOCK; as a whole where that is 0. */
static struct split_axis renew(struct renaming *r, const struct axis *from, int64_t block)
{
	struct dag *d = r->m->to;
	struct split_axis out = {
		.outer = dag_axis(d, from->name, block ? from->hi / block : from->hi),
		.inner = block ? dag_axis(d, arena_printf(d->arena, "%si", from->name), block)
			       : NULL,
	};
	const struct expr *value = expr_axis(d->arena, out.outer);

	if (block)
		value = expr_add(d->arena, expr_mul(d->arena, value, block),
				 expr_axis(d->arena, out.inner));
	r->from[r->n] = from;
	r->axis[r->n] = out;
	r->to[r->n++] = value;
	return out;
}

/* How a reduce axis runs through the tensors that are read. */
struct course {
	const struct arranger *m;
	const struct axis *axis;
	int64_t block;		/* of the blocked dim that it runs through; 0: none */
	bool last;		/* it runs through the last stored dim of a tensor */
};

/* AXIS counts elements in INDEX, and what else is in it is whole blocks. */
static bool runs_through(struct arena *a, const struct expr *index, const struct axis *axis,
			 int64_t block)
{
	struct linear l;

	if (!linear_from(a, index, &l) || linear_coef(&l, axis) != 1)
		return false;
	for (int i = 0; i < l.n; i++)
		if (l.term[i].coef % block != 0 &&
		    (l.term[i].atom->kind != EXPR_AXIS || l.term[i].atom->axis != axis))
			return false;
	return l.constant % block == 0 && axis->hi % block == 0;
}

static bool follow(const struct expr *e, void *user)
{
	struct course *c = user;

	if (e->kind != EXPR_LOAD)
		return true;
	const struct arrangement *how = &c->m->how[dag_position(c->m->from, e->tensor)];

	for (int i = 0; i < how->n; i++) {
		const struct stored_dim *at = &how->at[i];
		const struct expr *index = e->index[at->dim];

		if (at->block && !c->block && runs_through(c->m->a, index, c->axis, at->block))
			c->block = at->block;
		if (i == how->n - 1 && !block_of(how, at->dim))
			c->last |= runs_through(c->m->a, index, c->axis, 1);
	}
	return true;
}

/* How many REDUCE axes (of TENSOR_MAX_DIMS) OP has; -1 and a message where that is too many. */
static int renew_reduce(struct renaming *r, const struct op *op, struct axis **reduce)
{
	struct axis *last[TENSOR_MAX_DIMS];
	int n = 0, nlast = 0;

	for (int i = 0; i < op->nreduce; i++) {
		struct course c = { .m = r->m, .axis = op->reduce[i] };

		expr_visit(op->body, follow, &c);
		if (n + nlast + 1 + (c.block > 0) > TENSOR_MAX_DIMS)
			return err_set("%s: in stored dims it reduces over more than %d axes",
				       op->tensor.name, TENSOR_MAX_DIMS);
		struct split_axis axis = renew(r, c.axis, c.block);

		if (axis.inner || !c.last)
			reduce[n++] = axis.outer;
		if (axis.inner || c.last)
			last[nlast++] = axis.inner ? axis.inner : axis.outer;
	}
	if (nlast)
		memcpy(reduce + n, last, (size_t)nlast * sizeof(*last));
	return n + nlast;
}

static void renew_space(struct renaming *r, const struct op *op, const struct arrangement *how,
			struct axis **space)
{
	struct split_axis axis[TENSOR_MAX_DIMS];

	for (int d = 0; d < op->tensor.ndim; d++)
		axis[d] = renew(r, op->space[d], block_of(how, d));
	for (int i = 0; i < how->n; i++)
		space[i] = how->at[i].block ? axis[how->at[i].dim].inner
					    : axis[how->at[i].dim].outer;
}

static const struct expr *renew_node(struct arena *a, const struct expr *e, void *user);

/* INDEX, in old axes, of a dim in blocks of BLOCK: which block, or the place within one (INNER). What
 * is one axis stays one, also where its extent is 1. */
static const struct expr *index_of_part(struct renaming *r, const struct expr *index,
					int64_t block, bool inner)
{
	struct arena *a = r->m->a;

	for (int i = 0; i < r->n; i++)
		if (index->kind == EXPR_AXIS && index->axis == r->from[i] && r->axis[i].inner &&
		    r->axis[i].inner->hi == block)
			return expr_axis(a, inner ? r->axis[i].inner : r->axis[i].outer);
	index = expr_rewrite(a, index, renew_node, r);
	return expr_simplify(a, expr_binary(a, inner ? EXPR_MOD : EXPR_DIV, index,
					    expr_int(a, block)));
}

/* Axes and loads in the new DAG; what else there is stays. */
static const struct expr *renew_node(struct arena *a, const struct expr *e, void *user)
{
	struct renaming *r = user;
	const struct expr *index[TENSOR_MAX_DIMS];

	for (int i = 0; e->kind == EXPR_AXIS && i < r->n; i++)
		if (r->from[i] == e->axis)
			return r->to[i];
	if (e->kind != EXPR_LOAD)
		return NULL;
	int at = dag_position(r->m->from, e->tensor);
	struct arrangement how = spelled(&r->m->how[at], e->tensor->ndim);

	for (int i = 0; i < how.n; i++) {
		const struct expr *whole = e->index[how.at[i].dim];
		int64_t block = block_of(&how, how.at[i].dim);

		index[i] = block ? index_of_part(r, whole, block, how.at[i].block > 0)
				 : expr_rewrite(a, whole, renew_node, user);
	}
	return expr_load(a, &r->m->to->ops.at[at]->tensor, index);
}

static int add_compute(struct arranger *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	struct arrangement how = spelled(&m->how[i], op->tensor.ndim);
	struct axis *space[TENSOR_MAX_DIMS], *reduce[TENSOR_MAX_DIMS];
	struct renaming r = { .m = m };

	renew_space(&r, op, &how, space);
	int nreduce = renew_reduce(&r, op, reduce);

	if (nreduce < 0)
		return -1;
	const struct expr *body = expr_rewrite(m->a, op->body, renew_node, &r);

	dag_reduce(m->to, op->tensor.name, space, how.n, op->reducer, reduce, nreduce, body)
		->output = op->output;
	return 0;
}

static void add_input(struct arranger *m, int i)
{
	const struct op *op = m->from->ops.at[i];
	struct arrangement how = spelled(&m->how[i], op->tensor.ndim);
	int64_t shape[TENSOR_MAX_DIMS];

	for (int k = 0; k < how.n; k++)
		shape[k] = arrangement_extent(&how, &op->tensor, k);
	struct op *stored = dag_input(m->to, op->tensor.name, op->tensor.dtype, how.n, shape,
				      op->kind == OP_CONST);

	stored->low = op->low;
	stored->high = op->high;
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
	for (int i = 0; i < d->ops.n; i++) {
		if (d->ops.at[i]->kind != OP_COMPUTE)
			add_input(&m, i);
		else if (add_compute(&m, i) < 0)
			return NULL;
	}
	return dag_freeze(m.to) < 0 ? NULL : m.to;
}
