/* SPDX-License-Identifier: Apache-2.0 */
/* bench/versus.h - one task: our kernel against peers, on the same data, in turns. */
#ifndef HONE_BENCH_VERSUS_H
#define HONE_BENCH_VERSUS_H

#include "bench/interleave.h"
#include "bench/peer.h"

/* How one peer did. Strings live in the arena given to versus. */
struct versus_peer {
	const struct peer *peer;	/* set by the caller */
	const char *why;		/* NULL, or why it did not run: only version holds then */
	const char *version;		/* NULL where the library is missing */
	const char *kernel;
	struct standing standing;	/* its ratio is its time over ours */
	double difference;		/* greatest |peer - ours| over the greatest |ours| */
};

/* Runs OURS, which reads and writes ARGS (all buffers of D as te/eval.h orders them, 64-byte
 * aligned), against the N peers at the same number of threads. A peer that cannot do the task has a
 * reason, and is no error. WORK, which may be NULL, is set to what was recognized, "" if nothing.
 * -1 and a message where a run failed. */
int versus(struct arena *a, const struct dag *d, void *const *args, int threads,
	   const struct interleave *how, struct contender ours, struct standing *standing,
	   struct versus_peer *peer, int n, const char **work);

#endif
