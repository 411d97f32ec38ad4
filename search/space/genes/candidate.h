/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/candidate.h - a schedule on its way from decisions to a measured kernel.
 *
 * In:   a problem, and decisions or the text of steps.
 * Out:  its features, its C text, and after measuring what became of it.
 * Holds: two candidates with the same steps are the same. A search looks at hundreds for each that it measures,
 *        so none keeps its program: steps give it again. */
#ifndef HONE_SEARCH_SPACE_GENES_CANDIDATE_H
#define HONE_SEARCH_SPACE_GENES_CANDIDATE_H

#include "measure/trial.h"
#include "schedule/nest.h"
#include "search/strategies/history.h"
#include "search/strategies/learner.h"
#include "search/space/genes/told.h"
#include "search/space/genes/refusals.h"
#include "search/task.h"

/* A schedule to try, and to go on from. */
struct seed {
	const char *steps;
	bool composed;		/* of parts: they are tried in strips of their readers, too */
};
struct seed_vec VEC(struct seed);

/* A task that is being tuned, and what is known of it. */
struct problem {
	const struct task *task;
	struct sketch_vec sketches;
	const struct aim *aim;
	struct history *history;
	struct seed_vec seeds;		/* of the next batch, the most urgent first */
	int64_t ahead;			/* trials on their way, which the history has not heard of */
	struct learner *learner;	/* NULL: the strategy asks no model */
	int group;			/* the task's, in the learner */
	bool describes;			/* candidates have features */
	struct refusals *refusals;	/* gets those of samples; may be NULL */
	unsigned without;		/* components that are left out (search/strategies/component.h), a bit each */
	struct told_table *told;	/* of those grown for this batch, in its arena; NULL: none is kept */
};

/* Whether evolution has component C, an enum component, in P. */
static inline bool problem_has(const struct problem *p, int c)
{
	return !(p->without >> c & 1);
}

struct candidate {
	const char *steps;	/* its text by numbers: its identity */
	struct genes genes;	/* the decisions behind it; none: n is 0 */
	struct feature_matrix features;	/* none where the problem does not ask */
	/* search/space/genes/kind.h; NULL: as features. */
	const char *kind;
	float score;		/* the model's, before it was measured; 0: none */
	struct trial trial;
};

struct batch {
	struct candidate *at;
	int n, cap;
	int refused;		/* samples that did not fit together or could not be lowered */
};

/* Room for CAP candidates, in A. */
struct batch batch_new(struct arena *a, int cap);

/* Follows GENES where they are set (NULL: nowhere) and chooses the rest at random; in A. False
 * where the choices do not fit together, or make no program. */
bool candidate_grow(const struct problem *p, struct arena *a, struct rng *rng, int sketch,
		    const struct genes *genes, struct candidate *out);
/* The same of any sketch and without genes, tried until it fits; REFUSED (may be NULL) counts the
 * failures. False where MAX tries were for nothing. */
bool candidate_random(const struct problem *p, struct arena *a, struct rng *rng, int max,
		      int *refused, struct candidate *out);
/* Sets the genes to what the steps tell, so that one that was read from a record has the same ones
 * as it had when it was grown. None (n is 0) where its sketch is not known. */
void candidate_tell_genes(const struct problem *p, struct arena *a, struct candidate *c);
/* A candidate from the text of its steps, without genes and C text. False and a message where
 * STEPS cannot be replayed. */
bool candidate_recall(const struct problem *p, struct arena *a, const char *steps,
		      struct candidate *out);
/* The program of steps that made one before, in A; NULL and a reason where they do not now. */
struct program *candidate_program(const struct problem *p, struct arena *a, const char *steps,
				  const char **why);
/* Writes the C text that is measured; false where it would be too much. */
bool candidate_emit(const struct problem *p, struct arena *a, struct candidate *c);
/* Takes C into B where its steps are new to the history and it can be emitted. */
bool batch_add(const struct problem *p, struct arena *a, struct batch *b,
	       const struct candidate *c);

#endif
