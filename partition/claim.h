/* SPDX-License-Identifier: Apache-2.0 */
/* partition/claim.h - which calls a generator would compute: those that its patterns match and that it
 * does not refuse. */
#ifndef HONE_PARTITION_CLAIM_H
#define HONE_PARTITION_CLAIM_H

#include "partition/generators.h"
#include "partition/pattern.h"

/* Calls that go to a generator together or not at all. */
struct claim {
	const char *pattern;		/* its name */
	struct value_vec members;	/* ascending; the last gives the result */
};

struct claim_vec VEC(struct claim);

struct claims {
	struct claim_vec at;		/* by their first members, ascending; no call is in two */
	const char **why;		/* by value: why no claim has it, where a pattern matched it; else NULL */
};

/* What BACKEND would compute of FLOW's function, where several patterns match the one that matches most
 * calls, in A. HELD: by value, what is not to be offered to it. */
struct claims claims_find(struct arena *a, const struct backend *backend, const struct flow *flow,
			  const bool *held);

#endif
