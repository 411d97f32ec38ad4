/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/learner.c - samples of a campaign, and the thread that learns from them. */
#include "search/strategies/learner.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"

enum {
	MAX_SAMPLES = 4096,	/* kept: bounds memory and the time of training */
	/* Training takes half a second for 1000 programs: again after one in so many is new. */
	NEW_SHARE = 16,
	MIN_NEW = 8,
};

struct learner {
	const struct cost_model *kind;
	struct model *model;
	struct rng rng;			/* chooses what is forgotten */
	struct cost_sample *samples;	/* MAX_SAMPLES */
	float *best;			/* throughput, by group */
	int n, groups;
	int64_t came, trained;
	pthread_t thread;
	bool training;
	double waited_s;
};

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		die("out of memory for the samples of a cost model");
	return p;
}

struct learner *learner_new(const struct cost_model *kind, uint64_t seed)
{
	struct learner *l = allocate(1, sizeof(*l));

	l->kind = kind;
	l->model = kind->create(&(struct cost_options){ .seed = seed, .threads = 1 });
	l->rng = rng_seed(seed);
	l->samples = allocate(MAX_SAMPLES, sizeof(*l->samples));
	return l;
}

static void finish(struct learner *l)
{
	int64_t began = clock_ns();

	if (!l->training)
		return;
	pthread_join(l->thread, NULL);
	l->training = false;
	l->waited_s += seconds_since(began);
}

static void release(struct cost_sample *s)
{
	free((float *)(uintptr_t)s->rows);
}

void learner_free(struct learner *l)
{
	if (!l)
		return;
	finish(l);
	l->kind->free(l->model);
	for (int i = 0; i < l->n; i++)
		release(&l->samples[i]);
	free(l->samples);
	free(l->best);
	free(l);
}

int learner_pretrain(struct learner *l, const struct cost_sample *samples, int n,
		     struct cost_learned *out)
{
	*out = (struct cost_learned){ .samples = n };
	return l->kind->pretrain ? l->kind->pretrain(l->model, samples, n, out) : 0;
}

static void note_best(struct learner *l, int group, float throughput)
{
	if (group >= l->groups) {
		l->best = realloc(l->best, (size_t)(group + 1) * sizeof(*l->best));
		if (!l->best)
			die("out of memory for the samples of a cost model");
		while (l->groups <= group)
			l->best[l->groups++] = 0;
	}
	if (throughput > l->best[group])
		l->best[group] = throughput;
}

static float relative(const struct learner *l, const struct cost_sample *s)
{
	return l->best[s->group] > 0 ? s->throughput / l->best[s->group] : 0;
}

/* Where a new sample goes: of two old ones the slower gives way, for it is the order of the fast
 * ones that matters. */
static struct cost_sample *place(struct learner *l)
{
	if (l->n < MAX_SAMPLES)
		return &l->samples[l->n++];
	struct cost_sample *x = &l->samples[rng_below(&l->rng, l->n)];
	struct cost_sample *y = &l->samples[rng_below(&l->rng, l->n)];
	struct cost_sample *old = relative(l, x) < relative(l, y) ? x : y;

	release(old);
	return old;
}

void learner_add(struct learner *l, int group, const struct feature_matrix *m, double time_us)
{
	size_t bytes = (size_t)m->n_rows * FEATURE_COUNT * sizeof(float);
	float throughput = time_us > 0 ? (float)(1 / time_us) : 0;
	float *rows = allocate(1, bytes + 1);

	finish(l);
	note_best(l, group, throughput);
	memcpy(rows, m->rows, bytes);
	*place(l) = (struct cost_sample){ .rows = rows, .n_rows = m->n_rows,
					  .throughput = throughput, .group = group };
	l->came++;
}

static void *train(void *user)
{
	struct learner *l = user;

	/* Where learning fails the model stays what it was; the search goes on. */
	l->kind->learn(l->model, l->samples, l->n, NULL);
	return NULL;
}

void learner_retrain(struct learner *l)
{
	if (!l->kind->learn)
		return;
	finish(l);
	l->trained = l->came;
	l->training = pthread_create(&l->thread, NULL, train, l) == 0;
	if (!l->training)
		train(l);
}

void learner_train(struct learner *l)
{
	int64_t new = l->came - l->trained;

	if (new >= MIN_NEW && new * NEW_SHARE >= l->n)
		learner_retrain(l);
}

int64_t learner_came(const struct learner *l)
{
	return l->came;
}

int64_t learner_trained(const struct learner *l)
{
	return l->trained;
}

double learner_waited(const struct learner *l)
{
	return l->waited_s;
}

void learner_score(struct learner *l, int group, const struct feature_matrix *m, int n, float *scores)
{
	finish(l);
	l->kind->score(l->model, group, m, n, scores);
}
