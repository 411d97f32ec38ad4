/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/arranged.h - seeded random orders of stored dims, and data stored so. */
#ifndef HONE_TESTS_PROPERTY_ARRANGED_H
#define HONE_TESTS_PROPERTY_ARRANGED_H

#include "base/rng.h"
#include "te/arrange/arrange.h"

/* One for each argument of D: as it is, another order of dims, some of them in blocks. */
struct arrangement *random_arrangements(struct arena *a, struct rng *r, const struct dag *d);

/* The elements of PLAIN, a T, where HOW stores them. */
void store_arranged(const struct arrangement *how, const struct tensor *t, const void *plain,
		    void *stored);

#endif
