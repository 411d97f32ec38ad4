/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_plan.h - buffers as networks have them, and such as none has. */
#ifndef HONE_TESTS_PROPERTY_RANDOM_PLAN_H
#define HONE_TESTS_PROPERTY_RANDOM_PLAN_H

#include "base/rng.h"
#include "runtime/plan/plan.h"

/* A kind of instance: SIZE buffers or layers, about. */
struct plan_family {
	const char *name;
	void (*make)(struct arena *a, struct rng *rng, int size, struct plan_buffer_vec *out);
	bool tight;	/* the bound is met whatever the sizes are */
};

extern const struct plan_family plan_families[];
extern const int plan_family_count;

#endif
