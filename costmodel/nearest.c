/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/nearest.c - a program is as fast as the ones most like it: k nearest neighbours over
 * features (Fix and Hodges 1951). Knows no trees and no prior, which is what it is for: to stand in
 * for a machine without being of one kind with the model that searches (search/measurers/replay.h).
 *
 * A program is described by the mean of its rows, each weighted with its share of the program's
 * expected time; features count in standard deviations over the samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "costmodel/booster.h"
#include "costmodel/model.h"

/* Neighbours that are tried; the number with the least error on samples left out is taken. */
static const int choices[] = { 1, 2, 4, 8, 16 };

enum { CHOICES = sizeof(choices) / sizeof(choices[0]), MOST = 16, FEWEST = 8 };

/* Of a distance, so that one that is the same does not weigh without bound. */
#define NO_DISTANCE 1e-6

struct model {
	struct arena *arena;	/* of what was learned */
	int n;			/* programs; 0: none yet */
	float *at;		/* n * FEATURE_COUNT, scaled */
	double *value;		/* logarithm of the throughput over the group's best */
	float scale[FEATURE_COUNT];	/* one over the standard deviation; 0: always the same */
	int k;
};

struct neighbour {
	double distance, value;
};

static struct model *create(const struct cost_options *o)
{
	struct model *m = cost_allocate(1, sizeof(*m));

	(void)o;
	m->arena = arena_new();
	return m;
}

static void release(struct model *m)
{
	arena_free(m->arena);
	free(m);
}

/* The weighted mean of N_ROWS rows, FEATURE_COUNT floats. */
static void describe(const float *rows, int n_rows, float *out)
{
	memset(out, 0, FEATURE_COUNT * sizeof(*out));
	for (int i = 0; i < n_rows; i++, rows += FEATURE_COUNT)
		for (int f = 0; f < FEATURE_COUNT; f++)
			out[f] += rows[FEATURE_PROGRAM_SHARE] * rows[f];
}

/* --- asking */

/* Adds X to the N nearest so far, at most MOST in order of distance; returns how many there are. */
static int keep(struct neighbour *nearest, int n, struct neighbour x)
{
	if (n == MOST && nearest[n - 1].distance <= x.distance)
		return n;
	int i = n < MOST ? n++ : n - 1;

	for (; i > 0 && nearest[i - 1].distance > x.distance; i--)
		nearest[i] = nearest[i - 1];
	nearest[i] = x;
	return n;
}

static double distance(const float *x, const float *y)
{
	double sum = 0;

	for (int f = 0; f < FEATURE_COUNT; f++)
		sum += (double)(x[f] - y[f]) * (double)(x[f] - y[f]);
	return sqrt(sum);
}

/* The nearest samples but LEFT_OUT (-1: none) to the scaled AT; how many. */
static int find(const struct model *m, const float *at, int left_out, struct neighbour *nearest)
{
	int n = 0;

	for (int i = 0; i < m->n; i++)
		if (i != left_out)
			n = keep(nearest, n, (struct neighbour){
				distance(at, m->at + (size_t)i * FEATURE_COUNT), m->value[i] });
	return n;
}

/* The mean of the first K of N, nearer ones weighing more. */
static double mean_of(const struct neighbour *nearest, int n, int k)
{
	double sum = 0, weight = 0;

	for (int i = 0; i < n && i < k; i++) {
		double w = 1 / (nearest[i].distance + NO_DISTANCE);

		sum += w * nearest[i].value;
		weight += w;
	}
	return sum / weight;
}

static void score(const struct model *m, int group, const struct feature_matrix *programs, int n,
		  float *scores)
{
	struct neighbour nearest[MOST];
	float at[FEATURE_COUNT];

	(void)group;
	for (int i = 0; i < n; i++) {
		if (m->n == 0) {
			scores[i] = prior_score(&programs[i]);
			continue;
		}
		describe(programs[i].rows, programs[i].n_rows, at);
		for (int f = 0; f < FEATURE_COUNT; f++)
			at[f] *= m->scale[f];
		scores[i] = (float)exp(mean_of(nearest, find(m, at, -1, nearest), m->k));
	}
}

/* --- learning */

static int take_samples(struct model *m, const struct cost_sample *samples, int n)
{
	int groups = 0;

	for (int i = 0; i < n; i++)
		groups = samples[i].group >= groups ? samples[i].group + 1 : groups;
	float *best = arena_many(m->arena, float, groups + 1);

	for (int i = 0; i < n; i++)
		best[samples[i].group] = fmaxf(best[samples[i].group], samples[i].throughput);
	m->at = arena_many(m->arena, float, (int64_t)n * FEATURE_COUNT);
	m->value = arena_many(m->arena, double, n);
	for (int i = 0; i < n; i++) {
		const struct cost_sample *s = &samples[i];

		if (s->throughput <= 0)
			continue;
		describe(s->rows, s->n_rows, m->at + (size_t)m->n * FEATURE_COUNT);
		m->value[m->n++] = log((double)(s->throughput / best[s->group]));
	}
	return n - m->n;
}

static void scale_features(struct model *m)
{
	for (int f = 0; f < FEATURE_COUNT; f++) {
		double sum = 0, squares = 0;

		for (int i = 0; i < m->n; i++) {
			double x = (double)m->at[(size_t)i * FEATURE_COUNT + (size_t)f];

			sum += x;
			squares += x * x;
		}
		double variance = squares / m->n - sum / m->n * (sum / m->n);

		m->scale[f] = variance > 1e-9 ? (float)(1 / sqrt(variance)) : 0;
		for (int i = 0; i < m->n; i++)
			m->at[(size_t)i * FEATURE_COUNT + (size_t)f] *= m->scale[f];
	}
}

/* The number of neighbours whose mean misses samples least that it does not contain. */
static void choose_k(struct model *m)
{
	struct neighbour nearest[MOST];
	double error[CHOICES] = { 0 };
	int best = 0;

	for (int i = 0; i < m->n; i++) {
		int n = find(m, m->at + (size_t)i * FEATURE_COUNT, i, nearest);

		for (int c = 0; c < CHOICES; c++)
			error[c] += fabs(mean_of(nearest, n, choices[c]) - m->value[i]);
	}
	for (int c = 1; c < CHOICES; c++)
		best = error[c] < error[best] ? c : best;
	m->k = choices[best];
}

static int learn(struct model *m, const struct cost_sample *samples, int n,
		 struct cost_learned *out)
{
	arena_reset(m->arena);
	m->n = 0;
	int failed = take_samples(m, samples, n);

	if (m->n < FEWEST)
		m->n = 0;
	if (m->n > 0) {
		scale_features(m);
		choose_k(m);
	}
	if (out)
		*out = (struct cost_learned){ .samples = n, .failed = failed, .rounds = m->n > 0,
					      .held_accuracy = 0.5 };
	return 0;
}

const struct cost_model cost_model_nearest = {
	.name = "nearest",
	.summary = "as fast as the programs most like it; a stand-in for machines",
	.create = create,
	.score = score,
	.learn = learn,
	.free = release,
};
