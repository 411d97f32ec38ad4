/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/overrun.c - what lanes beyond the end of a loop may do: nothing that shows. */
#include "schedule/pass/lanes.h"

/* Is T an intermediate in memory? */
static bool has_room(const struct tensor *t)
{
	const struct buffer *b = buffer_of(t);

	return !b->registers && (b->kind == BUFFER_TEMP || b->kind == BUFFER_LOCAL);
}

struct value_check {
	struct arena *a;
	const struct axis *axis;
	bool ok;
};

/* Are the lanes of this load evenly spaced, and not far from each other? */
static bool is_near(const struct value_check *c, const struct expr *load)
{
	struct linear l;

	if (!lanes_offset(c->a, load->tensor, load->index, &l) || lanes_bent(&l, c->axis))
		return false;
	int64_t stride = linear_coef(&l, c->axis);

	return stride > 0 && stride <= OVERRUN_STRIDE;
}

/* Sums and products of floats never fault, whatever is in the lanes beyond the end. */
static bool check_value(const struct expr *x, void *user)
{
	struct value_check *c = user;
	bool sums = x->kind == EXPR_ADD || x->kind == EXPR_SUB || x->kind == EXPR_MUL;

	if (!c->ok || !expr_uses_axis(x, c->axis))
		return false;
	c->ok = (x->dtype == DTYPE_F32 || x->dtype == DTYPE_F64) &&
		(sums || (x->kind == EXPR_LOAD && has_room(x->tensor) && is_near(c, x)));
	return c->ok && sums;
}

/* May whatever stores vectors to B below N do so for lanes beyond the end? */
static bool stores_may_overrun(struct value_check *c, const struct buffer *b, const struct nest *n,
			       const struct axis *vector)
{
	for (; n && c->ok; n = n->next) {
		bool opens = n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR;

		if (n->kind == NEST_STORE && n->buffer == b && vector) {
			c->axis = vector;
			expr_visit(n->value, check_value, c);
		}
		stores_may_overrun(c, b, n->body, opens ? n->axis : vector);
		stores_may_overrun(c, b, n->other, vector);
	}
	return c->ok;
}

bool lanes_may_overrun(struct arena *a, const struct buffer *b, const struct nest *list)
{
	struct value_check c = { .a = a, .ok = true };

	return stores_may_overrun(&c, b, list, NULL);
}
