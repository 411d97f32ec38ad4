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

/* A sample of a random sketch of DAG, for vectors of VECTOR_BYTES; NULL where none was found. */
struct state *sketched_state(struct arena *a, struct rng *r, const struct dag *dag,
			     int vector_bytes);

#endif
