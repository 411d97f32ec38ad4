/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectors/overrun.c - what lanes beyond the end of a loop may do: nothing that shows, or nothing, under a
 * mask. */
#include "schedule/mask.h"
#include "schedule/pass/vectors/lanes.h"

struct value_check {
	struct arena *a;
	const struct target *target;
	const struct nest *list;	/* of which buffers in registers are; NULL: of these nothing is known */
	const struct axis *axis;
	bool ok;
};

static bool may_overrun(const struct value_check *of, const struct buffer *b, const struct nest *list);

/* Do the lanes of what is at L, of AXIS, read the same few elements again and again? So do those beyond the end. */
static bool lanes_repeat(const struct linear *l, const struct axis *axis)
{
	bool repeat = false;

	for (int i = 0; i < l->n; i++) {
		const struct expr *atom = l->term[i].atom;

		if (!expr_uses_axis(atom, axis))
			continue;
		if (atom->kind != EXPR_MOD)
			return false;
		repeat = true;
	}
	return repeat;
}

/* Are the lanes of this load evenly spaced, with room behind the last or a mask, or elements that others have, too? Those of registers have
 * room where what stores to them may overrun. */
static bool is_harmless(const struct value_check *c, const struct expr *load)
{
	struct linear l;

	if (buffer_of(load->tensor)->registers)
		return c->list && may_overrun(c, buffer_of(load->tensor), NULL);
	if (!lanes_offset(c->a, load->tensor, load->index, &l))
		return false;
	if (lanes_bent(&l, c->axis))
		return lanes_repeat(&l, c->axis);
	return mask_is_needless(load->tensor, linear_coef(&l, c->axis)) ||
	       (c->target->masked_loads && mask_takes(load->tensor->dtype));
}

static bool is_computed_with(enum dtype t)
{
	return t == DTYPE_F32 || t == DTYPE_F64 || t == DTYPE_I32;
}

/* Numbers of other types are read, and made such. A float beyond an integer's range has no value as one. */
static bool is_widened(const struct expr *x)
{
	return x->kind == EXPR_CAST && x->arg[0]->kind == EXPR_LOAD &&
	       (dtype_is_float(x->dtype) || !dtype_is_float(x->arg[0]->dtype));
}

/* Sums and products never fault, those of integers wrap, whatever is in the lanes beyond the end. */
static bool check_value(const struct expr *x, void *user)
{
	struct value_check *c = user;
	bool sums = x->kind == EXPR_ADD || x->kind == EXPR_SUB || x->kind == EXPR_MUL;
	struct mask m;

	if (!c->ok || !expr_uses_axis(x, c->axis))
		return false;
	if (is_widened(x))
		c->ok = is_computed_with(x->dtype) && is_harmless(c, x->arg[0]);
	else
		c->ok = is_computed_with(x->dtype) &&
			(sums || (x->kind == EXPR_LOAD && is_harmless(c, x)) ||
			 (x->kind == EXPR_SELECT && mask_of_select(c->a, c->target, x, c->axis, &m)));
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

/* OF's stores to B, those of registers being in LIST. */
static bool may_overrun(const struct value_check *of, const struct buffer *b, const struct nest *list)
{
	struct value_check c = { .a = of->a, .target = of->target, .list = list, .ok = true };

	return stores_may_overrun(&c, b, of->list, NULL);
}

bool lanes_may_overrun(const struct vectorizer *v, const struct buffer *b, const struct nest *list)
{
	return may_overrun(&(struct value_check){ .a = v->a, .target = v->target, .list = list }, b, list);
}

int64_t lanes_reach(struct arena *a, const struct buffer *b, const struct nest *list)
{
	int last = b->tensor.ndim - 1;
	int64_t reach = 0;

	for (const struct nest *n = list; n && last >= 0; n = n->next) {
		int64_t below = lanes_reach(a, b, n->body), beside = lanes_reach(a, b, n->other);
		struct linear l;

		if (n->kind == NEST_STORE && n->buffer == b)
			below = linear_from(a, n->index[last], &l) ? linear_range(&l).hi + 1 : INT64_MAX;
		below = below > beside ? below : beside;
		reach = below > reach ? below : reach;
	}
	return reach;
}

/* May store N write LANES lanes from turn AT of AXIS on, more than there are turns, as its row has room? Where each
 * element is written once, what is behind is written later, for pieces of a loop ascend; sums are there already, but for
 * the last of all. */
static bool has_room(const struct vectorizer *v, const struct nest *n, const struct axis *axis, int64_t at, int lanes)
{
	struct linear l;

	return mask_has_room(v->a, n, axis, at, lanes) &&
	       linear_from(v->a, n->index[n->buffer->tensor.ndim - 1], &l) && l.n == 1 &&
	       (n->reducer == REDUCE_NONE || linear_range(&l).hi + 1 >= lanes_open(v, n->buffer)->reach);
}

struct masked_reads {
	const struct axis *axis;
	bool all;
};

static bool check_masked(const struct expr *x, void *user)
{
	struct masked_reads *r = user;

	if (x->kind == EXPR_LOAD && expr_uses_axis(x, r->axis))
		r->all &= mask_takes(x->tensor->dtype);
	return r->all && x->loads;
}

bool lanes_end_whole(const struct vectorizer *v, const struct nest *list, const struct axis *axis,
		     int64_t at, int lanes)
{
	struct masked_reads r = { axis, v->target->masked_loads };

	for (const struct nest *n = list; n && r.all; n = n->next) {
		if (n->kind == NEST_STORE && !n->buffer->registers) {
			r.all = (has_room(v, n, axis, at, lanes) ||
				 (v->target->masked_stores && mask_may_store(n->buffer))) &&
				lanes_store(v, n, axis, 1);
			expr_visit(n->value, check_masked, &r);
		} else {
			r.all = n->kind == NEST_IF && lanes_end_whole(v, n->body, axis, at, lanes);
		}
	}
	return r.all;
}
