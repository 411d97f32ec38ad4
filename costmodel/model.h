/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/model.h - what ranks programs without running them.
 *
 * A cost model is one file costmodel/NAME.c that ends in a struct cost_model, and one line
 * of models.def.
 *
 * In:   feature rows of programs; to learn, also what was measured of them.
 * Out:  a score for each program: higher is faster, in programs a second as far as the model knows
 *       (times the chance that it works); within a task scores of one model compare.
 * Holds: the same samples in the same order, options and number of threads give the same scores. */
#ifndef HONE_COSTMODEL_MODEL_H
#define HONE_COSTMODEL_MODEL_H

#include "costmodel/features/features.h"

/* A measured program. */
struct cost_sample {
	const float *rows;	/* n_rows * FEATURE_COUNT; not owned */
	int n_rows;
	float throughput;	/* 1 / time, in any unit that is the same within a group; 0: it failed */
	int group;		/* the task, from 0: throughput counts relative to its best */
};

struct cost_options {
	uint64_t seed;
	/* That learning and scoring may use; 0: one. More help only on idle cores: where others run,
	 * two threads that wait for each other took 20 times as long as one. */
	int threads;
	int max_rounds;		/* of boosting; 0: the default */
};

/* What became of the last learn(). */
struct cost_learned {
	int samples, failed;	/* of the samples given */
	int rounds;		/* trees of the model of throughput; 0: too few samples, none learned */
	double held_accuracy;	/* pairwise_accuracy on the held-out part; 0.5 where there was none */
	bool validity;		/* failures were enough to learn from */
};

struct model;

struct cost_model {
	const char *name;
	const char *summary;
	struct model *(*create)(const struct cost_options *o);
	/* Of programs of GROUP. May run while another thread learns; it then uses what was learned before. */
	void (*score)(const struct model *m, int group, const struct feature_matrix *programs, int n,
		      float *scores);
	/* Learns anew from all N samples. 0, or -1 and a message. OUT may be NULL. NULL where the
	 * model does not learn, as is pretrain. */
	int (*learn)(struct model *m, const struct cost_sample *samples, int n,
		     struct cost_learned *out);
	/* Learns from samples of other tasks a base: from then on learn() learns what that leaves
	 * open. Forgets what was learned before. Not while learn runs. Else as learn. */
	int (*pretrain)(struct model *m, const struct cost_sample *samples, int n,
			struct cost_learned *out);
	void (*free)(struct model *m);
};

#define X(name) extern const struct cost_model cost_model_##name;
#include "costmodel/models.def"
#undef X

/* By name; NULL where there is none. */
const struct cost_model *cost_model_find(const char *name);

/* What the analytic model says: programs a second. */
float prior_score(const struct feature_matrix *program);

#endif
