/* SPDX-License-Identifier: Apache-2.0 */
/* db/cache.h - the state of the caches that a time was taken in; the table is db/cache.def. */
#ifndef HONE_DB_CACHE_H
#define HONE_DB_CACHE_H

#include <stdbool.h>

enum cache_state {
#define X(name, text, meaning) CACHE_##name,
#include "db/cache.def"
#undef X
	CACHE_STATE_COUNT
};

const char *cache_state_name(enum cache_state c);
/* False where NAME is none. */
bool cache_state_parse(const char *name, enum cache_state *out);
/* The state in which a kernel alone is timed where a record has NAME: warm for that of a model, or none. */
enum cache_state cache_state_alone(const char *name);

#endif
