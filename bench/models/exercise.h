/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/exercise.h - a whole model as what a bout is about.
 *
 * Holds: results are held against those of the first player that gives any, which is hone where
 *        hone runs the model. */
#ifndef HONE_BENCH_MODELS_EXERCISE_H
#define HONE_BENCH_MODELS_EXERCISE_H

#include "bench/contest/referee/bout.h"
#include "bench/models/setting.h"

struct model_exercise {
	struct arena *arena;		/* of the results to compare with */
	const struct setting *setting;
	const struct value *inputs;
	int nresults;
	struct value *want;		/* NULL until the first player was checked */
};

/* M outlives it. */
struct exercise model_exercise(struct model_exercise *m);

#endif
