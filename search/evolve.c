/* SPDX-License-Identifier: Apache-2.0 */
/* search/evolve.c - a population of decisions, varied, ranked by a model, measured, learned from.
 *
 * Before anything was measured the model is an analytic prior. Each batch takes the best of the
 * last generation that differ from each other, and a share of random ones, so that the model
 * also sees what it thinks little of. */
#include <stdlib.h>

#include "costmodel/model.h"
#include "search/strategy.h"
#include "search/vary.h"

/* Chosen on convolutions and products of 64 trials: larger populations cost time and find the
 * same, fewer generations stay with the random ones. */
enum { POPULATION = 192, GENERATIONS = 3, PARENTS = 48, ELITE = 12, MAX_TRIES = 40 };
#define RANDOM_SHARE 0.1
#define MUTATION 0.7
/* Two of a batch differ in so many decisions at least. */
enum { MIN_DISTANCE = 2 };

struct individual {
	struct genes genes;
	struct feature_matrix features;
	const char *steps;
	float score;
};

/* One that was measured. */
struct measured {
	struct genes genes;
	struct feature_matrix features;
	double time_us;		/* 0: it failed */
};

struct explorer {
	struct arena *a;
	const struct task *task;
	struct sketch_vec sketches;
	struct target target;
	struct seen *seen;
	const struct cost_model *kind;
	struct model *model;
	struct measured_vec VEC(struct measured) measured;
};

static struct explorer *begin(struct arena *a, const struct task *task, const struct sketch_vec *k,
			      const struct target *target, struct seen *seen)
{
	struct explorer *x = arena_one(a, struct explorer);

	*x = (struct explorer){ .a = a, .task = task, .sketches = *k, .target = *target,
				.seen = seen, .kind = &cost_model_xgboost };
	x->model = x->kind->create(&(struct cost_options){ .seed = 1, .threads = 1 });
	return x;
}

static void end(struct explorer *x)
{
	x->kind->free(x->model);
}

/* --- generations */

/* Follows GENES where set; false where nothing that can run came of it. */
static bool grow(struct explorer *x, struct arena *a, struct rng *rng, const struct genes *genes,
		 int sketch, struct individual *out)
{
	struct state *s = sample(a, x->task->dag, x->sketches.at[sketch], &x->target, rng, genes,
				 &out->genes);
	struct program *p = s ? lower(a, s, NULL) : NULL;

	out->genes.sketch = sketch;
	if (!p || !features_of(a, p, &x->target.cost, &out->features))
		return false;
	out->steps = steps_text(a, &s->steps);
	return true;
}

static bool grow_random(struct explorer *x, struct arena *a, struct rng *rng,
			struct individual *out)
{
	for (int i = 0; i < MAX_TRIES; i++)
		if (grow(x, a, rng, NULL, (int)rng_below(rng, x->sketches.n), out))
			return true;
	return false;
}

static void rank(struct explorer *x, struct individual *p, int n)
{
	struct feature_matrix m[2 * POPULATION] = { { 0 } };
	float scores[2 * POPULATION];

	for (int i = 0; i < n; i++)
		m[i] = p[i].features;
	x->kind->score(x->model, m, n, scores);
	for (int i = 0; i < n; i++)
		p[i].score = scores[i];
}

static int by_score(const void *a, const void *b)
{
	const struct individual *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return strcmp(x->steps, y->steps);	/* the same order on every machine */
}

static int by_time(const void *a, const void *b)
{
	double x = (*(const struct measured *const *)a)->time_us;
	double y = (*(const struct measured *const *)b)->time_us;

	return (x > y) - (x < y);
}

/* The fastest that were measured come back into the population. */
static int add_elite(struct explorer *x, struct arena *a, struct individual *p)
{
	const struct measured **order = arena_many(a, const struct measured *, x->measured.n + 1);
	int n = 0, elite = 0;

	for (int i = 0; i < x->measured.n; i++)
		if (x->measured.at[i].time_us > 0)
			order[n++] = &x->measured.at[i];
	qsort(order, (size_t)n, sizeof(*order), by_time);
	for (; elite < n && elite < ELITE; elite++)
		p[elite] = (struct individual){ .genes = order[elite]->genes,
						.features = order[elite]->features,
						.steps = "" };
	return elite;
}

/* A parent: the better of two of the best PARENTS. */
static const struct individual *choose(const struct individual *p, int n, struct rng *rng)
{
	int best = n < PARENTS ? n : PARENTS;
	int64_t i = rng_below(rng, best), j = rng_below(rng, best);

	return &p[i < j ? i : j];
}

static bool breed(struct explorer *x, struct arena *a, struct rng *rng, const struct individual *p,
		  int n, struct individual *out)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		const struct individual *mother = choose(p, n, rng);
		const struct individual *father = choose(p, n, rng);
		const struct sketch *sketch = x->sketches.at[mother->genes.sketch];
		bool mutates = rng_chance(rng, MUTATION) ||
			       mother->genes.sketch != father->genes.sketch;
		struct genes g = mutates ? mutate(a, &mother->genes, sketch, rng)
					 : cross(a, &mother->genes, &father->genes, sketch, rng);

		if (grow(x, a, rng, &g, mother->genes.sketch, out))
			return true;
	}
	return false;
}

/* The last generation, best first, parents and children together. Returns how many. */
static int evolve(struct explorer *x, struct arena *a, struct rng *rng, struct individual *p)
{
	int n = add_elite(x, a, p);

	while (n < POPULATION && grow_random(x, a, rng, &p[n]))
		n++;
	rank(x, p, n);
	qsort(p, (size_t)n, sizeof(*p), by_score);
	for (int g = 0; g < GENERATIONS && n > 0; g++) {
		int parents = n < POPULATION ? n : POPULATION;
		int all = parents;

		while (all < 2 * POPULATION && breed(x, a, rng, p, parents, &p[all]))
			all++;
		rank(x, p, all);
		qsort(p, (size_t)all, sizeof(*p), by_score);
		n = all;
	}
	return n;
}

/* --- the batch */

static bool is_distinct(const struct batch *b, const struct genes *g)
{
	for (int i = 0; i < b->n; i++)
		if (genes_distance(&((struct measured *)b->at[i].note)->genes, g) < MIN_DISTANCE)
			return false;
	return true;
}

/* Copies what outlives the round. */
static struct measured *keep(struct explorer *x, const struct individual *p)
{
	struct measured *m = arena_one(x->a, struct measured);
	size_t bytes = (size_t)p->features.n_rows * FEATURE_COUNT * sizeof(float);

	m->genes = p->genes;
	m->genes.at = arena_memdup(x->a, p->genes.at, (size_t)p->genes.n * sizeof(*p->genes.at));
	m->features.n_rows = p->features.n_rows;
	m->features.rows = arena_memdup(x->a, p->features.rows, bytes);
	return m;
}

static void add(struct explorer *x, struct arena *a, struct batch *b, const struct individual *p,
		bool distinct)
{
	struct candidate *c = &b->at[b->n];

	if (!*p->steps || (distinct && !is_distinct(b, &p->genes)) || !seen_add(x->seen, p->steps))
		return;
	*c = (struct candidate){ .steps = p->steps };
	c->state = state_parse(a, x->task->dag, "candidate", p->steps);
	c->trial.source = c->state ? state_source(a, c->state, x->target.vector_bytes,
						  &c->trial.parallel, NULL)
				   : NULL;
	if (!c->trial.source) {
		b->refused++;
		return;
	}
	c->note = keep(x, p);
	b->n++;
}

static void propose(struct explorer *x, struct arena *a, struct rng *rng, struct batch *b)
{
	struct individual *p = arena_many(a, struct individual, 2 * POPULATION);
	int random = (int)((double)b->cap * RANDOM_SHARE + rng_unit(rng));
	int n = evolve(x, a, rng, p);

	for (int i = 0; i < n && b->n < b->cap - random; i++)
		add(x, a, b, &p[i], true);
	for (int i = 0; i < 20 * b->cap && b->n < b->cap; i++) {
		struct individual one;

		if (!grow_random(x, a, rng, &one))
			break;
		add(x, a, b, &one, false);
	}
}

static void learn(struct explorer *x, const struct batch *b)
{
	for (int i = 0; i < b->n; i++) {
		struct measured *m = b->at[i].note;
		const struct trial *t = &b->at[i].trial;

		/* A lost race was timed, too: its first samples say how slow it is. */
		m->time_us = t->status == TRIAL_OK || t->status == TRIAL_LOST_RACE ? t->time_us : 0;
		vec_push(x->a, &x->measured, *m);
	}
	struct cost_sample *samples = calloc((size_t)x->measured.n + 1, sizeof(*samples));

	for (int i = 0; samples && i < x->measured.n; i++) {
		const struct measured *m = &x->measured.at[i];

		samples[i] = (struct cost_sample){
			.rows = m->features.rows,
			.n_rows = m->features.n_rows,
			.throughput = m->time_us > 0 ? (float)(1 / m->time_us) : 0,
		};
	}
	/* Where learning fails the model stays what it was; the search goes on. */
	if (samples)
		x->kind->learn(x->model, samples, x->measured.n, NULL);
	free(samples);
}

const struct strategy strategy_evolve = {
	.name = "evolve",
	.summary = "evolution guided by a model of gradient-boosted trees",
	.begin = begin,
	.propose = propose,
	.learn = learn,
	.end = end,
};
