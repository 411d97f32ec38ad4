/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/overrun.c - vectors that are wider than what is left of their loop.
 *
 * Seven lanes are a vector of eight whose last lane is never looked at, rather than vectors of four,
 * two and one. Such a loop writes registers alone, which have room for whole vectors, and reads what
 * the lanes share and intermediates, which have room behind their end. */
#include "codegen/emitter.h"
#include "te/index.h"

size_t overrun_bytes(const struct emitter *e)
{
	return OVERRUN_STRIDE * (size_t)e->options.vector_bytes;
}

/* Is T an intermediate in memory? */
static bool has_room(const struct tensor *t)
{
	const struct buffer *b = buffer_of(t);

	return !b->registers && (b->kind == BUFFER_TEMP || b->kind == BUFFER_LOCAL);
}

/* Are the lanes of this load evenly spaced, and not far from each other? */
static bool is_narrow(struct emitter *e, const struct expr *load, const struct axis *axis)
{
	const struct tensor *t = load->tensor;
	int64_t stride = 0;

	for (int d = 0; d < t->ndim; d++) {
		struct linear l;

		if (!linear_from(e->a, load->index[d], &l))
			return false;
		for (int i = 0; i < l.n; i++)
			if (l.term[i].atom->kind != EXPR_AXIS &&
			    expr_uses_axis(l.term[i].atom, axis))
				return false;
		stride = stride * t->shape[d] + linear_coef(&l, axis);
	}
	return stride > 0 && stride <= OVERRUN_STRIDE;
}

struct value_check {
	struct emitter *e;
	const struct axis *axis;
	bool ok;
};

/* Sums and products of floats never fault, whatever is in the lanes beyond the end. */
static bool check_value(const struct expr *x, void *user)
{
	struct value_check *c = user;
	bool sums = x->kind == EXPR_ADD || x->kind == EXPR_SUB || x->kind == EXPR_MUL;

	if (!c->ok || !expr_uses_axis(x, c->axis))
		return false;
	c->ok = (x->dtype == DTYPE_F32 || x->dtype == DTYPE_F64) &&
		(sums || (x->kind == EXPR_LOAD && has_room(x->tensor) &&
			  is_narrow(c->e, x, c->axis)));
	return c->ok && sums;
}

static bool stores_may_overrun(struct value_check *c, const struct buffer *buffer,
			       const struct nest *n, const struct axis *vector)
{
	for (; n && c->ok; n = n->next) {
		bool opens = n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR;

		if (n->kind == NEST_STORE && n->buffer == buffer && vector) {
			c->axis = vector;
			expr_visit(n->value, check_value, c);
		}
		stores_may_overrun(c, buffer, n->body, opens ? n->axis : vector);
		stores_may_overrun(c, buffer, n->other, vector);
	}
	return c->ok;
}

bool may_overrun(struct emitter *e, const struct buffer *buffer, const struct nest *n)
{
	struct value_check c = { .e = e, .ok = true };

	return stores_may_overrun(&c, buffer, n, NULL);
}

/* The lanes from LEFT on are beyond the end of P too: nothing else writes them. */
static bool ends_with_buffer(struct emitter *e, const struct place_name *p,
			     const struct expr *const *index, int64_t left)
{
	struct offset o = offset_of(e, &(struct tensor){ .ndim = 1, .shape = { 1 } },
				    index + p->dim);

	return o.constant + left * p->stride >= p->buffer->tensor.shape[p->dim];
}

int overrun_lanes(struct emitter *e, const struct nest *n, int64_t left)
{
	const struct nest *first = n->body;
	int lanes = e->lanes;

	if (!first || first->kind != NEST_STORE || !first->buffer->registers)
		return 0;
	e->lanes = place_of(e, &first->buffer->tensor)->lanes;
	for (const struct nest *s = first; s && e->lanes; s = s->next) {
		bool fits = s->kind == NEST_STORE && s->buffer->registers;
		const struct place_name *p = fits ? place_of(e, &s->buffer->tensor) : NULL;

		if (!fits || !p->overrun || !slot_of(e, p, s->index).whole ||
		    !ends_with_buffer(e, p, s->index, left))
			e->lanes = 0;
	}
	int wide = e->lanes;

	e->lanes = lanes;
	return wide;
}
