/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/learner.h - the cost model of a campaign, and what it learns from: the trials of all tasks.
 *
 * In:   features and times of what was measured.
 * Out:  scores of what was not.
 * Holds: training runs beside the caller; whoever asks for scores waits for it, so scores do not
 *        depend on how fast it is. The samples kept are bounded. */
#ifndef HONE_SEARCH_STRATEGIES_LEARNER_H
#define HONE_SEARCH_STRATEGIES_LEARNER_H

#include "costmodel/model.h"

struct learner;

/* What KIND learns, with random numbers from SEED. */
struct learner *learner_new(const struct cost_model *kind, uint64_t seed);
void learner_free(struct learner *l);	/* NULL is allowed */

/* Learns from what other tasks came to, as struct cost_model says. Before any trial was added. */
int learner_pretrain(struct learner *l, const struct cost_sample *samples, int n,
		     struct cost_learned *out);
/* A trial of task GROUP (from 0); TIME_US is 0 where it failed. All is copied. */
void learner_add(struct learner *l, int group, const struct feature_matrix *m, double time_us);
/* Starts training where enough came in since the last time. */
void learner_train(struct learner *l);
/* Starts training with what there is. */
void learner_retrain(struct learner *l);
/* Samples that have come in, and those that had when training last started. */
int64_t learner_came(const struct learner *l);
int64_t learner_trained(const struct learner *l);
/* Scores of candidates of task GROUP as of struct cost_model; waits for training to end. */
void learner_score(struct learner *l, int group, const struct feature_matrix *m, int n, float *scores);

/* Seconds that the caller has waited for training so far. */
double learner_waited(const struct learner *l);

#endif
