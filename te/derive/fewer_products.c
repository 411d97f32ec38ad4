/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/fewer_products.c - tries the smallest tiles. */
#include "te/derive/fewer_products.h"

#include "te/derive/phases.h"
#include "te/derive/strides/space_to_depth.h"
#include "te/derive/winograd.h"

static bool has_tiles(struct arena *a, const struct op *op)
{
	struct derived d;

	return winograd_derive(a, op, (struct winograd_tiles){ .m = WINOGRAD_LEAST }, &d, NULL);
}

bool has_fewer_products(const struct op *op)
{
	struct arena *a = arena_new();
	struct derived d;
	bool has = has_tiles(a, op) || (phases_derive(a, op, PHASES_LEAST, &d, NULL) && has_tiles(a, d.op[d.product])) ||
		   (space_to_depth_derive(a, op, SPACE_TO_DEPTH_LEAST, &d, NULL) && has_tiles(a, d.op[d.product]));

	arena_free(a);
	return has;
}
