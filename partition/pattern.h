/* SPDX-License-Identifier: Apache-2.0 */
/* partition/pattern.h - calls one behind the other, as text.
 *
 *	conv2d[groups=1] bias_add? (relu | clip)?
 *
 * A word is a core operator, or one of partition/words.def; [...] has predicates, partition/predicate.h;
 * ? makes optional what stands before it; (x | y) is x or else y. Each call reads what the one before it
 * gives, and nothing else does. */
#ifndef HONE_PARTITION_PATTERN_H
#define HONE_PARTITION_PATTERN_H

#include "graph/pass/flow.h"

struct pattern;

/* In A; NULL and a message that says where. */
const struct pattern *pattern_parse(struct arena *a, const char *text);
/* Does P match the calls that begin with VALUE? As many of them as can be, in *MEMBERS, ascending, in A. */
bool pattern_match(struct arena *a, const struct pattern *p, const struct flow *flow, int value,
		   struct value_vec *members);

#endif
