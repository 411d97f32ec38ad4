/* SPDX-License-Identifier: Apache-2.0 */
/* search/guess.c - the first of some generations that the prior ranks. */
#include "search/guess.h"

#include "search/strategies/generations.h"

/* A candidate takes some tenths of a millisecond (hone bench --suite features). */
static const struct generations effort = { .population = 96, .count = 3 };

/* Keeps C as the guess where it can be written as C. */
static bool keep(const struct problem *p, struct arena *a, struct arena *scratch,
		 struct candidate *c, struct guess *out)
{
	if (!candidate_emit(p, scratch, c))
		return false;
	out->steps = arena_strdup(a, c->steps);
	out->source = arena_strdup(a, c->trial.source);
	out->replaces = program_replaces(c->program);
	return true;
}

bool task_guess(struct arena *a, const struct task *t, const struct aim *aim,
		struct guess *out)
{
	struct arena *scratch = arena_new();
	struct problem p;
	struct candidate *all;
	int n = generations_by_prior(scratch, t, aim, effort, &p, &all);
	bool found = false;

	for (int i = 0; i < n && !found; i++)
		found = keep(&p, a, scratch, &all[i], out);
	arena_free(scratch);
	return found;
}
