/* SPDX-License-Identifier: Apache-2.0 */
/* tests/sim_tasks.h - models whose tasks converge along known curves, for the scheduler to play. */
#ifndef HONE_TESTS_SIM_TASKS_H
#define HONE_TESTS_SIM_TASKS_H

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "search/task.h"

enum { MAX_TASKS = 24, BATCH = 16, FIRST = 8, EARLY = 32 };

#define PEAK 100.0

/* How the trials of a task come out; u and v are uniform. */
enum sim_curve {
	CURVE_POWER,	/* the n-th takes floor * (1 + c / n^p): the curve that is assumed */
	CURVE_SAMPLES,	/* each takes floor * (1 + c * u^p): the best is such a curve in the mean */
	CURVE_STEPS,	/* now and then one is found that takes away a part of what is left */
	CURVES
};

struct sim {
	struct task task;
	enum sim_curve curve;
	double floor_us, c, p;
	double valid;		/* the share of trials */
	double gap;		/* of CURVE_STEPS */
	int trials;
	struct rng rng;
};

struct sim_model {
	struct sim at[MAX_TASKS];
	int n;
	int64_t budget;
};

/* Between LOW and HIGH, evenly on a logarithmic scale. */
static inline double between(struct rng *r, double low, double high)
{
	return low * pow(high / low, rng_unit(r));
}

/* The time of the next trial; 0: it fails. */
static inline double trial(struct sim *t)
{
	double u = rng_unit(&t->rng), v = rng_unit(&t->rng);
	bool valid = rng_chance(&t->rng, t->valid);
	int n = ++t->trials;
	double over = 0;

	switch (t->curve) {
	case CURVE_POWER:
		over = t->c * pow(n, -t->p);
		break;
	case CURVE_SAMPLES:
		over = t->c * pow(u, t->p);
		break;
	case CURVE_STEPS:
		t->gap *= u < 3.0 / (2 + n) ? 1 - 0.8 * t->p * v : 1;
		over = t->gap;
		break;
	case CURVES:
		break;
	}
	return valid ? t->floor_us * (1 + over) : 0;
}

/* The fastest valid one of N trials; 0: none is. */
static inline double best_of(struct sim *t, int n)
{
	double best = 0;

	for (int i = 0; i < n; i++) {
		double us = trial(t);

		best = us > 0 && (best == 0 || us < best) ? us : best;
	}
	return best;
}

/* Operators, and the shares of the peak that their kernels can reach. */
static const struct kind {
	const char *op;
	double low, high;	/* of the peak */
	double flop;		/* how much smaller than a convolution */
} kinds[] = {
	{ "conv2d+bias+relu", 0.4, 0.9, 1 },
	{ "conv2d", 0.4, 0.9, 1 },
	{ "depthwise+bias", 0.1, 0.5, 0.05 },
	{ "dense", 0.05, 0.6, 1 },
	{ "max_pool", 0.005, 0.05, 0.01 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static inline struct sim_model random_model(uint64_t seed)
{
	struct rng r = rng_seed(seed);
	struct sim_model m = { .n = 2 + (int)rng_below(&r, MAX_TASKS - 1) };
	double share[KINDS];

	m.budget = m.n * (FIRST + BATCH * (1 + rng_below(&r, 12)));
	for (int i = 0; i < KINDS; i++)
		share[i] = between(&r, kinds[i].low, kinds[i].high);
	for (int i = 0; i < m.n; i++) {
		int64_t kind = rng_below(&r, KINDS);
		struct sim *t = &m.at[i];

		t->task.op = kinds[kind].op;
		t->task.flop = kinds[kind].flop * between(&r, 1e6, 1e9);
		t->task.weight = (double)(1 + rng_below(&r, 4));
		snprintf(t->task.key, sizeof(t->task.key), "key%d", i);
		t->curve = (enum sim_curve)rng_below(&r, CURVES);
		t->floor_us = t->task.flop * 1e-3 / (PEAK * share[kind] * between(&r, 0.6, 1));
		t->c = t->gap = between(&r, 1, 30);
		t->p = 0.3 + 0.9 * rng_unit(&r);
		t->valid = between(&r, 0.3, 1);
		t->rng = rng_seed(rng_u64(&r));
	}
	return m;
}

/* N tasks of one curve that differ in nothing. */
static inline struct sim_model equal_model(int n)
{
	struct sim_model m = { .n = n, .budget = n * 100 };

	for (int i = 0; i < n; i++) {
		m.at[i] = (struct sim){
			.task = { .op = "conv2d", .flop = 1e6, .weight = 1 },
			.floor_us = 20, .c = 10, .p = 0.5, .valid = 1, .rng = rng_seed(1),
		};
		snprintf(m.at[i].task.key, sizeof(m.at[i].task.key), "key%d", i);
	}
	return m;
}

#endif
