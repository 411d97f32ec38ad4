/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_index.h - random index expressions over the axes of an op, as .te text. */
#ifndef HONE_TESTS_PROPERTY_RANDOM_INDEX_H
#define HONE_TESTS_PROPERTY_RANDOM_INDEX_H

#include "base/rng.h"
#include "base/text.h"

enum { MAX_AXES = 6, MAX_DIMS = MAX_AXES };

struct var {
	char name;
	int64_t extent;
	bool reduce;
};

/* An index expression and its values [lo, hi]. */
struct index_form {
	char text[120];
	int64_t lo, hi;
};

/* The axes of an op. */
struct axes {
	struct var at[MAX_AXES];
	int n;
};

struct index_form form_number(int64_t v);
/* factor * V. */
struct index_form form_of(const struct var *v, int64_t factor);
struct index_form form_sum(struct index_form x, struct index_form y);
/* X by D, or what is left; X is not negative. */
struct index_form form_quotient(struct index_form x, int64_t d, bool remainder);
struct index_form random_form(struct rng *r, const struct axes *axes);

/* A load of tensor T<NUMBER> at FORMS, moved into its bounds at a random place; where they are too
 * wide for it, guarded by a select. */
void print_load(struct rng *r, struct text *t, int number, const int64_t *shape, int ndim,
		const struct index_form *forms);

#endif
