/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/candidate.c - the steps of one candidate's way. */
#include "search/space/candidate.h"

#include "base/err.h"
#include "schedule/step_text.h"
#include "search/kernel_text.h"

struct batch batch_new(struct arena *a, int cap)
{
	return (struct batch){ .at = arena_many(a, struct candidate, cap), .cap = cap };
}

/* Lowers, and takes the features where they are wanted. */
static bool describe(const struct problem *p, struct arena *a, struct candidate *c,
		     const char **why)
{
	c->program = lower(a, c->state, p->aim->target, why);
	if (!c->program)
		return false;
	*why = "its features cannot be told";
	return !p->describes || features_of(a, c->program, p->aim, &c->features);
}

bool candidate_grow(const struct problem *p, struct arena *a, struct rng *rng, int sketch,
		    const struct genes *genes, struct candidate *out)
{
	const char *why = "its choices do not fit together";

	*out = (struct candidate){ 0 };
	out->state = sample(a, p->task->dag, p->sketches.at[sketch], p->aim, rng, genes,
			    &out->genes);
	out->genes.sketch = sketch;
	if (!out->state || !describe(p, a, out, &why)) {
		refusals_note(p->refusals, why);
		return false;
	}
	out->steps = steps_text(a, &out->state->steps);
	return true;
}

bool candidate_random(const struct problem *p, struct arena *a, struct rng *rng, int max,
		      int *refused, struct candidate *out)
{
	for (int i = 0; i < max; i++) {
		if (candidate_grow(p, a, rng, (int)rng_below(rng, p->sketches.n), NULL, out))
			return true;
		*refused += 1;
	}
	return false;
}

/* Steps tell all decisions but how many turns a parallel loop was to have: the first that gives
 * the same steps. */
static void find_turns(const struct problem *p, struct arena *a, const char *steps,
		       struct genes *g)
{
	struct rng rng = rng_seed(0);	/* nothing is left to chance */

	for (int64_t turns = 1; turns <= SAMPLE_MAX_TURNS; turns++) {
		g->turns = turns;
		struct state *s = sample(a, p->task->dag, p->sketches.at[g->sketch], p->aim,
					 &rng, g, NULL);

		if (s && strcmp(steps_text(a, &s->steps), steps) == 0)
			return;
	}
	g->turns = 0;
}

void candidate_tell_genes(const struct problem *p, struct arena *a, struct candidate *c)
{
	c->genes = (struct genes){ 0 };
	for (int i = 0; i < p->sketches.n; i++) {
		struct genes g;

		if (!genes_of(a, p->sketches.at[i], &c->state->steps, &g))
			continue;
		g.sketch = i;
		if (p->aim->threads > 1)
			find_turns(p, a, c->steps, &g);
		c->genes = g;
		return;
	}
}

bool candidate_recall(const struct problem *p, struct arena *a, const char *steps,
		      struct candidate *out)
{
	const char *why;

	*out = (struct candidate){ .steps = steps };
	out->state = state_parse(a, p->task->dag, "its steps", steps);
	if (!out->state)
		return false;
	if (describe(p, a, out, &why))
		return true;
	err_set("its steps give no kernel: %s", why);
	return false;
}

bool candidate_emit(const struct problem *p, struct arena *a, struct candidate *c)
{
	const char *why = "its C cannot be written";

	c->trial.source = program_source(a, c->program, &why);
	if (!c->trial.source)
		refusals_note(p->refusals, why);
	return c->trial.source != NULL;
}

bool batch_add(const struct problem *p, struct arena *a, struct batch *b,
	       const struct candidate *c)
{
	struct candidate *added = &b->at[b->n];

	if (b->n == b->cap || !history_see(p->history, c->steps))
		return false;
	*added = *c;
	if (!candidate_emit(p, a, added)) {
		b->refused++;
		return false;
	}
	b->n++;
	return true;
}
