/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/workload.h - what the kernels of one task compute on, and how they are to be timed. */
#ifndef HONE_MEASURE_RUNNER_WORKLOAD_H
#define HONE_MEASURE_RUNNER_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/cache.h"
#include "te/inputs.h"

enum { WORKLOAD_ARGS = 32, WORKLOAD_NAME = 64 };

enum arg_role {
	ARG_INPUT,
	ARG_CONST,	/* an input that may be packed beforehand */
	ARG_OUTPUT,
};

struct workload_arg {
	const char *name;
	enum dtype dtype;
	int64_t count;		/* elements */
	enum arg_role role;
	struct domain range[INPUT_SETS];	/* that inputs are drawn from, see measure/runner/fill.h */
};

struct workload {
	const struct workload_arg *args;	/* as the kernel takes them: inputs, then outputs */
	int n_args;
	uint64_t seed;
	int64_t reduction;	/* additions behind an output element, at least 1 */
	/* C source of the trusted kernel of each set of inputs, as in measure/trial.h, but that
	 * behind the outputs come as many bounds (measure/runner/verify.h). */
	const char *reference[INPUT_SETS];
	double rms_most;	/* that a float output of 32 bits or more may be off on random inputs, root
				 * mean square in parts of its own; 0: bounds of elements are all */
	int threads;		/* at least 1 */
	enum cache_state cache;	/* any but that of a model */
	size_t flush_bytes;	/* streamed through for CACHE_COLD, by all cores; 0: 64 MiB */
	size_t flush_private;	/* and by each core at least */
	double memory_us;	/* that a run takes at least, at any clock, for what memory delivers (measure/timing/timing.h) */
	double fixed_us;	/* the fixed kernel's, at the clock that times are given at; 0: the runner's usual one */
	double fixed_chains;	/* what it takes in chains; 0: the runner finds that */
	double min_ms, max_ms;	/* time spent on timing one trial; 0: WORKLOAD_MIN_MS, ..MAX_MS */
};

/* Enough for some dozen samples of a kernel of 1 ms, and for a spread below one percent on a
 * quiet machine. */
#define WORKLOAD_MIN_MS 6.0
#define WORKLOAD_MAX_MS 30.0

#endif
