/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/chain.c - what is done to a sum before it is rounded. */
#include <math.h>

#include "graph/ir/op.h"
#include "graph/quantize/integer/plan.h"

/* Does the call B add another tensor to the end of C? Then it is C's term. */
static bool add_term(const struct integer_plan *p, struct integer_chain *c, const struct binding *b)
{
	bool bounded = c->low > -INFINITY || c->high < INFINITY;

	if (b->op != &core_add || c->site < 0 || c->nterms > 0 || bounded)
		return false;
	int other = b->args[b->args[0] == c->end];

	/* one that is broadcast would be another image for the site's kernel */
	if (!integer_may_be(p->main, other) || !type_equal(function_at(p->main, other)->type, b->type) ||
	    !type_equal(function_at(p->main, c->end)->type, b->type))
		return false;
	c->term[c->nterms++] = other;
	return true;
}

/* Does B bound the end of C? */
static bool add_bounds(const struct integer_plan *p, struct integer_chain *c, const struct binding *b)
{
	double low = 0, high = INFINITY;

	if (b->op == &core_clip) {
		if (b->nargs != 3 || b->args[0] != c->end || !quant_number(p->main, b->args[1], &low) ||
		    !quant_number(p->main, b->args[2], &high))
			return false;
	} else if (b->op != &core_relu) {
		return false;
	}
	low = fmax(low, c->low);
	high = fmin(high, c->high);
	if (!(low <= high))
		return false;
	c->low = low;
	c->high = high;
	return true;
}

void integer_chain_grow(struct integer_plan *p, const int *reader, int chain)
{
	struct integer_chain *c = &p->chains.at[chain];
	int next;

	while ((next = reader[c->end]) >= 0 && p->at[next].kind == INTEGER_NONE) {
		const struct binding *b = function_at(p->main, next);

		if (!add_term(p, c, b) && !add_bounds(p, c, b))
			break;
		p->at[c->end].kind = INTEGER_INSIDE;
		p->at[next] = (struct integer_value){ .kind = INTEGER_END, .chain = chain, .like = next, .tensor = -1 };
		c->end = next;
	}
}
