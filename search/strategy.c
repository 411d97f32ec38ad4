/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategy.c - the table of strategies, and what they share. */
#include "search/strategy.h"

#include "base/hash.h"

static const struct strategy *const strategies[] = {
#define X(name) &strategy_##name,
#include "search/strategies.def"
#undef X
};

const struct strategy *strategy_find(const char *name)
{
	for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++)
		if (strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

const char *strategy_names(void)
{
	static const char names[] =
#define X(name) " " #name
#include "search/strategies.def"
#undef X
		;

	return names + 1;
}

/* Open addressing; the table doubles at half load. */
struct seen {
	struct arena *a;
	struct hash128 *slot;	/* {0, 0}: free */
	size_t n, cap;
};

struct seen *seen_new(struct arena *a)
{
	struct seen *s = arena_one(a, struct seen);

	s->a = a;
	s->cap = 256;
	s->slot = arena_many(a, struct hash128, s->cap);
	return s;
}

static bool put(struct seen *s, struct hash128 h)
{
	size_t i = (size_t)h.lo & (s->cap - 1);

	for (; s->slot[i].hi || s->slot[i].lo; i = (i + 1) & (s->cap - 1))
		if (hash_equal(s->slot[i], h))
			return false;
	s->slot[i] = h;
	s->n++;
	return true;
}

bool seen_add(struct seen *s, const char *steps)
{
	if (2 * s->n >= s->cap) {
		const struct hash128 *old = s->slot;
		size_t cap = s->cap;

		s->cap *= 2;
		s->n = 0;
		s->slot = arena_many(s->a, struct hash128, s->cap);
		for (size_t i = 0; i < cap; i++)
			if (old[i].hi || old[i].lo)
				put(s, old[i]);
	}
	return put(s, hash_bytes(steps, strlen(steps)));
}
