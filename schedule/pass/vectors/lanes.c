/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/lanes.c - how lanes lie: in the variables of register tiles, in memory, and beyond the end
 * of a loop. A loop that runs over its end writes registers alone, which have room for whole vectors, and
 * reads what the lanes share and intermediates, which have room behind their end. */
#include "schedule/pass/vectors/lanes.h"

#include "base/err.h"
#include "base/integer.h"
#include "schedule/lane_form.h"
#include "te/index/index.h"

/* --- indices */

bool lanes_offset(struct arena *a, const struct tensor *t, const struct expr *const *index, struct linear *out)
{
	int64_t row = 1;

	*out = (struct linear){ 0 };
	for (int d = t->ndim - 1; d >= 0; d--) {
		if (!linear_add_expr(a, out, index[d], row))
			return false;
		row *= t->shape[d];
	}
	linear_rejoin(a, out);
	return true;
}

bool lanes_bent(const struct linear *l, const struct axis *axis)
{
	for (int i = 0; i < l->n; i++)
		if (l->term[i].atom->kind != EXPR_AXIS && expr_uses_axis(l->term[i].atom, axis))
			return true;
	return false;
}

bool lanes_in_halves(const struct linear *l, const struct axis *axis, int lanes)
{
	int64_t step = 0, piece;	/* from a lane to the next of its half */

	for (int i = 0; i < l->n; i++) {
		const struct expr *x = l->term[i].atom;

		if (!expr_uses_axis(x, axis))
			continue;
		bool itself = x->kind == EXPR_AXIS;
		bool split = (x->kind == EXPR_DIV || x->kind == EXPR_MOD) && x->arg[0]->kind == EXPR_AXIS && expr_is_int(x->arg[1], &piece);

		if (!itself && (!split || 2 * piece != lanes))
			return false;
		if (x->kind != EXPR_DIV)
			step += l->term[i].coef;
	}
	return step == 1 && axis->lo == 0 && axis->hi % lanes == 0;
}

/* What L is at the start of AXIS, up to multiples of BLOCK. */
static struct range start_within(const struct linear *l, const struct axis *axis, int64_t block)
{
	int64_t constant = l->constant + linear_coef(l, axis) * axis->lo;
	struct range r = { constant % block, constant % block };

	for (int i = 0; i < l->n; i++) {
		bool own = l->term[i].atom->kind == EXPR_AXIS && l->term[i].atom->axis == axis;

		if (!own && l->term[i].coef % block != 0)
			r = range_add(r, term_range(l, i));
	}
	return r;
}

/* --- buffers in registers */

/* Elements from one turn of AXIS to the next; 1 where they are not evenly spaced. */
static int64_t stride_of(struct arena *a, const struct expr *index, const struct axis *axis)
{
	struct linear l;
	int64_t stride = linear_from(a, index, &l) ? linear_coef(&l, axis) : 1;

	return stride > 0 ? stride : 1;
}

const struct laid_out *lanes_open(const struct vectorizer *v, const struct buffer *b)
{
	for (int i = v->open.n - 1; i >= 0; i--)
		if (v->open.at[i].buffer == b)
			return &v->open.at[i];
	die("buffer %s is not laid out", b->tensor.name);
}

static const struct lane_layout *layout_of(const struct vectorizer *v, const struct buffer *b)
{
	return lanes_open(v, b)->layout;
}

/* The widest vector that store N to its buffer may be, along AXIS, and how its lanes run. */
static void widen(const struct vectorizer *v, struct lane_layout *to, const struct nest *n,
		  const struct axis *axis)
{
	const struct tensor *t = &n->buffer->tensor;
	int limit = target_lanes(v->target, dtype_bytes(t->dtype));

	for (int d = 0; d < t->ndim; d++) {
		int lanes = 1;

		if (!expr_uses_axis(n->index[d], axis))
			continue;
		while (2 * lanes <= limit &&
		       (to->overruns ? lanes : 2 * lanes - 1) < axis->hi - axis->lo)
			lanes *= 2;
		if (lanes > to->lanes) {
			to->lanes = lanes;
			to->dim = d;
			to->stride = stride_of(v->a, n->index[d], axis);
		}
	}
}

static void find_widest(const struct vectorizer *v, struct lane_layout *to, const struct buffer *b,
			const struct nest *n, const struct axis *vector)
{
	for (; n; n = n->next) {
		bool opens = n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR;

		find_widest(v, to, b, n->body, opens ? n->axis : vector);
		find_widest(v, to, b, n->other, vector);
		if (n->kind == NEST_STORE && n->buffer == b && vector)
			widen(v, to, n, vector);
	}
}

bool lanes_are_variable(const struct vectorizer *v, const struct buffer *b, const struct expr *const *index,
			const struct axis *axis, int lanes)
{
	const struct lane_layout *to = layout_of(v, b);

	if (to->lanes != lanes)
		return false;
	for (int d = 0; d < b->tensor.ndim; d++) {
		struct linear l;

		if (!linear_from(v->a, index[d], &l) || lanes_bent(&l, axis) ||
		    linear_coef(&l, axis) != (d == to->dim ? to->stride : 0))
			return false;
		if (d != to->dim)
			continue;
		struct range at = start_within(&l, axis, to->lanes * to->stride);

		if (at.lo < 0 || at.hi >= to->stride)
			return false;
	}
	return true;
}

/* --- beyond the end */

/* The lanes of AXIS are the last that store N's buffer has, or that anything writes: what is beyond is nobody's. */
static bool ends_with_buffer(const struct vectorizer *v, const struct nest *n, const struct axis *axis)
{
	const struct lane_layout *to = layout_of(v, n->buffer);
	const struct tensor *t = &n->buffer->tensor;
	int64_t end = t->shape[to->dim];
	struct linear l;

	if (to->dim == t->ndim - 1)
		end = least(end, lanes_open(v, n->buffer)->reach);
	return linear_from(v->a, n->index[to->dim], &l) &&
	       linear_range(&l).lo + (axis->hi - axis->lo) * to->stride >= end;
}

/* The lanes of the registers that turns [at, end) of loop N fill whole; 0 where it must not run over. */
static int lanes_beyond(const struct vectorizer *v, const struct nest *n, int64_t at)
{
	const struct nest *first = n->body;
	struct axis rest = *n->axis;
	const struct expr *value = expr_axis(v->a, &rest);

	rest.lo = at;
	if (!first || first->kind != NEST_STORE || !first->buffer->registers)
		return 0;
	int lanes = layout_of(v, first->buffer)->lanes;

	if (lanes == 1)		/* its buffer may have no dim that lanes lie along */
		return 0;
	for (const struct nest *s = nest_copy(v->a, first, &n->axis, &value, 1); s; s = s->next)
		if (s->kind != NEST_STORE || !s->buffer->registers || store_combines_lanes(s, &rest) ||
		    !layout_of(v, s->buffer)->overruns ||
		    !lanes_are_variable(v, s->buffer, s->index, &rest, lanes) ||
		    !ends_with_buffer(v, s, &rest))
			return 0;
	return lanes;
}

/* --- */

static const struct lane_layout *lay_out_registers(struct vectorizer *v, const struct nest *alloc)
{
	struct lane_layout *to = arena_one(v->a, struct lane_layout);

	to->lanes = 1;
	to->stride = 1;
	to->overruns = lanes_may_overrun(v, alloc->buffer, alloc->next);
	find_widest(v, to, alloc->buffer, alloc->next, NULL);
	return to;
}

void lanes_lay_out(struct vectorizer *v, struct nest *alloc)
{
	struct laid_out *open;

	vec_push(v->a, &v->open, (struct laid_out){ .buffer = alloc->buffer });
	open = &v->open.at[v->open.n - 1];
	open->reach = lanes_reach(v->a, alloc->buffer, alloc->next);
	if (alloc->buffer->registers)
		open->layout = alloc->layout = lay_out_registers(v, alloc);
}

/* Bytes of the widest element of which all lanes are in one register. Scratchpads are no registers: what is computed on
 * the way from one to memory has its lanes there. */
static size_t widest_element(const struct target *target, const struct nest *n)
{
	size_t widest = 1;

	for (; n; n = n->next) {
		size_t below = n->body ? widest_element(target, n->body) : 1;

		if (n->kind == NEST_STORE)
			below = target->operands ? dtype_bytes(dtype_arithmetic(n->buffer->tensor.dtype))
						 : lane_form_bytes(n->value, n->buffer->tensor.dtype);
		widest = below > widest ? below : widest;
	}
	return widest;
}

int lanes_of_register(const struct vectorizer *v, const struct nest *n)
{
	return target_lanes(v->target, widest_element(v->target, n->body));
}

int lanes_from(const struct vectorizer *v, const struct nest *n, int64_t at, int lanes)
{
	int64_t left = n->axis->hi - at;

	if (lanes <= left)
		return lanes;
	int wide = lanes_beyond(v, n, at);

	while (lanes > left)
		lanes /= 2;
	if (wide > left)
		return wide;
	bool whole = lanes < left && n->border != BORDER_PARTITION &&
		     lanes_end_whole(v, n->body, n->axis, at, 2 * lanes);

	return whole ? 2 * lanes : lanes;
}

bool lanes_store(const struct vectorizer *v, const struct nest *n, const struct axis *axis, int lanes)
{
	const struct tensor *t = &n->buffer->tensor;
	struct linear l;

	if (t->dtype == DTYPE_BOOL)
		return false;
	if (store_combines_lanes(n, axis))
		return true;
	if (n->buffer->registers)
		return lanes_are_variable(v, n->buffer, n->index, axis, lanes);
	if (!lanes_offset(v->a, t, n->index, &l) || lanes_bent(&l, axis))
		return false;
	int64_t stride = linear_coef(&l, axis);

	return stride == 1 || (stride != 0 && n->reducer == REDUCE_NONE);	/* computed together, stored apart */
}
