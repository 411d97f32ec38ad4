/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/state.c - copying and asking states. */
#include "schedule/state.h"

#define COPY_VEC(a, v)                                                                             \
	do {                                                                                       \
		(v)->at = arena_memdup((a), (v)->at, (size_t)(v)->n * sizeof(*(v)->at));           \
		(v)->cap = (v)->n;                                                                 \
	} while (0)

struct state *state_copy(struct arena *a, const struct state *s)
{
	struct state *c = arena_memdup(a, s, sizeof(*s));

	c->arena = a;
	c->steps.cap = c->steps.n;	/* shared, for steps are only added: the first that is makes it an own one */
	COPY_VEC(a, &c->order);
	COPY_VEC(a, &c->stages);
	for (int i = 0; i < c->stages.n; i++) {
		struct stage *g = arena_memdup(a, c->stages.at[i], sizeof(*g));

		COPY_VEC(a, &g->iters);
		COPY_VEC(a, &g->leaves);
		COPY_VEC(a, &g->relations);
		COPY_VEC(a, &g->lets);
		COPY_VEC(a, &g->prefetches);
		c->stages.at[i] = g;
	}
	return c;
}

int state_stage_of(const struct state *s, const struct tensor *t)
{
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->tensor == t)
			return i;
	return -1;
}

int state_find_stage(const struct state *s, const char *name)
{
	for (int i = 0; i < s->stages.n; i++)
		if (strcmp(s->stages.at[i]->op.tensor.name, name) == 0)
			return i;
	return -1;
}

int state_consumers(const struct state *s, int stage, int *out, int max)
{
	int n = 0;

	for (int i = 0; i < s->order.n; i++) {
		const struct stage *g = s->stages.at[s->order.at[i]];

		if (stage_computes(g) && stage_reads(g, s->stages.at[stage]->tensor) && n++ < max)
			out[n - 1] = s->order.at[i];
	}
	return n;
}

bool state_has_attached(const struct state *s, int stage, int iter)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (g->place == PLACE_AT && g->at_stage == stage && g->at_iter == iter)
			return true;
	}
	return false;
}

bool state_encloses(const struct state *s, int target, int at, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int limit = stage_leaf(s->stages.at[target], at);

	if (stage == target)
		return true;	/* its own statement is inside all its loops */
	while (g->place == PLACE_AT) {
		const struct stage *outer = s->stages.at[g->at_stage];

		if (g->at_stage == target)
			return stage_leaf(outer, g->at_iter) >= limit;
		g = outer;
	}
	return false;
}
