/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/xgboost.c - the learned cost model: boosted trees for throughput, and others that tell
 * programs that work from those that fail.
 *
 * What is learned is by what factor the prior is wrong, as a logarithm, for a program the sum over
 * its stores. So with little data the order is the prior's, and a constant factor of a task does
 * not matter. Programs count by their throughput relative to the best of their task, since it is
 * the fast ones whose order matters. A score is the prior's, times that factor, times the
 * probability that the program works. */
#include "costmodel/model.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "costmodel/lesson.h"
#include "costmodel/quality.h"

enum {
	MIN_SAMPLES = 8,	/* that worked: below, the prior knows more */
	MIN_FAILURES = 4,	/* and as many that worked, for the model of validity */
	MIN_HELD = 8,		/* held-out programs that say something */
	HELD_SHARE = 5,		/* one in so many is held out */
	FEW = 256,
	RELEARN_BELOW = 512,	/* samples: then those held out are worth learning from too */
	ROUNDS = 120,
	ROUNDS_UNHELD = 40,	/* where nothing is held out to stop it */
	ROUNDS_VALIDITY = 30,
	PATIENCE = 15,
};

struct model {
	struct cost_options o;
	pthread_rwlock_t lock;		/* of the two below */
	struct booster *throughput;	/* NULL: nothing was learned yet */
	struct booster *validity;	/* NULL: all programs worked, or too few */
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
	booster_free(m->throughput);
	booster_free(m->validity);
	pthread_rwlock_destroy(&m->lock);
	free(m);
}

static bool ready(const struct model *m)
{
	pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)&m->lock;

	pthread_rwlock_rdlock(lock);
	bool is = m->throughput != NULL;

	pthread_rwlock_unlock(lock);
	return is;
}

/* What has been learned takes the place of what was. */
static void swap(struct model *m, struct booster *throughput, struct booster *validity)
{
	pthread_rwlock_wrlock(&m->lock);
	struct booster *old_throughput = m->throughput, *old_validity = m->validity;

	m->throughput = throughput;
	m->validity = validity;
	pthread_rwlock_unlock(&m->lock);
	booster_free(old_throughput);
	booster_free(old_validity);
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

/* How well B orders those held out, together with the prior; across groups only roughly. */
static double accuracy_on(const struct booster *b, struct notebook *held)
{
	const struct lesson *l = notebook_read(held);
	float *scores = cost_allocate((size_t)l->n, sizeof(*scores));
	float *truth = cost_allocate((size_t)l->n, sizeof(*truth));

	booster_predict(b, l, scores);
	for (int i = 0; i < l->n; i++) {
		scores[i] += held->prior[i];
		truth[i] = l->target[i] + held->prior[i];
	}
	double accuracy = pairwise_accuracy(scores, truth, l->n);

	free(scores);
	free(truth);
	return accuracy;
}

static struct booster *learn_from(const struct model *m, struct notebook *train,
				  struct notebook *held, int max_rounds, int *rounds)
{
	struct booster_options o = options_of(m, LOSS_SQUARE, max_rounds, train->l.n);

	return booster_learn(notebook_read(train), held ? notebook_read(held) : NULL, &o, rounds);
}

/* Learns without those held out how many rounds are best; then, of few, from all. */
static struct booster *learn_throughput(const struct model *m, const struct class *c,
					struct cost_learned *out)
{
	int worked = c->n - c->failed;
	int n_held = worked / HELD_SHARE >= MIN_HELD ? worked / HELD_SHARE : 0;
	int rounds = ROUNDS_UNHELD;
	struct booster *b = NULL;

	if (n_held) {
		struct notebook train = notes_of(c, n_held, worked), held = notes_of(c, 0, n_held);

		b = learn_from(m, &train, &held, m->o.max_rounds, &rounds);
		if (b)
			out->held_accuracy = accuracy_on(b, &held);
		notebook_free(&train);
		notebook_free(&held);
		if (!b)
			return NULL;
	}
	if (!b || worked < RELEARN_BELOW) {
		struct notebook all = notes_of(c, 0, worked);

		booster_free(b);
		b = learn_from(m, &all, NULL, rounds, &rounds);
		notebook_free(&all);
	}
	out->rounds = rounds;
	return b;
}

static struct booster *learn_validity(const struct model *m, const struct class *c)
{
	struct booster_options o = options_of(m, LOSS_LOGISTIC, ROUNDS_VALIDITY, c->n);
	struct notebook b = notes_of_all(c);
	int rounds;
	struct booster *out = booster_learn(notebook_read(&b), NULL, &o, &rounds);

	notebook_free(&b);
	return out;
}

static int learn_class(struct model *m, const struct class *c, struct cost_learned *out)
{
	int worked = c->n - c->failed;
	struct booster *validity = NULL;

	if (worked < MIN_SAMPLES)
		return 0;	/* what was known before is still the best */
	struct booster *throughput = learn_throughput(m, c, out);

	if (!throughput)
		return -1;
	if (c->failed >= MIN_FAILURES) {
		validity = learn_validity(m, c);
		if (!validity) {
			booster_free(throughput);
			return -1;
		}
	}
	out->validity = validity != NULL;
	swap(m, throughput, validity);
	return 0;
}

static int learn(struct model *m, const struct cost_sample *samples, int n,
		 struct cost_learned *out)
{
	struct rng rng = rng_seed(m->o.seed);
	struct class c = class_new(samples, n, &rng);
	struct cost_learned learned = { .samples = n, .failed = c.failed, .held_accuracy = 0.5 };
	int rc = learn_class(m, &c, &learned);

	class_free(&c);
	if (out)
		*out = learned;
	return rc;
}

/* --- scoring */

static void score_learned(const struct model *m, struct notebook *b, float *scores)
{
	const struct lesson *l = notebook_read(b);

	booster_predict(m->throughput, l, scores);
	for (int i = 0; i < l->n; i++)
		scores[i] = expf(b->prior[i] + scores[i]);
	if (!m->validity)
		return;
	float *odds = cost_allocate((size_t)l->n, sizeof(*odds));

	booster_predict(m->validity, l, odds);
	for (int i = 0; i < l->n; i++)
		scores[i] /= 1 + expf(-odds[i]);
	free(odds);
}

static void score(const struct model *m, const struct feature_matrix *programs, int n,
		  float *scores)
{
	pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)&m->lock;
	int rows = 0;

	for (int i = 0; i < n; i++)
		rows += programs[i].n_rows;
	pthread_rwlock_rdlock(lock);
	if (m->throughput) {
		struct notebook b = notebook_new(n, rows);

		for (int i = 0; i < n; i++)
			notebook_add(&b, programs[i].rows, programs[i].n_rows, 0, 0);
		score_learned(m, &b, scores);
		notebook_free(&b);
	} else {
		for (int i = 0; i < n; i++)
			scores[i] = prior_score(&programs[i]);
	}
	pthread_rwlock_unlock(lock);
}

/* --- snapshots: a line, then the boosters as UBJ */

static const char header[] = "hone-xgboost-1 %s %s %zu %zu\n";
enum { HEADER_MAX = 160 };

static int save(const struct model *m, struct text *out)
{
	struct text body = { 0 };
	char features[HASH_TEXT], sum[HASH_TEXT];
	int64_t n[2] = { 0, 0 };

	if (!m->throughput)
		return err_set("the cost model has learned nothing yet, so there is nothing to save");
	n[0] = booster_save(m->throughput, &body);
	if (n[0] >= 0 && m->validity)
		n[1] = booster_save(m->validity, &body);
	if (n[0] < 0 || n[1] < 0) {
		text_free(&body);
		return -1;
	}
	text_printf(out, header, hash_text(features_hash(), features),
		    hash_text(hash_bytes(body.s, body.n), sum), (size_t)n[0], (size_t)n[1]);
	text_putn(out, body.s, body.n);
	text_free(&body);
	return 0;
}

/* Checks the line; BODY and N get what follows it. */
static int read_header(const char *data, size_t size, const char **body, size_t n[2])
{
	const char *end = memchr(data, '\n', size < HEADER_MAX ? size : HEADER_MAX);
	char line[HEADER_MAX + 1] = "", features[HASH_TEXT] = "", sum[HASH_TEXT] = "";
	char want[HASH_TEXT];

	if (end)
		memcpy(line, data, (size_t)(end - data));
	if (sscanf(line, "hone-xgboost-1 %32s %32s %zu %zu", features, sum, &n[0], &n[1]) != 4)
		return err_set("this is no snapshot of the xgboost cost model");
	if (strcmp(features, hash_text(features_hash(), want)) != 0)
		return err_set("the cost model was learned from another table of features (%s, not "
			       "%s); learn it anew", features, want);
	size_t left = size - (size_t)(end + 1 - data);

	*body = end + 1;
	if (n[0] > left || n[1] != left - n[0] ||
	    strcmp(sum, hash_text(hash_bytes(*body, left), want)) != 0)
		return err_set("the snapshot of the cost model is damaged; learn it anew");
	return 0;
}

static int load(struct model *m, const void *data, size_t size)
{
	struct booster *validity = NULL;
	const char *body;
	size_t n[2];

	if (read_header(data, size, &body, n) < 0)
		return -1;
	struct booster *throughput = booster_load(body, n[0], FEATURE_COUNT, m->o.threads);

	if (throughput && n[1])
		validity = booster_load(body + n[0], n[1], FEATURE_COUNT, m->o.threads);
	if (!throughput || (n[1] && !validity)) {
		booster_free(throughput);
		return -1;
	}
	swap(m, throughput, validity);
	return 0;
}

const struct cost_model cost_model_xgboost = {
	.name = "xgboost",
	.summary = "boosted trees that learn from what was measured; the prior until then",
	.create = create,
	.score = score,
	.learn = learn,
	.save = save,
	.load = load,
	.ready = ready,
	.free = release,
};
