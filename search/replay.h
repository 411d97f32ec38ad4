/* SPDX-License-Identifier: Apache-2.0 */
/* search/replay.h - a recording in place of a machine.
 *
 * What was recorded is answered as it was. Beyond it a stand-in answers: a model learned from the
 * task's records, and on top of that a deviation as large as its error on records that it has not
 * seen, drawn from the candidate's own hash: so the landscape is as rugged as the real one, and the
 * same at each visit.
 * Its trials say that they are estimates, and neither they nor their records count as measured.
 * Holds: the same recording gives the same answers, on any machine, in any order. */
#ifndef HONE_SEARCH_REPLAY_H
#define HONE_SEARCH_REPLAY_H

#include "search/measurer.h"
#include "search/recording.h"

/* R must outlive it. */
struct measurer *measurer_replay(const struct recording *r);

#endif
