/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_dag.h - seeded random DAGs of a few small ops, as .te text.
 *
 * Extents are small and mostly odd. Values are small whole numbers and every op of a float type
 * stays within what its type holds exactly, so that any order of evaluation gives the same bits
 * (but for the sign of a zero). */
#ifndef HONE_TESTS_PROPERTY_RANDOM_DAG_H
#define HONE_TESTS_PROPERTY_RANDOM_DAG_H

#include "base/rng.h"
#include "te/dag.h"

/* A frozen DAG of one to four compute ops, and its text. Dies where the text is no DAG: a bug here
 * or in the parser. */
struct dag *random_dag(struct arena *a, struct rng *r, const char **text);

/* Whole numbers as elements of T: small for floats and wide integers, any byte for narrow ones. */
void random_fill(struct rng *r, enum dtype t, void *data, int64_t count);

#endif
