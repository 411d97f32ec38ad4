/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/minmax.c - the smaller or larger of two. NaN goes through, of whichever it is; machines'
 * instructions let it through from one of both alone. */
#include <math.h>

#include "codegen/emitter.h"

const char *minmax_call(struct emitter *e, struct minmax c, const char *x, const char *y)
{
	static const enum helper helper[2][2][3] = {
		{ { HELPER_MIN_NAN_F32, HELPER_MIN_NAN_F64, HELPER_MIN_I64 },
		  { HELPER_MIN_F32, HELPER_MIN_F64, HELPER_MIN_I64 } },
		{ { HELPER_MAX_NAN_F32, HELPER_MAX_NAN_F64, HELPER_MAX_I64 },
		  { HELPER_MAX_F32, HELPER_MAX_F64, HELPER_MAX_I64 } },
	};
	static const char *const types[] = { "f32", "f64", "i64" };
	bool first = c.number || !dtype_is_float(c.dtype);
	int type = !dtype_is_float(c.dtype) ? 2 : c.dtype == DTYPE_F64;
	const char *name = arena_printf(e->a, "%s%s", c.max ? "max" : "min", first ? "" : "_nan");

	if (c.lanes > 1)
		return arena_printf(e->a, "%s_%s(%s, %s)", name, vector_type(e, c.dtype, c.lanes), x, y);
	use_helper(e, helper[c.max][first][type]);
	return arena_printf(e->a, "hone_%s_%s(%s, %s)", name, types[type], x, y);
}

static bool is_number(const struct expr *x)
{
	return x->kind == EXPR_FLOAT && !isnan(x->f);
}

struct minmax minmax_of(const struct expr *x, int lanes, const struct expr **first,
			const struct expr **second)
{
	bool swap = is_number(x->arg[1]);

	*first = x->arg[swap];
	*second = x->arg[!swap];
	return (struct minmax){ .max = x->kind == EXPR_MAX, .dtype = x->dtype, .lanes = lanes,
				.number = is_number(*first) };
}
