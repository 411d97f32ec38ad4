/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/contest.c - rounds of one problem. */
#include "bench/search/contest.h"

static void note(const struct batch *b, int done, const struct contest *c,
		 struct contest_result *out)
{
	double best = done > 0 ? out->best_us[done - 1] : 0;

	for (int i = 0; i < b->n && done + i < c->trials; i++) {
		const struct trial *t = &b->at[i].trial;

		if (t->status == TRIAL_OK && (best == 0 || t->time_us < best))
			best = t->time_us;
		out->best_us[done + i] = best;
	}
	for (int i = done + b->n; i < c->trials; i++)
		out->best_us[i] = best;
}

static int play(const struct contest *c, const struct problem *p, struct contest_result *out)
{
	struct arena *scratch = arena_new();
	int done = 0, n = -1, rc = 0;

	while (done < c->trials && n != 0 && rc == 0) {
		struct rng rng = rng_seed(c->seed * UINT64_C(1000003) + (uint64_t)done);
		int cap = c->trials - done < c->batch ? c->trials - done : c->batch;

		arena_reset(scratch);
		struct batch b = batch_new(scratch, cap);

		rc = round_play(c->strategy, p, c->measurer, scratch, &rng, &b,
				&out->rounds[out->n_rounds++]);
		if (p->learner)
			learner_train(p->learner);
		note(&b, done, c, out);
		n = b.n;
		done += n;
	}
	arena_free(scratch);
	return rc;
}

int contest_run(struct arena *a, const struct contest *c, struct contest_result *out)
{
	const struct cost_model *model = c->model ? c->model : c->strategy->model;
	struct problem p = {
		.task = c->task,
		.sketches = sketches_of(a, c->task->dag, c->aim),
		.aim = c->aim,
		.history = history_new(),
		.learner = c->strategy->model ? learner_new(model, c->seed) : NULL,
	};

	p.describes = p.learner != NULL;
	*out = (struct contest_result){ .best_us = arena_many(a, double, c->trials),
					.rounds = arena_many(a, struct round, c->trials) };
	int rc = play(c, &p, out);

	learner_free(p.learner);
	history_free(p.history);
	return rc;
}
