/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lower.c - from a state to a finished nest: one pass after the other. */
#include "schedule/pass/pass.h"

const struct nest_pass nest_passes[NEST_PASSES] = {
#define X(name, meaning) { #name, meaning, nest_pass_##name },
#include "schedule/pass/passes.def"
#undef X
};

const struct nest_pass *nest_pass_find(const char *name)
{
	for (int i = 0; i < NEST_PASSES; i++)
		if (strcmp(nest_passes[i].name, name) == 0)
			return &nest_passes[i];
	return NULL;
}

/* Has TARGET all the kinds of loops that S asks for? */
static bool binds_all(const struct state *s, const struct target *target)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		for (int j = 0; j < g->leaves.n; j++)
			if (!target_binds(target, g->iters.at[g->leaves.at[j]].annotation))
				return false;
	}
	return true;
}

/* Is a tile moved back where a range does not end with one? */
static bool shifts(const struct state *s)
{
	for (int i = 0; i < s->steps.n; i++)
		if (s->steps.at[i].border == BORDER_SHIFT)
			return true;
	return false;
}

struct program *lower_to(struct arena *a, const struct state *s, const struct target *target,
			 const struct nest_pass *last, const char **why)
{
	struct program *p = arena_one(a, struct program);
	const char *reason;

	state_settle(s);
	p->arena = a;
	p->state = s;
	p->target = target;
	p->overlaps = shifts(s);
	if (!binds_all(s, target)) {
		*(why ? why : &reason) = "the target has no loops of a kind that the steps ask for";
		return NULL;
	}
	for (const struct nest_pass *pass = nest_passes; pass <= last; pass++)
		if (!pass->run(p, why ? why : &reason))
			return NULL;
	return p;
}

struct program *lower(struct arena *a, const struct state *s, const struct target *target,
		      const char **why)
{
	return lower_to(a, s, target, &nest_passes[NEST_PASSES - 1], why);
}
