/* SPDX-License-Identifier: Apache-2.0 */
/* search/random.c - the strategy that learns nothing: samples of the sketches in turn. */
#include "search/strategy.h"

/* So many samples in a row that are not new mean that the space is used up. */
enum { MAX_FAILURES = 1000 };

struct explorer {
	const struct task *task;
	struct sketch_vec sketches;
	struct target target;
	struct seen *seen;
};

static struct explorer *begin(struct arena *a, const struct task *task, const struct sketch_vec *k,
			      const struct target *target, struct seen *seen)
{
	struct explorer *x = arena_one(a, struct explorer);

	x->task = task;
	x->sketches = *k;
	x->target = *target;
	x->seen = seen;
	return x;
}

static bool try_one(struct explorer *x, struct arena *a, struct rng *rng, struct candidate *c)
{
	const struct sketch *sketch = x->sketches.at[rng_below(rng, x->sketches.n)];

	*c = (struct candidate){ .state = sample(a, x->task->dag, sketch, &x->target, rng, NULL, NULL) };
	if (!c->state)
		return false;
	c->steps = steps_text(a, &c->state->steps);
	if (!seen_add(x->seen, c->steps))
		return false;
	c->trial.source = state_source(a, c->state, x->target.vector_bytes, &c->trial.parallel,
				       NULL);
	return c->trial.source != NULL;
}

static void propose(struct explorer *x, struct arena *a, struct rng *rng, struct batch *b)
{
	int failures = 0;

	while (b->n < b->cap && failures < MAX_FAILURES) {
		if (try_one(x, a, rng, &b->at[b->n])) {
			b->n++;
			failures = 0;
		} else {
			b->refused++;
			failures++;
		}
	}
}

const struct strategy strategy_random = {
	.name = "random",
	.summary = "samples of the sketches, without learning",
	.begin = begin,
	.propose = propose,
};
