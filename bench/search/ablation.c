/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/ablation.c - evolution without its prior, without learning, and without each of its components. */
#include "bench/search/ablation.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "search/strategies/component.h"

/* --- a learned model that knows no estimate of time, in sums or among its features */

static const int estimates[] = { FEATURE_PRIOR_TIME, FEATURE_PRIOR_EFFICIENCY, FEATURE_PROGRAM_SHARE,
				 FEATURE_PROGRAM_EFFICIENCY };

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die("out of memory for what a model is not told");
	return p;
}

/* Rows as they are but that all stores of a program take as long, all programs too. The caller's. */
static float *without_estimates(const float *rows, int n)
{
	float *out = allocate((size_t)n * FEATURE_COUNT, sizeof(*rows));

	memcpy(out, rows, (size_t)n * FEATURE_COUNT * sizeof(*rows));
	for (int i = 0; i < n; i++)
		for (size_t j = 0; j < sizeof(estimates) / sizeof(*estimates); j++)
			out[(ptrdiff_t)i * FEATURE_COUNT + estimates[j]] = 1 / (float)n;
	return out;
}

static struct model *create(const struct cost_options *o)
{
	return cost_model_xgboost.create(o);
}

static void score(const struct model *m, int group, const struct feature_matrix *programs, int n, float *scores)
{
	struct feature_matrix *own = allocate((size_t)n, sizeof(*own));

	for (int i = 0; i < n; i++)
		own[i] = (struct feature_matrix){ without_estimates(programs[i].rows, programs[i].n_rows), programs[i].n_rows };
	cost_model_xgboost.score(m, group, own, n, scores);
	for (int i = 0; i < n; i++)
		free(own[i].rows);
	free(own);
}

static int learn(struct model *m, const struct cost_sample *samples, int n, struct cost_learned *out)
{
	struct cost_sample *own = allocate((size_t)n, sizeof(*own));

	for (int i = 0; i < n; i++) {
		own[i] = samples[i];
		own[i].rows = without_estimates(samples[i].rows, samples[i].n_rows);
	}
	int rc = cost_model_xgboost.learn(m, own, n, out);

	for (int i = 0; i < n; i++)
		free((float *)(uintptr_t)own[i].rows);
	free(own);
	return rc;
}

static void release(struct model *m)
{
	cost_model_xgboost.free(m);
}

static const struct cost_model blind = {
	.name = "blind", .summary = "boosted trees without a prior", .create = create, .score = score, .learn = learn,
	.free = release,
};

/* --- evolution */

static void propose_as_ever(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	strategy_evolve.propose(p, a, rng, b);
}

#define X(id, name, meaning)                                                                                        \
	static void propose_##id(const struct problem *given, struct arena *a, struct rng *rng, struct batch *b)    \
	{                                                                                                           \
		struct problem p = *given;                                                                          \
                                                                                                                    \
		p.without |= 1U << COMPONENT_##id;                                                                  \
		strategy_evolve.propose(&p, a, rng, b);                                                             \
	}                                                                                                           \
	static const struct strategy without_##id = { "-" name, meaning, &cost_model_xgboost, propose_##id };
#include "search/strategies/component.def"
#undef X

static const struct strategy without_prior = { "-prior", "estimates of what was not measured", &blind, propose_as_ever };
static const struct strategy without_learning = { "-learned", "a model of what was measured", &cost_model_analytic,
						  propose_as_ever };

const struct strategy *const ablations[] = {
	&without_prior,
	&without_learning,
#define X(id, name, meaning) &without_##id,
#include "search/strategies/component.def"
#undef X
	NULL,
};
