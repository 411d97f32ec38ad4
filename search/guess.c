/* SPDX-License-Identifier: Apache-2.0 */
/* search/guess.c - the first of some generations that the prior ranks. */
#include "search/guess.h"

#include "search/kernel_text.h"
#include "search/strategies/generations.h"

/* A candidate takes some tenths of a millisecond (hone bench --suite features). */
static const struct generations effort = { .population = 96, .count = 3 };

/* Keeps STEPS as the guess where they can be written as C. */
static bool keep(const struct problem *p, struct arena *a, struct arena *scratch,
		 const char *steps, struct guess *out)
{
	const char *why;
	const struct program *program = candidate_program(p, scratch, steps, &why);

	*out = (struct guess){
		.steps = arena_strdup(a, steps),
		.source = program ? program_source(a, program, &why) : NULL,
		.replaces = program ? program_replaces(program) : 0,
	};
	return out->source != NULL;
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
		found = keep(&p, a, scratch, all[i].steps, out);
	arena_free(scratch);
	return found;
}
