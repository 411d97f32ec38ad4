/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/prepared.h - a workload as runner processes take it: the request that sets them up, and the memory file
 * with its inputs, references and bounds, which the first process fills and all later ones find.
 *
 * Holds: those that are kept are together no larger than PREPARED_KEPT_SHARE of the machine's memory; the ones used last
 *        stay. */
#ifndef HONE_MEASURE_RUNNER_PREPARED_H
#define HONE_MEASURE_RUNNER_PREPARED_H

#include "base/arena.h"
#include "measure/runner/protocol.h"
#include "measure/runner/workload.h"

struct prepared {
	struct arena *arena;	/* holds this, too */
	struct setup *setup;	/* without the paths of its references */
	int memory;		/* the memory file */
	int64_t bytes;		/* of it */
	const void *view;	/* of it, in this process; NULL: not mapped */
	const char *key;	/* to be kept under; NULL: it is not to be kept */
	struct prepared *next;	/* of those that are kept */
};

/* The one used last first. */
struct kept_workloads {
	struct prepared *first;
};

/* Kernels of W may allocate MEMORY bytes. W is copied. 0; 1 where it is W that cannot be had, and -1 where memory fails,
 * with a message. */
int prepared_new(const struct workload *w, size_t memory, struct prepared **out);
void prepared_free(struct prepared *p);

/* The inputs of SET, the references of its outputs, and their bounds, by argument: as long as P is there. -1 and a message where
 * they cannot be mapped. */
int prepared_look(struct prepared *p, enum input_set set, const void **data, const void **bound);

#define PREPARED_KEPT_SHARE 0.125

/* Takes P, in the place of one with its key. Those used longest ago are freed where there is no room. */
void prepared_keep(struct kept_workloads *kept, struct prepared *p);
/* Takes the one with KEY out of KEPT, for kernels of THREADS threads; NULL where there is none. */
struct prepared *prepared_take(struct kept_workloads *kept, const char *key, int threads);

#endif
