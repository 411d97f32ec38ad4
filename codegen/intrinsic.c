/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/intrinsic.c - calls of intrinsics. */
#include "codegen/emitter.h"
#include "schedule/intrinsic_term.h"

/* LOAD's elements for all lanes, from the group's first on, as a vector of 32-bit lanes. */
static const char *operand_text(struct emitter *e, const struct expr *load)
{
	struct place_name *p = place_of(e, load->tensor);
	struct offset o = offset_of(e, load->tensor, load->index);
	const char *at = address_text(e, p, &o);

	if (o.stride != 0)
		return arena_printf(e->a, "*(const %s *)(%s)",
				    vector_memory_type(e, DTYPE_I32, e->lanes), at);
	use_helper(e, HELPER_WORD);
	return arena_printf(e->a, "(hone_word(%s) - (%s){0})", at,
			    vector_type(e, DTYPE_I32, e->lanes));
}

const char *intrinsic_call(struct emitter *e, const struct nest *n, const char *sum)
{
	const struct intrinsic *x = e->group->intrinsic;
	struct intrinsic_term term;

	if (!intrinsic_operands(x, n->value, &term)) {
		e->why = "an intrinsic was not proved";
		return sum;
	}
	vector_type(e, x->sum, x->lanes);
	return arena_printf(e->a, "%s(%s, %s, %s)", x->name, sum, operand_text(e, term.a),
			    operand_text(e, term.b));
}
