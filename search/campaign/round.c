/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/round.c - what a batch comes to, whoever measured it. */
#include "search/campaign/round.h"

#include "base/clock.h"
#include "costmodel/quality.h"
#include "search/measurers/ask.h"
#include "search/strategies/seed.h"

double observed_us(enum trial_status status, double time_us, const double *samples, int n)
{
	double least = 0;

	if (status == TRIAL_OK)
		return time_us;
	for (int i = 0; status == TRIAL_LOST_RACE && i < n; i++)
		least = i == 0 || samples[i] < least ? samples[i] : least;
	return least;
}

double trial_observed_us(const struct trial *t)
{
	return observed_us(t->status, t->time_us, t->samples, t->n_samples);
}

/* How well the scores of B order what was measured. Failures count as infinitely slow. */
void round_judge(struct arena *a, const struct batch *b, struct round *r)
{
	float *score = arena_many(a, float, b->n), *truth = arena_many(a, float, b->n);

	for (int i = 0; i < b->n; i++) {
		double us = trial_observed_us(&b->at[i].trial);

		if (b->at[i].score <= 0)
			continue;
		score[r->scored] = b->at[i].score;
		truth[r->scored++] = us > 0 ? (float)(1 / us) : 0;
	}
	r->recall = recall_at_k(score, truth, r->scored, (r->scored + 3) / 4);
	r->rank = rank_correlation(score, truth, r->scored);
	r->accuracy = pairwise_accuracy(score, truth, r->scored);
}

void round_learn(const struct problem *p, struct arena *a, struct batch *b)
{
	for (int i = 0; i < b->n; i++) {
		struct candidate *c = &b->at[i];
		double us = trial_observed_us(&c->trial);

		candidate_tell_genes(p, a, c);
		history_add(p->history, &c->genes, c->steps, c->kind, us);
		if (p->learner)
			learner_add(p->learner, p->group, &c->features, us);
	}
}

static double waited(const struct problem *p)
{
	return p->learner ? learner_waited(p->learner) : 0;
}

void round_propose(const struct strategy *s, const struct problem *p, struct arena *a,
		   struct rng *rng, struct batch *b, struct round *out)
{
	double waited_s = waited(p);
	int64_t began = clock_ns();

	seed_propose(p, a, rng, b);
	s->propose(p, a, rng, b);
	out->learn_s = waited(p) - waited_s;
	out->search_s = (double)(clock_ns() - began) * 1e-9 - out->learn_s;
	out->refused = b->refused;
}

int round_play(const struct strategy *s, const struct problem *p, struct measurer *m,
	       struct arena *a, struct rng *rng, struct batch *b, struct round *out)
{
	*out = (struct round){ 0 };
	round_propose(s, p, a, rng, b, out);
	if (b->n > 0 && ask_and_wait(m, a, p->task, 0, b->at, b->n, false) != 0)
		return -1;
	round_judge(a, b, out);
	round_learn(p, a, b);
	return 0;
}
