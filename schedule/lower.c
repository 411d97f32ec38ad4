/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lower.c - from a state to a finished nest: one pass after the other. */
#include "schedule/pass/pass.h"

const struct nest_pass nest_passes[NEST_PASSES] = {
#define X(name, meaning) { #name, meaning, pass_##name },
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

struct program *lower_to(struct arena *a, const struct state *s, int vector_bytes,
			 const struct nest_pass *last, const char **why)
{
	struct program *p = arena_one(a, struct program);
	const char *reason;

	p->arena = a;
	p->state = s;
	p->vector_bytes = vector_bytes;
	for (const struct nest_pass *pass = nest_passes; pass <= last; pass++)
		if (!pass->run(p, why ? why : &reason))
			return NULL;
	return p;
}

struct program *lower(struct arena *a, const struct state *s, int vector_bytes, const char **why)
{
	return lower_to(a, s, vector_bytes, &nest_passes[NEST_PASSES - 1], why);
}
