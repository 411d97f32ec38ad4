/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/names.h - a map from names to small integers, open addressing, in an arena. */
#ifndef HONE_GRAPH_IR_NAMES_H
#define HONE_GRAPH_IR_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct names {
	struct name_slot *slots;	/* NULL while empty */
	int n, cap;			/* cap is a power of two, at least 2 n */
};

/* False, with nothing changed, where NAME is there already. NAME is not copied. */
bool names_add(struct arena *a, struct names *m, const char *name, int value);
/* OTHERWISE where NAME is not there. */
int names_get(const struct names *m, const char *name, int otherwise);

#endif
