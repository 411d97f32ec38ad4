/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/xgboost.c - the learned cost model: boosted trees for throughput, and others that tell
 * programs that work from those that fail.
 *
 * What is learned is by what factor the prior is wrong, as a logarithm, for a program the sum over
 * its stores. So with little data the order is the prior's, and a constant factor of a task does
 * not matter. Where there are other tasks to learn from first, the base is what they say of that
 * factor, and what is learned then is by what the base is wrong. How much both count in a task is measured: the
 * slope at which its throughputs go by what was foreseen, logarithms both; where that orders nothing right, trees
 * say all. Programs count by their
 * throughput relative to the best of their task, since it is the fast ones whose order matters. A
 * score is the prior's, times both factors, to the power of that slope but for the own one, times the probability that the program works. */
#include "costmodel/model.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "costmodel/lesson.h"
#include "costmodel/quality.h"
#include "costmodel/booster.h"

/* Shallower trees, fewer of them, and stopping by tasks that were held out were no better on recorded
 * tasks, and a base that does not fade is worse (docs/performance.md). The other numbers are
 * chosen, not measured. */
enum {
	MIN_SAMPLES = 8,	/* that worked: below, the prior knows more */
	MIN_FAILURES = 4,	/* and as many that worked, for the model of validity */
	MIN_HELD = 8,		/* held-out programs that say something */
	HELD_SHARE = 5,		/* one in so many is held out */
	FEW = 256,		/* programs: trees of depth 4, not 6, for there is less to tell apart */
	RELEARN_BELOW = 512,	/* samples: then those held out are worth learning from too */
	ROUNDS = 120,
	ROUNDS_UNHELD = 40,	/* where nothing is held out to stop it */
	ROUNDS_VALIDITY = 30,
	PATIENCE = 15,		/* rounds without gain on those held out */
	FADE = 32,		/* own samples that halve the base */
};

enum part {
	BASE,		/* none: there were no other tasks to learn from */
	OWN,		/* none: nothing was learned yet */
	VALIDITY,	/* none: all programs worked, or too few */
	PARTS
};

struct model {
	struct cost_options o;
	pthread_rwlock_t lock;		/* of what is below */
	struct trees *part[PARTS];	/* NULL: none */
	struct trend *trends;		/* behind the own part, by group */
	int groups;			/* that have one */
	int64_t learned;		/* samples behind the own part */
};

static struct model *create(const struct cost_options *o)
{
	struct model *m = cost_allocate(1, sizeof(*m));

	m->o = *o;
	m->o.threads = o->threads > 0 ? o->threads : 1;
	m->o.max_rounds = o->max_rounds > 0 ? o->max_rounds : ROUNDS;
	pthread_rwlock_init(&m->lock, NULL);
	return m;
}

static void release(struct model *m)
{
	if (!m)
		return;
	for (int i = 0; i < PARTS; i++)
		trees_free(m->part[i]);
	free(m->trends);
	pthread_rwlock_destroy(&m->lock);
	free(m);
}

/* Parts, and the trends of C (NULL: none), take the place of those that were there; a part that stays is given again. */
static void swap(struct model *m, struct trees *const part[PARTS], struct class *c, int64_t learned)
{
	struct trees *old[PARTS];
	struct trend *old_trends = m->trends;

	pthread_rwlock_wrlock(&m->lock);
	memcpy(old, m->part, sizeof(old));
	memcpy(m->part, part, sizeof(old));
	m->trends = c ? c->trends : NULL;
	m->groups = c ? c->groups : 0;
	m->learned = learned;
	pthread_rwlock_unlock(&m->lock);
	for (int i = 0; i < PARTS; i++)
		if (old[i] != part[i])
			trees_free(old[i]);
	free(old_trends);
	if (c)
		c->trends = NULL;
}

/* --- what is foreseen: the prior, and the base */

/* How much of what other tasks say counts beside LEARNED samples of one's own. Records that a
 * search chose tell little of what it did not: with all of it to the end they misled more than
 * they helped (docs/performance.md). */
static float trust_of(int64_t learned)
{
	return 0.5f * FADE / (float)(FADE + learned);
}

static struct notebook write_down(const struct feature_matrix *programs, int n)
{
	int rows = 0;

	for (int i = 0; i < n; i++)
		rows += programs[i].n_rows;
	struct notebook b = notebook_new(n, rows);

	for (int i = 0; i < n; i++)
		notebook_add(&b, programs[i].rows, programs[i].n_rows,
			     logf(prior_score(&programs[i])), 0, 0);
	return b;
}

/* TO += FACTOR * the sums of T. */
static void add_sums(const struct trees *t, const struct lesson *l, float factor, float *to)
{
	float *sums = cost_allocate((size_t)l->n, sizeof(*sums));

	booster_predict(t, l, sums);
	for (int i = 0; i < l->n; i++)
		to[i] += factor * sums[i];
	free(sums);
}

/* Of each sample, with so much of BASE where that is not NULL; the caller's. */
static float *foresee(const struct trees *base, float trust, const struct cost_sample *samples,
		      int n)
{
	struct feature_matrix *programs = cost_allocate((size_t)n, sizeof(*programs));

	for (int i = 0; i < n; i++)
		programs[i] = (struct feature_matrix){ (float *)(uintptr_t)samples[i].rows,
						       samples[i].n_rows };
	struct notebook b = write_down(programs, n);
	float *foreseen = b.foreseen;

	if (base)
		add_sums(base, notebook_read(&b), trust, foreseen);
	b.foreseen = NULL;
	notebook_free(&b);
	free(programs);
	return foreseen;
}

/* --- learning */

/* Shallow trees where there is little to learn from. */
static struct booster_options options_of(const struct model *m, enum loss loss, int rounds,
					 int programs)
{
	struct booster_options o = {
		.loss = loss,
		.seed = m->o.seed,
		.threads = m->o.threads,
		.rounds = rounds < m->o.max_rounds ? rounds : m->o.max_rounds,
		.patience = PATIENCE,
		.depth = programs < FEW ? 4 : 6,
		.eta = 0.1,
	};

	return o;
}

/* How well T orders those held out, together with what was foreseen; across groups only roughly. */
static double accuracy_on(const struct trees *t, struct notebook *held)
{
	const struct lesson *l = notebook_read(held);
	float *scores = cost_allocate((size_t)l->n, sizeof(*scores));
	float *truth = cost_allocate((size_t)l->n, sizeof(*truth));

	booster_predict(t, l, scores);
	for (int i = 0; i < l->n; i++) {
		scores[i] += held->foreseen[i];
		truth[i] = l->target[i] + held->foreseen[i];
	}
	double accuracy = pairwise_accuracy(scores, truth, l->n);

	free(scores);
	free(truth);
	return accuracy;
}

static struct trees *learn_from(const struct model *m, struct notebook *train,
				struct notebook *held, int max_rounds, int *rounds)
{
	struct booster_options o = options_of(m, LOSS_SQUARE, max_rounds, train->l.n);

	return booster_learn(notebook_read(train), held ? notebook_read(held) : NULL, &o, rounds);
}

/* Learns without those held out how many rounds are best; then, of few, from all. */
static struct trees *learn_throughput(const struct model *m, const struct class *c,
				      struct cost_learned *out)
{
	int worked = c->n - c->failed;
	int n_held = worked / HELD_SHARE >= MIN_HELD ? worked / HELD_SHARE : 0;
	int rounds = ROUNDS_UNHELD;
	struct trees *t = NULL;

	if (n_held) {
		struct notebook train = notes_of(c, n_held, worked), held = notes_of(c, 0, n_held);

		t = learn_from(m, &train, &held, m->o.max_rounds, &rounds);
		if (t)
			out->held_accuracy = accuracy_on(t, &held);
		notebook_free(&train);
		notebook_free(&held);
		if (!t)
			return NULL;
	}
	if (!t || worked < RELEARN_BELOW) {
		struct notebook all = notes_of(c, 0, worked);

		trees_free(t);
		t = learn_from(m, &all, NULL, rounds, &rounds);
		notebook_free(&all);
	}
	out->rounds = rounds;
	return t;
}

static struct trees *learn_validity(const struct model *m, const struct class *c)
{
	struct booster_options o = options_of(m, LOSS_LOGISTIC, ROUNDS_VALIDITY, c->n);
	struct notebook b = notes_of_all(c);
	int rounds;
	struct trees *out = booster_learn(notebook_read(&b), NULL, &o, &rounds);

	notebook_free(&b);
	return out;
}

static int learn_class(struct model *m, struct class *c, struct cost_learned *out)
{
	struct trees *part[PARTS] = { [BASE] = m->part[BASE] };

	if (c->n - c->failed < MIN_SAMPLES)
		return 0;	/* what was known before is still the best */
	part[OWN] = learn_throughput(m, c, out);
	if (!part[OWN])
		return -1;
	if (c->failed >= MIN_FAILURES) {
		part[VALIDITY] = learn_validity(m, c);
		if (!part[VALIDITY]) {
			trees_free(part[OWN]);
			return -1;
		}
	}
	out->validity = part[VALIDITY] != NULL;
	swap(m, part, c, out->samples);
	return 0;
}

static int learn_base(struct model *m, struct class *c, struct cost_learned *out)
{
	struct trees *part[PARTS] = { NULL };

	if (c->n - c->failed < MIN_SAMPLES)
		return 0;
	part[BASE] = learn_throughput(m, c, out);
	if (!part[BASE])
		return -1;
	swap(m, part, NULL, 0);
	return 0;
}

static int teach(struct model *m, const struct trees *base, const struct cost_sample *samples,
		 int n, int (*lesson)(struct model *, struct class *, struct cost_learned *),
		 struct cost_learned *out)
{
	struct rng rng = rng_seed(m->o.seed);
	float *foreseen = foresee(base, trust_of(n), samples, n);
	struct class c = class_new(samples, foreseen, n, lesson == learn_class, &rng);
	struct cost_learned learned = { .samples = n, .failed = c.failed, .held_accuracy = 0.5 };
	int rc = lesson(m, &c, &learned);

	class_free(&c);
	free(foreseen);
	if (out)
		*out = learned;
	return rc;
}

static int learn(struct model *m, const struct cost_sample *samples, int n,
		 struct cost_learned *out)
{
	return teach(m, m->part[BASE], samples, n, learn_class, out);
}

static int pretrain(struct model *m, const struct cost_sample *samples, int n,
		    struct cost_learned *out)
{
	return teach(m, NULL, samples, n, learn_base, out);
}

/* --- scoring */

static void divide_by_odds(const struct trees *validity, const struct lesson *l, float *scores)
{
	float *odds = cost_allocate((size_t)l->n, sizeof(*odds));

	booster_predict(validity, l, odds);
	for (int i = 0; i < l->n; i++)
		scores[i] /= 1 + expf(-odds[i]);
	free(odds);
}

static void score_learned(const struct model *m, int group, const struct feature_matrix *programs, int n,
			  float *scores)
{
	float slope = group < m->groups ? m->trends[group].slope : 1;
	struct notebook b = write_down(programs, n);
	const struct lesson *l = notebook_read(&b);

	if (m->part[BASE])
		add_sums(m->part[BASE], l, trust_of(m->learned), b.foreseen);
	for (int i = 0; i < n; i++)
		b.foreseen[i] *= slope;
	if (m->part[OWN])
		add_sums(m->part[OWN], l, 1, b.foreseen);
	for (int i = 0; i < n; i++)
		scores[i] = expf(b.foreseen[i]);
	if (m->part[VALIDITY])
		divide_by_odds(m->part[VALIDITY], l, scores);
	notebook_free(&b);
}

static void score(const struct model *m, int group, const struct feature_matrix *programs, int n,
		  float *scores)
{
	pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)&m->lock;

	pthread_rwlock_rdlock(lock);
	if (m->part[BASE] || m->part[OWN])
		score_learned(m, group, programs, n, scores);
	else
		for (int i = 0; i < n; i++)
			scores[i] = prior_score(&programs[i]);
	pthread_rwlock_unlock(lock);
}

const struct cost_model cost_model_xgboost = {
	.name = "xgboost",
	.summary = "boosted trees that learn from what was measured; the prior until then",
	.create = create,
	.score = score,
	.learn = learn,
	.pretrain = pretrain,
	.free = release,
};
