/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/pipeline.h - which reductions a search pipelines. */
#ifndef HONE_SEARCH_SPACE_SAMPLING_PIPELINE_H
#define HONE_SEARCH_SPACE_SAMPLING_PIPELINE_H

#include "base/rng.h"
#include "search/space/genes/genes.h"

/* Decides whether the loop around the written-out body of G's stage is pipelined: mostly not, and only where TARGET's
 * registers hold what two turns load. */
void pipeline_draw(struct arena *a, const struct state *s, struct gene *g, const struct target *target, struct rng *rng);
/* Is the loop of STEP that loop, and do registers hold that? */
bool pipeline_fits(struct arena *a, const struct state *s, const struct step *step, const struct target *target);

#endif
