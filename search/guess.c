/* SPDX-License-Identifier: Apache-2.0 */
/* search/guess.c - samples, ranked by the prior. */
#include "search/guess.h"

#include "search/candidate.h"

/* A sample takes about a millisecond (hone bench --suite features). Beyond some hundred the prior's
 * first hardly changes, and what it gets wrong more samples do not mend. */
enum { SAMPLES = 256, TRIES = 64 };

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

bool task_guess(struct arena *a, const struct task *t, const struct target *target,
		struct guess *out)
{
	struct problem p = { .task = t, .sketches = sketches_of(a, t->dag), .target = target,
			     .describes = true };
	struct rng rng = rng_seed(0);
	struct arena *scratch = arena_new();
	float best = 0;
	int refused = 0;

	for (int i = 0; i < SAMPLES; i++) {
		struct candidate c;

		arena_reset(scratch);
		if (!candidate_random(&p, scratch, &rng, TRIES, &refused, &c))
			break;
		float score = prior_score(&c.features);

		if (score > best && keep(&p, a, scratch, &c, out))
			best = score;
	}
	arena_free(scratch);
	return best > 0;
}
