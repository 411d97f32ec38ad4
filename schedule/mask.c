/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/mask.c - comparisons solved for the lanes. */
#include "schedule/mask.h"

#include "base/integer.h"
#include "schedule/lane_form.h"
#include "schedule/pass/vectors/lanes.h"
#include "te/index/index.h"

/* Takes AXIS / D, or AXIS (D is 1 then), out of L; its coefficient. False where AXIS is in L in another way, too. */
static bool take_axis(struct linear *l, const struct axis *axis, int64_t *d, int64_t *coef)
{
	*d = 1;
	*coef = 0;
	for (int i = 0; i < l->n; i++) {
		const struct expr *x = l->term[i].atom;
		bool quotient = x->kind == EXPR_DIV && x->arg[0]->kind == EXPR_AXIS && x->arg[0]->axis == axis && expr_is_int(x->arg[1], d);

		if (!expr_uses_axis(x, axis))
			continue;
		if (*coef != 0 || (!quotient && x->kind != EXPR_AXIS) || *d <= 0)
			return false;
		*coef = l->term[i].coef;
		l->term[i--] = l->term[--l->n];
	}
	return true;
}

/* Narrows M to the values of AXIS for which X < Y, or X <= Y. */
static bool narrow(struct arena *a, const struct expr *cond, const struct axis *axis,
		   struct mask *m)
{
	struct linear l;

	if (cond->arg[0]->dtype != DTYPE_I64 || !linear_from(a, cond->arg[1], &l) ||
	    !linear_add_expr(a, &l, cond->arg[0], -1))
		return false;
	l.constant -= cond->kind == EXPR_LT;
	int64_t coef, d;	/* coef * (axis / d) + rest >= 0 */

	if (!take_axis(&l, axis, &d, &coef))
		return false;
	const struct expr *rest = linear_expr(a, &l);

	if (coef > 0) {		/* axis / d >= -rest / coef, rounded up */
		const struct expr *up = expr_add(a, expr_mul(a, rest, -1), expr_int(a, coef - 1));
		const struct expr *first = expr_mul(a, expr_binary(a, EXPR_DIV, up, expr_int(a, coef)), d);

		m->lo = expr_binary(a, EXPR_MAX, m->lo, first);
	} else if (coef < 0) {	/* axis / d <= rest / -coef, rounded down */
		const struct expr *last = expr_binary(a, EXPR_DIV, rest, expr_int(a, -coef));

		m->hi = expr_binary(a, EXPR_MIN, m->hi, expr_mul(a, expr_add(a, last, expr_int(a, 1)), d));
	}
	return coef != 0;
}

static bool narrow_all(struct arena *a, const struct expr *cond, const struct axis *axis,
		       struct mask *m)
{
	if (cond->loads)
		return false;
	if (!expr_uses_axis(cond, axis)) {
		m->when = m->when ? expr_binary(a, EXPR_AND, m->when, cond) : cond;
		return true;
	}
	if (cond->kind == EXPR_AND)
		return narrow_all(a, cond->arg[0], axis, m) && narrow_all(a, cond->arg[1], axis, m);
	return (cond->kind == EXPR_LT || cond->kind == EXPR_LE) && narrow(a, cond, axis, m);
}

bool mask_of(struct arena *a, const struct expr *cond, const struct axis *axis, struct mask *out)
{
	*out = (struct mask){ expr_int(a, axis->lo), expr_int(a, axis->hi), NULL };
	if (!narrow_all(a, cond, axis, out))
		return false;
	out->lo = expr_simplify(a, out->lo);
	out->hi = expr_simplify(a, out->hi);
	return true;
}

bool mask_takes(enum dtype t)
{
	return dtype_bytes(t) == 4 || dtype_bytes(t) == 8;
}

bool mask_is_needless(const struct tensor *t, int64_t stride)
{
	const struct buffer *b = buffer_of(t);

	return (b->kind == BUFFER_TEMP || b->kind == BUFFER_LOCAL) && stride > 0 &&
	       stride <= OVERRUN_STRIDE;
}

struct lane_reads {
	struct arena *a;
	const struct target *target;
	const struct axis *axis;
	bool by_lane;	/* where no lane is read, nothing may be: what is the same for all has to be there anyway */
	bool dense;
};

/* Does LOAD read the lanes side by side, or nearly, or those of each half? */
static bool is_dense(const struct lane_reads *r, const struct expr *load)
{
	struct linear offset;

	for (int d = 0; d < load->tensor->ndim; d++)
		if (load->index[d]->loads)
			return false;
	if (!mask_takes(load->tensor->dtype) || !lanes_offset(r->a, load->tensor, load->index, &offset))
		return false;
	if (lanes_bent(&offset, r->axis))
		return lanes_in_halves(&offset, r->axis, target_lanes(r->target, dtype_bytes(load->tensor->dtype)));
	int64_t stride = linear_coef(&offset, r->axis);

	return stride == 1 || stride_is_near(stride);
}

/* Does node E, which a load is below, have a form for all lanes at once? Lane by lane, it would read
 * outside of the mask. */
static bool has_vector_form(const struct lane_reads *r, const struct expr *e)
{
	const struct expr *c = e->arg[0];
	struct mask m;

	if (!lane_form(e) || e->kind != EXPR_SELECT)
		return lane_form(e);
	return !expr_uses_axis(c, r->axis) || mask_of(r->a, c, r->axis, &m) ||
	       (c->kind >= EXPR_LT && c->kind <= EXPR_NE && c->arg[0]->dtype == e->dtype);
}

/* Is the element that LOAD reads always there? */
static bool check_within(const struct expr *load, void *user)
{
	bool *within = user;

	for (int d = 0; load->kind == EXPR_LOAD && d < load->tensor->ndim; d++) {
		struct range r = expr_range(load->index[d]);

		*within &= r.lo >= 0 && r.hi < load->tensor->shape[d];
	}
	return *within && load->loads;
}

static bool reads_within(const struct expr *e)
{
	bool within = true;

	expr_visit(e, check_within, &within);
	return within;
}

static bool check_read(const struct expr *e, void *user)
{
	struct lane_reads *r = user;

	if (!r->dense || !e->loads)
		return false;
	if (!expr_uses_axis(e, r->axis))
		r->dense = !r->by_lane || reads_within(e);
	else if (e->kind == EXPR_LOAD)
		r->dense = is_dense(r, e);
	else
		r->dense = has_vector_form(r, e);
	return r->dense && e->kind != EXPR_LOAD && expr_uses_axis(e, r->axis);
}

bool mask_of_select(struct arena *a, const struct target *target, const struct expr *x,
		    const struct axis *axis, struct mask *out)
{
	struct lane_reads r = { a, target, axis, true, target->masked_loads };

	if (!lane_form_of(x->dtype) || x->arg[2]->loads)
		return false;
	expr_visit(x->arg[1], check_read, &r);
	return r.dense && mask_of(a, x->arg[0], axis, out);
}

bool mask_may_store(const struct buffer *b)
{
	return b->kind != BUFFER_LOCAL && mask_takes(b->tensor.dtype);
}

bool mask_of_branch(struct arena *a, const struct target *target, const struct nest *n,
		    const struct axis *axis, struct mask *out)
{
	struct lane_reads r = { a, target, axis, false, target->masked_stores };

	for (const struct nest *s = n->body; s && r.dense; s = s->next) {
		r.dense = s->kind == NEST_STORE && (s->buffer->registers ? lane_form_of(s->buffer->tensor.dtype)
							      : mask_may_store(s->buffer));
		expr_visit(s->value, check_read, &r);
	}
	return n->body && !n->other && r.dense && mask_of(a, n->value, axis, out);
}

struct served {
	struct arena *a;
	const struct target *target;
	const struct axis *axis;
	bool all;
};

static bool check_condition(const struct expr *e, void *user)
{
	struct served *s = user;
	struct mask m;

	if (!s->all || !e->compares || !expr_uses_axis(e, s->axis))
		return false;
	if (e->kind == EXPR_SELECT && expr_uses_axis(e->arg[0], s->axis) &&
	    mask_of_select(s->a, s->target, e, s->axis, &m)) {
		expr_visit(e->arg[1], check_condition, s);
		return false;
	}
	s->all = e->kind != EXPR_LT && e->kind != EXPR_LE;
	return s->all;
}

bool mask_has_room(struct arena *a, const struct nest *n, const struct axis *axis, int64_t at,
		   int lanes)
{
	int last = n->buffer->tensor.ndim - 1;
	struct linear l;

	if (n->buffer->kind != BUFFER_LOCAL || n->buffer->registers || last < 0 ||
	    !linear_from(a, n->index[last], &l) || linear_coef(&l, axis) != 1)
		return false;
	for (int d = 0; d < last; d++)
		if (expr_uses_axis(n->index[d], axis))
			return false;
	return linear_range(&l).hi - (axis->hi - 1) + at + lanes - 1 <
	       n->buffer->tensor.shape[last];
}

/* Does N fill a local buffer whose rows end in pieces? What is read right behind is better written without
 * conditions then (docs/performance.md). */
static bool fills_in_pieces(struct arena *a, const struct target *target, const struct nest *n,
			    const struct axis *axis)
{
	int lanes = target_lanes(target, dtype_bytes(n->buffer->tensor.dtype));

	while (lanes / 2 >= axis->hi - axis->lo)
		lanes /= 2;
	return n->buffer->kind == BUFFER_LOCAL && !n->buffer->registers &&
	       n->reducer == REDUCE_NONE && n->value->loads && !mask_has_room(a, n, axis, axis->lo, lanes);
}

bool mask_serves(struct arena *a, const struct target *target, const struct nest *list,
		 const struct axis *axis)
{
	struct served s = { a, target, axis, true };

	for (const struct nest *n = list; n && s.all; n = n->next) {
		struct mask m;

		if (n->kind == NEST_STORE && fills_in_pieces(a, target, n, axis))
			s.all = false;
		else if (n->kind == NEST_STORE)
			expr_visit(n->value, check_condition, &s);
		else
			s.all = n->kind == NEST_IF && mask_of_branch(a, target, n, axis, &m) &&
				mask_serves(a, target, n->body, axis);
	}
	return s.all;
}
