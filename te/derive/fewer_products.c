/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/fewer_products.c - tries the smallest tiles. */
#include "te/derive/fewer_products.h"

#include "te/derive/phases.h"
#include "te/derive/winograd.h"

bool has_fewer_products(const struct op *op)
{
	struct arena *a = arena_new();
	struct derived tiles, phases;
	bool has = winograd_derive(a, op, WINOGRAD_LEAST, &tiles, NULL) ||
		   (phases_derive(a, op, PHASES_LEAST, &phases, NULL) &&
		    winograd_derive(a, phases.op[phases.product], WINOGRAD_LEAST, &tiles, NULL));

	arena_free(a);
	return has;
}
