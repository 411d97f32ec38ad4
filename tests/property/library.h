/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/library.h - DAGs of the operator library, schedules as the search makes them. */
#ifndef HONE_TESTS_PROPERTY_LIBRARY_H
#define HONE_TESTS_PROPERTY_LIBRARY_H

#include "base/rng.h"
#include "schedule/state.h"

/* A small operator of tests/unit/specs.def; its text is its spec and its equations. */
struct dag *library_dag(struct arena *a, struct rng *r, const char **text);

/* True where whole numbers stay whole, so that any order of evaluation gives the same. */
bool dag_is_exact(const struct dag *d);

/* Equal but for -0, which is 0: which of two zeros a maximum takes depends on the order. Where values
 * are not EXACT, what summing them in another order may change, in units of the type. */
bool value_is_close(enum dtype t, double want, double got, bool exact);

/* A sample of a random sketch of DAG, for TARGET; NULL where none was found. */
struct state *sketched_state(struct arena *a, struct rng *r, const struct dag *dag,
			     const struct target *target);

#endif
