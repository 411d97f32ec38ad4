/* SPDX-License-Identifier: Apache-2.0 */
/* bench/interleave.h - comparing the times of functions, in one process, in turns.
 *
 * A machine's speed drifts by more than what is to be told apart, so times are compared only within
 * a round: each contender runs one sample (as many calls as a sample's length needs, after one call
 * that is not timed and brings its data back into the caches), the order rotates from round to
 * round, and what counts is the ratio of the samples of one round. */
#ifndef HONE_BENCH_INTERLEAVE_H
#define HONE_BENCH_INTERLEAVE_H

struct contender {
	const char *name;
	int (*run)(void *user);		/* 0, or -1 and a message */
	void *user;
};

enum { PIN_NONE = -1, PIN_HERE = -2 };

struct interleave {
	double budget_s;	/* for all rounds together */
	double sample_us;	/* the least length of a sample */
	double settle_us;	/* pause before a sample, in which idle threads of others stop
				 * spinning; for one thread 0 */
	int min_rounds, max_rounds;
	int cpu;		/* to pin the calling thread to, PIN_HERE, or PIN_NONE */
	double (*now_us)(void *clock);	/* NULL: the monotonic clock */
	void *clock;
};

/* Two seconds; one thread is pinned where it is. */
struct interleave interleave_default(int threads);

/* Of one contender: its time per call, and its time over that of contender 0 in the same round. */
struct standing {
	double us;			/* median */
	double ratio;			/* median; more than 1 is slower than contender 0 */
	double low, high;		/* 10th and 90th percentile of the ratio */
	int rounds;
	long calls;			/* in a sample */
};

/* Runs the N contenders C against one another. -1 and a message where one failed or pinning did;
 * the calling thread's affinity is what it was before. */
int interleave(const struct interleave *how, const struct contender *c, int n,
	       struct standing *out);

/* The standings of N contenders from times[round * n + contender], per call. */
void interleave_rank(const double *times, int rounds, int n, struct standing *out);

#endif
