/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/location.c - from a stage outwards, and what of it is needed there. */
#include "search/space/sampling/location.h"

#include <math.h>

#include "base/integer.h"
#include "schedule/nest.h"
#include "search/space/expression/group.h"

/* A strip lies in the second-level cache beside what computes and what reads it. By hand, strips of 4 to 8 rows of
 * MobileNetV2's blocks, 64 to 260 KiB, were best (docs/performance.md). */
#define STRIP_SHARE 0.5
/* Rows at the seam of strips of a window are computed twice: a half more where a window of 3 rows is read in strips
 * of 4. Chosen, not measured. */
#define STRIP_REPEATS 1.6

int locations_around(const struct state *s, int at, struct location *out)
{
	int n = 0;

	for (int limit = INT32_MAX; at >= 0;) {
		const struct stage *g = s->stages.at[at];

		for (int i = 0; i < g->leaves.n && i <= limit && n < MAX_LOCATIONS; i++) {
			if (g->iters.at[g->leaves.at[i]].annotation != ANNOTATION_NONE)
				break;
			out[n++] = (struct location){ at, g->leaves.at[i] };
		}
		if (g->place != PLACE_AT)
			break;
		limit = stage_leaf(s->stages.at[g->at_stage], g->at_iter);
		at = g->at_stage;
	}
	return n;
}

/* Of stage G, what is computed at a time. */
static size_t part_bytes(const struct stage *g)
{
	size_t bytes = dtype_bytes(dtype_arithmetic(g->op.tensor.dtype));

	for (int d = 0; d < g->op.tensor.ndim; d++)
		bytes *= (size_t)g->part[d];
	return bytes;
}

/* The same as a buffer has it: with rows of whole vectors, whose lanes may overrun, and room behind. */
static size_t stored_bytes(const struct stage *g, const struct target *target)
{
	int64_t row = g->op.tensor.ndim > 0 ? g->part[g->op.tensor.ndim - 1] : 1;
	int64_t lanes = target_lanes(target, dtype_bytes(dtype_arithmetic(g->op.tensor.dtype)));
	size_t bytes = part_bytes(g);

	if (target->operands)	/* scratchpads are filled to the last entry */
		return bytes;
	if (row > 1)
		bytes = bytes / (size_t)row * (size_t)(ceil_div(row, lanes) * lanes);
	return bytes + (OVERRUN_STRIDE + 1) * (size_t)target->vector_bytes;
}

/* Of all stages inside loops, as if they were alive at once. */
static size_t local_bytes(const struct state *s, const struct target *target)
{
	size_t sum = 0;

	for (int i = 0; i < s->stages.n; i++)
		sum += s->stages.at[i]->place == PLACE_AT ? stored_bytes(s->stages.at[i], target) : 0;
	return sum;
}

/* The turns of all loops around an attached stage. */
static double turns_around(const struct state *s, const struct stage *g)
{
	double turns = 1;

	while (g->place == PLACE_AT) {
		const struct stage *at = s->stages.at[g->at_stage];

		for (int i = 0; i <= stage_leaf(at, g->at_iter); i++)
			turns *= (double)at->iters.at[at->leaves.at[i]].extent;
		g = at;
	}
	return turns;
}

/* How often an element of attached stage G is computed. */
static double repeats(const struct state *s, const struct stage *g)
{
	double n = turns_around(s, g);

	for (int d = 0; d < g->op.tensor.ndim; d++)
		n *= (double)g->part[d] / (double)g->op.tensor.shape[d];
	return n;
}

/* What a stage may take where it is computed inside loops. */
struct limits {
	bool root;	/* it may be outside of all loops */
	size_t own;	/* bytes of it that are alive at a time */
	size_t all;	/* the same of all stages inside loops, together, with rows of whole vectors */
	double repeats;	/* how often an element is computed, on average */
	const struct target *target;
};

static struct limits limits_of(const struct state *s, int stage, enum role role, const struct aim *aim)
{
	struct limits l = { role != ROLE_SCRATCH, SIZE_MAX, aim->target->scope_bytes[SCOPE_WORKSPACE], INFINITY, aim->target };

	if (role == ROLE_SCRATCH)
		l.own = aim->target->scope_bytes[group_operand_scope(s, stage, aim->target)];
	if (role == ROLE_STRIP) {
		l.own = (size_t)(STRIP_SHARE * aim->l2_bytes);
		l.repeats = STRIP_REPEATS;
	}
	return l;
}

/* STEP, which computes a stage somewhere, with loop AT; S is then the state behind it. False, with S as it
 * was, where that is not legal or beyond the limits. */
static bool take(struct arena *a, struct state **s, struct step *step, struct location at,
		 const struct limits *l)
{
	struct state *before = state_copy(a, *s);
	const struct stage *g;
	int n = before->steps.n;

	step->size = 0;
	step->target = at.stage;
	step->iter = at.iter;
	if (state_apply(*s, *step, NULL)) {
		g = (*s)->stages.at[step->stage];
		if (part_bytes(g) <= l->own && local_bytes(*s, l->target) <= l->all && repeats(*s, g) <= l->repeats)
			return true;
	}
	before->steps = (*s)->steps;	/* the same, in storage that has room for more */
	before->steps.n = n;
	*s = before;
	return false;
}

/* Those of N locations around the statement of G's target that ROLE allows; how many. */
static int allowed(const struct gene *g, enum role role, const struct state *s, struct location *around, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		bool own = around[i].stage == g->step.target;

		if (role != ROLE_SCRATCH || !own ||
		    stage_leaf(s->stages.at[around[i].stage], around[i].iter) < g->step.size)
			around[kept++] = around[i];
	}
	return kept;
}

void location_draw(struct arena *a, struct state **s, struct gene *g, enum role role, const struct aim *aim,
		   struct rng *rng)
{
	const struct limits l = limits_of(*s, g->step.stage, role, aim);
	struct location around[MAX_LOCATIONS];
	int n = allowed(g, role, *s, around, locations_around(*s, g->step.target, around));

	for (;;) {
		int pick = (int)rng_below(rng, n + (l.root || n == 0));

		g->left_out = pick == n;
		if (g->left_out || take(a, s, &g->step, around[pick], &l))
			return;
		around[pick] = around[--n];
	}
}

void location_follow(struct arena *a, struct state **s, struct gene *g, enum role role, const struct aim *aim)
{
	const struct limits l = limits_of(*s, g->step.stage, role, aim);
	const struct location at = { g->step.target, g->step.iter };

	g->left_out = g->left_out || !take(a, s, &g->step, at, &l);
}
