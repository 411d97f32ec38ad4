/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/intrinsic_term.c - the meaning of an intrinsic, as loops have it. */
#include "schedule/intrinsic_term.h"

#include "schedule/pass/vectors/lanes.h"

#define REFUSE(reason)                                                                              \
	do {                                                                                        \
		*why = reason;                                                                      \
		return false;                                                                       \
	} while (0)

/* The load of type T that E is, widened to the type SUM; NULL: it is no such load. */
static const struct expr *widened(const struct expr *e, enum dtype sum, enum dtype t)
{
	bool is = e->kind == EXPR_CAST && e->dtype == sum && e->arg[0]->kind == EXPR_LOAD &&
		  e->arg[0]->dtype == t;

	return is ? e->arg[0] : NULL;
}

bool intrinsic_operands(const struct intrinsic *x, const struct expr *e, struct intrinsic_term *out)
{
	if (e->kind != EXPR_MUL)
		return false;
	for (int i = 0; i < 2; i++) {
		out->a = widened(e->arg[i], x->sum, x->a);
		out->b = widened(e->arg[1 - i], x->sum, x->b);
		if (out->a && out->b)
			return true;
	}
	return false;
}

/* The elements of a group side by side; those of the lanes too, or the same for all. */
static bool lies_well(struct arena *a, const struct intrinsic *x, const struct expr *load,
		      const struct axis *group, const struct axis *lanes)
{
	struct linear at;

	if (buffer_of(load->tensor)->registers || !lanes_offset(a, load->tensor, load->index, &at) ||
	    lanes_bent(&at, group) || lanes_bent(&at, lanes) || linear_coef(&at, group) != 1)
		return false;
	int64_t stride = linear_coef(&at, lanes);

	return stride == 0 || stride == x->group;
}

/* One vector that the group does not move. */
static bool is_sum(struct arena *a, const struct nest *store, const struct axis *group,
		   const struct axis *lanes)
{
	const struct tensor *t = &store->buffer->tensor;
	struct linear at;

	for (int d = 0; d < t->ndim; d++)
		if (expr_uses_axis(store->index[d], group))
			return false;
	return store->buffer->registers ||	/* where vectors are variables already */
	       (lanes_offset(a, t, store->index, &at) && linear_coef(&at, lanes) == 1);
}

bool intrinsic_term(struct arena *a, const struct intrinsic *x, const struct axis *group,
		    const struct nest *lanes, const struct nest *store, struct intrinsic_term *out,
		    const char **why)
{
	if (group->hi - group->lo != x->group)
		REFUSE("a loop has not as many turns as its intrinsic sums up");
	if (lanes->kind != NEST_LOOP || lanes->annotation != ANNOTATION_VECTOR)
		REFUSE("what is to be an intrinsic are no lanes");
	if (lanes->lanes != x->lanes || lanes->axis->hi - lanes->axis->lo != x->lanes)
		REFUSE("lanes are not those of their intrinsic");
	if (store->kind != NEST_STORE || store->reducer != REDUCE_SUM ||
	    store->buffer->tensor.dtype != x->sum || !is_sum(a, store, group, lanes->axis))
		REFUSE("what is to be an intrinsic is no sum of its type in each lane");
	if (!intrinsic_operands(x, store->value, out))
		REFUSE("what is to be an intrinsic is no product of its types");
	if (!lies_well(a, x, out->a, group, lanes->axis) || !lies_well(a, x, out->b, group, lanes->axis))
		REFUSE("operands of an intrinsic do not lie side by side");
	return true;
}
