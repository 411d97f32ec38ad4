/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/lower.c - from a state to a finished nest: one pass after the other. */
#include "schedule/pass/pass.h"

static pass_fn *const passes[] = {
#define X(name, meaning) pass_##name,
#include "schedule/pass/passes.def"
#undef X
};

struct program *lower(struct arena *a, const struct state *s, int vector_bytes, const char **why)
{
	struct program *p = arena_one(a, struct program);
	const char *reason;

	p->arena = a;
	p->state = s;
	p->vector_bytes = vector_bytes;
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++)
		if (!passes[i](p, why ? why : &reason))
			return NULL;
	return p;
}
