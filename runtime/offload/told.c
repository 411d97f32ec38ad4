/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/told.c - costs of all that generators compute of a model, summed. */
#include "runtime/offload/told.h"

struct hone_cost cost_add(struct hone_cost x, struct hone_cost y)
{
	return (struct hone_cost){ x.kernels_us + y.kernels_us, x.launches_us + y.launches_us,
				   x.transfers_us + y.transfers_us };
}

struct hone_cost cost_times(struct hone_cost x, double n)
{
	return (struct hone_cost){ x.kernels_us * n, x.launches_us * n, x.transfers_us * n };
}

static struct hone_cost told_by(const struct foreign *x, const struct hone_generator *by)
{
	return !by || foreign_backend(x)->generator == by ? foreign_cost(x) : (struct hone_cost){ 0 };
}

struct hone_cost told_cost(const struct opened *m, const struct hone_generator *by)
{
	struct hone_cost sum = { 0 };

	for (int i = 0; i < m->offloaded.cut.regions.n; i++)
		sum = cost_add(sum, told_by(m->offloaded.ready[i], by));
	for (int f = 0; f < m->graph->functions.n; f++) {
		const struct flat *flat = m->code->flats[f];

		for (int i = 0; flat && i < flat->steps.n; i++)
			if (flat->steps.at[i].kind == FLAT_FOREIGN)
				sum = cost_add(sum, told_by(flat->steps.at[i].foreign, by));
	}
	return sum;
}

bool told_any(const struct opened *m, const struct hone_generator *by)
{
	return cost_us(told_cost(m, by)) > 0;
}
