/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/origin.c - origins, and what is demanded of them. */
#include "graph/ir/origin.h"

#include <string.h>

const struct origin origin_none = { .label = "" };

const struct origin *origin_new(struct arena *a, const char *label, struct demand demand)
{
	if (!*label && demand.kind == DEMAND_NONE)
		return &origin_none;
	struct origin *o = arena_one(a, struct origin);

	*o = (struct origin){ label, demand };
	return o;
}

bool demand_lets(struct demand d, const char *name)
{
	return d.kind == DEMAND_NONE ||
	       (d.kind == DEMAND_OFFLOAD && (!d.generator || strcmp(d.generator, name) == 0));
}
