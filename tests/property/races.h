/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/races.h - what the proofs about parallel loops are held against. */
#ifndef HONE_TESTS_PROPERTY_RACES_H
#define HONE_TESTS_PROPERTY_RACES_H

#include "tests/property/sample.h"

/* Runs a prepared sample with each turn of a parallel loop on its own: it sees memory as it was
 * before the loop, and no two turns may change the same element. False with the element on stderr
 * where two do; then, as always, sample_matches tells whether the outputs are right. */
bool sample_run_isolated(struct schedule_sample *s);

#endif
