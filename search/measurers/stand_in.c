/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/stand_in.c - a cost model fitted to a task's records, and the error that it has. */
#include "search/measurers/stand_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/quantile.h"
#include "base/rng.h"

enum { MAX_ROUNDS = 300, SEED = 1 };

/* No time is less than this part of the fastest sample's. */
#define NEAREST 0.98
/* Nor is any nearer to the floor than timings tell apart. */
#define LEAST_EXCESS 1e-3

/* Of every STEP-th sample from BEGIN on; NULL and a message where learning fails. */
static struct model *fit(const struct cost_model *kind, const struct stand_in_sample *samples,
			 int n, int begin, int step)
{
	struct cost_options o = { .seed = SEED, .threads = 1, .max_rounds = MAX_ROUNDS };
	struct arena *a = arena_new();
	struct cost_sample *lesson = arena_many(a, struct cost_sample, n + 1);
	struct model *m = kind->create(&o);
	int taken = 0;

	for (int i = begin; i < n; i += step)
		lesson[taken++] = (struct cost_sample){
			.rows = samples[i].features.rows, .n_rows = samples[i].features.n_rows,
			.throughput = (float)(1 / samples[i].us),
		};
	if (kind->learn(m, lesson, taken, NULL) < 0) {
		kind->free(m);
		m = NULL;
	}
	arena_free(a);
	return m;
}

static double score_of(const struct stand_in *s, const struct feature_matrix *m)
{
	float score;

	s->kind->score(s->model, 0, m, 1, &score);
	return (double)score;
}

/* The median of time times score over every STEP-th sample; X is scratch. */
static double scale_of(const struct stand_in *s, const struct stand_in_sample *samples, int n,
		       int step, double *x)
{
	int taken = 0;

	for (int i = 0; i < n; i += step)
		x[taken++] = samples[i].us * score_of(s, &samples[i].features);
	return median(x, taken);
}

/* What the arithmetic takes at the device's peak; or near the fastest sample, for of what is faster
 * than all that was seen the samples say nothing. */
static double floor_of(const struct stand_in_sample *samples, int n, double peak_us)
{
	double fastest = INFINITY;

	for (int i = 0; i < n; i++)
		fastest = fmin(fastest, samples[i].us);
	return peak_us > NEAREST * fastest && peak_us < fastest ? peak_us : NEAREST * fastest;
}

static double above_floor(const struct stand_in *s, double us)
{
	return fmax(us - s->floor_us, LEAST_EXCESS * s->floor_us);
}

/* The error on the odd samples of a model of the even ones: 1.4826 times the median absolute
 * deviation is the standard deviation of a normal distribution (Rousseeuw and Croux 1993), and a
 * few outliers do not change it. X is scratch. */
static double error_of(const struct stand_in *half, const struct stand_in_sample *samples, int n,
		       double *x)
{
	double scale = scale_of(half, samples, n, 2, x);
	int unseen = 0;

	for (int i = 1; i < n; i += 2) {
		double us = scale / score_of(half, &samples[i].features);

		x[unseen++] = fabs(log(above_floor(half, samples[i].us) / above_floor(half, us)));
	}
	return 1.4826 * median(x, unseen);
}

int stand_in_fit(struct stand_in *s, const struct cost_model *kind,
		 const struct stand_in_sample *samples, int n, double peak_us)
{
	double *x = calloc((size_t)n + 1, sizeof(*x));
	struct stand_in half = { .kind = kind, .floor_us = floor_of(samples, n, peak_us) };

	if (!x)
		die("out of memory for a stand-in");
	stand_in_drop(s);
	*s = half;
	half.model = fit(kind, samples, n, 0, 2);
	s->model = fit(kind, samples, n, 0, 1);
	if (half.model && s->model) {
		s->deviation = error_of(&half, samples, n, x);
		s->scale = scale_of(s, samples, n, 1, x);
	}
	bool learned = half.model && s->model;

	stand_in_drop(&half);
	if (!learned)
		stand_in_drop(s);
	free(x);
	return learned ? 0 : -1;
}

void stand_in_drop(struct stand_in *s)
{
	if (s->model)
		s->kind->free(s->model);
	s->model = NULL;
}

/* A standard normal number that belongs to STEPS (Box and Muller 1958). */
static double normal_of(const char *steps)
{
	struct rng rng = rng_seed(hash_bytes(steps, strlen(steps)).lo);
	double u = 1 - rng_unit(&rng), v = rng_unit(&rng);

	return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

double stand_in_guess(const struct stand_in *s, const struct feature_matrix *m, const char *steps)
{
	double excess = above_floor(s, s->scale / score_of(s, m)) *
			exp(s->deviation * normal_of(steps));

	return s->floor_us + above_floor(s, s->floor_us + excess);
}

double stand_in_least(const struct stand_in *s)
{
	return s->floor_us * (1 + LEAST_EXCESS);
}
