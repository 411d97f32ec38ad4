/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/own.c - quantization that a model has of its own, as DequantizeLinear comes to:
 * (cast(q) - zero) * scale. */
#include "graph/ir/op.h"
#include "graph/quantize/site.h"

static const struct binding *call_of(const struct function *f, int value, const struct core_op *op)
{
	const struct binding *b = value < 0 ? NULL : function_at(f, value);

	return b && b->kind == BIND_CALL && b->op == op ? b : NULL;
}

bool quant_number(const struct function *f, int value, double *out)
{
	const struct array *c = value < 0 ? NULL : function_const(f, value);

	if (!c || c->count != 1)
		return false;
	*out = element_load(c->element, array_aligned(c)->data, 0);
	return true;
}

static int behind_casts(const struct function *f, int value)
{
	const struct binding *b;

	while ((b = call_of(f, value, &core_cast)) &&
	       element_is_integer(function_at(f, b->args[0])->type->element))
		value = b->args[0];
	return value;
}

int quant_own(const struct function *f, int value, struct quant_grid *grid)
{
	const struct binding *mul = call_of(f, value, &core_mul);
	double scale, zero = 0;

	if (!mul)
		return VALUE_NONE;
	bool swap = quant_number(f, mul->args[0], &scale);

	if (!swap && !quant_number(f, mul->args[1], &scale))
		return VALUE_NONE;
	int q = behind_casts(f, mul->args[swap]);
	const struct binding *sub = call_of(f, q, &core_sub);

	if (sub && quant_number(f, sub->args[1], &zero))
		q = behind_casts(f, sub->args[0]);
	enum element e = function_at(f, q)->type->element;

	if ((e != ELEMENT_U8 && e != ELEMENT_I8) || !(scale > 0) || zero < (double)element_min(e) ||
	    zero > (double)element_max(e))
		return VALUE_NONE;
	*grid = (struct quant_grid){ e, (float)scale, (int)zero };
	return q;
}
