/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/match.c - comparing indices. */
#include "bench/work/match.h"

bool index_equal(struct arena *a, const struct expr *e, const struct expr *f)
{
	struct linear l;

	return linear_from(a, expr_binary(a, EXPR_SUB, e, f), &l) && l.n == 0 && l.constant == 0;
}

bool index_is_axis(struct arena *a, const struct expr *e, int64_t extent, const struct axis **axis)
{
	struct linear l;

	*axis = NULL;
	if (!linear_from(a, e, &l) || l.constant != 0)
		return false;
	if (l.n == 0)
		return extent == 1;
	if (l.n != 1 || l.term[0].coef != 1 || l.term[0].atom->kind != EXPR_AXIS)
		return false;
	*axis = l.term[0].atom->axis;
	return (*axis)->lo == 0 && (*axis)->hi == extent;
}

bool index_is(struct arena *a, const struct expr *e, int64_t extent, const struct axis *axis)
{
	const struct axis *met;

	return index_is_axis(a, e, extent, &met) && axis->hi == extent && (!met || met == axis);
}
