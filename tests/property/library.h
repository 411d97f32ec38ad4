/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/library.h - DAGs of the operator library, schedules as the search makes them. */
#ifndef HONE_TESTS_PROPERTY_LIBRARY_H
#define HONE_TESTS_PROPERTY_LIBRARY_H

#include "base/rng.h"
#include "schedule/state.h"

/* A small operator of tests/unit/te/specs.def; its text is its spec and its equations. */
struct dag *library_dag(struct arena *a, struct rng *r, const char **text);

/* True where whole numbers stay whole, so that any order of evaluation gives the same. */
bool dag_is_exact(const struct dag *d);

/* Does D cut fractions off? The smallest error of another algorithm may be one of 1 behind it: nothing is to be
 * derived there that values are compared of. */
bool dag_truncates(const struct dag *d);

/* What two right ways to compute a value have in common. */
enum closeness {
	AGREES_EXACTLY,		/* all bits but the sign of 0: which of two zeros a maximum takes depends on the order */
	AGREES_ROUNDED,		/* but for what summing in another order changes */
	AGREES_DERIVED,		/* but for what another algorithm changes, as Winograd's */
};
/* What the kernel of S, a state of D, has in common with D's values as written. */
enum closeness agreement_of(const struct dag *d, const struct state *s);
bool value_is_close(enum dtype t, double want, double got, enum closeness agreement);

/* A sample of a random sketch of DAG, for TARGET; NULL where none was found. */
struct state *sketched_state(struct arena *a, struct rng *r, const struct dag *dag,
			     const struct target *target);

#endif
