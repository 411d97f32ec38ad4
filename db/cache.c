/* SPDX-License-Identifier: Apache-2.0 */
/* db/cache.c - names of the states of caches. */
#include "db/cache.h"

#include <string.h>

static const char *const names[] = {
#define X(name, text, meaning) [CACHE_##name] = text,
#include "db/cache.def"
#undef X
};

const char *cache_state_name(enum cache_state c)
{
	return names[c];
}

bool cache_state_parse(const char *name, enum cache_state *out)
{
	for (int i = 0; i < CACHE_STATE_COUNT; i++)
		if (strcmp(names[i], name) == 0) {
			*out = (enum cache_state)i;
			return true;
		}
	return false;
}

enum cache_state cache_state_alone(const char *name)
{
	enum cache_state c;

	return cache_state_parse(name, &c) && c != CACHE_MODEL ? c : CACHE_WARM;
}
