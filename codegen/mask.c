/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/mask.c - vectors of which some lanes alone may touch memory. */
#include <inttypes.h>

#include "codegen/emitter.h"
#include "schedule/mask.h"
#include "te/index/index.h"

static int64_t clamped(int64_t lane, int lanes)
{
	return lane < 0 ? 0 : lane > lanes ? lanes : lane;
}

struct lane_run lane_run(struct emitter *e)
{
	const struct axis *axis = e->vector_axis;
	struct mask m = { expr_int(e->a, axis->lo), expr_int(e->a, axis->hi), NULL };
	struct lane_run r = { .known = true };

	if (e->under && !mask_of(e->a, e->under, axis, &m))
		e->why = "a condition on lanes is no mask";
	m.lo = expr_add(e->a, m.lo, expr_int(e->a, -e->vector_start));
	m.hi = expr_add(e->a, m.hi, expr_int(e->a, -e->vector_start));
	r.known = index_known(e, m.lo, &r.from) & index_known(e, m.hi, &r.to);
	r.lo = index_text(e, m.lo);
	r.hi = index_text(e, m.hi);
	if (!r.known)
		return r;
	r.from = clamped(r.from, e->lanes);
	r.to = clamped(r.to, e->lanes);
	r.none = r.to <= r.from;
	r.all = r.from == 0 && r.to == e->lanes;
	r.lo = arena_printf(e->a, "%" PRId64, r.from);
	r.hi = arena_printf(e->a, "%" PRId64, r.to);
	return r;
}

const char *lanes_when(struct emitter *e, const struct expr *c)
{
	struct mask m;
	int64_t known = 1;

	if (!mask_of(e->a, c, e->vector_axis, &m))
		e->why = "a condition on lanes is no mask";
	if (!m.when || index_known(e, m.when, &known))
		return known ? NULL : "0";
	return scalar_text(e, m.when);
}

const struct expr *emit_under(struct emitter *e, const struct expr *c)
{
	const struct expr *before = e->under;

	e->under = before && c ? expr_binary(e->a, EXPR_AND, before, c) : c;
	return before;
}

bool reads_all_lanes(const struct emitter *e, const struct tensor *t, int64_t stride)
{
	bool ends = e->vector_axis->hi - e->vector_axis->lo < e->lanes;

	return !e->under && (!ends || mask_is_needless(t, stride));
}
