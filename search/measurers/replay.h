/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/replay.h - a recording in place of a machine.
 *
 * What was recorded is answered as it was; beyond it a stand-in answers (search/measurers/stand_in.h).
 * Its trials say that they are estimates, and neither they nor their records count as measured.
 * Holds: the same recording gives the same answers, on any machine, in any order. */
#ifndef HONE_SEARCH_MEASURERS_REPLAY_H
#define HONE_SEARCH_MEASURERS_REPLAY_H

#include "search/measurers/measurer.h"
#include "search/measurers/recording.h"
#include "search/measurers/stand_in.h"

/* A KIND of cost model that learns is the stand-in. R must outlive it. */
struct measurer *measurer_replay(const struct recording *r, const struct cost_model *kind);

/* M is a replay: it turns to T now, and not with the first batch of it. As collect(). */
int replay_begin(struct measurer *m, const struct task *t);

/* What a replay has answered since it began its task, and from what. */
struct replay_answers {
	int64_t recorded, guessed;	/* trials: from the records, by the stand-in */
	int records;			/* of the task */
	double least_us;		/* the stand-in answers no less */
	double deviation;	/* of its logarithm of the time above the floor: its own error */
};

/* M is a replay. */
struct replay_answers replay_answers(const struct measurer *m);

#endif
