/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/step_times.c - costs of bindings become those of tasks. */
#include "runtime/step_times.h"

#include <string.h>

static bool is_kernel(const char *by)
{
	return strcmp(by, choice_origin_name(CHOICE_NONE)) != 0 && strcmp(by, "copy") != 0;
}

void step_times_add(const struct graph *g, const struct task_uses *uses, const struct session *s, int sign,
		    const char *by, struct step_sum *sums)
{
	const struct session_cost_vec *costs = session_costs(s);

	for (int i = 0; i < costs->n; i++) {
		const struct session_cost *c = &costs->at[i];
		const struct function *in = g->functions.at[c->function];
		int task = task_used(uses, c->function, (int)(c->binding - in->bindings.at));

		if (task < 0 || (by ? strcmp(c->by, by) != 0 : !is_kernel(c->by)))
			continue;
		sums[task].seconds += sign * c->seconds;
		sums[task].runs += sign * c->runs;
	}
}
