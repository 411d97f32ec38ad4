/* SPDX-License-Identifier: Apache-2.0 */
/* measure/trial.h - one candidate on its way from C source to a verified time.
 *
 * In:   source text of hone_kernel, as codegen/callable.h describes it.
 * Out:  what happened to it; a candidate that failed is data, not an error.
 * Holds: only a trial with status OK has been verified both before and after its timing; a
 *        LOST_RACE has been verified before. */
#ifndef HONE_MEASURE_TRIAL_H
#define HONE_MEASURE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "db/status.h"

/* Of a kernel that has a shared object of its own. */
#define TRIAL_SYMBOL "hone_kernel"

enum { COUNTER_NAME = 40, COUNTERS_MAX = 16 };

/* Nanoseconds that the fixed kernel takes at the clock that there was, which times are without (measure/timing/sibling.h). */
#define COUNTER_FIXED "fixed_ns"

/* That, or an event count of one run of a kernel, of the thread that called it. */
struct counter {
	char name[COUNTER_NAME];
	int64_t value;
};

struct trial {
	/* In. */
	const char *source;

	/* Out; strings and arrays live in the arena given to build_all and measure_all. */
	const char *object;	/* path of the shared object; NULL while there is none */
	const char *symbol;	/* what the names of its functions begin with; NULL: TRIAL_SYMBOL */
	enum trial_status status;
	bool estimate;		/* the guess of a stand-in: nothing was run */
	const char *text;	/* what went wrong, for people; NULL where nothing did */
	const double *samples;	/* microseconds a run, all of them in order, disturbed ones too */
	int n_samples;
	const char *counted;	/* a 1 for each that time_us is taken from, else 0; NULL: not
				 * known */
	int disturbed;		/* of these, how many were preempted, migrated or stolen from */
	double time_us;		/* what the undisturbed samples usually come to */
	double reference_us;	/* of the fixed kernel at the same clock (measure/timing/burst.h) */
	double ratio;		/* of the two */
	struct counter counters[COUNTERS_MAX];
	int n_counters;
	double build_ms, run_ms, verify_ms;	/* wall time; run_ms is all the runner's */
};

/* T's symbol, or what it is where none was set. */
const char *trial_symbol(const struct trial *t);
/* What became of T, without its source and object, in A. */
struct trial trial_result(struct arena *a, const struct trial *t);
/* Removes the object file; the source and the results stay. */
void trial_discard(struct trial *t);

#endif
